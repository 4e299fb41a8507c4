import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { machineIn, network } from '../support/engine-world/documents.ts';
import { type FleetWorld, fleetWorld, where } from '../support/fleet-world.ts';

const machine = machineIn({ image: 'img-1', size: 'small' });
// why: as text, since an object with a `then` may be taken for a promise
const waves: unknown = JSON.parse('{ "canary": 1, "then": ["rest"] }');
const tier = (name: string) => [
  network({ internet: false }),
  machine('web', { replicas: 4, minReady: 0, rollout: waves }, { labels: { tier: name } }),
];
const tiers = ({ cloud }: FleetWorld): readonly unknown[] =>
  cloud.inspect
    .live()
    .filter(({ type }) => type === 'instance')
    .map(({ record }) => record.tags['tier'])
    .sort();

const waveLabelled = async (name: string): Promise<FleetWorld> => {
  const world = fleetWorld();
  await world.accept(tier(name));
  for (let reconciles = 0; (await world.reconcile()).outcome !== 'done'; reconciles += 1) assert.ok(reconciles < 10);
  return world;
};

const stopped = ({ store }: FleetWorld) => store.fleet.rollouts.stopped(where);
const resume = ({ store }: FleetWorld) =>
  store.fleet.rollouts.resume(where, { person: 'ada', reason: 'it was the network' });

describe('a rollout in waves', () => {
  it('goes on by itself, one wave after the other', async () => {
    const world = await waveLabelled('a');
    const generation = await world.accept(tier('b'));
    const { outcome, writes } = await world.reconcile();
    assert.deepEqual([outcome, tiers(world)], ['done', ['b', 'b', 'b', 'b']]);
    assert.equal(writes.filter((action) => action === 'TagObjects').length, 2, 'the canary, then the rest');
    assert.equal(await world.store.fleet.rollouts.standing(where), generation);
  });

  it('stops at the first failure, heals to what stood before, and goes on when a person says so', async () => {
    const world = await waveLabelled('a');
    await world.accept(tier('b'));
    world.cloud.faults.add({ on: 'TagObjects', nth: 1, fault: { do: 'refuse', code: 'Denied' } });
    assert.equal((await world.reconcile()).outcome, 'partly');
    const [stop] = await stopped(world);
    assert.match(stop?.why ?? '', /update instance web-0 failed/);
    assert.deepEqual([(await world.reconcile()).writes, tiers(world)], [[], ['a', 'a', 'a', 'a']]);
    await resume(world);
    assert.deepEqual([(await world.reconcile()).outcome, tiers(world)], ['done', ['b', 'b', 'b', 'b']]);
  });

  it('stays stopped through a commit that asks for the same, and begins anew with one that asks for something else', async () => {
    const world = await waveLabelled('a');
    await world.accept(tier('b'));
    world.cloud.faults.add({ on: 'TagObjects', nth: 1, fault: { do: 'refuse', code: 'Denied' } });
    await world.reconcile();
    await world.accept([...tier('b'), machine('other')]);
    assert.equal((await world.reconcile()).outcome, 'partly');
    assert.deepEqual(
      tiers(world).filter((one) => one === 'b'),
      [],
    );
    await world.accept([...tier('c'), machine('other')]);
    assert.equal((await world.reconcile()).outcome, 'done');
    assert.equal(tiers(world).filter((one) => one === 'c').length, 4);
  });
});

const waitingLabelled = (tier: string) => [
  network({ internet: false }),
  machine('web', { replicas: 3, minReady: 0, rollout: waves }, { labels: { tier } }),
];

describe('a wave that waits for what only a person lets go on', () => {
  it('is not looked for again and again', async () => {
    const { accept, reconcile, store, cloud, clock } = fleetWorld();
    const { pauses } = store.fleet;
    await accept(waitingLabelled('a'));
    while ((await reconcile()).ended !== 'done');
    await accept(waitingLabelled('b'));
    const later = ['web-1', 'web-2'].map(
      (name) => ({ by: 'address', name: `${where.scope}/instance/${name}` }) as const,
    );
    const said = { reason: 'debugging', person: 'ada' };
    const until = clock.now() + 86_400_000;
    for (const of of later) await pauses.begin(where.estate, { what: 'rollout', of, ...said, until });
    await reconcile();
    await pauses.begin(where.estate, { what: 'healing', of: { by: 'estate' }, ...said, until });
    const [canary] = cloud.inspect.live().filter(({ record }) => record.tags['tier'] === 'b');
    cloud.outside.do('TagObjects', { ids: [canary?.id ?? ''], tags: { tier: 'by hand' } });
    for (const of of later) await pauses.end(where.estate, { what: 'rollout', of }, said);
    await clock.advance(60_000);
    const held = await reconcile();
    assert.deepEqual([held.ended, held.outcome], ['done', 'partly']);
  });
});

const limits = { limits: { deletes: 50, replaces: 50, share: '100%' } };
const hour = 3_600_000;

// why: as text, since an object with a `then` may be taken for a promise
const strategies: Readonly<Record<string, object>> = {
  rolling: {},
  canary: { rollout: JSON.parse('{ "canary": 1 }') },
  waves: { rollout: JSON.parse('{ "canary": 1, "then": ["50%", "rest"] }') },
  'at once': { rollout: JSON.parse('{ "then": ["rest"] }') },
};

const estate = (image: string, replicas: number, spec: object = {}) => [
  network({ internet: false }),
  machine('web', { replicas, image, ...spec }),
];

const instances = ({ cloud }: FleetWorld) => cloud.inspect.live().filter(({ type }) => type === 'instance');
const imageOf = ({ record }: { readonly record: object }): string =>
  'hardware' in record ? Object(record.hardware).image : '';
const images = (world: FleetWorld): readonly string[] => instances(world).map(imageOf).sort();

/** Machines of an image that were ever launched. */
function launched({ cloud }: FleetWorld, image: string): number {
  const made = cloud.history.changes.flatMap(({ id, before, after }) =>
    before === undefined && after !== undefined && imageOf({ record: after }) === image ? [id] : [],
  );
  return new Set(made).size;
}

/** Reconciles as a fleet has them: again at once where there is more to do, else a minute later. */
async function passing(world: FleetWorld, forMs: number): Promise<void> {
  const until = world.clock.now() + forMs;
  for (let reconciles = 0; world.clock.now() < until; reconciles += 1) {
    assert.ok(reconciles < 2_000, 'passes without end');
    const { ended } = await world.reconcile();
    if (ended === 'done') await world.clock.advance(60_000);
  }
}

async function standing(image: string, replicas: number, spec: object): Promise<FleetWorld> {
  const world = fleetWorld();
  await world.accept(estate(image, replicas, spec), limits);
  await passing(world, hour);
  assert.equal(instances(world).length, replicas);
  return world;
}

describe('machines that die at boot', () => {
  // why: each strategy meets each time, and each number of replicas too
  for (const [name, spec] of Object.entries(strategies))
    for (const replicas of [1, 2, 3, 4, 5])
      for (const afterMs of [[0, 8_000, 40_000][(replicas + name.length) % 3] ?? 0]) {
        const title = `${name}, ${replicas} replicas, dead after ${afterMs / 1000} s`;

        it(`a rollout loses one machine at most, and it comes back as it stood: ${title}`, async () => {
          const world = await standing('img-1', replicas, spec);
          world.cloud.outside.breakImage('img-2', afterMs);
          await world.accept(estate('img-2', replicas, spec), limits);
          await passing(world, hour);
          assert.equal(launched(world, 'img-2'), 1);
          assert.deepEqual(
            images(world),
            Array.from({ length: replicas }, () => 'img-1'),
          );
        });

        it(`healing launches three at most: ${title}`, async () => {
          const world = await standing('img-1', replicas, spec);
          world.cloud.outside.breakImage('img-1', afterMs);
          world.cloud.outside.do('TerminateInstances', { ids: instances(world).map(({ id }) => id) });
          await passing(world, hour);
          assert.ok(launched(world, 'img-1') - replicas <= 3, `${launched(world, 'img-1') - replicas} were launched`);
        });

        it(`a first creation launches three at most: ${title}`, async () => {
          const world = fleetWorld();
          world.cloud.outside.breakImage('img-1', afterMs);
          await world.accept(estate('img-1', replicas, spec), limits);
          await passing(world, hour);
          assert.ok(launched(world, 'img-1') <= 3, `${launched(world, 'img-1')} were launched`);
        });
      }
});
const by = { person: 'ada', reason: 'the image is mended' };

describe('a document whose machines failed at birth', () => {
  it('says why, and goes on when a person resumes it', async () => {
    const world = await standing('img-1', 3, {});
    world.cloud.outside.breakImage('img-2', 0);
    await world.accept(estate('img-2', 3), limits);
    await passing(world, hour);
    const [stop] = await stopped(world);
    assert.equal(stop?.document, `${where.scope}/instance/web`);
    assert.match(stop?.why ?? '', /ins-\d+ was ended .* after its launch, and had not been ready for long enough/);
    world.cloud.outside.breakImage('img-2');
    await world.store.fleet.rollouts.resume(where, by, stop?.document);
    assert.deepEqual(await stopped(world), []);
    await passing(world, hour);
    assert.deepEqual(images(world), ['img-2', 'img-2', 'img-2']);
  });

  it('begins anew where it asks for something else', async () => {
    const world = await standing('img-1', 3, {});
    world.cloud.outside.breakImage('img-2', 0);
    await world.accept(estate('img-2', 3), limits);
    await passing(world, hour);
    await world.accept(estate('img-3', 3), limits);
    await passing(world, hour);
    assert.deepEqual(images(world), ['img-3', 'img-3', 'img-3']);
  });

  it('is healed where a machine that had been ready is ended young, and its rollout, which has ended, does not stop', async () => {
    const world = fleetWorld();
    await world.accept(estate('img-1', 2), limits);
    await passing(world, 300_000);
    world.cloud.outside.do('TerminateInstances', {
      ids: instances(world)
        .slice(0, 1)
        .map(({ id }) => id),
    });
    await passing(world, 120_000);
    assert.deepEqual(images(world), ['img-1', 'img-1']);
    assert.deepEqual(await stopped(world), []);
    await world.accept(estate('img-1', 3), limits);
    await passing(world, 120_000);
    assert.deepEqual(images(world), ['img-1', 'img-1', 'img-1'], 'the document may grow');
  });
});
