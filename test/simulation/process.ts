import type { History } from '../../providers/memory/cloud/history.ts';
import type { MemoryCloud } from '../../providers/memory/cloud.ts';
import { dialect } from '../../providers/memory/dialect.ts';
import { memoryProvider } from '../../providers/memory/index.ts';
import type { Action, ScopePlan } from '../../src/core/action.ts';
import type { CompiledScope } from '../../src/core/compile/compile.ts';
import type { GracePeriods } from '../../src/core/grace.ts';
import type { Knowledge } from '../../src/core/knowledge.ts';
import type { Observation } from '../../src/core/observed.ts';
import { costBounds, countedCost } from '../../src/core/plan/cost-limit.ts';
import { pauseHold } from '../../src/core/plan/holds.ts';
import { plan } from '../../src/core/plan/plan.ts';
import type { Hold, PlanInput } from '../../src/core/plan/plan-input.ts';
import type { Progress } from '../../src/engine/control.ts';
import { type Converged, converge } from '../../src/engine/converge.ts';
import type { Refusals } from '../../src/engine/ports.ts';
import { openSession } from '../../src/engine/session.ts';
import type { Lease } from '../../src/ports/leases.ts';
import type { Limiter } from '../../src/ports/limiter.ts';
import type { Secrets } from '../../src/ports/secrets.ts';
import type { MemoryDatabase, MemoryStore } from '../support/memory-store.ts';
import type { VirtualClock } from '../support/virtual-clock.ts';
import type { Colleagues } from './colleagues.ts';
import type { Draw } from './draw.ts';
import { type Fate, fated } from './fate.ts';
import { flickering } from './flicker.ts';
import { bootsWith, gossiping } from './gossip.ts';
import type { AskedTrace, CostTrace, LookTrace, RunTrace, SentTrace, StuckTrace } from './trace.ts';
import { twice } from './twice.ts';

/** The world that processes share. */
export interface Stage {
  readonly clock: VirtualClock;
  readonly cloud: MemoryCloud;
  readonly database: MemoryDatabase;
  /** One for all, as a fleet's is. */
  readonly limiter: Limiter;
  readonly plans: (readonly [string, string])[];
  readonly costs: CostTrace[];
  /** Of all colleagues there were. */
  readonly offices: Colleagues[];
  readonly draw: Draw;
  /** In this life a person must approve every action; one approval permits all until it is withdrawn. */
  readonly asks: boolean;
  /** Removed documents have this grace in this life. */
  readonly grace: GracePeriods;
}

export const noGrace: GracePeriods = { network: 0, subnet: 0, group: 0, 'firewall-rule': 0, instance: 0 };

/** One process: its settings, and its fate. */
export interface Orders {
  readonly name: string;
  readonly generation: number;
  readonly scope: CompiledScope;
  readonly fate: Fate;
  /** Told to stop this long after it got the lease; undefined: never. Only who is awake can. */
  readonly stopAfterMs?: number;
  readonly patienceMs?: number;
}

export interface Ran {
  readonly trace: RunTrace;
  /** Undefined: it never got the lease, or it crashed. */
  readonly converged: Converged | undefined;
}

/** Takes the lease, converges, lets the lease go: all that a process does, until its fate meets it. */
export async function runProcess(stage: Stage, orders: Orders): Promise<Ran> {
  const { clock, database } = stage;
  const store = database.connect();
  const log: Log = { sent: [], asked: [], told: [], looks: [], stuck: [] };
  const life = fated(orders.fate, { clock, stall: () => store.stall() });
  const stop = new AbortController();
  const isAwake = !('ms' in orders.fate);
  let stopped: { at: number; ended: number } | undefined;
  const lease = await acquire(store, orders, clock);
  if (lease === undefined) return { trace: traceOf(orders, log, stopped), converged: undefined };
  if (orders.stopAfterMs !== undefined) {
    void clock.sleep(orders.stopAfterMs).then(() => {
      stopped = { at: clock.now(), ended: Number.NaN };
      stop.abort(new Error('shutdown'));
    });
  }
  try {
    const converged = await work(
      { stage, orders, store: life.store(store), operations: store.operations, lease, log },
      life.cloud,
      stop.signal,
    );
    return { trace: traceOf(orders, log, isAwake ? ended(stopped, clock) : undefined), converged };
  } catch (error) {
    if (!life.isDead()) throw error;
    return { trace: traceOf(orders, log, undefined), converged: undefined };
  } finally {
    if (!life.isDead()) await lease.release();
  }
}

interface Log {
  readonly sent: SentTrace[];
  readonly asked: AskedTrace[];
  readonly told: Progress[];
  readonly looks: LookTrace[];
  readonly stuck: StuckTrace[];
}

const ended = (stopped: { at: number } | undefined, clock: VirtualClock) =>
  stopped && { at: stopped.at, ended: clock.now() };

const traceOf = (
  { name, generation, scope, fate }: Orders,
  { sent, asked, told, looks, stuck }: Log,
  stop: RunTrace['stop'],
): RunTrace => ({
  name,
  generation,
  desired: scope.wanted.desired,
  sent,
  asked,
  told,
  looks,
  stuck,
  stop: stop === undefined || Number.isNaN(stop.ended) ? undefined : stop,
  late: fate.kind === 'lingers',
});

async function acquire(store: MemoryStore, { name, scope }: Orders, clock: VirtualClock): Promise<Lease | undefined> {
  for (let tries = 0; tries < 40; tries++) {
    const acquired = await store.leases.acquire('acme', scope.scope, name);
    if (acquired.ok) return acquired.lease;
    await clock.sleep(5000);
  }
  return undefined;
}

interface JobHandler {
  readonly stage: Stage;
  readonly orders: Orders;
  readonly store: Pick<MemoryStore, 'ledger' | 'inventory'>;
  readonly operations: MemoryStore['operations'];
  readonly lease: Lease;
  readonly log: Log;
}

async function work(
  shift: JobHandler,
  meet: (cloud: MemoryCloud) => MemoryCloud,
  signal: AbortSignal,
): Promise<Converged> {
  const { stage, orders, store, lease } = shift;
  const { clock, draw, plans } = stage;
  const { scope, wanted } = orders.scope;
  const cloud = noting(meet(flickering(gossiping(stage.cloud), stage)), shift);
  const provider = memoryProvider(cloud, orders.name);
  const access = { scope, account: 'acme', region: 'north' };
  const session = await openSession({ provider, access, given: undefined }, { secrets: noSecrets, clock, signal });
  const { ledger, fleet } = stage.database.connect();
  const heldNow = async (): Promise<Hold> => {
    const paused = pauseHold(await fleet.pauses.active('acme'), wanted);
    const lets = !stage.asks || (await fleet.approvals.active({ estate: 'acme', scope })).length > 0;
    return (action) => (lets || action.verb === 'forget' ? paused(action) : unapproved);
  };
  const guardEpoch = await ledger.guardEpoch('acme');
  const holds = [await heldNow()];
  const thinking = (observation: Observation, knowledge: Knowledge): ScopePlan => {
    const removals = { generation: orders.generation, grace: stage.grace };
    const input = { wanted, observation, knowledge, dialect, choices: { holds, removals } };
    const made = plan(input);
    plans.push(twice(input, made, draw));
    stage.costs.push(costIn(input, stage.cloud));
    shift.log.looks.push(lookOf(observation, made, stage.cloud));
    return made;
  };
  const authority = { revision: `r${orders.generation}`, generation: orders.generation, plan: '', approver: 'test' };
  return converge(
    {
      site: {
        session,
        account: 'acme',
        batches: provider.batches,
        holds: provider.dialect.holds,
        secret: async () => bootsWith,
      },
      authorization: {
        lease,
        guard: { epoch: guardEpoch, judge: async (actions) => ({ refused: refusalsOf(actions, await heldNow()) }) },
        reconcile: {
          estate: 'acme',
          scope,
          reconcileId: orders.name,
          authority,
          lease: { holder: lease.holder, epoch: lease.epoch },
        },
      },
      plan: thinking,
      ...(orders.patienceMs === undefined ? {} : { patienceMs: orders.patienceMs }),
    },
    { ...store, operations: shift.operations, limiter: stage.limiter, clock, random: draw.random },
    {
      signal,
      notify: (progress) => {
        shift.log.told.push(progress);
        shift.log.stuck.push(...stuckBy(progress, stage.cloud));
      },
    },
  );
}

/** A machine costs 1, whatever its size and disk. */
const cost = costBounds(
  { monthly: 1e9, currency: 'USD' },
  {
    currency: 'USD',
    prices: [
      ...['small', 'large'].map((size) => ({ provider: 'memory', size, perHour: 0 }) as const),
      ...['ssd', 'slow'].map((diskType) => ({ provider: 'memory', diskType, upToGb: 1000, perMonth: 1 }) as const),
    ],
  },
);

/**
 * The cost of the scope as limits count it, and the machines that stand and that the store knows: settled, or asked for. A call that
 * came late is known once an observation shows it.
 */
function costIn(input: PlanInput, { inspect }: MemoryCloud): CostTrace {
  const { settled, pending, expiredIntents = new Map() } = input.knowledge;
  const late = new Set([...expiredIntents.values()].map(({ address }) => address));
  const known = inspect.live().flatMap(({ type, id, mark }) => {
    if (type !== 'instance') return [];
    const asked = pending.find(({ intent, address }) => intent === mark?.intent && address === mark.address);
    return settled.get(id)?.address ?? asked?.address ?? [];
  });
  const { monthly } = countedCost(input, { plan: [], all: [] }, cost);
  return { counted: monthly, machines: new Set(known).difference(late).size };
}

/** The basis of a plan, for the invariants. */
export const lookOf = ({ resources }: Observation, made: ScopePlan, { history }: MemoryCloud): LookTrace => ({
  seq: lastSeq(history),
  plan: made,
  shown: new Set(resources.map(({ id }) => id)),
});

const lastSeq = ({ calls, changes }: History): number =>
  Math.max(0, ...[calls.at(-1), changes.at(-1)].map((last) => last?.seq ?? 0));

/** The deletion or change that failed or was withheld, if the progress reports one. */
export function stuckBy(progress: Progress, { history }: MemoryCloud): readonly StuckTrace[] {
  const seq = lastSeq(history);
  if (progress.at === 'settled' && progress.verb !== 'create' && progress.failure !== undefined)
    return [{ seq, address: progress.address }];
  if (progress.at !== 'withheld' || progress.finding.type !== 'withheld') return [];
  return progress.finding.action === 'create' ? [] : [{ seq, address: progress.finding.address }];
}

const unapproved = { code: 'mode', why: 'a person must approve it' } as const;

const refusalsOf = (actions: readonly Action[], hold: Hold): Refusals =>
  new Map(
    actions.flatMap((action) => {
      const reason = hold(action);
      return reason === undefined ? [] : [[action, reason] as const];
    }),
  );

/** Notes released requests, and whether the lease was held when a mutating request left. */
function noting(cloud: MemoryCloud, { log, lease, stage }: JobHandler): MemoryCloud {
  return {
    ...cloud,
    serve: (caller, action, input) => {
      const at = stage.clock.now();
      log.asked.push({ at, action, machines: machinesIn(action, input) });
      if (!action.startsWith('List') && action !== 'WhoAmI') {
        log.sent.push({ at, action, leased: lease.remainingMs() > 0 && !lease.signal.aborted });
      }
      return cloud.serve(caller, action, input);
    },
  };
}

function machinesIn(action: string, input: unknown): number {
  if (!action.endsWith('Instances') || action.startsWith('List')) return 0;
  const [count, ids] = ['count', 'ids'].map((name) => Reflect.get(Object(input), name));
  return Array.isArray(ids) ? ids.length : Number(count);
}

/** The memory cloud takes no credentials. */
const noSecrets: Secrets = {
  resolve: async () => {
    throw new Error('nobody asks for a secret here');
  },
};
