import { seesAll } from '../core/access/grant.ts';
import { byCriticality } from '../core/criticality.ts';
import { heldStatuses } from '../core/inventory/withheld-changes.ts';
import type { ScopeKey } from '../core/resource.ts';
import { compareText } from '../core/text.ts';
import { quarantineMs } from '../ports/fleet-state.ts';
import type {
  FleetAsked,
  FleetReport,
  FleetTask,
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

interface Sources {
  readonly store: Pick<Store, 'leases' | 'fleet' | 'reconciles' | 'rows' | 'sources'>;
  readonly targets: Pick<Targets, 'list'>;
  readonly queue?: Pick<Queue, 'list'>;
  readonly rateLimits?: Samples['rateLimits'];
}

/** `listQueue`: as `queue.list`, and shared by all callers. */
type SharedSources = Sources & { readonly listQueue?: (asked: FleetAsked) => Promise<QueuedReconciles> };

/** Reconciles that are read of each state and cloud: each costs a call. */
const mostQueued = 200;
/** Requests whose reasons are read. */
const mostReasons = 50;
const mostScopes = 100_000;
/** A look at the fleet is repeated after so long. */
const keptMs = 2_000;
/** A worker is shown for so long after its last reconcile. */
const seenMs = 3_600_000;

export function fleetViewOn(given: Sources): FleetView {
  const list = given.queue?.list;
  const listOnce =
    list &&
    keptShortly(
      () => '',
      () => list(mostQueued),
    );
  const sources = { ...given, ...(listOnce && { listQueue: listOnce }) };
  const lookOf = keptShortly(
    ({ estate, seen }) => JSON.stringify([estate, seen]),
    (asked) => lookAt(asked, sources),
  );
  return {
    scopes: async (asked) => {
      const { works, declined } = await lookOf(asked);
      if (declined) throw declined;
      return works;
    },
    read: async (asked) => reportOf(asked, await lookOf(asked), sources),
  };
}

/** Each answer is kept for `keptMs`, and shared while it is read: a screen asks for the fleet and for each page of its scopes. */
function keptShortly<T>(
  keyOf: (asked: FleetAsked) => string,
  read: (asked: FleetAsked) => Promise<T>,
): (asked: FleetAsked) => Promise<T> {
  const kept = new Map<string, { readonly at: number; isRead: boolean; readonly answer: Promise<T> }>();
  return (asked) => {
    for (const [key, { at, isRead }] of kept) if (isRead && asked.now - at >= keptMs) kept.delete(key);
    const key = keyOf(asked);
    const known = kept.get(key);
    if (known) return known.answer;
    const one = { at: asked.now, isRead: false, answer: read(asked) };
    kept.set(key, one);
    one.answer.then(
      () => {
        one.isRead = true;
      },
      () => kept.delete(key),
    );
    return one.answer;
  };
}

/** `declined`: no active specs name the scopes, so none is in `works`. `signs`: of all scopes that the caller sees, named or not. */
interface Look {
  readonly facts: Facts;
  readonly works: readonly ScopeWork[];
  readonly signs: readonly Sign[];
  readonly declined?: Declined;
}

/** The trace that workers leave at a scope. */
type Sign = Pick<ScopeWork, 'scope' | 'lease' | 'running' | 'last'>;

async function lookAt(asked: FleetAsked, sources: SharedSources): Promise<Look> {
  const [reports, facts] = await Promise.all([
    reportsOf(asked, sources).catch((error: unknown) => {
      if (error instanceof Declined && error.because === 'conflict') return error;
      throw error;
    }),
    factsOf(asked, sources),
  ]);
  const isDeclined = reports instanceof Declined;
  const works = isDeclined
    ? []
    : workOf(reports, asked, { ...facts, withheld: await withheldIn(reports, asked, sources) });
  const signs = seesAll(asked.seen, asked.estate) ? await signsIn(asked.estate, facts, sources) : works;
  return { facts, works, signs, ...(isDeclined && { declined: reports }) };
}

/** Whether or not the active specs can be opened, and name the scope. */
async function signsIn(estate: string, { leases }: Facts, { store }: SharedSources): Promise<readonly Sign[]> {
  const reconciles = new Map((await store.reconciles.scopes(estate)).map((one) => [one.scope, one]));
  const leased = new Map(leases.filter(({ scope }) => scope !== followScope).map((lease) => [lease.scope, lease]));
  return [...new Set([...reconciles.keys(), ...leased.keys()])]
    .toSorted(compareText)
    .map((scope) => signOf(scope, leased.get(scope), reconciles.get(scope)));
}

const signOf = (
  scope: ScopeKey,
  lease: HeldLease | undefined,
  { running, last }: Pick<Sign, 'running' | 'last'> = {},
): Sign => ({
  scope,
  ...(lease && { lease: { worker: lease.holder, since: lease.since } }),
  ...(running && { running }),
  ...(last && { last }),
});

/**
 * Callers that see all of the estate get all of its lists. For others the active specs must say which scopes are theirs:
 *
 *   the active specs | caller of all of the estate | caller of a part
 *   -----------------+-----------------------------+-----------------
 *   can be opened    | all lists                   | lists of scopes of which they see a whole target
 *   cannot           | all lists, without states   | the reason alone
 */
async function reportOf(
  asked: FleetAsked,
  { facts, works, signs, declined }: Look,
  sources: SharedSources,
): Promise<FleetReport> {
  const isWhole = seesAll(asked.seen, asked.estate);
  const unknown = declined && { unknown: declined.message };
  if (unknown && !isWhole) return unknown;
  const { queue, rateLimits } = facts;
  const own = queue?.reconciles.filter(({ estate }) => estate === asked.estate) ?? [];
  const visible = new Set([...works, ...signs, ...(isWhole ? own : [])].map(({ scope }) => scope));
  return {
    ...(unknown ?? { states: statesOf(works) }),
    workers: workersOf(signs, asked.now),
    ...(queue && { queue: { ...queue, reconciles: own.filter(({ scope }) => visible.has(scope)) } }),
    ...(rateLimits && {
      rateLimits: rateLimits.filter(({ key }) => scopesOf(key).some((scope) => visible.has(scope))),
    }),
    ...(isWhole ? { whole: await wholeOf(asked.estate, facts.leases, sources) } : {}),
  };
}

/** A caller gets facts about all of a scope where they see all of a target there. */
const reportsOf = async (asked: FleetAsked, { targets }: SharedSources): Promise<readonly TargetReport[]> =>
  (await targets.list(asked)).filter(({ held }) => held !== undefined);

/** The exact number of each scope; of none where the reports have all of them. */
async function withheldIn(
  reports: readonly TargetReport[],
  { estate, seen }: FleetAsked,
  { store }: SharedSources,
): Promise<ReadonlyMap<ScopeKey, number>> {
  if (!reports.some(({ held }) => held?.truncated)) return new Map();
  const filter = { estates: [estate], held: true, statuses: heldStatuses } as const;
  const { values } = await store.rows.countBy({ seen, filter, by: 'scope', limit: mostScopes });
  return new Map(values.map(({ value, count }) => [value, count]));
}

/** Facts that are read once for all scopes. `requested`: scopes with a request that no reconcile has answered. */
interface Facts {
  readonly leases: readonly HeldLease[];
  readonly requested: ReadonlyMap<ScopeKey, string | undefined>;
  readonly queue: QueuedReconciles | undefined;
  readonly rateLimits: readonly RateLimitLevel[] | undefined;
}

async function factsOf(asked: FleetAsked, { store, listQueue, rateLimits }: SharedSources): Promise<Facts> {
  const { estate, seen } = asked;
  const [leases, unanswered, queued, levels] = await Promise.all([
    store.leases.held(estate),
    store.fleet.requests.unanswered(),
    listQueue?.(asked).catch(() => undefined),
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

function workOf(
  reports: readonly TargetReport[],
  { estate, now }: FleetAsked,
  { leases, requested, queue, rateLimits = [], withheld }: Facts & { readonly withheld: ReadonlyMap<ScopeKey, number> },
): readonly ScopeWork[] {
  const leased = new Map(leases.map((lease) => [lease.scope, lease]));
  const ofEstate = queue?.reconciles.filter((one) => one.estate === estate) ?? [];
  const isQueueKnown = queue?.truncated === false;
  const queued = Map.groupBy(ofEstate, ({ scope }) => scope);
  const limited = rateLimitWaits(rateLimits);
  const groups = [...Map.groupBy(reports, ({ place }) => place.scope)].toSorted(([a], [b]) => compareText(a, b));
  return groups.flatMap(([scope, of]): readonly ScopeWork[] => {
    const [first] = of;
    if (first === undefined) return [];
    const { running, nextAt } = first.reconciles ?? {};
    const ofScope = queued.get(scope) ?? [];
    const isOverdue = !isQueueKnown && nextAt !== undefined && nextAt <= now;
    const lease = leased.get(scope);
    const due = dueWaits(of, {
      ...(lease && { lease }),
      isRunning: running !== undefined,
      isDue: requested.has(scope) || ofScope.length > 0 || isOverdue,
      reason: requested.get(scope),
      queued: ofScope,
    });
    const limits = limited.get(scope) ?? [];
    const held = heldWaits(of, withheld.get(scope));
    const state = stateOf({ isRunning: running !== undefined, due: due.length, held: held.length });
    const next: readonly ScopeWait[] =
      state === 'idle' && nextAt !== undefined ? [{ type: 'interval', until: nextAt }] : [];
    return [
      {
        ...signOf(scope, lease, first.reconciles),
        cloud: first.place.cloud,
        targets: of.map(({ name }) => name),
        criticality: of.map(({ criticality }) => criticality).toSorted(byCriticality)[0] ?? 'normal',
        everyMs: first.everyMs,
        state,
        ...(nextAt === undefined ? {} : { nextAt }),
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
  /** Requested or queued; or overdue, where nobody knows all of the queue. */
  readonly isDue: boolean;
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
  const { lease, isRunning, isDue, reason, queued } = due;
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

/**
 * A pause of the estate, or a stopped rollout of the scope, is one of all its targets. `total`: of withheld changes, where the reports
 * may lack some.
 */
function heldWaits(of: readonly TargetReport[], total = 0): readonly ScopeWait[] {
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
    ...(total === 0 ? [] : [{ type: 'withheld-total', count: total } as const]),
  ];
}

function statesOf(works: readonly ScopeWork[]): Readonly<Record<ScopeState, number>> {
  const states = { running: 0, waiting: 0, held: 0, idle: 0 };
  for (const { state } of works) states[state] += 1;
  return states;
}

/** Those that hold a lease come first, then the ones seen last. An idle worker leaves no sign in the store. */
function workersOf(signs: readonly Sign[], now: number): readonly WorkerSeen[] {
  const seen = signs.flatMap(({ scope, lease, running, last }): readonly WorkerSeen[] => {
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
  { store }: SharedSources,
): Promise<NonNullable<FleetReport['whole']>> {
  const [ofFleet, sources, pin] = await Promise.all([
    store.leases.held(taskLeases.signer.estate),
    store.sources.states.list(estate),
    store.sources.pins.current(estate),
  ]);
  const taskOf = (
    task: FleetTask['task'],
    { scope }: { readonly scope: string },
    all: readonly HeldLease[],
  ): FleetTask => {
    const lease = all.find((one) => one.scope === scope);
    return lease === undefined ? { task } : { task, worker: lease.holder, since: lease.since };
  };
  return {
    tasks: [
      taskOf('scheduler', taskLeases.scheduler, ofFleet),
      taskOf('signer', taskLeases.signer, ofFleet),
      taskOf('sources', { scope: followScope }, leases),
    ],
    sources,
    ...(pin && { pin }),
  };
}
