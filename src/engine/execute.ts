import type { Finding, ScopePlan } from '../core/action.ts';
import { isUnproven, type Knowledge } from '../core/knowledge.ts';
import type { Observation, Observed } from '../core/observed.ts';
import { nobodyAround } from '../core/order/neighbours.ts';
import { type Order, order } from '../core/order/order.ts';
import { documentOfReplica } from '../core/resource.ts';
import type { Clock } from '../ports/clock-and-log.ts';
import type { StoreTime } from '../ports/provider.ts';
import { callsOf, operationStoreOf } from './calls.ts';
import { cancellationOn, type ReconcileControl } from './control.ts';
import { type ExecutionContext, quotaStates } from './execution-context.ts';
import { type IdIndex, idIndexOf } from './id-index.ts';
import { launchChecksOf } from './launch-check.ts';
import type { Authorization, EnginePorts, Executed, Failing, Outcome, Settling, Site } from './ports.ts';
import { noReplays, type Replays } from './replay.ts';
import { type BatchRun, runBatch, type Unready, verify } from './run-batch.ts';
import { schedule } from './schedule.ts';

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
  const ordered = order(task.plan.actions, task.plan.around ?? nobodyAround);
  const seen = new Map(task.observation.resources.map((resource) => [resource.id, resource]));
  const run: BatchRun = {
    context,
    unready: unreadyOf(task),
    awaited: awaitedOf(ordered),
    seen: (id) => seen.get(id),
  };
  try {
    const outcomes = await schedule({
      order: ordered,
      limits: at.site.batches,
      waits: cancellation.waits,
      perform: (batch) => runBatch(batch, run),
      verify: (made) => verify(made, context),
    });
    return sumUp(task.plan, outcomes, context);
  } finally {
    cancellation.end();
  }
}

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
  for (const [i, { kind, verb, address }] of actions.entries()) {
    const outcome = outcomes[i];
    const about = { kind, verb, address };
    switch (outcome?.as) {
      case 'done':
        settled.push(about);
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
        findings.push({ type: 'withheld', kind, address, action: verb, code, why, scope });
        break;
      }
      case 'unsent':
      case undefined:
        break;
    }
  }
  for (const finding of findings) notify?.({ at: 'withheld', finding });
  const look =
    failed.some(({ expected }) => expected === 'next-reconcile') || outcomes.some(({ as }) => as === 'unsent');
  const next = look ? 'look' : 'done';
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
