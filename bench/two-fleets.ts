import type { ChangeEntry, History } from '../providers/memory/cloud/history.ts';
import { type MemoryCloud, makeCloud } from '../providers/memory/cloud.ts';
import { dialect } from '../providers/memory/dialect.ts';
import { storm } from '../providers/memory/faults.ts';
import { memoryProvider } from '../providers/memory/index.ts';
import type { Logged } from '../sandbox/request-log.ts';
import type { Compiled } from '../src/core/compile/compile.ts';
import { plan } from '../src/core/plan/plan.ts';
import { type Converged, converge } from '../src/engine/converge.ts';
import { inProcessLimiter } from '../src/engine/limiter.ts';
import type { Authorization, EnginePorts } from '../src/engine/ports.ts';
import type { SpecFile } from '../src/source/tree.ts';
import { colleagues } from '../test/simulation/colleagues.ts';
import { type Draw, draw as drawFrom } from '../test/simulation/draw.ts';
import { load } from '../test/simulation/load.ts';
import { changedSpec, randomSpec, type Spec, textOf } from '../test/simulation/spec.ts';
import { type MemoryStore, memoryDatabase } from '../test/support/memory-store.ts';
import { type VirtualClock, virtualClock } from '../test/support/virtual-clock.ts';
import { drawnSpecs } from './estate/drawn-specs.ts';
import { editByHand } from './estate/edits-by-hand.ts';
import { unowned } from './estate/unowned.ts';
import { type Figure, type Spoil, spoilNothing } from './figure.ts';
import { account, besides, openStage, region, type Stage } from './world/stage.ts';

interface Lives {
  /** Of each of two estates, on the cloud in memory. */
  readonly reconciles: number;
  /** Of each of two estates, on the AWS sandbox. */
  readonly turns: number;
  /** Estates that begin from two stores at once: on the cloud in memory, and on the AWS sandbox. */
  readonly starts: number;
  readonly startsOnAws: number;
}

const whole: Lives = { reconciles: 1000, turns: 24, starts: 50, startsOnAws: 5 };

/** As `Spoil`, and the same for the cloud in memory. */
interface Spoils {
  readonly onAws: Spoil;
  inMemory(account: Account): unknown;
}

const none: Spoils = { onAws: spoilNothing, inMemory: () => undefined };

/**
 * - `two-fleets`, `two-fleets-aws`: changes that one of two estates at one account made to what is another's, by the cloud's
 *   own log. Asked: 0.
 * - `same-start`: two stores of one estate begin at an empty account at once, and a third comes later. Writes after they could
 *   see each other, and stores that did not stop. Asked: 0.
 */
export async function twoFleets(lives: Lives = whole, spoils: Spoils = none): Promise<readonly Figure[]> {
  const inMemory = await sideBySide({ seed: 3, reconciles: lives.reconciles, spoil: spoils.inMemory });
  const onAws = await inTurnOnAws(lives.turns, spoils.onAws);
  const starts = [
    ...(await each(lives.starts, (seed) => sameStart(seed, spoils.inMemory))),
    ...(await each(lives.startsOnAws, (seed) => sameStartOnAws(seed, spoils.onAws))),
  ];
  const changes = inMemory.map(({ caller, maker, id }) => `${caller} changed ${id} of ${maker}`);
  for (const wrong of [changes, onAws, starts].flatMap((some) => some.slice(0, told)))
    console.error(`two-fleets: ${wrong}`);
  return [
    { name: 'two-fleets', value: inMemory.length, unit: `foreign changes in ${2 * lives.reconciles} passes`, floor: 0 },
    { name: 'two-fleets-aws', value: onAws.length, unit: `foreign calls in ${2 * lives.turns} turns`, floor: 0 },
    { name: 'same-start', value: starts.length, unit: 'writes and stores that did not stop', floor: 0 },
  ];
}

/** Of each figure, so many that are wrong. */
const told = 5;

async function each(count: number, faults: (seed: number) => Promise<readonly string[]>): Promise<readonly string[]> {
  const all: string[] = [];
  for (let seed = 1; seed <= count; seed += 1) all.push(...(await faults(seed)));
  return all;
}

interface SideBySide {
  readonly seed: number;
  /** Of each fleet. */
  readonly reconciles: number;
  /** Called when all have ended. */
  spoil(account: Account): unknown;
}

/**
 * Two estates with equal names and blocks for everything live at one account, each from a store of its own, at once; their
 * specs change, calls go wrong, and people edit, copy marks and swap them between the two. What either changed of another's.
 */
async function sideBySide({ seed, reconciles, spoil }: SideBySide): Promise<readonly ForeignChange[]> {
  const clock = virtualClock();
  const cloud = makeCloud({ clock, seed, latencyMs: 40, pageSize: 20 });
  cloud.faults.add(...storm(0.01).filter(({ fault }) => fault.do !== 'flicker'));
  const account: Account = { clock, cloud };
  const draw = drawFrom(seed);
  const fleets = ['north', 'south'].map((estate, n) =>
    fleetAt(account, {
      name: estate,
      estate,
      storeId: `${n}0000000-0000-4000-8000-000000000000`,
      random: draw.branch(n).random,
    }),
  );
  const busy = { ended: false };
  await clock.run(async () => {
    const office = keepOffice(account, fleets, { busy, draw: draw.branch(7) });
    await Promise.all(fleets.map((fleet, n) => live(fleet, account, { reconciles, draw: draw.branch(10 + n) })));
    busy.ended = true;
    await office;
    await spoil(account);
  });
  for (const fleet of fleets) expectLife(account, fleet, reconciles);
  return foreignChanges(cloud.history, new Set(fleets.map(({ name }) => name)));
}

async function live(fleet: Fleet, { clock }: Account, life: { reconciles: number; draw: Draw }): Promise<void> {
  const { reconciles, draw } = life;
  let spec = randomSpec(draw);
  for (let reconcile = 0; reconcile < reconciles; reconcile += 1) {
    const next = draw.chance(0.2) ? changedSpec(spec, draw) : spec;
    if (fleet.read(next)) spec = next;
    const wanted = fleet.read(spec);
    if (wanted) await fleet.converge(wanted, 1);
    await clock.sleep(draw.int(60_000));
  }
}

async function keepOffice(
  { clock, cloud }: Account,
  fleets: readonly Fleet[],
  { busy, draw }: { readonly busy: { readonly ended: boolean }; readonly draw: Draw },
): Promise<void> {
  const hands = colleagues(cloud, draw);
  const scope = 'memory/acme/north';
  while (!busy.ended) {
    await clock.sleep(draw.int(120_000));
    const known = await Promise.all(fleets.map(({ name, store }) => store.inventory.knowledge(name, scope)));
    const ids = known.map(({ settled }) => [...settled.keys()]);
    if (draw.chance(0.1)) await marksSwapped({ clock, cloud }, ids, draw);
    else hands.act(new Set(ids.flat()));
  }
}

/** A life in which little happens proves little. */
function expectLife({ cloud }: Account, { name }: Fleet, reconciles: number): void {
  const writes = cloud.history.calls.filter(({ caller, mutating }) => caller === name && mutating).length;
  console.error(`two-fleets: ${name} wrote ${writes} times in ${reconciles} passes`);
  if (writes < reconciles / 10) throw new Error(`${name} hardly wrote: ${writes} calls`);
}

/** Faults of two stores of one estate: writes after each could have seen the other, and stops that did not come. */
async function sameStart(seed: number, spoil: (account: Account) => unknown): Promise<readonly string[]> {
  const clock = virtualClock();
  const account: Account = { clock, cloud: makeCloud({ clock, seed, latencyMs: 40 }) };
  const draw = drawFrom(seed);
  const [one, other, third] = [1, 2, 3].map((n) => storeAt(account, n, draw.branch(n).random));
  if (!one || !other || !third) throw new Error('there are three');
  const wanted = one.read(randomSpec(draw));
  if (!wanted) throw new Error('the random estate is refused by the program');
  return clock.run(async () => {
    await Promise.all([one, other].map((fleet) => fleet.converge(wanted, 5)));
    await spoil(account);
    await clock.sleep(visibleMs);
    const faults: string[] = [];
    // why: the third comes when both have stopped, and nothing must come of its first look
    for (const fleet of [one, other, third]) faults.push(...(await faultsOf(fleet, wanted, account)));
    return faults;
  });
}

const visibleMs = 600_000;

const storeAt = (account: Account, n: number, random: () => number): Fleet =>
  fleetAt(account, {
    name: `store-${n}`,
    estate: 'north',
    storeId: `${n}0000000-0000-4000-8000-000000000000`,
    random,
  });

async function faultsOf(fleet: Fleet, wanted: Compiled, { cloud }: Account): Promise<readonly string[]> {
  const writes = (): number =>
    cloud.history.calls.filter(({ caller, mutating }) => caller === fleet.name && mutating).length;
  const before = writes();
  const { last }: Converged = await fleet.converge(wanted, 5);
  const wrote = writes() - before;
  const stopped = last?.plan.findings.some(({ type }) => type === 'foreign-store') === true;
  return [
    ...(wrote > 0 ? [`${fleet.name} wrote ${wrote} times beside another`] : []),
    ...(stopped ? [] : [`${fleet.name} did not stop`]),
  ];
}

/** For some minutes one object of each of two owners, of one type, bears the other's mark. `ids`: what each owner has. */
async function marksSwapped({ clock, cloud }: Account, ids: readonly (readonly string[])[], draw: Draw): Promise<void> {
  const type = draw.pick(['network', 'subnet', 'group', 'instance']);
  const [one, other] = ids.map((own) =>
    draw.pick(cloud.inspect.live().filter((each) => each.type === type && own.includes(each.id))),
  );
  if (!one || !other) return;
  const restore = [one, other].map(({ id, record: { tags } }) => [id, { ...tags }] as const);
  cloud.outside.stamp(one.id, other.record.tags);
  cloud.outside.stamp(other.id, restore[0]?.[1] ?? {});
  await clock.sleep(draw.int(300_000));
  const live = new Set(cloud.inspect.live().map(({ id }) => id));
  for (const [id, tags] of restore) if (live.has(id)) cloud.outside.stamp(id, tags);
}

/** `caller` and `maker` as the cloud's log names them; '' is a person. */
interface ForeignChange {
  readonly caller: string;
  readonly maker: string;
  readonly id: string;
}

/** Changes that one of `fleets` made to what somebody else has made, whatever its marks say. A rule is its group's. */
function foreignChanges({ changes }: History, fleets: ReadonlySet<string>): readonly ForeignChange[] {
  const makers = new Map<string, string>();
  for (const { id, before, caller } of changes) if (!before && !makers.has(id)) makers.set(id, caller);
  return changes.flatMap((change) => {
    const { caller, id } = change;
    const maker = makers.get(containerOf(change)) ?? '';
    return fleets.has(caller) && maker !== caller ? [{ caller, maker, id }] : [];
  });
}

function containerOf({ id, before, after }: ChangeEntry): string {
  const record = after ?? before;
  return record && 'match' in record ? record.group : id;
}

/** One account of the cloud in memory, and its time. */
export interface Account {
  readonly clock: VirtualClock;
  readonly cloud: MemoryCloud;
}

/** An estate with a store of its own. `name` is what the cloud's own log calls it. */
interface Fleet {
  readonly name: string;
  readonly store: MemoryStore;
  /** Undefined where the program refuses these specs. */
  read(spec: Spec): Compiled | undefined;
  /** At most so many reconciles of the account, each one observation and its writes. */
  converge(wanted: Compiled, reconciles: number): Promise<Converged>;
}

interface FleetOptions {
  readonly name: string;
  readonly estate: string;
  readonly storeId: string;
  readonly random: () => number;
}

/** It knows nothing of others at the account: not their marks, and not what they take of its budgets. */
function fleetAt({ clock, cloud }: Account, { name, estate, storeId, random }: FleetOptions): Fleet {
  const store = memoryDatabase(clock, storeId).connect();
  const { ledger, inventory, operations } = store;
  const ports: EnginePorts = { ledger, inventory, operations, limiter: inProcessLimiter({ clock }), clock, random };
  const provider = memoryProvider(cloud, name);
  return {
    name,
    store,
    read: (spec) => load(ownText(textOf(spec), estate)),
    converge: async (compiled, reconciles) => {
      const [asked] = compiled.scopes;
      if (!asked) throw new Error('the specs name no target');
      const { scope, wanted } = asked;
      const authorization = await authorizationFor({ store, name, estate, scope }, compiled);
      const session = await provider.open({ scope, account: 'acme', region: 'north' }, clock);
      const { batches } = provider;
      const site = { session, account: 'acme', batches, holds: dialect.holds, secret: async () => ({}) };
      const job = { site, authorization, rounds: reconciles, patienceMs: 0 };
      try {
        return await converge(
          { ...job, plan: (observation, knowledge) => plan({ wanted, observation, knowledge, dialect }) },
          ports,
          { signal: new AbortController().signal },
        );
      } finally {
        await authorization.lease.release();
      }
    },
  };
}

/** Its names begin with the estate's own, but for the network `net2`, which only one of two can have. Blocks are as they are. */
const ownText = (text: string, estate: string): string =>
  text
    .replace('"metadata":{"name":"acme"}', `"metadata":{"name":"${estate}"}`)
    .replaceAll(/"((?:net(?!2")|rule|m)\d+)"/g, `"${estate}-$1"`);

interface Writer {
  readonly store: MemoryStore;
  readonly name: string;
  readonly estate: string;
  readonly scope: string;
}

async function authorizationFor({ store, name, estate, scope }: Writer, compiled: Compiled): Promise<Authorization> {
  const revision = JSON.stringify(compiled.scopes);
  const { number: generation } = await store.generations.accept(estate, revision, compiled.guards);
  const acquired = await store.leases.acquire(estate, scope, name);
  if (!acquired.ok) throw new Error(`${acquired.heldBy} holds the lease`);
  const { lease } = acquired;
  const authority = { revision: `r${generation}`, generation, plan: '', approver: name };
  const { holder, epoch } = lease;
  return { lease, reconcile: { estate, scope, reconcileId: name, authority, lease: { holder, epoch } } };
}

interface AwsFleet {
  readonly estate: string;
  readonly seed: number;
  readonly apply: Stage['apply'];
}

/** Two estates in turn on the AWS sandbox, with people who edit between: requests of one that name what is not its own. */
async function inTurnOnAws(turns: number, spoil: Spoil): Promise<readonly string[]> {
  const stage = await openStage({ estate: unowned(account, region), quotas: { vpcs: 20 } });
  try {
    const fleets = ['north', 'south'].map((estate, n) => fleetOn(stage, estate, n + 1));
    const foreign: string[] = [];
    for (let turn = 1; turn <= turns; turn += 1) {
      for (const fleet of fleets) foreign.push(...(await turnOf(fleet, { stage, turn, spoil })));
      await editByHand(stage.sandbox.url, stage.sandbox.control.ec2.region(account, region), turn);
    }
    return foreign;
  } finally {
    await stage.close();
  }
}

const lagMs = 3000;

/** Two stores of one estate begin at an empty account at once; then each looks again. What they wrote after they could see each other. */
async function sameStartOnAws(seed: number, spoil: Spoil): Promise<readonly string[]> {
  // why: neither is shown what the other writes while it has yet to look
  const stage = await openStage({ lag: { ms: lagMs, sight: 0 }, quotas: { vpcs: 20 } });
  const { time, sandbox, place } = stage;
  const { log } = sandbox.control;
  try {
    const stores = [1, 2].map((n) => fleetOn(stage, 'bench', n));
    const files = drawnSpecs(seed, 1, place);
    await time.run(() => Promise.all(stores.map(({ apply }) => apply(files))));
    await spoil(sandbox.control);
    sandbox.control.clock.advance(lagMs);
    log.clear();
    const faults: string[] = [];
    for (const { apply } of stores) {
      const { last } = await time.run(() => apply(files));
      if (!last?.plan.findings.some(({ type }) => type === 'foreign-store')) faults.push('a store did not stop');
    }
    return [...faults, ...log.entries({ mutating: true }).map(({ action }) => `${action} beside another store`)];
  } finally {
    await stage.close();
  }
}

function fleetOn(stage: Stage, estate: string, n: number): AwsFleet {
  const store = memoryDatabase(stage.time.clock, `${n}0000000-0000-4000-8000-000000000000`).connect();
  return { estate, seed: n, apply: besides(stage, estate, store) };
}

interface Turn {
  readonly stage: Stage;
  readonly turn: number;
  readonly spoil: Spoil;
}

async function turnOf({ estate, seed, apply }: AwsFleet, { stage, turn, spoil }: Turn): Promise<readonly string[]> {
  const { control } = stage.sandbox;
  const owners = ownersIn(stage);
  control.log.clear();
  await stage.time.run(() => apply(named(drawnSpecs(seed, turn, stage.place), estate)));
  await spoil(control);
  const writes = control.log.entries({ mutating: true });
  console.error(`two-fleets: ${estate} wrote ${writes.length} times in its turn ${turn} on AWS`);
  return writes.flatMap((write) => foreignIn(write, owners, estate));
}

/** Names begin with the estate's own, as two estates of one scope cannot share an address; blocks are equal. What no document asks for goes. */
const named = (files: readonly SpecFile[], estate: string): readonly SpecFile[] =>
  files.map(({ path, text }) => ({
    path,
    text: text
      .replace('kind: Estate\nmetadata: { name: bench }', `kind: Estate\nmetadata: { name: ${estate} }`)
      .replaceAll('spec: { targets:', 'spec: { deletionPolicy: delete, targets:')
      .replaceAll(/\b((?:net|rule|web)-\d)/g, `${estate}-$1`),
  }));

/** The estate in each object's mark, by id; '' for an unmarked one. */
function ownersIn({ sandbox }: Stage): ReadonlyMap<string, string> {
  const { vpcs, subnets, gateways, routeTables, groups, instances, volumes } = sandbox.control.ec2.region(
    account,
    region,
  );
  const tables = [vpcs, subnets, gateways, routeTables, groups, instances, volumes];
  return new Map(
    tables.flatMap((table) => [...table.values()].map(({ id, tags }) => [id, tags.get('setpoint:estate') ?? ''])),
  );
}

const foreignIn = ({ action, params }: Logged, owners: ReadonlyMap<string, string>, estate: string) =>
  Object.values(params)
    .filter((value) => owners.has(value) && owners.get(value) !== estate)
    .map((id) => `${estate} sent ${action} for ${id}, which is ${owners.get(id) || 'nobody'}'s`);
