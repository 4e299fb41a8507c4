import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Applied, type SmallWorld, smallWorld } from '../support/small-world.ts';

const network = {
  kind: 'Network',
  metadata: { name: 'core' },
  spec: { targets: ['here'], cidr: '10.0.0.0/16', subnets: [{ name: 'app', cidr: '10.0.1.0/24' }] },
};
const machines = (replicas: number, spec: object = {}) => ({
  kind: 'Instance',
  metadata: { name: 'web' },
  spec: { targets: ['here'], network: 'core', subnet: 'app', image: 'img-1', size: 'small', replicas, ...spec },
});
const running = ({ cloud }: SmallWorld): readonly string[] =>
  cloud.inspect.live().flatMap(({ type, id }) => (type === 'instance' ? [id] : []));
const failures = ({ rounds: reconciles }: Applied) =>
  reconciles.flatMap(({ failed }) => failed.map(({ failure }) => failure));

describe('an image or a size that the cloud does not have', () => {
  for (const { name, spec, absent } of [
    { name: 'an image that is mistyped, in a replacement', spec: { image: 'img-l' }, absent: 'img-l' },
    { name: 'a size that is not offered, in a replacement', spec: { image: 'img-2', size: 'huge' }, absent: 'huge' },
    {
      name: 'a size that is not offered, in an update that would stop the machine',
      spec: { size: 'huge' },
      absent: 'huge',
    },
  ])
    it(`${name}: no machine is ended, stopped or launched, and the failure says what to do`, async () => {
      const world = smallWorld();
      await world.apply([network, machines(2)]);
      const before = running(world);
      world.cloud.outside.withdraw(absent);
      const applied = await world.apply([network, machines(2, spec)]);
      assert.deepEqual(applied.writes, []);
      assert.deepEqual(running(world), before);
      const [failure] = failures(applied);
      assert.match(failure?.message ?? '', new RegExp(`${absent} does not exist: correct it in the document`));
      assert.match(failure?.message ?? '', /nothing was started, stopped or ended/);
      assert.equal(applied.outcome, 'failed');
    });

  it('in a creation: nothing is launched, and what stands beside it is made', async () => {
    const world = smallWorld();
    world.cloud.outside.withdraw('img-l');
    const applied = await world.apply([network, machines(2, { image: 'img-l' })]);
    assert.equal(applied.writes.includes('RunInstances'), false);
    assert.equal(applied.writes.includes('CreateNetwork'), true);
    assert.equal(failures(applied)[0]?.code, 'NotOffered');
  });

  it('is asked about once for equal machines', async () => {
    const world = smallWorld();
    await world.apply([network, machines(20)]);
    const asked = world.cloud.history.calls.filter(({ action }) => action === 'ListOffers');
    assert.equal(asked.length, 2);
  });

  it('the cloud cannot be asked: a creation goes on, as nothing is ended for it', async () => {
    const world = smallWorld();
    world.cloud.faults.add({ on: 'ListOffers', fault: { do: 'refuse', code: 'Denied' } });
    await world.apply([network, machines(1)]);
    assert.equal(running(world).length, 1);
  });

  it('the cloud cannot be asked: the old machine is not ended for one that may never stand', async () => {
    const world = smallWorld();
    await world.apply([network, machines(1)]);
    const before = running(world);
    world.cloud.faults.add({ on: 'ListOffers', fault: { do: 'refuse', code: 'Denied' } });
    const applied = await world.apply([network, machines(1, { image: 'img-2', replace: { strategy: 'recreate' } })]);
    assert.deepEqual([applied.writes, running(world)], [[], before]);
    assert.match(failures(applied)[0]?.message ?? '', /Grant the permission/);
  });

  it('asked at a bad moment: it is asked again', async () => {
    const world = smallWorld();
    world.cloud.faults.add({ on: 'ListOffers', times: 2, fault: { do: 'refuse', code: 'ServiceUnavailable' } });
    world.cloud.outside.withdraw('img-l');
    const applied = await world.apply([network, machines(1, { image: 'img-l' })]);
    assert.equal(applied.writes.includes('RunInstances'), false);
  });
});
