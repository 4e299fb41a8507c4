import { seesAll } from '../core/access/grant.ts';
import { byCriticality } from '../core/criticality.ts';
import type { ScopeKey } from '../core/resource.ts';
import { compareText } from '../core/text.ts';
import { quarantineMs } from '../ports/fleet-state.ts';
import type {
  Duty,
  FleetAsked,
  FleetReport,
  FleetView,
  ScopeState,
  ScopeWait,
  ScopeWork,
  WorkerSeen,
} from '../ports/fleet-view.ts';
import { type HeldLease, taskLeases } from '../ports/leases.ts';
import { Declined, type TargetReport, type Targets } from '../ports/queries.ts';
import type { Queue, QueuedReconcile, QueuedReconciles } from '../ports/queue.ts';
import { followScope } from '../ports/sources.ts';
import type { Store } from '../ports/store.ts';
import type { RateLimitLevel, Samples } from '../ports/telemetry.ts';

interface Ground {
  readonly store: Pick<Store, 'leases' | 'fleet' | 'sources'>;
  readonly targets: Pick<Targets, 'list'>;
  readonly queue?: Pick<Queue, 'list'>;
  readonly rateLimits?: Samples['rateLimits'];
}

/** Reconciles that are read of each state and cloud. */
const mostQueued = 500;
/** Requests whose reasons are read. */
const mostReasons = 50;
/** A worker is shown for so long after its last reconcile. */
const seenMs = 3_600_000;

export function fleetViewOn(given: Ground): FleetView {
  const ground = { ...given, targets: { list: together(given.targets.list) } };
  return {
    scopes: async (asked) => workOf(await reportsOf(asked, ground), asked, await factsOf(asked, ground)),
    read: (asked) => read(asked, ground),
  };
}

/** Callers with the same bounds share a running look at all targets: a screen asks for the fleet and its scopes at once. */
function together(list: Targets['list']): Targets['list'] {
  const running = new Map<string, ReturnType<Targets['list']>>();
  return (asked) => {
    const key = JSON.stringify([asked.estate, asked.seen]);
    const found = running.get(key) ?? list(asked).finally(() => running.delete(key));
    running.set(key, found);
    return found;
  };
}

async function read(asked: FleetAsked, ground: Ground): Promise<FleetReport> {
  const [reports, facts] = await Promise.all([
    reportsOf(asked, ground).catch((error: unknown) => {
      if (error instanceof Declined && error.because === 'conflict') return undefined;
      throw error;
    }),
    factsOf(asked, ground),
  ]);
  const works = await workOf(reports ?? [], asked, facts);
  const visible = new Set(works.map(({ scope }) => scope));
  const { queue, rateLimits } = facts;
  const isQueued = ({ estate, scope }: QueuedReconcile): boolean => estate === asked.estate && visible.has(scope);
  return {
    ...(reports && { states: statesOf(works) }),
    workers: workersOf(works, asked.now),
    ...(queue && { queue: { ...queue, reconciles: queue.reconciles.filter(isQueued) } }),
    ...(rateLimits && {
      rateLimits: rateLimits.filter(({ key }) => scopesOf(key).some((scope) => visible.has(scope))),
    }),
    ...(seesAll(asked.seen, asked.estate) ? { whole: await wholeOf(asked.estate, facts.leases, ground) } : {}),
  };
}

/** A caller gets facts about all of a scope where they see all of a target there. */
const reportsOf = async (asked: FleetAsked, { targets }: Ground): Promise<readonly TargetReport[]> =>
  (await targets.list(asked)).filter(({ held }) => held !== undefined);

/** Facts that are read once for all scopes. `requested`: scopes with a request that no reconcile has answered. */
interface Facts {
  readonly leases: readonly HeldLease[];
  readonly requested: ReadonlyMap<ScopeKey, string | undefined>;
  readonly queue: QueuedReconciles | undefined;
  readonly rateLimits: readonly RateLimitLevel[] | undefined;
}

async function factsOf({ estate, seen }: FleetAsked, { store, queue, rateLimits }: Ground): Promise<Facts> {
  const [leases, unanswered, queued, levels] = await Promise.all([
    store.leases.held(estate),
    store.fleet.requests.unanswered(),
    queue?.list(mostQueued).catch(() => undefined),
    rateLimits?.(),
  ]);
  const open = unanswered.filter((where) => where.estate === estate);
  const isTold = seesAll(seen, estate);
  const requested = await Promise.all(
    open.map(async (where, at): Promise<readonly [ScopeKey, string | undefined]> => {
      if (!isTold || at >= mostReasons) return [where.scope, undefined];
      return [where.scope, (await store.fleet.requests.pendingState(where)).reason];
    }),
  );
  return {
    leases,
    requested: new Map(requested),
    queue: queued,
    rateLimits: levels?.map((one) => ownWaits(one, estate)),
  };
}

/** The rate limit, without the waiting requests of other estates. */
const ownWaits = ({ waiting, ...one }: RateLimitLevel, estate: string): RateLimitLevel => ({
  ...one,
  ...(waiting && { waiting: waiting.filter((wait) => wait.estate === estate) }),
});

/** The scopes that a rate limit can belong to: its key begins with its scope. */
function scopesOf(key: string): readonly ScopeKey[] {
  const parts = key.split('/');
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join('/'));
}

async function workOf(
  reports: readonly TargetReport[],
  { estate }: FleetAsked,
  { leases, requested, queue, rateLimits = [] }: Facts,
): Promise<readonly ScopeWork[]> {
  const leased = new Map(leases.map((lease) => [lease.scope, lease]));
  const ofEstate = queue?.reconciles.filter((one) => one.estate === estate) ?? [];
  const queued = Map.groupBy(ofEstate, ({ scope }) => scope);
  const limited = rateLimitWaits(rateLimits);
  const groups = [...Map.groupBy(reports, ({ place }) => place.scope)].toSorted(([a], [b]) => compareText(a, b));
  return groups.flatMap(([scope, of]): readonly ScopeWork[] => {
    const [first] = of;
    if (first === undefined) return [];
    const { running, last, nextAt } = first.reconciles ?? {};
    const lease = leased.get(scope);
    const due = dueWaits(of, {
      ...(lease && { lease }),
      isRunning: running !== undefined,
      isRequested: requested.has(scope),
      reason: requested.get(scope),
      queued: queued.get(scope) ?? [],
    });
    const limits = limited.get(scope) ?? [];
    const held = heldWaits(of);
    const state = stateOf({ isRunning: running !== undefined, due: due.length, held: held.length });
    const next: readonly ScopeWait[] =
      state === 'idle' && nextAt !== undefined ? [{ type: 'interval', until: nextAt }] : [];
    return [
      {
        scope,
        cloud: first.place.cloud,
        targets: of.map(({ name }) => name),
        criticality: of.map(({ criticality }) => criticality).toSorted(byCriticality)[0] ?? 'normal',
        everyMs: first.everyMs,
        state,
        ...(lease && { lease: { worker: lease.holder, since: lease.since } }),
        ...{ ...(running && { running }), ...(last && { last }), ...(nextAt === undefined ? {} : { nextAt }) },
        waits: [...due, ...limits, ...held, ...next],
      },
    ];
  });
}

function stateOf({ isRunning, due, held }: { isRunning: boolean; due: number; held: number }): ScopeState {
  if (isRunning) return 'running';
  if (due > 0) return 'waiting';
  return held > 0 ? 'held' : 'idle';
}

interface Due {
  readonly lease?: HeldLease;
  readonly isRunning: boolean;
  readonly isRequested: boolean;
  readonly reason: string | undefined;
  readonly queued: readonly QueuedReconcile[];
}

/**
 * The reasons that a due reconcile does not run, first the one that keeps all others waiting.
 *
 *   quarantine        | until its end, whatever else is due
 *   running           | nothing is due: a newer request restarts it
 *   not due           | nothing
 *   lease of another  | until that process gives it back
 *   failed before     | until its next attempt
 *   else              | until a worker is free
 */
function dueWaits(of: readonly TargetReport[], due: Due): readonly ScopeWait[] {
  const quarantine = of.find(({ held }) => held?.quarantine !== undefined)?.held?.quarantine;
  const { lease, isRunning, isRequested, reason, queued } = due;
  const inQuarantine: readonly ScopeWait[] = quarantine
    ? [
        {
          type: 'quarantine',
          since: quarantine.since,
          until: quarantine.since + quarantineMs,
          ...(quarantine.why === undefined ? {} : { reason: quarantine.why }),
        },
      ]
    : [];
  const isDue = isRequested || queued.length > 0;
  if (isRunning || !isDue) return inQuarantine;
  if (lease) return [...inQuarantine, { type: 'lease', worker: lease.holder, since: lease.since }];
  const delayed = queued.find(({ state }) => state === 'delayed');
  if (delayed) return [...inQuarantine, { type: 'retry', failures: delayed.failures, since: delayed.queuedAt }];
  const since = queued.find(({ state }) => state === 'waiting')?.queuedAt;
  const worker: ScopeWait = {
    type: 'worker',
    ...(since === undefined ? {} : { since }),
    ...(reason === undefined ? {} : { reason }),
  };
  return [...inQuarantine, worker];
}

/** By scope. */
function rateLimitWaits(rateLimits: readonly RateLimitLevel[]): ReadonlyMap<ScopeKey, readonly ScopeWait[]> {
  const waits = rateLimits.flatMap(({ key, waiting = [] }) =>
    waiting.flatMap(({ since }) =>
      scopesOf(key).map((scope) => ({ scope, wait: { type: 'rate-limit', key, since } as const })),
    ),
  );
  return new Map(
    [...Map.groupBy(waits, ({ scope }) => scope)].map(([scope, all]) => [scope, all.map(({ wait }) => wait)]),
  );
}

/** A pause of the estate, or a stopped rollout of the scope, is one of all its targets. */
function heldWaits(of: readonly TargetReport[]): readonly ScopeWait[] {
  const pauses = new Map(of.flatMap(({ held }) => held?.pauses ?? []).map((pause) => [pause.id, pause]));
  const rollouts = new Map(of.flatMap(({ held }) => held?.rollouts ?? []).map((one) => [one.document, one]));
  return [
    ...[...pauses.values()].map(({ what, of: subject, person, reason, at, until }): ScopeWait => {
      return { type: 'pause', what, of: subject, person, reason, at, until };
    }),
    ...[...rollouts.values()].map(({ document, why }): ScopeWait => ({ type: 'rollout', document, reason: why })),
    ...of.flatMap(({ name, held }) =>
      (held?.withheldChanges ?? []).map(({ code, failed, count, first: [first] }): ScopeWait => {
        const { reason = '', next = '' } = first ?? {};
        return { type: 'withheld', target: name, code, failed, count, reason, next };
      }),
    ),
  ];
}

function statesOf(works: readonly ScopeWork[]): Readonly<Record<ScopeState, number>> {
  const states = { running: 0, waiting: 0, held: 0, idle: 0 };
  for (const { state } of works) states[state] += 1;
  return states;
}

/** Those that hold a lease come first, then the ones seen last. An idle worker leaves no sign in the store. */
function workersOf(works: readonly ScopeWork[], now: number): readonly WorkerSeen[] {
  const seen = works.flatMap(({ scope, lease, running, last }): readonly WorkerSeen[] => {
    const holder = last?.ground.lease?.holder;
    const endedAt = last?.ending?.ended ?? 0;
    const before: readonly WorkerSeen[] =
      holder === undefined || endedAt < now - seenMs
        ? []
        : [{ worker: holder, isHere: false, lastSeenAt: endedAt, scopes: [] }];
    if (lease === undefined) return before;
    const held = { scope, since: lease.since, ...(running && { reconcile: running }) };
    return [...before, { worker: lease.worker, isHere: true, lastSeenAt: now, scopes: [held] }];
  });
  const workers = [...Map.groupBy(seen, ({ worker }) => worker)].map(([worker, all]) => ({
    worker,
    isHere: all.some(({ isHere }) => isHere),
    lastSeenAt: Math.max(...all.map(({ lastSeenAt }) => lastSeenAt)),
    scopes: all.flatMap(({ scopes }) => scopes),
  }));
  return workers.toSorted((a, b) => b.lastSeenAt - a.lastSeenAt || compareText(a.worker, b.worker));
}

async function wholeOf(
  estate: string,
  leases: readonly HeldLease[],
  { store }: Ground,
): Promise<NonNullable<FleetReport['whole']>> {
  const [ofFleet, sources, pin] = await Promise.all([
    store.leases.held(taskLeases.signer.estate),
    store.sources.states.list(estate),
    store.sources.pins.current(estate),
  ]);
  const dutyOf = (duty: Duty['duty'], { scope }: { readonly scope: string }, all: readonly HeldLease[]): Duty => {
    const lease = all.find((one) => one.scope === scope);
    return lease === undefined ? { duty } : { duty, worker: lease.holder, since: lease.since };
  };
  return {
    duties: [
      dutyOf('scheduler', taskLeases.scheduler, ofFleet),
      dutyOf('signer', taskLeases.signer, ofFleet),
      dutyOf('sources', { scope: followScope }, leases),
    ],
    sources,
    ...(pin && { pin }),
  };
}
