import assert from 'node:assert/strict';
import { test } from 'node:test';
import { network } from '../../../support/engine-world/documents.ts';
import { project, region, zone } from '../../../support/gcp-session.ts';
import { type GcpWorld, gcpWorld, image, machine } from './gcp-world.ts';

/** A network of ours, and in it a machine that a colleague made with a disk for data. */
async function withPet(world: GcpWorld, autoDelete: boolean): Promise<string> {
  await world.apply([network()]);
  const initializeParams = { sourceImage: image };
  const made = await world.ask('POST', `zones/${zone}/instances`, {
    name: 'web-0',
    machineType: `zones/${zone}/machineTypes/e2-small`,
    disks: [
      { boot: true, autoDelete: true, initializeParams },
      { deviceName: 'data', autoDelete, initializeParams: { diskName: 'data', diskSizeGb: '50' } },
    ],
    networkInterfaces: [{ subnetwork: `regions/${region}/subnetworks/core-app` }],
    tags: { items: ['core-all', 'core-web'] },
  });
  assert.equal(made.status, 200);
  const pet = await world.ask('GET', `zones/${zone}/instances/web-0`);
  return `projects/${project}/zones/${zone}/instances/web-0#${pet.body.id}`;
}

const dataDisk = async (world: GcpWorld): Promise<number> =>
  (await world.ask('GET', `zones/${zone}/disks/data`)).status;

for (const autoDelete of [true, false])
  test(`a machine with a data disk (autoDelete ${autoDelete}): no plan loses the disk`, async () => {
    await using world = await gcpWorld();
    const adopt = { adopt: { here: await withPet(world, autoDelete) } };
    const documents = (spec: object) => [network(), machine('web', { image: undefined, ...spec }, adopt)];
    assert.deepEqual((await world.apply(documents({}))).left, []);
    const replaced = await world.apply(documents({ image: 'projects/debian-cloud/global/images/family/debian-11' }));
    assert.deepEqual([replaced.writes, replaced.left], [[], ['blocked immutable instance/web-0']]);
    const { adopt: _, ...without } = adopt;
    const scaled = await world.apply([network(), machine('web', { replicas: 0 }, without)]);
    assert.deepEqual(
      [scaled.writes, scaled.left],
      autoDelete ? [[], ['withheld data-disks instance/web-0']] : [['instances.delete 200'], []],
    );
    assert.equal(await dataDisk(world), 200, 'the disk stands');
  });

test('a person prunes it: withheld while the cloud would delete the disk', async () => {
  await using world = await gcpWorld();
  const pet = await withPet(world, true);
  await world.apply([network(), machine('web', { image: undefined }, { adopt: { here: pet } })]);
  const pruned = await world.apply([network()], { prune: [`${zone}/instance/web-0`] });
  assert.deepEqual([pruned.writes, pruned.left], [[], ['withheld data-disks instance/web-0']]);
  assert.equal(await dataDisk(world), 200);
});
