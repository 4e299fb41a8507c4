import { randomUUID } from 'node:crypto';
import type { Finding } from '../core/action.ts';
import type { CompiledScope } from '../core/compile/compile.ts';
import { intervalOf } from '../core/criticality.ts';
import { messageOf } from '../core/text.ts';
import type { Progress, ReconcileControl } from '../engine/control.ts';
import type { PlannedObservation } from '../engine/converge.ts';
import type { Site } from '../engine/ports.ts';
import type { OpenedEstate } from '../estate/load.ts';
import { openSite, withImageFacts } from '../estate/session.ts';
import { type PendingState, quarantineMs } from '../ports/fleet-state.ts';
import type { Generation } from '../ports/knowledge.ts';
import type { Lease } from '../ports/leases.ts';
import type { Ended, Where } from '../ports/queue.ts';
import type { ReconcileOutcome, ReconcileWatch } from '../ports/telemetry.ts';
import {
  convergeScope,
  healDrift,
  inGraceIn,
  isApplied,
  observationPlanner,
  type ScopeContext,
} from './converge-scope.ts';
import type { Generations } from './generations.ts';
import { reconcileConstraintsOf, recordRefusals } from './reconcile-constraints.ts';
import {
  type InventoryRecorder,
  inventoryRecorderOf,
  type ReconcileRecorder,
  reconcileRecorderOf,
} from './recorder.ts';
import { type ActiveSpec, type ConvergeResult, msToNextWave, stopFailedRollouts } from './rollouts.ts';
import type { WorkerContext } from './worker-context.ts';

/**
 * A reconcile of one scope, from its job to its end: `JobHandler.pass` of a fleet. `everyMs`: the interval of workers, for people who ask
 * when the next one comes.
 */
export function reconcileHandler(
  context: WorkerContext,
  generations: Generations,
  everyMs?: number,
): (where: Where, signal: AbortSignal) => Promise<Ended> {
  return async (where, signal) => {
    const reconcileId = randomUUID();
    const watch = context.telemetry.reconcile({ ...where, reconcileId });
    const recorder = reconcileRecorderOf({ ...where, reconcileId }, context);
    const inventory = inventoryRecorderOf(where, context);
    const request = { where, reconcileId, signal, generations, watch, recorder, inventory };
    try {
      // why: the rows that a reconcile recorded are written before it ends
      const { as, why, scope, withheld } = await reconcileScope(request, context).finally(inventory.kept);
      watch.ended(as, why, withheld);
      await recorder.ended(as, why, nextMs(as, scope, everyMs));
      return hasMore[as] ? 'again' : 'done';
    } catch (error) {
      const as = signal.aborted ? 'stopped' : 'failed';
      const why = messageOf(error);
      watch.ended(as, why);
      // why: a reconcile that throws five times is poison, and a failure of the store is no fault of the scope
      const byStore = await failedByStore(error, where, context, signal).finally(() => recorder.ended(as, why, 0));
      if (!byStore) throw error;
      return 'again';
    }
  };
}

const hasMore: Readonly<Record<ReconcileOutcome, boolean>> = {
  done: false,
  partly: false,
  idle: false,
  quarantined: false,
  failed: false,
  unfinished: true,
  stopped: true,
  busy: true,
};

/** The time until the next reconcile at the latest; undefined: nobody knows. */
function nextMs(as: ReconcileOutcome, scope: CompiledScope | undefined, everyMs: number | undefined) {
  if (hasMore[as]) return 0;
  return scope === undefined || everyMs === undefined ? everyMs : intervalOf(scope.cadence, everyMs).everyMs;
}

/** `why`: the open work, for people. `scope`: absent where it never came so far. */
interface End {
  readonly as: ReconcileOutcome;
  readonly why?: string;
  readonly scope?: CompiledScope;
  /** The number of actions that its last plan withholds. */
  readonly withheld?: number;
}

/** One reconcile: its scope, and its observers, who decide nothing. Made once, and never extended. */
interface ReconcileRequest {
  readonly where: Where;
  readonly reconcileId: string;
  readonly signal: AbortSignal;
  readonly generations: Generations;
  readonly watch: ReconcileWatch<Progress>;
  readonly recorder: ReconcileRecorder;
  readonly inventory: InventoryRecorder;
}

async function reconcileScope(request: ReconcileRequest, context: WorkerContext): Promise<End> {
  const { where, reconcileId, recorder } = request;
  const { fleet } = context.store;
  const pendingState = await fleet.requests.pendingState(where);
  recorder.rests({}, pendingState.reason);
  // why: a request that no reconcile can serve is answered too, or it would be put into the queue for ever
  const answering = async (as: ReconcileOutcome): Promise<End> => {
    await fleet.requests.answered(where, pendingState.request);
    return { as };
  };
  const generation = await context.store.generations.current(where.estate);
  if (generation === undefined) return answering('idle');
  recorder.rests({ generation: generation.number, revision: generation.revision });
  if (await isQuarantined(where, generation.number, context)) return answering('quarantined');
  const estate = await opened(request, generation, context);
  if (estate === undefined) return { as: 'failed' };
  const scope = scopeOf(where, estate);
  if (scope === undefined) return answering('idle');
  const activeSpec = { generation, estate, scope };
  recorder.rests({ targets: scope.targets.map(({ metadata }) => metadata.name) });
  const end = await withLease(request, context, (lease) => {
    recorder.rests({ lease: { holder: lease.holder, epoch: lease.epoch } });
    recorder.begins();
    return withSite(activeSpec, request, context, (site) =>
      convergeAndHeal({ where, reconcileId, site, lease, activeSpec }, pendingState, request, context),
    );
  });
  return { ...end, scope };
}

/**
 * Undefined where this worker cannot open it: another one, of another version or with allowed endpoints, may. So it is no
 * poison.
 */
function opened(
  { where, generations }: ReconcileRequest,
  generation: Generation,
  { telemetry }: WorkerContext,
): Promise<OpenedEstate | undefined> {
  return generations.open(where.estate, generation).catch((error: unknown) => {
    const fields = { ...where, generation: generation.number, why: String(error) };
    telemetry.log.error('this worker cannot open the newest generation', fields);
    return undefined;
  });
}

const scopeOf = ({ scope }: Where, { compiled }: OpenedEstate): CompiledScope | undefined =>
  compiled.scopes.find((one) => one.scope === scope);

/** A newer generation than the one that failed is worth a try, and after a while the same one is too. */
async function isQuarantined(where: Where, generation: number, { store, clock }: WorkerContext): Promise<boolean> {
  const { quarantine } = store.fleet;
  const held = (await quarantine.list(where.estate)).find(({ scope }) => scope === where.scope);
  if (held === undefined) return false;
  if (held.generation >= generation && clock.now() - held.since < quarantineMs) return true;
  await quarantine.release(where);
  return false;
}

/** The longest wait for the scope's lease, before others in the queue have their turn. */
const patienceMs = 3_000;
const askEveryMs = 250;

async function withLease(
  { where, signal, recorder }: ReconcileRequest,
  { store, clock, outside, telemetry }: WorkerContext,
  work: (lease: Lease) => Promise<End>,
): Promise<End> {
  const from = clock.now();
  for (let heldBy = ''; ; ) {
    signal.throwIfAborted();
    const acquired = await store.leases.acquire(where.estate, where.scope, outside.holder);
    if (!acquired.ok) heldBy = acquired.heldBy;
    const isOver = acquired.ok || clock.now() - from >= patienceMs;
    if (isOver && heldBy !== '') recorder.waited('lease', `held by ${heldBy}`, from);
    if (acquired.ok)
      return holding(acquired.lease, where, telemetry, (lease) => whileLeased(lease, clock, work(lease)));
    if (isOver) return { as: 'busy' };
    await clock.sleep(askEveryMs, signal);
  }
}

/** A reconcile whose lease is over has so long to end by itself. */
const endsWithinMs = 5_000;

/**
 * A reconcile that hangs after its lease is over gives its job up, whose lock would else be renewed for ever: nothing that it still does
 * is written, and whoever takes the job next has the scope.
 */
async function whileLeased(lease: Lease, clock: WorkerContext['clock'], ending: Promise<End>): Promise<End> {
  const ended = new AbortController();
  const over = async (): Promise<End> => {
    await aborted(lease.signal, ended.signal);
    await clock.sleep(endsWithinMs, ended.signal);
    return {
      as: 'stopped',
      why: 'its lease was over and something in it did not answer: Setpoint starts the reconcile again',
    };
  };
  try {
    return await Promise.race([ending, over().catch(() => ending)]);
  } finally {
    ended.abort();
  }
}

/** Resolves once `signal` aborts; rejects where `unless` does so first. */
const aborted = (signal: AbortSignal, unless: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true, signal: unless });
    unless.addEventListener('abort', () => reject(unless.reason), { once: true });
  });

async function holding<T>(
  lease: Lease,
  { scope }: Where,
  telemetry: WorkerContext['telemetry'],
  work: (lease: Lease) => Promise<T>,
): Promise<T> {
  telemetry.lease(scope, 'taken');
  try {
    return await work(lease);
  } finally {
    telemetry.lease(scope, lease.signal.aborted ? 'lost' : 'released');
    await lease.release();
  }
}

/** Opens the scope at its cloud. The session ends with the work. */
async function withSite(
  { scope, estate }: ActiveSpec,
  { signal }: ReconcileRequest,
  { outside, clock }: WorkerContext,
  work: (site: Site) => Promise<End>,
): Promise<End> {
  const site = await openSite(scope, estate, { secrets: outside.secrets, clock, signal });
  try {
    return await work(site);
  } finally {
    await site.session.close();
  }
}

/** Converges the scope to its active spec, then heals what a newer generation holds back. `pendingState`: of the moment before. */
async function convergeAndHeal(
  opened: ScopeContext,
  pendingState: PendingState,
  { watch, recorder, inventory, signal, generations }: ReconcileRequest,
  context: WorkerContext,
): Promise<End> {
  const { where, activeSpec } = opened;
  const { fleet } = context.store;
  const tell = (event: Progress): void => {
    watch.notify(event);
    recorder.record(event);
  };
  // why: its type is named, as a property of another name would go unseen
  const steering: ReconcileControl = { signal, poll: yieldCheck(where, pendingState, context), notify: tell };
  const reconcileConstraints = await reconcileConstraintsOf(where, activeSpec, { store: context.store, generations });
  const site = await withImageFacts(opened.site, activeSpec, reconcileConstraints.policies?.before);
  const scene = { ...opened, site };
  const newest = await convergeScope(scene, reconcileConstraints, context, {
    ...steering,
    onPlanned: (looked) => inventory.planned(looked, activeSpec),
  });
  inventory.ended(newest.converged.rounds);
  // why: else the inventory has the holds of a former generation beside the newer one that is fully applied
  await inventory.kept();
  await stopFailedRollouts(where, activeSpec, newest, context.store);
  warnOfLimit(newest, watch);
  await recordRefusals(where, activeSpec.generation.number, newest, fleet.backoffs);
  const { outcome } = newest.converged;
  if (outcome === 'stopped') return { as: 'stopped' };
  if (isApplied(newest)) await fleet.rollouts.stand(where, activeSpec.generation.number, inGraceIn(newest));
  const look = observationPlanner(scene, reconcileConstraints, context);
  const healed = async ({ observation, knowledge }: PlannedObservation): Promise<void> =>
    inventory.planned(await look(observation, knowledge), activeSpec);
  const means = { reconcileConstraints, generations, steering, healed };
  const isHealed = newest.waiting.size === 0 || (await healDrift(scene, newest, means, context));
  inventory.ended(newest.converged.rounds);
  if (!isHealed) return { as: 'stopped' };
  await fleet.requests.answered(where, pendingState.request);
  const why = openWorkSummary(newest);
  const withheld = withheldIn(newest);
  const from = context.clock.now();
  const waveMs = outcome === 'done' ? msToNextWave(newest, activeSpec.scope.wanted, from) : undefined;
  if (waveMs !== undefined) {
    await context.clock.sleep(waveMs, signal);
    recorder.waited('wave', 'machines of this wave to come up', from);
    return endOf('unfinished', why, withheld);
  }
  // why: the counts of the other scopes are known soon
  if (outcome === 'done' && newest.uncounted > 0) return endOf('unfinished', why, withheld);
  const as = outcome === 'done' && !isApplied(newest) ? 'partly' : ends[outcome];
  return endOf(as, why, withheld);
}

/** Warns loudly: withheld actions wait until a person hears of them. */
function warnOfLimit(newest: ConvergeResult, { log }: Pick<ReconcileRequest['watch'], 'log'>): void {
  const held = newest.uncounted === 0 ? heldByLimit(newest) : undefined;
  if (held === undefined) return;
  log.warn('a limit withholds changes until a person approves them', { count: held.count, reason: held.why });
}

const endOf = (as: ReconcileOutcome, why: string | undefined, withheld: number): End =>
  why === undefined ? { as, withheld } : { as, why, withheld };

const withheldIn = ({ converged: { last } }: ConvergeResult): number =>
  (last?.plan.findings ?? []).filter(({ type }) => type === 'withheld').length;

const ends = { done: 'done', failed: 'partly', unfinished: 'unfinished' } as const;

/** A reconcile pauses after this long at the latest, and goes to the back of the queue where others wait. */
const sliceMs = 15_000;

/**
 * Asked every second while a reconcile runs: `stop` when somebody wants something newer than it began with, or when its slice is
 * over and reconciles of other scopes wait.
 */
function yieldCheck(where: Where, began: PendingState, context: WorkerContext): () => Promise<'go' | 'stop'> {
  let sliceEnds = context.clock.now() + sliceMs;
  return async () => {
    const { request, generation } = await context.store.fleet.requests.pendingState(where);
    if (request > began.request || generation > began.generation) return 'stop';
    if (context.clock.now() < sliceEnds) return 'go';
    sliceEnds = context.clock.now() + sliceMs;
    return (await othersWait(where, context)) ? 'stop' : 'go';
  };
}

async function othersWait({ scope }: Where, { queue }: WorkerContext): Promise<boolean> {
  const cloud = scope.slice(0, scope.indexOf('/'));
  const counts = await queue.counts();
  return counts.some((one) => one.cloud === cloud && one.state === 'waiting' && one.count > 0);
}

/**
 * The open work of a reconcile, as a line for people: `withheld: mode 2, paused 1; not listed: network (AccessDenied)`. Undefined
 * where nothing is. Orphans and what is not ours are no work of a reconcile.
 */
function openWorkSummary({ converged: { last } }: ConvergeResult): string | undefined {
  const findings = last?.plan.findings ?? [];
  const parts = [
    counted('withheld', findings, (found) => (found.type === 'withheld' ? found.code : undefined)),
    counted('blocked', findings, (found) =>
      found.type === 'blocked' || found.type === 'non-convergent' ? found.code : undefined,
    ),
    counted('store', findings, (found) => (found.type === 'unrecorded-mark' ? found.type : undefined)),
    ...findings.flatMap((found) => {
      if (found.type === 'incomplete') return [`not listed: ${found.kind} (${found.code})`];
      return found.type === 'wrong-account' || found.type === 'foreign-store' ? [found.type] : [];
    }),
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : parts.join('; ');
}

/** The actions that a limit withholds until a person approves them; `why`: the first reason. Undefined where there are none. */
function heldByLimit({
  converged: { last },
}: ConvergeResult): { readonly count: number; readonly why: string } | undefined {
  const held = (last?.plan.findings ?? []).filter((found) => found.type === 'withheld' && found.code === 'limit');
  const [first] = held;
  return first && { count: held.length, why: first.why };
}

function counted(
  what: string,
  findings: readonly Finding[],
  codeOf: (found: Finding) => string | undefined,
): string | undefined {
  const codes = Map.groupBy(
    findings.flatMap((found) => codeOf(found) ?? []),
    (code) => code,
  );
  if (codes.size === 0) return undefined;
  return `${what}: ${[...codes].map(([code, all]) => `${code} ${all.length}`).join(', ')}`;
}

const writableEveryMs = 2_000;

/**
 * True where a reconcile failed because of the store, so that the failure is no fault of its scope. Returns once the store takes writes
 * again. Rejects where `signal` aborts before that. An error that does not say so counts where the store takes no writes now.
 */
async function failedByStore(
  error: unknown,
  where: Where,
  context: Pick<WorkerContext, 'store' | 'clock' | 'outside' | 'telemetry'>,
  signal: AbortSignal,
): Promise<boolean> {
  const failure = context.store.health.failureOf(error);
  if (failure === undefined) return wasUnwritable(context, signal);
  const { as, code } = failure;
  context.telemetry.log.warn('the store failed during a reconcile; retrying', { ...where, reason: `${as}: ${code}` });
  // why: a write that a full disk refused may fit a moment later, and be refused again
  await context.clock.sleep(writableEveryMs, signal);
  await wasUnwritable(context, signal);
  return true;
}

/** True where the database takes no writes now; returns when it does again. */
async function wasUnwritable(
  { store, clock, outside }: Pick<WorkerContext, 'store' | 'clock' | 'outside'>,
  signal: AbortSignal,
): Promise<boolean> {
  for (let asked = 1; ; asked += 1) {
    signal.throwIfAborted();
    try {
      // why: one that only reads, as in a failover, is as good as away; a lease is the smallest write there is
      const acquired = await store.leases.acquire('-', 'is-there', outside.holder);
      if (acquired.ok) await acquired.lease.release();
      await store.health.writable();
      return asked > 1;
    } catch {
      await clock.sleep(writableEveryMs, signal);
    }
  }
}
