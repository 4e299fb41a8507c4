import type { ScopeKey } from '../../src/core/resource.ts';
import type { Clock } from '../../src/ports/clock-and-log.ts';
import type { Cost } from '../../src/ports/limiter.ts';
import { type ActionName, calls, type Input, type Output } from './cloud/calls.ts';
import { type CallEntry, type History, type HistoryRecorder, makeHistory } from './cloud/history.ts';
import { type Inspection, inspect } from './cloud/inspect.ts';
import type { View } from './cloud/listing.ts';
import { type Outside, outside } from './cloud/outside.ts';
import { type Random, seededRandom } from './cloud/random.ts';
import type { InstanceRecord } from './cloud/records.ts';
import { Refusal } from './cloud/refusal.ts';
import { makeWorld, type World } from './cloud/world.ts';
import { type Fault, type Faults, makeFaults } from './faults.ts';
import { requestOf } from './rate-limits.ts';

/** One account of a whole cloud in memory, shared by any number of sessions and outside colleagues. */
export interface MemoryCloud {
  readonly clock: Clock;
  readonly faults: Faults;
  /** Edits by hand, past every fault and budget. */
  readonly outside: Outside;
  /** The truth, for tests. */
  readonly inspect: Inspection;
  readonly history: History;
  /** Answers, or throws a `Refusal`, or the signal's reason. */
  serve<A extends ActionName>(caller: Caller, action: A, input: Input<A>): Promise<Served<A>>;
}

export interface Caller {
  readonly name: string;
  readonly scope: ScopeKey;
  readonly signal: AbortSignal;
}

interface Served<A extends ActionName> {
  readonly requestId: string;
  readonly output: Output<A>;
}

/** `latencyMs`: what every request takes. Default: nothing. */
interface CloudOptions {
  readonly clock: Clock;
  readonly seed?: number;
  readonly latencyMs?: number;
  readonly pageSize?: number;
  readonly rulesPerGroup?: number;
}

export function makeCloud(options: CloudOptions): MemoryCloud {
  const { clock, seed = 1, rulesPerGroup = 60 } = options;
  const now = (): number => clock.now();
  const random = seededRandom(seed);
  const history = makeHistory(now);
  const world = makeWorld(now, { rulesPerGroup }, history.changed);
  const faults = makeFaults(random);
  const simulation: Simulation = { world, history, random, buckets: makeBuckets(now), options };
  return {
    clock,
    faults,
    outside: outside(world, history),
    inspect: inspect(world, history),
    history,
    serve: async (caller, action, input) => {
      caller.signal.throwIfAborted();
      const struck = faults.strike(action);
      await pause(simulation, struck, 'delay', caller.signal);
      const served = answer(simulation, { caller, action, input, struck });
      await pause(simulation, struck, 'delay-after', caller.signal);
      return served;
    },
  };
}

interface Simulation {
  readonly world: World;
  readonly history: HistoryRecorder;
  readonly random: Random;
  readonly buckets: Buckets;
  readonly options: CloudOptions;
}

interface Asked<A extends ActionName> {
  readonly caller: Caller;
  readonly action: A;
  readonly input: Input<A>;
  readonly struck: readonly Fault[];
}

async function pause(
  { options }: Simulation,
  struck: readonly Fault[],
  when: 'delay' | 'delay-after',
  signal: AbortSignal,
): Promise<void> {
  const latency = when === 'delay' ? (options.latencyMs ?? 0) : 0;
  const ms = struck.reduce((sum, fault) => (fault.do === when ? sum + fault.ms : sum), latency);
  if (ms > 0) await options.clock.sleep(ms, signal);
}

/** All of a call happens at one moment: nothing comes between its checks and its writes. */
function answer<A extends ActionName>(simulation: Simulation, asked: Asked<A>): Served<A> {
  const entry = simulation.history.begin(asked.caller.name, asked.action);
  const requestId = `req-${entry.seq}`;
  try {
    const output = perform(simulation, asked);
    if (asked.struck.some((fault) => fault.do === 'lost-after')) throw unanswered();
    if (asked.struck.some((fault) => fault.do === 'error-after'))
      throw new Refusal('InternalError', 'an internal error');
    entry.end({ outcome: 'ok' });
    return { requestId, output };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    entry.end(outcomeOf(error));
    throw answered(error, requestId);
  }
}

/** A refusal of our own budgets names the rate limit that ran dry. */
class BudgetSpent extends Refusal {
  readonly rateLimit: string;
  constructor(rateLimit: string) {
    super('Throttled', `the budget of ${rateLimit} is spent`);
    this.rateLimit = rateLimit;
  }
}

/** Every answer bears a request id; where there is no answer there is none. */
const answered = (refusal: Refusal, requestId: string): Refusal =>
  refusal.code === 'ConnectionReset'
    ? refusal
    : new Refusal(refusal.code, refusal.message, { retryAfterMs: refusal.retryAfterMs, requestId });

const outcomeOf = (refusal: Refusal): CallEntry['answer'] => ({
  outcome: refusal.code === 'ConnectionReset' ? 'lost' : refusal.code,
  ...(refusal instanceof BudgetSpent && { dryRateLimit: refusal.rateLimit }),
});

const unanswered = (): Refusal => new Refusal('ConnectionReset', 'the connection was reset');

function perform<A extends ActionName>(simulation: Simulation, { caller, action, input, struck }: Asked<A>): Output<A> {
  const dry = simulation.buckets.take(requestOf(caller.scope, action, input).costs);
  if (dry !== undefined) throw new BudgetSpent(dry);
  for (const fault of struck) {
    if (fault.do === 'refuse')
      throw new Refusal(fault.code, 'refused by the schedule of faults', { retryAfterMs: fault.retryAfterMs });
    if (fault.do === 'lost-before') throw unanswered();
  }
  // why: `calls[action]` takes exactly this input and gives exactly this output; TypeScript cannot tie the unions together
  const call = calls[action] as unknown as (world: World, input: Input<A>, view: View) => Output<A>;
  const { instances } = simulation.world.tables;
  const before = action === 'RunInstances' ? instances.all().length : undefined;
  const output = call(simulation.world, input, viewOf(simulation, struck));
  if (before !== undefined) endLaunched(simulation, instances.all().slice(before), struck);
  return output;
}

/** Machines that were just launched and die by their image or by the schedule of faults. */
function endLaunched(
  { world, history, options: { clock } }: Simulation,
  launched: readonly InstanceRecord[],
  struck: readonly Fault[],
): void {
  const [fault] = struck.flatMap((one) => (one.do === 'die' ? [one.ms] : []));
  for (const { id, hardware } of launched) {
    const afterMs = fault ?? world.broken.get(hardware.image);
    if (afterMs === undefined) continue;
    void clock.sleep(afterMs).then(() => {
      const { end } = history.begin('outside', 'TerminateInstances');
      calls.TerminateInstances(world, { ids: [id] });
      end({ outcome: 'ok' });
    });
  }
}

function viewOf({ random, options }: Simulation, struck: readonly Fault[]): View {
  let view: View = { staleMs: 0, random, pageSize: options.pageSize ?? 100, misses: 0 };
  for (const fault of struck) {
    if (fault.do === 'lag') view = { ...view, staleMs: fault.ms };
    if (fault.do === 'flicker') view = { ...view, misses: fault.share };
    if (fault.do === 'short-page') view = { ...view, pageSize: Math.min(view.pageSize, fault.items) };
    if (fault.do === 'unreachable') view = { ...view, unreachable: 'a zone did not answer' };
  }
  return view;
}

/** The budgets that the cloud enforces: token buckets, full at first, refilled by the clock. */
interface Buckets {
  /** Takes all costs, or none and answers the rate limit that ran dry. */
  take(costs: readonly Cost[]): string | undefined;
  /** Tokens left in each rate limit used so far. */
  levels(): Readonly<Record<string, number>>;
}

function makeBuckets(now: () => number): Buckets {
  const rateLimits = new Map<string, { level: number; at: number }>();
  const fill = ({ rateLimit: { key, budget } }: Cost): { level: number; at: number } => {
    if (budget.shape !== 'bucket') throw new Error(`${key}: this cloud knows buckets only`);
    const rateLimit = rateLimits.get(key) ?? { level: budget.capacity, at: now() };
    rateLimit.level = Math.min(budget.capacity, rateLimit.level + ((now() - rateLimit.at) / 1000) * budget.perSecond);
    rateLimit.at = now();
    rateLimits.set(key, rateLimit);
    return rateLimit;
  };
  return {
    take: (costs) => {
      const dry = costs.find((cost) => fill(cost).level + 1e-6 < cost.amount);
      if (dry) return dry.rateLimit.key;
      for (const cost of costs) fill(cost).level -= cost.amount;
      return undefined;
    },
    levels: () => Object.fromEntries([...rateLimits].map(([key, { level }]) => [key, level])),
  };
}
