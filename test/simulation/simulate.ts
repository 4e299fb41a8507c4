import type { ActionName } from '../../providers/memory/cloud/calls.ts';
import { makeCloud } from '../../providers/memory/cloud.ts';
import { storm } from '../../providers/memory/faults.ts';
import type { Compiled, CompiledScope } from '../../src/core/compile/compile.ts';
import type { GracePeriods } from '../../src/core/grace.ts';
import type { PlannedObservation } from '../../src/engine/converge.ts';
import { inProcessLimiter } from '../../src/engine/limiter.ts';
import type { LedgerEntry } from '../../src/ports/ledger.ts';
import { memoryDatabase } from '../support/memory-store.ts';
import { virtualClock } from '../support/virtual-clock.ts';
import { colleagues } from './colleagues.ts';
import { type Draw, draw as drawFrom } from './draw.ts';
import type { Fate } from './fate.ts';
import { flickerShare } from './flicker.ts';
import { load } from './load.ts';
import { approveAll, holdStill } from './people.ts';
import { noGrace, type Ran, runProcess, type Stage } from './process.ts';
import { changedSpec, randomSpec, type Spec, textOf, widened } from './spec.ts';
import type { EndTrace, PauseTrace, RunTrace, Trace } from './trace.ts';

/** One whole life of an estate: generations, faults, crashes and colleagues, and then quiet. The same seed, the same life. */
export async function simulate(seed: number): Promise<Trace> {
  const clock = virtualClock();
  const draw = drawFrom(seed);
  const cloud = makeCloud({ clock, seed, pageSize: 1 + draw.int(20) });
  const stage: Stage = {
    clock,
    cloud,
    database: memoryDatabase(clock),
    plans: [],
    costs: [],
    offices: [],
    limiter: inProcessLimiter({ clock }),
    draw: draw.branch(1),
    asks: draw.branch(0x15fff).chance(0.3),
    grace: graceIn(draw.branch(0x16fff)),
  };
  return clock.run(() => live(stage, draw));
}

/** In some lives removed documents have a grace: one that ends in between, or one in which people may take the removal back. */
function graceIn(draw: Draw): GracePeriods {
  const seconds = (...most: readonly number[]): number => (draw.pick(most) ?? 0) * 1000;
  if (draw.chance(0.5)) return noGrace;
  const long = seconds(60, 300, 3000);
  return { network: long, subnet: long, group: long, 'firewall-rule': 0, instance: seconds(0, 60, 300, 3000) };
}

async function live(stage: Stage, draw: Draw): Promise<Trace> {
  const runs: RunTrace[] = [];
  const pauses: PauseTrace[] = [];
  if (draw.chance(0.3)) stage.cloud.outside.defaultNetwork();
  let spec: Spec = draw.chance(0.2) ? widened(randomSpec(draw), draw) : randomSpec(draw);
  let scope = await accept(stage, load(textOf(spec)));
  const strength = draw.pick([0, 0.02, 0.05, 0.1]) ?? 0;
  stage.cloud.faults.add(...storm(strength).filter(({ fault }) => fault.do !== 'flicker'));
  // why: nearly as late as a cloud may be; nothing can be guaranteed for calls after the window
  if (draw.chance(0.3)) stage.cloud.faults.add({ on: 'reads', probability: 0.2, fault: { do: 'lag', ms: 240_000 } });
  flickerShare.set(stage.cloud, draw.pick([0, 0.2, 0.5]) ?? 0);
  drawBirths(stage, draw.branch(2));
  let former: Accepted | undefined;
  let earlier: Spec | undefined;
  for (let generation = 0; generation < 2 + draw.int(3); generation++) {
    if (generation > 0) {
      const next = revertedSpec(stage, draw.branch(0x17000 + generation), earlier) ?? changedSpec(spec, draw);
      earlier = spec;
      const loaded = load(textOf(next));
      if (loaded) [former, spec, scope] = [scope, next, await accept(stage, loaded)];
      else load('');
    }
    const around = { ...stage, scope: scope.scope.scope, addresses: addressesOf(scope) };
    const people = holdStill(around, draw.branch(0x15000 + generation));
    runs.push(...(await storms(stage, { accepted: scope, former }, draw)));
    pauses.push(...(await people));
  }
  return { ...(await conclude(stage, scope, runs)), pauses };
}

/** Where removals have a grace, a person often takes the last commit back. */
const revertedSpec = ({ grace }: Stage, draw: Draw, earlier: Spec | undefined): Spec | undefined =>
  grace.network > 0 && draw.chance(0.7) ? earlier : undefined;

const addressesOf = ({ scope }: Accepted): readonly string[] => scope.wanted.desired.map(({ address }) => address);

/** In some lives machines die at boot, or soon after they were ready. */
function drawBirths({ cloud }: Stage, draw: Draw): void {
  if (!draw.chance(0.4)) return;
  const fault = { do: 'die', ms: draw.pick([0, 3_000, 30_000, 200_000]) ?? 0 } as const;
  cloud.faults.add({ on: 'RunInstances', probability: draw.pick([0.2, 0.5, 1]) ?? 1, fault });
}

interface Accepted {
  readonly scope: CompiledScope;
  readonly number: number;
}

async function accept({ database, clock, asks }: Stage, compiled: Compiled | undefined): Promise<Accepted> {
  const [scope] = compiled?.scopes ?? [];
  if (compiled === undefined || scope === undefined) throw new Error('the random estate is refused by the program');
  const { generations } = database.connect();
  const current = await generations.current('acme');
  const { number } = await generations.accept('acme', `r${(current?.number ?? 0) + 1}`, compiled.guards);
  if (asks) await approveAll({ clock, database, scope: scope.scope }, number);
  return { scope, number };
}

/** `former`: the earlier accepted revisions. A process that does not know the newest may still use them. */
interface ActiveGenerations {
  readonly accepted: Accepted;
  readonly former: Accepted | undefined;
}

/** Processes come and go, sometimes two at once, while colleagues work by hand. */
async function storms(stage: Stage, { accepted, former }: ActiveGenerations, draw: Draw): Promise<readonly RunTrace[]> {
  const runs: RunTrace[] = [];
  for (let i = 0; i <= draw.int(2); i++) {
    const busy = { until: false };
    const office = keepOffice(stage, accepted, busy, draw);
    const processes = draw.chance(0.2)
      ? [...ambush(stage, accepted, draw)]
      : Array.from({ length: 1 + draw.int(2) }, (_, n) => start(stage, accepted, `${runs.length}${n}`, draw));
    if (former && draw.chance(0.3)) processes.push(start(stage, former, `${runs.length}late`, draw));
    for (const { trace } of await Promise.all(processes)) runs.push(trace);
    busy.until = true;
    await office;
    await stage.clock.sleep(draw.int(400_000));
  }
  return runs;
}

async function start({ clock, ...stage }: Stage, { scope, number }: Accepted, tail: string, draw: Draw): Promise<Ran> {
  const own = draw.branch(draw.int(1 << 30));
  await clock.sleep(own.int(20_000));
  return runProcess(
    { clock, ...stage, draw: own },
    {
      name: `process-${number}-${tail}-${own.int(1000)}`,
      generation: number,
      scope,
      fate: randomFate(own),
      ...(own.chance(0.2) ? { stopAfterMs: own.int(60_000) } : {}),
      patienceMs: own.pick([0, 30_000, 345_000]) ?? 0,
    },
  );
}

function randomFate(draw: Draw): Fate {
  if (draw.chance(0.5)) return { kind: 'lives' };
  if (draw.chance(0.7)) return { kind: 'crashes', step: 1 + draw.int(80), when: draw.chance(0.5) ? 'before' : 'after' };
  return { kind: 'pauses', step: 1 + draw.int(60), ms: 20_000 + draw.int(60_000) };
}

/**
 * One stands still just before it sends what could stand twice, and for longer than a rival looks for it before it makes it
 * itself.
 */
function ambush({ clock, ...stage }: Stage, { scope, number }: Accepted, draw: Draw): readonly Promise<Ran>[] {
  const own = draw.branch(draw.int(1 << 30));
  const common = { generation: number, scope };
  const before = own.pick(twinMakers) ?? 'CreateNetwork';
  const lingers = { kind: 'lingers', before, ms: 500_000 + own.int(500_000) } as const;
  const victim = runProcess({ clock, ...stage, draw: own }, { ...common, name: `victim-${number}`, fate: lingers });
  const rival = clock
    .sleep(1)
    .then(() =>
      runProcess(
        { clock, ...stage, draw: own.branch(1) },
        { ...common, name: `rival-${number}`, fate: { kind: 'lives' }, patienceMs: 600_000 },
      ),
    );
  return [victim, rival];
}

const twinMakers: readonly ActionName[] = ['CreateNetwork', 'CreateGateway', 'RunInstances'];

async function keepOffice(stage: Stage, { scope }: Accepted, busy: { until: boolean }, draw: Draw): Promise<void> {
  const own = draw.branch(draw.int(1 << 30));
  const hands = colleagues(stage.cloud, own);
  stage.offices.push(hands);
  for (let deeds = own.int(5); deeds > 0 && !busy.until; deeds--) {
    await stage.clock.sleep(own.int(60_000));
    const { settled } = await stage.database.connect().inventory.knowledge('acme', scope.scope);
    hands.act(new Set(settled.keys()));
  }
}

/** No more faults: a few runs must be enough, and the one after them has nothing to write. */
async function conclude(stage: Stage, accepted: Accepted, runs: readonly RunTrace[]): Promise<Omit<Trace, 'pauses'>> {
  const { clock, cloud, database, plans, costs } = stage;
  cloud.faults.clear();
  flickerShare.set(cloud, 0);
  for (const office of stage.offices.toReversed()) office.tidy();
  await clock.sleep(600_000);
  const quiet: Ran[] = [];
  for (let i = 0; i < 3; i++) {
    quiet.push(await calm(stage, accepted, `quiet-${i}`));
    // why: machines that died in the storm are seen by the first of these runs
    await resume(stage, accepted);
    await clock.sleep(Math.max(...Object.values(stage.grace)));
  }
  const before = cloud.history.calls.filter(({ mutating }) => mutating).length;
  const last = await calm(stage, accepted, 'last');
  const writes = cloud.history.calls.filter(({ mutating }) => mutating).length - before;
  const store = database.connect();
  const verdict = await store.audit.verify('acme', { unsignedLimitMs: Number.POSITIVE_INFINITY });
  const entries: LedgerEntry[] = [];
  for await (const entry of store.ledger.entries({ estate: 'acme' })) entries.push(entry);
  return {
    cloud: { history: cloud.history, inspect: cloud.inspect },
    ledger: { entries, problem: verdict.ok ? undefined : JSON.stringify(verdict) },
    runs: [...runs, ...quiet.map(({ trace }) => trace), last.trace],
    end: endOf(accepted, last, writes),
    plans,
    costs,
  };
}

/** A person resumes documents that failed births stopped. */
const resume = ({ database }: Stage, { scope: { scope } }: Accepted): Promise<void> =>
  database.connect().fleet.rollouts.resume({ estate: 'acme', scope }, { person: 'ada', reason: 'the faults are over' });

const calm = (stage: Stage, { scope, number }: Accepted, name: string): Promise<Ran> =>
  runProcess(stage, { name, generation: number, scope, fate: { kind: 'lives' } });

function endOf({ scope }: Accepted, { converged }: Ran, writes: number): EndTrace {
  const sight: PlannedObservation | undefined = converged?.last;
  if (converged === undefined || sight === undefined) throw new Error('the quiet run did not get the lease');
  return { desired: scope.wanted.desired, sight, outcome: converged.outcome, writes };
}
