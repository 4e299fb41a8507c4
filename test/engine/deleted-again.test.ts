import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Progress } from '../../src/engine/control.ts';
import { effectsOf } from '../../src/engine/intent.ts';
import { machineIn, network } from '../support/engine-world/documents.ts';
import { type Applied, type SmallWorld, smallWorld } from '../support/small-world.ts';

/**
 * The law: what this store deleted, or proved gone, is no copy when the cloud shows it again. A deleted object is deleted again, and
 * takes no second place in the count; what was only thought to be gone is ours as before.
 */
const machine = machineIn({ image: 'img-1', size: 'small' });
const estate = { limits: { deletes: 50, replaces: 50, share: '100%' } };
const core = network({ internet: false });
const hourMs = 3_600_000;

const sleep = (world: SmallWorld, ms: number): Promise<void> => world.clock.run(() => world.clock.sleep(ms));
const standing = ({ cloud }: SmallWorld, type: string): readonly string[] =>
  cloud.inspect.live().flatMap((one) => (one.type === type && one.part === undefined ? [one.id] : []));
const findings = ({ last }: Applied): readonly string[] =>
  (last?.plan.findings ?? []).flatMap((one) =>
    one.type === 'copied-mark' || one.type === 'blocked' ? [one.type] : [],
  );

/** So many places were taken by deletes and replaces of all generations. */
async function places({ store }: SmallWorld): Promise<number> {
  let taken = 0;
  for (let number = 1; number < 20; number += 1) {
    if ((await store.generations.numbered('acme', number)) === undefined) break;
    const { generation } = await store.generations.spent('acme', number);
    taken += generation.deletes + generation.replaces;
  }
  return taken;
}

const cases = [
  {
    name: 'a machine too many',
    on: 'TerminateInstances',
    first: [core, machine('web', { replicas: 2 })],
    next: [core, machine('web', { replicas: 1 })],
    live: { instance: 1 },
    places: 1,
  },
  {
    name: 'a machine that is replaced',
    on: 'TerminateInstances',
    first: [core, machine('web', { replicas: 2 })],
    next: [core, machine('web', { replicas: 2, image: 'img-2' })],
    live: { instance: 2 },
    places: 2,
  },
  {
    name: 'a machine whose document went',
    on: 'TerminateInstances',
    first: [core, machine('web', { deletionPolicy: 'delete' })],
    next: [core],
    live: { instance: 0 },
    places: 1,
  },
  {
    name: 'a network whose document went',
    on: 'DeleteNetwork',
    first: [
      core,
      network({ internet: false, cidr: '10.30.0.0/16', subnets: [], deletionPolicy: 'delete' }, { name: 'other' }),
    ],
    next: [core],
    live: { network: 1 },
  },
] as const;

describe('a delete that a lagging replica answers with NotFound', () => {
  for (const { name, on, first, next, live, ...want } of cases) {
    it(`${name}: is deleted again, in its place`, async () => {
      const world = smallWorld();
      await world.apply(first, { estate });
      await sleep(world, 20_000);
      world.cloud.faults.add({ on, times: 1, fault: { do: 'refuse', code: 'NotFound' } });
      const done = await world.apply(next, { estate });
      assert.equal(done.outcome, 'done');
      for (const [type, count] of Object.entries(live)) assert.equal(standing(world, type).length, count, type);
      assert.deepEqual(findings(done), []);
      if ('places' in want) assert.equal(await places(world), want.places);
      await sleep(world, hourMs);
      const later = await world.apply(next, { estate });
      assert.deepEqual([later.writes, findings(later)], [[], []]);
      await sleep(world, hourMs);
      await world.apply(next, { estate });
      const { ended } = await world.store.inventory.knowledge('acme', later.scope.scope);
      assert.deepEqual([...(ended ?? [])], [], 'what is proven gone is known no more');
    });

    it(`${name}: shows again only later, and is deleted again`, async () => {
      const world = smallWorld();
      await world.apply(first, { estate });
      await sleep(world, 20_000);
      world.cloud.faults.add({ on, times: 1, fault: { do: 'refuse', code: 'NotFound' } });
      const lists = on === 'DeleteNetwork' ? 'ListNetworks' : 'ListInstances';
      // why: the object is absent from its deletion on, for every reader
      const hide = (progress: Progress): void => {
        if (progress.at === 'settled' && progress.verb !== 'create')
          world.cloud.faults.add({ on: lists, times: 3, fault: { do: 'flicker', share: 1 } });
      };
      await world.apply(next, { estate, job: { rounds: 1, patienceMs: 30_000 }, steering: { notify: hide } });
      world.cloud.faults.clear();
      await sleep(world, 120_000);
      const done = await world.apply(next, { estate });
      assert.equal(done.outcome, 'done');
      for (const [type, count] of Object.entries(live)) assert.equal(standing(world, type).length, count, type);
      assert.deepEqual(findings(done), []);
      if ('places' in want) assert.equal(await places(world), want.places);
    });
  }
});

describe('an id that this store settled', () => {
  it('is ours as before when it was proven gone, and shows again', async () => {
    const world = smallWorld();
    const documents = [core, machine('web')];
    const { scope } = await world.apply(documents, { estate });
    await sleep(world, hourMs);
    const [id] = standing(world, 'instance');
    world.cloud.faults.add({ on: ['ListSubnets', 'ListInstances'], fault: { do: 'flicker', share: 1 } });
    // why: nothing is created in place of a deleted object, so only the claim is judged
    await world.apply([core, machine('web', { mode: 'observe' })], { estate, job: { rounds: 1 } });
    world.cloud.faults.clear();
    const between = await world.store.inventory.knowledge('acme', scope.scope);
    assert.deepEqual([between.settled.has(id ?? ''), between.ended?.get(id ?? '')?.as], [false, 'gone']);
    const done = await world.apply(documents, { estate });
    assert.deepEqual([done.outcome, findings(done), standing(world, 'instance')], ['done', [], [id]]);
    const after = await world.store.inventory.knowledge('acme', scope.scope);
    assert.ok(after.settled.has(id ?? ''), 'claimed again');
  });
});

describe('a rule that is let go', () => {
  const numbered = 'projects/acme/global/firewalls/core-https#489';
  const contained = 'sg-1/ingress/tcp/443/0.0.0.0/0';
  for (const [name, verb, id, want] of [
    [
      'seemed to be gone, and its cloud never gives its number twice: it is known if it shows again',
      'forget',
      numbered,
      'end',
    ],
    ['seemed to be gone, and is known through its group', 'forget', contained, 'release'],
    ['was deleted', 'delete', numbered, 'release'],
  ] as const)
    it(name, () => {
      const details = verb === 'forget' ? { because: 'gone' } : {};
      const [first] = effectsOf({
        verb,
        kind: 'firewall-rule',
        address: 'gcp/acme/global/firewall-rule/core.https',
        id,
        details,
      });
      assert.equal(first?.do, want);
    });
});
