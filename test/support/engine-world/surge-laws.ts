import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Sandbox } from '../../../sandbox/index.ts';
import { network } from './documents.ts';
import type { Applied, EngineWorld, How } from './engine-world.ts';
import { Killed, killedAt, type Step, surgeSteps } from './killed.ts';

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
  /** How the cloud says so. */
  readonly ending: RegExp;
  /** Writes that launch a machine, and that end one: `instances.insert`. */
  readonly words: { readonly launch: string; readonly end: string };
}

/** A machine as it truly is. `image`: as it was asked for. */
export interface Machine {
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
    const { passes } = await world.apply(images[1]);
    const { failure } = passes.flatMap(({ failed }) => failed)[0] ?? {};
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
  for (let pass = 0; pass < 12; pass++) {
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
