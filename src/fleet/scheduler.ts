import { criticalityOf, intervalOf } from '../core/criticality.ts';
import { leaveScopes } from '../estate/inventory-sync.ts';
import { taskLeases } from '../ports/leases.ts';
import type { Periodic, RequestedScope, Where } from '../ports/queue.ts';
import { dueEnder } from './accept.ts';
import type { Generations } from './generations.ts';
import { asLeader } from './supervisor.ts';
import type { WorkerContext } from './worker-context.ts';

/** Interval of reading requests that are in the store only: of a person, or lost by the queue. */
const requestsEveryMs = 1_000;
/** Interval of queueing everything that is due again. */
const scheduleEveryMs = 10_000;

/**
 * Keeps the queue as the store says, as long as it leads: a periodic reconcile for every scope of every estate, and one now for
 * every request that no reconcile has answered. A queue that lost its data is thus made whole. It ends patches and documents whose time is over, too.
 */
export const runScheduler = (
  { reconcileEveryMs, generations }: { readonly reconcileEveryMs: number; readonly generations: Generations },
  context: WorkerContext,
  signal: AbortSignal,
): Promise<void> =>
  asLeader(taskLeases.scheduler, context, signal, async (lead) => {
    const { queue, clock } = context;
    const unheard = unansweredRequests(context);
    const endDue = dueEnder(context);
    const known = new Map<string, readonly Periodic[]>();
    for (let scheduleAt = clock.now(); !lead.aborted; await clock.sleep(requestsEveryMs, lead)) {
      await endDue();
      for (const where of await unheard()) await queue.request(asKnown(where, known), 'now');
      if (clock.now() < scheduleAt) continue;
      scheduleAt = clock.now() + scheduleEveryMs;
      await queue.schedule(await allScopes({ generations, known, reconcileEveryMs }, context));
    }
  });

interface KnownScopes {
  readonly generations: Generations;
  /** The scopes of each estate, as they were when it could last be opened here. */
  readonly known: Map<string, readonly Periodic[]>;
  readonly reconcileEveryMs: number;
}

/** With its criticality; a scope that is not known yet is normal. */
function asKnown({ estate, scope }: Where, known: ReadonlyMap<string, readonly Periodic[]>): RequestedScope {
  const found = known.get(estate)?.find((one) => one.scope === scope);
  return { estate, scope, ...criticalityOf(found === undefined ? [] : [found]) };
}

/** The pause between requests that no reconcile can answer, as where a worker of this version opens no such specs. */
const sameEveryMs = 5_000;

/** Scopes whose request waits and was not put into the queue just now. */
function unansweredRequests({ store, clock }: Pick<WorkerContext, 'store' | 'clock'>): () => Promise<readonly Where[]> {
  let lately = new Map<string, number>();
  return async () => {
    const now = clock.now();
    const all = (await store.fleet.requests.unanswered()).map((where) => ({ where, key: JSON.stringify(where) }));
    const due = all.filter(({ key }) => now - (lately.get(key) ?? 0) >= sameEveryMs);
    const asked = new Set(due.map(({ key }) => key));
    lately = new Map(all.map(({ key }) => [key, asked.has(key) ? now : (lately.get(key) ?? now)]));
    return due.map(({ where }) => where);
  };
}

/** An estate whose newest generation cannot be opened keeps the scopes that it had, and the others go on. */
async function allScopes(
  { generations, known, reconcileEveryMs }: KnownScopes,
  context: WorkerContext,
): Promise<readonly Periodic[]> {
  const { store, telemetry } = context;
  const estates = await store.estates.list();
  for (const estate of estates) {
    try {
      known.set(estate, await scopesOf(estate, { generations, reconcileEveryMs }, store));
      await recordLeftScopes(estate, known.get(estate) ?? [], context);
    } catch (error) {
      telemetry.log.error('cannot open an estate', { estate, reason: String(error) });
      if (!known.has(estate)) known.set(estate, await seenBefore(estate, reconcileEveryMs, store));
    }
  }
  return estates.flatMap((estate) => known.get(estate) ?? []);
}

/** A scope that cannot be recorded now is recorded the next time: it keeps nothing else out of the queue. */
async function recordLeftScopes(
  estate: string,
  named: readonly Where[],
  { store, clock, telemetry }: WorkerContext,
): Promise<void> {
  const scopes = named.map(({ scope }) => scope);
  await leaveScopes({ estate, scopes }, clock.now(), store).catch((error: unknown) => {
    telemetry.log.warn('cannot store the inventory of unmanaged scopes', { estate, reason: String(error) });
  });
}

async function scopesOf(
  estate: string,
  { generations, reconcileEveryMs }: Omit<KnownScopes, 'known'>,
  store: WorkerContext['store'],
): Promise<readonly Periodic[]> {
  const generation = await store.generations.current(estate);
  if (generation === undefined) return [];
  const { compiled } = await generations.open(estate, generation);
  return compiled.scopes.map(({ scope, cadence }) => ({
    estate,
    scope,
    everyMs: intervalOf(cadence, reconcileEveryMs).everyMs,
    ...criticalityOf([cadence]),
  }));
}

const seenBefore = async (
  estate: string,
  everyMs: number,
  { inventory }: WorkerContext['store'],
): Promise<readonly Periodic[]> => (await inventory.latest(estate)).map(({ scope }) => ({ estate, scope, everyMs }));
