import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Sandbox } from '../../../sandbox/index.ts';
import type { Ledger } from '../../../src/ports/ledger.ts';
import { type machineIn, network } from './documents.ts';
import type { Applied, EngineWorld, How } from './engine-world.ts';

/** A process that died: nothing is awaited, settled or cleared up. */
export class Killed extends Error {}

/** `['intend', 'after', 2]`: as soon as the second intent is committed. */
export type Step = readonly ['intend' | 'settle', 'before' | 'after', nth: number];

/** A ledger whose process dies at this step of its calls. */
export function killedAt([what, when, nth]: Step): (ledger: Ledger) => Ledger {
  let count = 0;
  const gated = async <T>(work: () => Promise<T>): Promise<T> => {
    count += 1;
    if (count === nth && when === 'before') throw new Killed();
    const result = await work();
    if (count === nth) throw new Killed();
    return result;
  };
  return (ledger) => ({
    ...ledger,
    [what]: (...asked: Parameters<Ledger['intend']>) =>
      gated(() => (ledger[what] as (...all: unknown[]) => Promise<unknown>)(...asked)), // why: either takes what the engine gives it
  });
}

/** The steps of a replacement by surge that the ledger hears of. */
const surgeSteps: readonly { readonly name: string; readonly at: Step }[] = [
  { name: 'before the intent to launch', at: ['intend', 'before', 1] },
  { name: 'after the intent to launch: nothing was sent', at: ['intend', 'after', 1] },
  { name: 'after the launch, unsettled: the successor is pending', at: ['settle', 'before', 1] },
  { name: 'after its settlement: the successor stands and is not ready', at: ['settle', 'after', 1] },
  { name: 'when it is ready, before the intent to end the predecessor', at: ['intend', 'before', 2] },
  { name: 'after that intent: nothing was ended', at: ['intend', 'after', 2] },
  { name: 'after the predecessor was ended, unsettled', at: ['settle', 'before', 2] },
  { name: 'after its settlement', at: ['settle', 'after', 2] },
];

/** A cloud of which every new machine ends, or fails, soon after its launch. */
interface Doomed {
  doom(sandbox: Sandbox): void;
  /** The cloud's text for it. */
  readonly ending: RegExp;
  /** The write that launches a machine. */
  readonly launch: string;
}

/** A dead boot is no success: it fails with the cloud's words, and its document is launched three times at most. */
export async function failsBirths(
  world: EngineWorld,
  machine: object,
  { doom, ending, launch }: Doomed,
): Promise<void> {
  doom(world.sandbox);
  const documents = [network(), machine];
  let launches = 0;
  for (let reconcile = 0; reconcile < 6; reconcile++) {
    const { writes, rounds: reconciles } = await world.apply(documents);
    launches += writes.filter((write) => write.startsWith(`${launch} 2`)).length;
    if (reconcile === 0)
      assert.match(reconciles.flatMap(({ failed }) => failed)[0]?.failure.message ?? 'a success', ending);
    world.sandbox.control.clock.advance(120_000);
  }
  assert.ok(launches >= 1 && launches <= 3, `${launches} launches`);
  const { births = [] } = await world.knowledge();
  assert.match(births.find(({ failed }) => failed !== undefined)?.failed ?? 'none failed', ending);
}

/** A colleague's change by hand to the machine `web-0`. It was launched with a disk of `size` GB and the label `tier: web`. */
interface Colleague {
  readonly size: number;
  /** Makes the disk 40 GB large, and the label another. */
  grow(): Promise<void>;
  /** Names of machines and sizes of their disks, and the label `tier`. */
  seen(): Promise<{ readonly machines: readonly string[]; readonly sizes: readonly number[]; readonly tier: unknown }>;
}

/** No change without a request ends a machine or its disk, for any caller: its label is healed, its size is for a person. */
export async function keepsGrownDisk(
  world: EngineWorld,
  machine: ReturnType<typeof machineIn>,
  { size: first, grow, seen }: Colleague,
): Promise<void> {
  const wanted = (size: number) => [network(), machine('web', { disk: { size } }, { labels: { tier: 'web' } })];
  for (const _ of ['made', 'up']) await world.apply(wanted(first));
  const before = await seen();
  assert.deepEqual([before.sizes, before.tier], [[first], 'web']);
  await grow();
  assert.deepEqual([(await seen()).sizes, (await seen()).tier], [[40], 'by-hand']);
  for (const unattended of [true, false]) {
    const { writes, last } = await world.apply(wanted(first), { unattended });
    assert.deepEqual(writes.filter(ends), []);
    const whys = (last?.plan.findings ?? []).map(({ why }) => why).join('\n');
    assert.match(whys, new RegExp(`disk\\.size is 40, wanted ${first}`));
    assert.match(whys, /write `disk: \{ size: 40 \}` in \S+:\d+/);
    assert.deepEqual(await seen(), { ...before, sizes: [40] });
  }
  const taken = await world.apply(wanted(40));
  assert.deepEqual([taken.outcome, taken.left, taken.writes], ['done', [], []]);
}

const ends = (write: string): boolean =>
  /(?:delete|stop|deallocate|powerOff|insert) |virtualMachines.createOrUpdate/.test(write);

/** Something that nobody lists stands in the subnet `core.app`. */
interface Unlisted {
  put(): Promise<void>;
  /** The cloud's own code, and the name of the contents. */
  readonly code: RegExp;
  readonly name: RegExp;
  /** The address of the subnet behind its scope. */
  readonly subnet: string;
  /** The read that names the contents. */
  readonly reading: string;
}

/** A subnet that cannot be deleted stays. Its failure quotes the cloud and names the contents, for one more call a reconcile. */
export async function namesUnlisted(world: EngineWorld, { put, code, name, subnet, reading }: Unlisted): Promise<void> {
  const both = { subnets: ['app', 'db'].map((one, at) => ({ name: one, cidr: `10.20.${at + 1}.0/24` })) };
  for (const _ of ['made', 'up']) await world.apply([network(both)]);
  await put();
  const { rounds: reconciles } = await world.apply([network({ subnets: both.subnets.slice(1) })], { prune: [subnet] });
  const failures = reconciles
    .flatMap(({ failed }) => failed)
    .map(({ failure }) => `${failure.code}: ${failure.message}`);
  assert.ok(failures.length > 0);
  for (const failure of failures) {
    assert.match(failure, code);
    assert.match(failure, name);
  }
  const asked = world.sandbox.control.log.entries().filter(({ action }) => action === reading).length;
  assert.ok(asked <= 1, `${asked} times ${reading}`);
}

/** A cloud that keeps the names of machines unique. */
export interface NamedCloud {
  open(look: (sandbox: Sandbox) => void): Promise<EngineWorld>;
  machine(name: string, spec: Fields, metadata: Fields): object;
  /** Four that can be launched, and one that is not there. */
  readonly images: readonly [string, string, string, string];
  readonly mistyped: string;
  machines(sandbox: Sandbox): readonly Machine[];
  /** From now on machines of the second image end soon after they began to run. */
  doom(sandbox: Sandbox): void;
  /** The cloud's text for it. */
  readonly ending: RegExp;
  /** Writes that launch a machine, and that end one: `instances.insert`. */
  readonly words: { readonly launch: string; readonly end: string };
}

/** A machine as it truly is. `image`: as it was asked for. */
interface Machine {
  readonly name: string;
  readonly image: string;
  readonly running: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

const surge = { strategy: 'surge' };

/** Replacement by surge where the new machine must have another name. */
export function surgeLaws(cloud: NamedCloud): void {
  const { images } = cloud;
  test('one replica has no downtime: its successor has a name of its own, which later plans keep', async () => {
    await using world = await worldOf(cloud);
    await world.made(images[0]);
    assert.deepEqual(world.names(), ['web-0']);
    const seen = new Set(world.names());
    for (const image of images.slice(1, 3)) {
      world.watch();
      const replaced = await world.apply(image);
      assert.deepEqual([replaced.outcome, replaced.left], ['done', []]);
      assert.deepEqual([world.launches(replaced), world.ends(replaced), world.least()], [1, 1, 1]);
      assert.deepEqual(world.images(), [image]);
      const [name = ''] = world.names();
      assert.match(name, /^web-0-[a-z][a-z0-9]{4}$/);
      assert.equal(seen.has(name), false, `${name} was used before`);
      seen.add(name);
      assert.deepEqual((await world.apply(image)).writes, []);
    }
    const labelled = await world.apply(images[2], {}, { labels: { tier: 'web' } });
    assert.deepEqual([labelled.outcome, labelled.left, world.names()], ['done', [], [[...seen].at(-1)]]);
    const recreated = await world.apply(images[3], { replace: { strategy: 'recreate' } });
    assert.deepEqual([recreated.outcome, recreated.left, world.names()], ['done', [], ['web-0']]);
  });

  test('each replica keeps its address, and its document can shrink', async () => {
    await using world = await worldOf(cloud);
    await world.made(images[0], { replicas: 2 });
    const replaced = await world.apply(images[1], { replicas: 2 });
    assert.deepEqual([replaced.outcome, replaced.left], ['done', []]);
    assert.deepEqual(world.images(), [images[1], images[1]]);
    const { settled } = await world.engine.knowledge();
    const addresses = [...settled.values()].flatMap(({ kind, address }) => (kind === 'instance' ? [address] : []));
    assert.deepEqual(addresses.map((address) => address.replace(/^.*\//, '')).toSorted(), ['web-0', 'web-1']);
    const shrunk = await world.apply(images[1], { replicas: 1 });
    assert.deepEqual([shrunk.outcome, shrunk.left], ['done', []]);
    assert.match(world.names().join(), /^web-0-[a-z0-9]{5}$/);
  });

  test('a mistyped image leaves the machine untouched', async () => {
    await using world = await worldOf(cloud);
    await world.made(images[0]);
    world.watch();
    const { writes } = await world.apply(cloud.mistyped);
    assert.deepEqual([writes, world.names(), world.least()], [[], ['web-0'], 1]);
  });

  test('a spec that moves back while both stand ends the successor', async () => {
    await using world = await worldOf(cloud);
    await world.made(images[0]);
    world.watch();
    await assert.rejects(world.apply(images[1], {}, {}, { ledger: killedAt(['settle', 'after', 1]) }), Killed);
    assert.equal(world.names().length, 2);
    const back = await world.apply(images[0]);
    assert.deepEqual([back.outcome, back.left, world.names(), world.least()], ['done', [], ['web-0'], 1]);
  });

  test('a successor that dies at boot is ended, its predecessor stays, and the birth has failed', async () => {
    await using world = await worldOf(cloud);
    await world.made(images[0]);
    cloud.doom(world.engine.sandbox);
    world.watch();
    const { rounds: reconciles } = await world.apply(images[1]);
    const { failure } = reconciles.flatMap(({ failed }) => failed)[0] ?? {};
    assert.match(failure?.message ?? '', /did not become ready; it was ended, and \S+ stays/);
    assert.match(failure?.message ?? '', cloud.ending);
    assert.deepEqual([world.names(), world.least()], [['web-0'], 1]);
    const { births = [] } = await world.engine.knowledge();
    assert.match(births.find(({ failed }) => failed !== undefined)?.failed ?? '', cloud.ending);
  });

  describe('a process that dies in a replacement: the next one goes on', () => {
    for (const { name, at } of surgeSteps) test(name, () => resumes(cloud, at));
  });
}

async function resumes(cloud: NamedCloud, at: Step): Promise<void> {
  const [before, after] = cloud.images;
  await using world = await worldOf(cloud);
  await world.made(before);
  world.watch();
  await assert.rejects(world.apply(after, {}, {}, { ledger: killedAt(at) }), Killed);
  const writes = [...writesOf(world.engine)];
  for (let reconcile = 0; reconcile < 12; reconcile++) {
    world.engine.sandbox.control.clock.advance(60_000);
    const next = await world.apply(after);
    writes.push(...next.writes);
    if (next.outcome === 'done' && next.left.length === 0) break;
  }
  assert.deepEqual([world.images(), world.least(), world.launches({ writes })], [[after], 1, 1]);
  assert.deepEqual((await world.apply(after)).writes, []);
}

export type SurgeWorld = Awaited<ReturnType<typeof worldOf>>;

/** An estate with one document of machines, and how many of them run at each moment that anybody looks at the clock. */
export async function worldOf(cloud: NamedCloud) {
  let least = Number.POSITIVE_INFINITY;
  const running = (sandbox: Sandbox): number => cloud.machines(sandbox).filter((one) => one.running).length;
  const engine = await cloud.open((sandbox) => {
    least = Math.min(least, running(sandbox));
  });
  const apply = (image: string, spec: object = {}, metadata: object = {}, how: How = {}): Promise<Applied> =>
    engine.apply([network(), cloud.machine('web', { image, replace: surge, ...spec }, { ...metadata })], how);
  const count = ({ writes }: Pick<Applied, 'writes'>, word: string): number =>
    writes.filter((write) => write.startsWith(`${word} 2`)).length;
  return {
    engine,
    apply,
    made: async (image: string, spec: object = {}): Promise<void> => {
      for (const _ of ['made', 'up']) await apply(image, spec);
    },
    names: () => cloud.machines(engine.sandbox).map(({ name }) => name),
    images: () => cloud.machines(engine.sandbox).map(({ image }) => image),
    launches: (applied: Pick<Applied, 'writes'>) => count(applied, cloud.words.launch),
    ends: (applied: Pick<Applied, 'writes'>) => count(applied, cloud.words.end),
    watch: () => {
      least = Number.POSITIVE_INFINITY;
    },
    least: () => least,
    [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](),
  };
}

const writesOf = ({ sandbox }: EngineWorld): readonly string[] =>
  sandbox.control.log
    .entries({ mutating: true })
    .map(({ action, status }) => `${action.split(/[./]/).slice(-2).join('.')} ${status}`);
