import assert from 'node:assert/strict';
import { test } from 'node:test';
import { network } from '../../../support/engine-world/documents.ts';
import { project, zone } from '../../../support/gcp-session.ts';
import { type GcpWorld, gcpWorld, image, machine } from './gcp-world.ts';

/** Stops and starts of machines, in order: `stop web-0`. */
const power = ({ sandbox }: GcpWorld): readonly string[] =>
  sandbox.control.log
    .entries({ mutating: true })
    .filter(({ action }) => /instances\.(?:start|stop)$/.test(action))
    .map(({ action, params }) => `${action.split('.').at(-1)} ${params['instance']}`);

test('another identity stops one machine of a document at a time', async () => {
  await using world = await gcpWorld();
  const documents = (who: string) => [
    network(),
    machine('web', { replicas: 2, identity: `${who}@${project}.iam.gserviceaccount.com` }),
  ];
  await world.apply(documents('web'));
  const changed = await world.apply(documents('db'));
  assert.deepEqual(changed.left, []);
  assert.deepEqual(power(world), ['stop web-0', 'start web-0', 'stop web-1', 'start web-1']);
});

test('a machine whose disk somebody keeps is replaced beside that disk', async () => {
  await using world = await gcpWorld();
  const subnetworks = [{ name: 'core-app', region: 'europe-west1', cidr: '10.20.1.0/24' }];
  world.sandbox.control.compute.load({
    projects: [
      {
        project,
        networks: [{ name: 'core', internet: true, subnetworks }],
        instances: [
          { name: 'web-0', zone, subnetwork: 'core-app', tags: ['core-all', 'core-web'], disk: { autoDelete: false } },
        ],
      },
    ],
  });
  const idOf = async (path: string) => `projects/${project}/${path}#${(await world.ask('GET', path)).body.id}`;
  const old = (await world.ask<Disk>('GET', `zones/${zone}/disks/web-0`)).body;
  const app = await idOf('regions/europe-west1/subnetworks/core-app');
  const core = await idOf('global/networks/core');
  const pet = await idOf(`zones/${zone}/instances/web-0`);
  const documents = (from: string, adopt: Readonly<Record<string, unknown>>) => [
    network(
      { rules: 'additive', subnets: [{ name: 'app', cidr: '10.20.1.0/24', adopt: { here: app } }] },
      { adopt: { here: core } },
    ),
    machine('web', { image: from }, adopt),
  ];
  await world.apply(documents(old.sourceImage.replace(/^.*?(?=projects\/)/, ''), { adopt: { here: pet } }));
  const replaced = await world.apply(documents(image, {}));
  assert.deepEqual(replaced.left, []);
  const names = (await world.ask<Disks>('GET', `zones/${zone}/disks`)).body.items.map(({ name }) => name);
  assert.equal(names.length, 2);
  assert.equal((await world.ask<Disk>('GET', `zones/${zone}/disks/web-0`)).body.id, old.id, 'the kept disk stands');
  assert.deepEqual((await world.apply(documents(image, {}))).writes, []);
});

interface Disk {
  readonly id: string;
  readonly name: string;
  readonly sourceImage: string;
}
interface Disks {
  readonly items: readonly Disk[];
}

test('made to stand still it is stopped; a resize that was cut off is brought to its end', async () => {
  await using world = await gcpWorld();
  const { faults } = world.sandbox.control;
  await world.apply([network(), machine('web', { power: 'stopped' })]);
  assert.deepEqual(power(world), ['stop web-0']);
  assert.deepEqual((await world.apply([network(), machine('web', { power: 'stopped' })])).writes, []);
  await world.apply([network(), machine('web')]);
  for (const action of ['compute.instances.setMachineType', 'compute.instances.start'])
    faults.add({ match: { action }, effect: { kind: 'reset-before' } });
  const bigger = [network(), machine('web', { size: 'e2-medium' })];
  const cut = await world.apply(bigger, { job: { rounds: 1, patienceMs: 0 } });
  assert.equal(cut.outcome, 'unfinished');
  faults.clear();
  const whole = await world.apply(bigger);
  assert.deepEqual([whole.left, power(world)], [[], ['start web-0']]);
});
