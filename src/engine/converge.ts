import { type About, type Action, doneVerbOf, type ScopePlan } from '../core/action.ts';
import { backoff } from '../core/failure.ts';
import { groupByMany } from '../core/group-by-many.ts';
import type { Knowledge, PendingIntent } from '../core/knowledge.ts';
import type { Observation } from '../core/observed.ts';
import { nobodyAround, type Surroundings } from '../core/order/neighbours.ts';
import { type Gate, order, type Step } from '../core/order/order.ts';
import { maxUnexplainedIntents, unexplainedIntents } from '../core/plan/lost-commits.ts';
import { type CloudId, type Kind, nameIn } from '../core/resource.ts';
import type { Clock } from '../ports/clock-and-log.ts';
import type { Inventory } from '../ports/knowledge.ts';
import { goneForGood, visibilityMs } from './absence.ts';
import { type OperationStore, operationStoreOf } from './calls.ts';
import { cancellationOn, isCancellation, type ReconcileControl, unlessLeaseLost, wait } from './control.ts';
import { execute } from './execute.ts';
import { judgeBirths } from './launch-health.ts';
import { observe } from './observe.ts';
import {
  confirmMissing,
  endedByStop,
  launchesSeen,
  type ResolvedIntents,
  resolvePendingIntents,
} from './pending-intents.ts';
import type { Authorization, EnginePorts, Executed, Planner, Site } from './ports.ts';
import { noReplays, type Replays, replaysOf, replaysWanted } from './replay.ts';

/** One scope to converge. */
export interface Convergence {
  readonly site: Site;
  readonly authorization: Authorization;
  readonly plan: Planner;
  /** An observation made under this very lease, to begin with; used only while it is fresh. */
  readonly from?: Observation;
  /**
   * At most so many reconciles; left out: 5 that came to anything. Looks that only wait for a cloud to show what was written are not
   * counted.
   */
  readonly rounds?: number;
  /** The longest wait for that in all, ms; default 345,000: a little over the visibility window. */
  readonly patienceMs?: number;
}

/** The result of all rounds. `plan` and `observation` are those of the last observation: the remaining work, and the state. */
export interface Converged {
  /**
   * `done`: nothing left to do that may be done · `failed`: only what failed or waits for a person is left ·
   * `unfinished`: out of reconciles or patience · `stopped`: by the caller, or the lease was lost.
   */
  readonly outcome: 'done' | 'failed' | 'unfinished' | 'stopped';
  readonly rounds: readonly Executed[];
  /** Absent only where the very first observation was stopped. */
  readonly last?: PlannedObservation;
}

/** One observation, and the plan that rests on it. */
export interface PlannedObservation {
  readonly observation: Observation;
  readonly knowledge: Knowledge;
  readonly plan: ScopePlan;
  /** By this worker's clock, before the knowledge was read. */
  readonly readFrom?: number;
  /** Launches that the plan sends again as they were recorded. */
  readonly replays?: Replays;
}

/** Observes, plans, acts, and observes again, until nothing is left to do. Records each observation in the inventory. */
export async function converge(job: Convergence, ports: EnginePorts, control: ReconcileControl): Promise<Converged> {
  const cancellation = cancellationOn(control, ports.clock, job.authorization.lease);
  const run: ReconcileRun = {
    job,
    ports,
    // why: `poll` is asked here, for everything inside
    control: { signal: cancellation.waits, ...(control.notify ? { notify: control.notify } : {}) },
    state: convergenceState(ports.clock),
    confirm: confirmMissing(ports.clock),
    until: ports.clock.now() + (job.patienceMs ?? defaultPatienceMs),
    rounds: [],
    rests: 0,
    replayed: new Set(),
  };
  try {
    const outcome = await untilDone(run);
    return { outcome, ...endOf(run) };
  } catch (error) {
    if (!isCancellation(error, cancellation.waits)) throw error;
    return { outcome: 'stopped', ...endOf(run) };
  } finally {
    cancellation.end();
  }
}

const defaultPatienceMs = visibilityMs + 45_000;

interface ReconcileRun extends RunState {
  readonly job: Convergence;
  readonly ports: EnginePorts;
  readonly control: ReconcileControl;
  readonly state: ConvergenceState;
  readonly confirm: ReturnType<typeof confirmMissing>;
  /** When patience ends. */
  readonly until: number;
}

interface RunState {
  readonly rounds: Executed[];
  /** Looks in a row that found nothing to do but to wait. */
  rests: number;
  /** Launches that were sent again as they were recorded, by their batch. */
  readonly replayed: Set<string>;
  last?: PlannedObservation;
}

const endOf = ({ rounds, last }: ReconcileRun): Omit<Converged, 'outcome'> => ({ rounds, ...(last ? { last } : {}) });

async function untilDone(run: ReconcileRun): Promise<Converged['outcome']> {
  for (;;) {
    const sight = await see(run);
    run.last = sight;
    const outcome = await step(sight, run);
    if (outcome !== 'again') return outcome;
  }
}

/** The next step after one observation: a round, a wait, or the end. */
async function step(sight: PlannedObservation, run: ReconcileRun): Promise<Converged['outcome'] | 'again'> {
  const { actions, echoes, givenUp } = run.state.sort(sight.plan);
  if (actions.length > 0) return runRound({ ...sight, plan: { ...sight.plan, actions } }, run);
  const blind = isBlind(sight.observation) && run.rests < blindLooks;
  if (echoes.length === 0 && expected(sight.plan).length === 0 && !blind) return givenUp.length > 0 ? 'failed' : 'done';
  const atMostMs = run.until - run.ports.clock.now();
  if (atMostMs <= 0) return 'unfinished';
  run.rests += 1;
  await rest(run.rests, { detail: many([...echoes, ...expected(sight.plan)]), atMostMs }, run);
  return 'again';
}

async function runRound(sight: PlannedObservation, run: ReconcileRun): Promise<Converged['outcome'] | 'again'> {
  const { job, ports, control, state, rounds } = run;
  const used = job.rounds === undefined ? rounds.filter(isFruitful) : rounds;
  if (used.length >= (job.rounds ?? 5)) return 'unfinished';
  // why: one round alone may have been lost, and an intent that was looked for in vain since is sent again
  const inVain = rounds.length > 1 && !rounds.slice(-2).some(isFruitful);
  if (inVain && ports.clock.now() >= run.until) return 'unfinished';
  const executed = await execute(sight, job, ports, control);
  rounds.push(executed);
  for (const batch of sight.replays?.keys() ?? []) run.replayed.add(batch);
  state.learn(sight.plan.actions, executed);
  if (executed.next === 'stopped') return 'stopped';
  run.rests = 0;
  if (executed.next === 'observe') await rest(rounds.length, { detail: 'what was written' }, run);
  return 'again';
}

/** One that could only find that it is too early, as for what may yet show, is a wait: patience bounds it, and no count. */
const isFruitful = ({ settled, failed }: Executed): boolean =>
  settled.length > 0 || failed.every(({ expected }) => expected === 'person');

async function see(run: ReconcileRun): Promise<PlannedObservation> {
  const { job, ports, control, rounds } = run;
  const { site, authorization } = job;
  const { estate, scope } = authorization.reconcile;
  const readFrom = ports.clock.now();
  const before = await ports.inventory.knowledge(estate, scope);
  const kept = operationStoreOf(ports.operations, authorization.reconcile);
  const observation =
    (await fresh(run, kept, before)) ?? (await observe(site, before, { ...ports, begunOperations: kept }, control));
  if (observation !== job.from) await ports.inventory.record(estate, observation);
  const gone = goneForGood(before, observation);
  if (gone.length > 0) await ports.inventory.buried(estate, scope, gone);
  const { oneByName } = site.holds;
  const seenAt = await launchesSeen(observation, before, ports.inventory);
  const resolution = resolvePendingIntents(observation, before, oneByName, seenAt);
  const settlements = run.confirm(resolution.settlements);
  if (settlements.length > 0) await unlessLeaseLost(() => ports.ledger.settle(authorization.reconcile, settlements));
  const resolved = settlements.length > 0 ? await ports.inventory.knowledge(estate, scope) : before;
  const births = await judgeBirths(observation, resolved, site, { ports, control });
  if (births.length > 0) await unlessLeaseLost(() => ports.inventory.births(authorization.reconcile, births));
  const judged = births.length > 0 ? await ports.inventory.knowledge(estate, scope) : resolved;
  const knowledge = await withUnrecorded(judged, observation, ports.inventory);
  const { plan, replays } = await planned(run, observation, knowledge, resolution);
  await recordConverged(plan, knowledge, { estate, ports });
  await recordConfirmed({ observation, knowledge, plan }, authorization, ports);
  const ended = endedByStop(plan.keptStopped ?? [], observation, knowledge);
  if (ended.length > 0) await unlessLeaseLost(() => ports.ledger.settle(authorization.reconcile, ended));
  const { tombstones } = plan;
  if (tombstones) await unlessLeaseLost(() => ports.inventory.tombstones(authorization.reconcile, tombstones));
  const { actions, findings } = plan;
  control.notify?.({ at: 'planned', round: rounds.length + 1, actions: actions.length, findings: findings.length });
  return { observation, knowledge, plan, readFrom, replays };
}

/** Plans again without those launches that the plan does not send as they were recorded: later observations look for them. */
async function planned(
  { job, replayed }: ReconcileRun,
  observation: Observation,
  knowledge: Knowledge,
  { again, unseen }: ResolvedIntents,
): Promise<{ readonly plan: ScopePlan; readonly replays: Replays }> {
  const { oneByName } = job.site.holds;
  for (let replays: Replays = replaysOf(knowledge, unseen, replayed); ; ) {
    const resent = [...replays.values()].flatMap((intents) => intents.map(({ intent }) => intent));
    const plan = await job.plan(observation, withoutRepeatable(knowledge, oneByName, new Set([...again, ...resent])));
    const wanted = replaysWanted(replays, plan.actions);
    if (wanted.size === replays.size) return { plan, replays };
    replays = wanted.size === 0 ? noReplays : wanted;
  }
}

const freshMs = 60_000;

/** The caller's fresh observation, for the first round only, and not while an operation that was begun may still end. */
async function fresh(
  { job: { from }, ports, last }: ReconcileRun,
  kept: OperationStore,
  { readAt = ports.clock.now() }: Knowledge,
): Promise<Observation | undefined> {
  if (!from || last || readAt - from.at >= freshMs) return undefined;
  return (await kept.list()).length === 0 ? from : undefined;
}

/**
 * Creations that may simply be sent again: the cloud keeps their names or their blocks unique. Networks and launches on AWS
 * could exist twice, or must be repeated exactly: observations look for them until the window has passed. `again`: launches
 * that were looked for that long, or are sent word for word; their token keeps them from existing twice.
 */
function withoutRepeatable(knowledge: Knowledge, oneByName: readonly Kind[], again: ReadonlySet<string>): Knowledge {
  const isRepeatable = ({ intent, verb, draft: { kind } }: PendingIntent): boolean =>
    verb === 'create' && (oneByName.includes(kind) || again.has(intent));
  return {
    ...knowledge,
    pending: knowledge.pending.filter((intent) => !isRepeatable(intent)),
    again: knowledge.pending.filter(isRepeatable),
  };
}

/** Updates that did stick count from nought again. */
async function recordConverged(
  { actions, findings }: ScopePlan,
  { unstuck }: Knowledge,
  { estate, ports }: { readonly estate: string; readonly ports: EnginePorts },
): Promise<void> {
  if (unstuck.size === 0) return;
  const touched = new Set([...actions, ...findings].flatMap((one) => ('address' in one ? [one.address] : [])));
  const stuck = [...unstuck.keys()].filter((address) => !touched.has(address));
  if (stuck.length > 0) await ports.inventory.converged(estate, stuck);
}

/** Not while a listing may still show how it was before our last write. */
async function recordConfirmed(
  { observation, knowledge, plan }: PlannedObservation,
  { reconcile }: Authorization,
  { inventory }: EnginePorts,
): Promise<void> {
  const lastWrite = (id: CloudId): number => knowledge.settled.get(id)?.lastWriteAt ?? Number.NEGATIVE_INFINITY;
  const sure = (plan.standing ?? []).filter(({ id }) => observation.at - lastWrite(id) > visibilityMs);
  if (sure.length > 0) await unlessLeaseLost(() => inventory.confirm(reconcile, sure));
}

/** A listing that failed may not fail again; one that is forbidden will, so there is an end. */
const blindLooks = 2;
const isBlind = ({ gaps }: Observation): boolean => gaps.some(({ code }) => code !== 'wrong-account');

/** Something was written that the cloud does not show yet. */
const expected = ({ findings }: ScopePlan): readonly Named[] =>
  findings.flatMap((finding) => (finding.type === 'blocked' && finding.code === 'pending' ? [finding] : []));

type Named = Pick<About, 'kind' | 'address'>;

/** Only a listing that failed leaves nothing to name. */
function many([first, ...others]: readonly Named[]): string {
  if (first === undefined) return 'what was not listed';
  const name = `${first.kind} ${nameIn(first.address, first.kind)}`;
  return others.length === 0 ? name : `${name} and ${others.length} more`;
}

const longestRestMs = 15_000;

interface Awaited {
  readonly detail: string;
  readonly atMostMs?: number;
}

async function rest(times: number, awaited: Awaited, { ports, control }: ReconcileRun): Promise<void> {
  const forMs = Math.max(500, Math.min(longestRestMs, backoff(times, ports.random())));
  const waiter = { clock: ports.clock, waits: control.signal, notify: control.notify };
  await wait({ why: 'visible', ...awaited, forMs }, waiter);
}

/** The state of a convergence between its rounds, so that it ends. */
interface ConvergenceState {
  sort(plan: Pick<ScopePlan, 'actions' | 'around'>): Sorted;
  learn(actions: readonly Action[], executed: Executed): void;
}

interface Sorted {
  /** To be done. */
  readonly actions: readonly Action[];
  /** Done a moment ago: a listing that lags still shows the old state. */
  readonly echoes: readonly Action[];
  /** A person must act first, or on what they rest on. */
  readonly givenUp: readonly Action[];
}

/** A listing that lags longer makes us write once more, which does no harm. */
const echoMs = 60_000;

/**
 * A removal that something stands in the way of may succeed after an observation, when that has gone. A removal that is refused
 * this often, for so long, is given up here; a fleet keeps the time of its next try. For creates and updates the patience of
 * the convergence is the end: somebody else changes the resource, or the cloud does not show yet what it rests on.
 */
const mostConflicts = 3;
const conflictMs = 15_000;

export function convergenceState(clock: Clock): ConvergenceState {
  const givenUp = new Set<string>();
  const conflicts = new Map<string, { readonly since: number; readonly times: number }>();
  const clash = (key: string): void => {
    const { since, times } = conflicts.get(key) ?? { since: clock.now(), times: 0 };
    conflicts.set(key, { since, times: times + 1 });
    if (times + 1 >= mostConflicts && clock.now() - since >= conflictMs) givenUp.add(key);
  };
  const doneAt = new Map<string, number>();
  const isEcho = (action: Action): boolean => clock.now() - (doneAt.get(keyOf(action)) ?? 0) < echoMs;

  return {
    sort: ({ actions, around = nobodyAround }) => {
      const hopeless = withDependents(actions, around, { of: (action) => givenUp.has(keyOf(action)), via: () => true });
      const rest = actions.filter((action) => !hopeless.has(action));
      // why: the removal of a rule goes by the observation, and not by the answer of a call
      const echoes = withDependents(rest, around, { of: isEcho, via: (node) => 'seen' in node && node.seen });
      return {
        actions: rest.filter((action) => !echoes.has(action)),
        echoes: [...echoes],
        givenUp: [...hopeless],
      };
    },
    learn: (actions, executed) => {
      const keys = new Map<string, string>(
        actions.flatMap((action) =>
          [action.verb, doneVerbOf(action)].map((verb) => [`${verb} ${action.address}`, keyOf(action)] as const),
        ),
      );
      for (const { verb, address } of executed.settled) doneAt.set(keys.get(`${verb} ${address}`) ?? '', clock.now());
      for (const { verb, address, failure } of executed.failed)
        if (verb === 'delete' && failure.kind === 'conflict') clash(keys.get(`${verb} ${address}`) ?? '');
      for (const done of hopelessIn(executed)) givenUp.add(keys.get(done) ?? '');
    },
  };
}

function hopelessIn({ failed, findings }: Executed): readonly string[] {
  const people = failed.flatMap(({ verb, address, expected }) => (expected === 'person' ? [`${verb} ${address}`] : []));
  const refused = findings.flatMap((finding) =>
    finding.type === 'withheld' && finding.code !== 'depends' ? [`${finding.action} ${finding.address}`] : [],
  );
  return [...people, ...refused];
}

/** A creation after a removal is a new matter, and so is an update that writes something else. */
function keyOf(action: Action): string {
  switch (action.verb) {
    case 'create':
      return `create ${action.address}`;
    case 'update':
    case 'adopt':
    case 'replace':
      return `${action.verb} ${action.address} ${action.observed.id} ${JSON.stringify(action.changes)}`;
    case 'delete':
      return `${doneVerbOf(action)} ${action.address} ${action.observed.id}`;
    case 'forget':
      return `forget ${action.address} ${action.id}`;
  }
}

/** Those that are such, and all that needs them: first of all by way of these nodes, then by any. */
function withDependents(
  actions: readonly Action[],
  around: Surroundings,
  such: { readonly of: (action: Action) => boolean; readonly via: (node: Step | Gate) => boolean },
): ReadonlySet<Action> {
  if (!actions.some(such.of)) return new Set();
  const { steps, gates } = order(actions, around);
  const nodes = [...steps, ...gates];
  const dependents = groupByMany([...nodes.entries()], ([, { needs }]) => needs);
  const first = [...steps.entries()].filter(([, { action }]) => such.of(action)).map(([at]) => at);
  const isSuch = new Set(first);
  const found = new Set(first);
  const next = [...first];
  for (let at = next.pop(); at !== undefined; at = next.pop()) {
    for (const [dependent, node] of dependents.get(at) ?? []) {
      const isFirst = isSuch.has(at);
      if (found.has(dependent) || (isFirst && !such.via(node))) continue;
      found.add(dependent);
      next.push(dependent);
    }
  }
  return new Set([...found].flatMap((at) => actions[at] ?? []));
}

/**
 * The knowledge, with the intents named on strange objects that the store has no record of. One query, and none where nothing strange
 * stands. To be called with what was read last: an intent is recorded before its object can stand.
 */
export async function withUnrecorded(
  knowledge: Knowledge,
  observation: Observation,
  inventory: Pick<Inventory, 'unrecorded'>,
): Promise<Knowledge> {
  const unexplained = unexplainedIntents(observation, knowledge);
  if (unexplained.length === 0) return knowledge;
  const asked = await inventory.unrecorded(unexplained.slice(0, maxUnexplainedIntents));
  return { ...knowledge, unrecorded: new Set([...asked, ...unexplained.slice(maxUnexplainedIntents)]) };
}
