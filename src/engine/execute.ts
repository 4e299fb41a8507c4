import {
  type Action,
  type Batch,
  beginsGrace,
  doneVerbOf,
  type Finding,
  partField,
  type ScopePlan,
} from '../core/action.ts';
import { type BatchLimits, pack } from '../core/batches.ts';
import { isUnproven, type Knowledge } from '../core/knowledge.ts';
import type { Observation, Observed } from '../core/observed.ts';
import { isJoining } from '../core/order/moves.ts';
import { nobodyAround } from '../core/order/neighbours.ts';
import { type Gate, type Order, order, type Step } from '../core/order/order.ts';
import { type CloudId, documentOfReplica } from '../core/resource.ts';
import type { Clock } from '../ports/clock-and-log.ts';
import type { StoreTime } from '../ports/provider.ts';
import { callsOf, operationStoreOf } from './calls.ts';
import { cancellationOn, type ReconcileControl } from './control.ts';
import { type ExecutionContext, quotaStates } from './execution-context.ts';
import { type IdIndex, idIndexOf } from './id-index.ts';
import { launchChecksOf } from './launch-check.ts';
import {
  type Authorization,
  done,
  type EnginePorts,
  type Executed,
  type Failing,
  type Outcome,
  type Settling,
  type Site,
  unsent,
} from './ports.ts';
import { noReplays, type Replays } from './replay.ts';
import { type BatchRun, recordTombstones, runBatch, type Unready, verify } from './run-batch.ts';

/** A plan, and the data that it rests on. */
interface Task {
  readonly plan: ScopePlan;
  readonly observation: Observation;
  readonly knowledge: Knowledge;
  /** By this worker's clock, before the knowledge was read. */
  readonly readFrom?: number;
  readonly replays?: Replays;
}

/** Carries out a plan: order, batches, intents, calls, settlements. Throws only when a store fails. */
export async function execute(
  task: Task,
  at: { readonly site: Site; readonly authorization: Authorization },
  ports: EnginePorts,
  control: ReconcileControl,
): Promise<Executed> {
  const { lease } = at.authorization;
  const cancellation = cancellationOn(control, ports.clock, lease);
  const operations = operationStoreOf(ports.operations, at.authorization.reconcile);
  const calls = callsOf(at.authorization.reconcile.estate, {
    site: at.site,
    ports,
    cancellation,
    notify: control.notify,
    lease,
    operations,
    ...storeTimeOf(task, ports.clock),
  });
  const { knowledge, replays = noReplays } = task;
  const known = { knowledge, ids: namesIn(task), quotas: quotaStates(), replays };
  const context: ExecutionContext = {
    at,
    ports,
    known,
    launchChecks: launchChecksOf(),
    calls,
    cancellation,
    notify: control.notify,
  };
  const beginning = task.plan.actions.filter(beginsGrace);
  const ordered = order(
    task.plan.actions.filter((action) => !beginsGrace(action)),
    task.plan.around ?? nobodyAround,
  );
  const seen = new Map(task.observation.resources.map((resource) => [resource.id, resource]));
  const run: BatchRun = {
    context,
    unready: unreadyOf(task),
    awaited: awaitedOf(ordered),
    seen: (id) => seen.get(id),
  };
  try {
    // why: all of them begin at once, and nothing else waits for actions that call no cloud
    const recorded = beginning.length === 0 ? [] : await recordTombstones(beginning, context);
    const outcomes = await schedule({
      order: ordered,
      limits: at.site.batches,
      waits: cancellation.waits,
      perform: async (batch) => {
        const outcomes = await runBatch(batch, run);
        return outcomes.map((outcome, i) => afterJoining(batch.actions[i], outcome));
      },
      verify: (made) => verify(made, context),
    });
    const all = new Map([
      ...beginning.map((action, i): readonly [Action, Outcome] => [action, recorded[i] ?? unsent]),
      ...ordered.steps.map(({ action }, i): readonly [Action, Outcome] => [action, outcomes[i] ?? unsent]),
    ]);
    return sumUp(
      task.plan,
      task.plan.actions.map((action) => all.get(action) ?? unsent),
      context,
    );
  } finally {
    cancellation.end();
  }
}

/** A machine that the cloud does not let into all groups at once, say for their number, changes them in one call. */
const afterJoining = (action: Action | undefined, outcome: Outcome): Outcome =>
  action !== undefined && isJoining(action) && outcome.as === 'failed' ? done : outcome;

/** The existing resources, under the names that this plan gives them: a renamed one has its new address already. */
function namesIn({ plan, observation, knowledge }: Task): IdIndex {
  const ids = idIndexOf(observation, knowledge);
  for (const action of plan.actions) if (action.verb === 'update') ids.add(action.address, action.observed.id);
  return ids;
}

function unreadyOf({ observation, knowledge }: Task): Unready {
  const births = new Map((knowledge.births ?? []).map((birth) => [birth.id, birth]));
  const machines = observation.resources.filter(
    ({ kind, id, condition }) => kind === 'instance' && (condition.state === 'pending' || births.has(id)),
  );
  const isUnready = ({ id, condition: { state } }: Observed, minReadyMs: number): boolean => {
    const birth = births.get(id);
    return (
      state === 'pending' || (state === 'ready' && birth !== undefined && isUnproven(birth, minReadyMs, observation.at))
    );
  };
  return (document, minReadyMs) =>
    machines.flatMap((machine) => {
      if (!isUnready(machine, minReadyMs)) return [];
      const { id } = machine;
      const address = knowledge.settled.get(id)?.address;
      return address !== undefined && documentOfReplica(address) === document ? [id] : [];
    });
}

function awaitedOf({ steps, gates }: Order): BatchRun['awaited'] {
  const needed = new Set([...steps, ...gates].flatMap(({ needs, follows }) => [...needs, ...follows]));
  const actions = new Set([...needed].map((at) => steps[at]?.action));
  return (action) => actions.has(action);
}

function sumUp(
  { actions, scope }: ScopePlan,
  outcomes: readonly Outcome[],
  { cancellation, calls, notify }: ExecutionContext,
): Executed {
  const settled: Settling[] = [];
  const failed: Failing[] = [];
  const findings: Finding[] = [];
  for (const [i, action] of actions.entries()) {
    const { kind, verb, address, cause, by } = action;
    const outcome = outcomes[i];
    const about = { kind, verb, address, ...partField(action) };
    switch (outcome?.as) {
      case 'done':
        settled.push({ ...about, verb: doneVerbOf(action) });
        break;
      case 'failed':
        failed.push({ ...about, failure: outcome.failure, expected: 'person' });
        break;
      case 'stale':
      case 'open':
        failed.push({ ...about, failure: outcome.failure, expected: 'next-reconcile' });
        break;
      case 'withheld': {
        const { code, why } = outcome;
        const ofDrift = cause === 'drift' ? { cause, ...(by === undefined ? {} : { by }) } : {};
        findings.push({
          type: 'withheld',
          kind,
          address,
          action: verb,
          code,
          why,
          scope,
          ...ofDrift,
          ...partField(action),
        });
        break;
      }
      case 'unsent':
      case undefined:
        break;
    }
  }
  for (const finding of findings) notify?.({ at: 'withheld', finding });
  const needsObservation =
    failed.some(({ expected }) => expected === 'next-reconcile') || outcomes.some(({ as }) => as === 'unsent');
  const next = needsObservation ? 'observe' : 'done';
  return { settled, failed, findings, next: cancellation.waits.aborted ? 'stopped' : next, calls: calls.calls };
}

interface Read {
  readonly knowledge: Pick<Knowledge, 'readAt'>;
  /** By this worker's clock, before the knowledge was read; absent: nobody noted it. */
  readonly readFrom?: number;
}

/**
 * The moment by the store's clock: that at which the knowledge was read, and what has gone by since on this worker's. How far the
 * two clocks are apart does not matter, only how long the worker's takes for a second. To be called after the knowledge was read.
 */
export function storeTimeOf(
  { knowledge: { readAt }, readFrom }: Read,
  clock: Pick<Clock, 'now'>,
): { readonly storeTime?: () => StoreTime } {
  if (readAt === undefined) return {};
  const since = clock.now();
  return {
    storeTime: () => {
      const now = clock.now();
      return { earliest: readAt + now - since, latest: readAt + now - (readFrom ?? since) };
    },
  };
}

/** The runner of a schedule's steps. */
interface StepRunner {
  readonly order: Order;
  readonly limits: BatchLimits;
  readonly waits: AbortSignal;
  /** One outcome per action of the batch, in order. Rejects only when the reconcile cannot go on. */
  perform(batch: Batch): Promise<readonly Outcome[]>;
  /** Of these new rules, those that the cloud shows. */
  verify(made: ReadonlySet<CloudId>): Promise<ReadonlySet<CloudId>>;
}

/**
 * Runs what may run, side by side, and what waits for it as soon as it has ended. A rule is removed only once an observation has found
 * the new ones that it waits for. One outcome per step, in order.
 */
export async function schedule({ order, limits, waits, perform, verify }: StepRunner): Promise<readonly Outcome[]> {
  const tracker = stepTrackerOf(order);
  const batches = dispatchQueue(limits);
  const flying = new Set<Promise<void>>();
  const fly = (flight: Promise<void>): void => {
    flying.add(flight);
    const land = (): void => void flying.delete(flight);
    flight.then(land, land);
  };
  const land = (batch: Batch, outcomes: readonly Outcome[]): void => {
    batches.landed(batch);
    for (const [i, action] of batch.actions.entries()) tracker.end(action, outcomes[i] ?? unsent);
  };
  const start = (): void => {
    batches.add(tracker.ready());
    for (const batch of batches.takeOff()) fly(perform(batch).then((outcomes) => land(batch, outcomes)));
    const made = tracker.toVerify();
    if (made) fly(verify(made).then((seen) => tracker.verified(made, seen)));
  };
  for (;;) {
    if (!waits.aborted) start();
    if (flying.size === 0) break;
    await race(flying);
  }
  return order.steps.map((_, at) => tracker.outcomeOf(at));
}

/** Waits for the first to land; when one crashes, for all, so that nothing runs on unseen. */
async function race(flying: ReadonlySet<Promise<void>>): Promise<void> {
  try {
    await Promise.race(flying);
  } catch (error) {
    await Promise.allSettled(flying);
    throw error;
  }
}

/** Tracks the ended steps with their outcomes, and the steps that may start. */
interface StepTracker {
  outcomeOf(at: number): Outcome;
  /** Actions that may be sent now, each given once; actions that can no longer succeed end here. */
  ready(): readonly Action[];
  end(action: Action, outcome: Outcome): void;
  /**
   * Ids of new rules that the cloud must show before others may go; given once. Each observation is a listing, so one is asked for only
   * when the rules to look for are at least as many as those that are still being made.
   */
  toVerify(): ReadonlySet<CloudId> | undefined;
  /** The result of an observation of these. */
  verified(asked: ReadonlySet<CloudId>, seen: ReadonlySet<CloudId>): void;
}

function stepTrackerOf({ steps, gates }: Order): StepTracker {
  const nodes: readonly (Step | Gate)[] = [...steps, ...gates];
  const outcomes = new Array<Outcome | undefined>(nodes.length);
  const positions = new Map(steps.map(({ action }, at) => [action, at]));
  const dependents = dependentsOf(nodes);
  const missing = nodes.map(({ needs, follows }) => needs.length + follows.length);
  const free: number[] = [...nodes.keys()].filter((at) => missing[at] === 0);
  const sight = ruleVisibilityOf(steps, gates, outcomes);

  const end = (at: number, outcome: Outcome): void => {
    outcomes[at] = outcome;
    sight.ended(at);
    for (const next of dependents[at] ?? []) {
      missing[next] = (missing[next] ?? 0) - 1;
      if (missing[next] === 0) free.push(next);
    }
  };

  /** The action if it may be sent; else the node ends, or is held until the cloud shows what is behind it. */
  const start = (at: number, node: Step | Gate): readonly Action[] => {
    const hindrance = hindranceOf(node, steps, outcomes);
    if (hindrance !== undefined) end(at, hindrance);
    else if ('action' in node) {
      sight.sent(at);
      return [node.action];
    } else if (!node.seen || sight.shows(at, node)) end(at, done);
    return [];
  };

  return {
    outcomeOf: (at) => outcomes[at] ?? unsent,
    ready: () => {
      const actions: Action[] = [];
      for (let next = 0; next < free.length; next += 1) {
        const at = free[next] ?? -1;
        const node = nodes[at];
        // why: `start` may free more while this runs
        if (node !== undefined) actions.push(...start(at, node));
      }
      free.length = 0;
      return actions;
    },
    end: (action, outcome) => end(positions.get(action) ?? -1, outcome),
    toVerify: sight.toVerify,
    verified: (asked, seen) => {
      for (const [at, outcome] of sight.verified(asked, seen)) end(at, outcome);
    },
  };
}

function dependentsOf(nodes: readonly (Step | Gate)[]): readonly (readonly number[])[] {
  const dependents: number[][] = nodes.map(() => []);
  for (const [at, { needs, follows }] of nodes.entries()) {
    for (const before of [...needs, ...follows]) dependents[before]?.push(at);
  }
  return dependents;
}

/** A gate is hindered by the actions behind it, and passes that on to all that wait for it. */
function hindranceOf(
  node: Step | Gate,
  steps: readonly Step[],
  outcomes: readonly (Outcome | undefined)[],
): Outcome | undefined {
  const own = 'action' in node ? node.action : undefined;
  const failed = node.needs.find((at) => outcomes[at]?.as !== 'done');
  if (failed === undefined) return undefined;
  const outcome = outcomes[failed];
  const step = steps[failed];
  if (outcome?.as === 'unsent' || step === undefined || (isJoining(step.action) && step.action.partOf === own))
    return outcome;
  const how = outcome !== undefined && 'failure' in outcome ? ` (${outcome.failure.code})` : '';
  return { as: 'withheld', code: 'depends', why: `waits for ${step.action.address}, which did not go well${how}.` };
}

const unseen: Outcome = {
  as: 'withheld',
  code: 'depends',
  why: 'the cloud does not show all new rules for the same traffic yet; nothing is taken away before.',
};

/** Tracks the new rules that the cloud has shown, and the gates that wait for them. */
interface RuleVisibility {
  /** True where it has shown all that this gate waits for; else the gate is held until it does. */
  shows(at: number, gate: Gate): boolean;
  toVerify(): ReadonlySet<CloudId> | undefined;
  /** The held gates that end by an observation, and their outcomes. */
  verified(asked: ReadonlySet<CloudId>, seen: ReadonlySet<CloudId>): readonly (readonly [at: number, Outcome])[];
  /** A rule is sent. */
  sent(at: number): void;
  /** Its outcome is known. */
  ended(at: number): void;
}

function ruleVisibilityOf(
  steps: readonly Step[],
  gates: readonly Gate[],
  outcomes: readonly (Outcome | undefined)[],
): RuleVisibility {
  const isMade = (at: number): boolean =>
    steps[at]?.action.verb === 'create' && steps[at].action.kind === 'firewall-rule';
  const awaited = new Set(gates.filter(({ seen }) => seen).flatMap(({ needs }) => needs.filter(isMade)));
  const sending = new Set<number>();
  const shown = new Set<CloudId>();
  const held = new Map<number, readonly CloudId[]>();
  let isLooking = false;
  return {
    shows: (at, { needs }) => {
      const waiting = needs
        .filter(isMade)
        .map((made) => idOf(outcomes[made]))
        .filter((id) => !shown.has(id));
      if (waiting.length > 0) held.set(at, waiting);
      return waiting.length === 0;
    },
    toVerify: () => {
      const ids = new Set([...held.values()].flat());
      if (isLooking || ids.size === 0 || ids.size < sending.size) return undefined;
      isLooking = true;
      return ids;
    },
    verified: (asked, seen) => {
      isLooking = false;
      for (const id of asked) if (seen.has(id)) shown.add(id);
      const ends = [...held].flatMap(([at, ids]): readonly (readonly [number, Outcome])[] => {
        if (ids.some((id) => asked.has(id) && !seen.has(id))) return [[at, unseen]];
        return ids.every((id) => shown.has(id)) ? [[at, done]] : [];
      });
      for (const [at] of ends) held.delete(at);
      return ends;
    },
    sent: (at) => void (awaited.has(at) && sending.add(at)),
    ended: (at) => void sending.delete(at),
  };
}

/** One that the cloud answered for without saying which it is can be seen by nobody. */
const idOf = (outcome: Outcome | undefined): CloudId => (outcome?.as === 'done' ? (outcome.observed?.id ?? '') : '');

/** Batches that wait for their turn. A batch that waits holds back only those of its own kind and verb. */
interface DispatchQueue {
  add(ready: readonly Action[]): void;
  /** Those that may start now. */
  takeOff(): readonly Batch[];
  landed(batch: Batch): void;
}

/** So many batches of one kind and verb are on their way at once. */
const atOnce = 16;

interface DispatchSlot {
  readonly waiting: Batch[];
  flying: number;
}

function dispatchQueue(limits: BatchLimits): DispatchQueue {
  const strips = new Map<string, DispatchSlot>();
  const stripOf = ({ kind, verb }: Batch): DispatchSlot => {
    const key = `${kind} ${verb}`;
    const strip = strips.get(key) ?? { waiting: [], flying: 0 };
    strips.set(key, strip);
    return strip;
  };
  return {
    add: (ready) => {
      for (const batch of pack(ready, limits)) stripOf(batch).waiting.push(batch);
    },
    takeOff: () =>
      [...strips.values()].flatMap((strip) => {
        const batches = strip.waiting.splice(0, Math.max(0, atOnce - strip.flying));
        strip.flying += batches.length;
        return batches;
      }),
    landed: (batch) => {
      stripOf(batch).flying -= 1;
    },
  };
}
