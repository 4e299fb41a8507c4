import type { Action } from '../core/action.ts';
import type { Batch } from '../core/batches.ts';
import type { Failure } from '../core/failure.ts';
import { minReadyOf } from '../core/knowledge.ts';
import type { Observed } from '../core/observed.ts';
import { type CloudId, documentOfReplica } from '../core/resource.ts';
import { ListingFailed } from '../ports/provider.ts';
import { type Awaited, awaitState } from './await-state.ts';
import { isCancellation, wait } from './cancellation.ts';
import type { ExecutionContext } from './execution-context.ts';
import { type Item, observedOf } from './intent.ts';
import { launch } from './launch.ts';
import { launchObstacle } from './launch-check.ts';
import { type Outcome, unsent } from './ports.ts';
import { replaceMachine } from './replace.ts';
import { send } from './send.ts';

/** Machines of a document that were not ready when this reconcile observed them. */
export type Unready = (document: string, minReadyMs: number) => readonly CloudId[];

export interface BatchRun {
  readonly context: ExecutionContext;
  readonly unready: Unready;
  /** True where another action waits for this one, so that it counts as done only when the machine is up, or gone. */
  readonly awaited: (action: Action) => boolean;
  /** The observed resource of an id. */
  readonly seen: (id: CloudId) => Observed | undefined;
}

/** One batch, to its end. A stop leaves what was not sent `unsent`. */
export async function runBatch(batch: Batch, performance: BatchRun): Promise<readonly Outcome[]> {
  const { kind, verb, actions } = batch;
  performance.context.notify?.({ at: 'acting', kind, verb, addresses: actions.map(({ address }) => address) });
  try {
    return await act(batch, performance);
  } catch (error) {
    if (!isCancellation(error, performance.context.cancellation.waits)) throw error;
    performance.context.cancellation.stop(error instanceof Error ? error.message : 'the pass ended');
    return actions.map(() => unsent);
  }
}

async function act({ verb, actions }: Batch, performance: BatchRun): Promise<readonly Outcome[]> {
  switch (verb) {
    case 'replace':
      return Promise.all(actions.map((action) => replace(action, performance)));
    case 'update':
    case 'create':
    case 'delete':
      return complete(actions, verb, performance);
    case 'adopt':
    case 'forget':
      return send(itemsOf(actions, verb), performance.context);
  }
}

const itemsOf = (actions: readonly Action[], verb: Item['verb']): readonly Item[] =>
  actions.map((action) => ({ action, verb }));

/** Sends, and waits for machines that others wait for. */
async function complete(
  actions: readonly Action[],
  verb: 'create' | 'update' | 'delete',
  performance: BatchRun,
): Promise<readonly Outcome[]> {
  const [first] = actions;
  const stops = first?.verb === 'update' && first.effect === 'stops';
  const unready = stops ? await othersUnready(first, performance) : undefined;
  if (unready) return actions.map(() => unready);
  const outcomes = await sendPossible(actions, verb, performance.context);
  if (first?.kind !== 'instance' || !(stops || actions.some(performance.awaited))) return outcomes;
  const ids = actions.map((action, i) => idDone(action, outcomes[i]));
  const awaited = verb === 'delete' ? ({ state: 'gone' } as const) : readinessOf(actions);
  const missed = await awaitState({ ids: ids.filter((id) => id !== undefined), ...awaited }, performance.context);
  return outcomes.map((outcome, i) => afterWaiting(outcome, missed.get(ids[i] ?? '')));
}

/** Sends those that the cloud has nothing against, and nothing of the others. */
async function sendPossible(
  actions: readonly Action[],
  verb: 'create' | 'update' | 'delete',
  context: ExecutionContext,
): Promise<readonly Outcome[]> {
  const obstacles = await Promise.all(actions.map((action) => launchObstacle(action, context)));
  const possible = actions.filter((_, i) => obstacles[i] === undefined);
  const outcomes = new Map(zip(possible, await sendOrLaunch(possible, verb, context)));
  return actions.map((action, i) => obstacles[i] ?? outcomes.get(action) ?? unsent);
}

function sendOrLaunch(
  actions: readonly Action[],
  verb: 'create' | 'update' | 'delete',
  context: ExecutionContext,
): Promise<readonly Outcome[]> {
  // why: a batch is of one kind and one verb
  const launches = actions.flatMap((action) =>
    action.verb === 'create' && action.kind === 'instance' ? [action] : [],
  );
  return launches.length > 0 ? launch(launches, context) : send(itemsOf(actions, verb), context);
}

const zip = (actions: readonly Action[], outcomes: readonly Outcome[]): readonly (readonly [Action, Outcome])[] =>
  actions.map((action, i) => [action, outcomes[i] ?? unsent]);

/** Settled, but what waits for it must not go on. */
const afterWaiting = (outcome: Outcome, failure: Failure | undefined): Outcome =>
  failure === undefined ? outcome : { as: 'failed', failure };

/**
 * The readiness rule for the machines that these actions create or start: the longest time that any of their documents asks
 * for.
 */
function readinessOf(actions: readonly Action[]): Omit<Awaited, 'ids'> {
  if (!actions.every(isToRun)) return { state: 'ready' };
  const launched = actions.every(({ verb }) => verb !== 'update');
  return { state: 'ready', launched, minReadyMs: Math.max(...actions.map(minReadyIn)) };
}

const minReadyIn = (action: Action): number => ('desired' in action ? minReadyOf(action.desired.terms) : 0);

function isToRun(action: Action): boolean {
  if (!('desired' in action)) return false;
  const { attributes } = action.desired;
  return 'machine' in attributes && attributes.machine.power === 'running';
}

function idDone(action: Action, outcome: Outcome | undefined): CloudId | undefined {
  if (outcome?.as !== 'done') return undefined;
  if (outcome.observed) return isReadyNow(action, outcome.observed) ? undefined : outcome.observed.id;
  return 'observed' in action ? action.observed.id : undefined;
}

/** One that is to stand still has nothing to prove. */
const isReadyNow = (action: Action, { condition }: Observed): boolean =>
  condition.state === 'ready' && !isToRun(action);

/** One at a time in a document: it is ready, or has failed, before another one of the document changes. */
async function replace(action: Action, performance: BatchRun): Promise<Outcome> {
  if (action.kind !== 'instance' || action.verb !== 'replace') return irreplaceable;
  return (await othersUnready(action, performance)) ?? replaceMachine(action, performance);
}

/** Between the two nothing would stand: for a rule that is a gap, for all else a loss of what stands in it. */
const irreplaceable: Outcome = {
  as: 'failed',
  failure: { kind: 'terminal', code: 'NotReplaceable', message: 'only machines are replaced' },
};

/**
 * At most one machine of a document is down: one that still comes up is awaited first. Returns the outcome of the waiting
 * action, where that one does not come up; the next observation shows one that died, and it is created again before this one
 * changes.
 */
async function othersUnready(action: Action, { context, unready }: BatchRun): Promise<Outcome | undefined> {
  if (action.kind !== 'instance') return undefined;
  const successor = action.verb === 'replace' ? action.surge?.successor : undefined;
  const own = [observedOf(action).id, successor];
  const minReadyMs = minReadyIn(action);
  const ids = unready(documentOfReplica(action.address), minReadyMs).filter((id) => !own.includes(id));
  const [failure] = (await awaitState({ ids, state: 'ready', minReadyMs }, context)).values();
  return failure && { as: failure.code === 'NotReady' ? 'failed' : 'stale', failure };
}

/** The time that listings have to show new rules; the next reconcile finds the others. */
const pausesMs = [0, 1000, 2000, 4000, 8000];

/** Of these new rules, those that the cloud lists: an answer to a call is not proof enough to take away what they replace. */
export async function verify(made: ReadonlySet<CloudId>, context: ExecutionContext): Promise<ReadonlySet<CloudId>> {
  const seen = new Set<CloudId>();
  try {
    for (const pauseMs of pausesMs) {
      if (seen.size === made.size) break;
      const waiter = { clock: context.ports.clock, waits: context.cancellation.waits, notify: context.notify };
      if (pauseMs > 0) await wait({ why: 'visible', detail: 'new rules', forMs: pauseMs }, waiter);
      const listed = await listedRules(context);
      for (const id of made) if (listed.has(id)) seen.add(id);
    }
  } catch (error) {
    if (!isCancellation(error, context.cancellation.waits)) throw error;
  }
  return seen;
}

async function listedRules({ at, calls }: ExecutionContext): Promise<ReadonlySet<CloudId>> {
  const ids = new Set<CloudId>();
  try {
    for await (const page of at.site.session.actuators['firewall-rule'].list(calls.reading())) {
      for (const { id } of page) ids.add(id);
    }
  } catch (error) {
    if (!(error instanceof ListingFailed)) throw error;
  }
  return ids;
}
