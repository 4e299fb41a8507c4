import assert from 'node:assert/strict';
import { test } from 'node:test';
import { network, rule } from '../../../support/engine-world/documents.ts';
import { project } from '../../../support/gcp-session.ts';
import { gcpWorld, here, image, machine } from './gcp-world.ts';

const us = { metadata: { name: 'us' }, spec: { ...here.spec, region: 'us-central1', zone: 'us-central1-a' } };

test('a renamed network keeps all that stands in it, with its former name in the document and without', async () => {
  await using world = await gcpWorld();
  await world.apply([network(), rule('https'), machine('web')]);
  const documents = (was: object) => [
    network({}, { name: 'main', ...was }),
    rule('https', { network: 'main' }),
    machine('web', { network: 'main' }),
  ];
  const renamed = await world.apply(documents({ was: ['core'] }));
  assert.deepEqual(renamed.left, []);
  assert.deepEqual(renamed.writes, ['firewalls.insert 200', 'instances.setTags 200', 'firewalls.delete 200']);
  assert.deepEqual((await world.apply(documents({ was: ['core'] }))).writes, []);
  const forgotten = await world.apply(documents({}));
  assert.deepEqual([forgotten.writes, forgotten.left], [[], []]);
});

test('two regions of one project share their network, and its firewall', async () => {
  await using world = await gcpWorld();
  const documents = [
    network({
      targets: ['here', 'us'],
      subnets: [
        { name: 'app', cidr: '10.20.1.0/24', target: 'here' },
        { name: 'usa', cidr: '10.20.2.0/24', target: 'us' },
      ],
    }),
    rule('https'),
    machine('web', { targets: ['here', 'us'], on: { us: { subnet: 'usa' } } }),
  ];
  const built = await world.apply(documents, { targets: [here, us] });
  assert.equal(built.writes.filter((write) => write === 'networks.insert 200').length, 1);
  assert.equal(built.writes.filter((write) => write === 'firewalls.insert 200').length, 1);
  assert.equal(built.writes.filter((write) => write === 'instances.insert 200').length, 2);
  const again = await world.apply(documents, { targets: [us, here] });
  assert.deepEqual([again.writes, again.left], [[], []]);
});

test('one of two targets adopts for both; what bears no mark is never deleted, a machine that was marked goes', async () => {
  await using world = await gcpWorld();
  const subnetworks = [{ name: 'old-app', region: 'europe-west1', cidr: '10.20.1.0/24' }];
  world.sandbox.control.compute.load({
    projects: [
      {
        project,
        networks: [{ name: 'legacy', internet: true, subnetworks }],
        instances: [{ name: 'pet', zone: 'europe-west1-b', subnetwork: 'old-app', tags: ['core-all', 'core-web'] }],
      },
    ],
  });
  const idOf = async (path: string) => `projects/${project}/${path}#${(await world.ask('GET', path)).body.id}`;
  const disk = (await world.ask<{ readonly sourceImage: string }>('GET', 'zones/europe-west1-b/disks/pet')).body;
  const documents = [
    network(
      {
        targets: ['here', 'us'],
        rules: 'additive',
        subnets: [
          {
            name: 'app',
            cidr: '10.20.1.0/24',
            target: 'here',
            adopt: { here: await idOf('regions/europe-west1/subnetworks/old-app') },
          },
        ],
      },
      { adopt: { here: await idOf('global/networks/legacy') } },
    ),
    machine(
      'web',
      { image: disk.sourceImage.replace(/^.*?(?=projects\/)/, ''), size: 'e2-small' },
      { adopt: { here: await idOf('zones/europe-west1-b/instances/pet') } },
    ),
  ];
  assert.notEqual(disk.sourceImage, image, 'the machine names its image, not the family');
  const adopted = await world.apply(documents, { targets: [here, us] });
  assert.deepEqual([adopted.writes, adopted.left], [['disks.setLabels 200', 'instances.setLabels 200'], []]);
  assert.deepEqual((await world.apply(documents, { targets: [here, us] })).writes, []);
  const prune = ['global/network/core', 'europe-west1/subnet/core.app', 'europe-west1-b/instance/web-0'];
  const gone = await world.apply([], { targets: [here, us], prune });
  assert.deepEqual(gone.writes, ['instances.delete 200']);
  assert.deepEqual(gone.left, [
    'withheld adopted-in-store-only subnet/core.app',
    'withheld adopted-in-store-only network/core',
  ]);
});

test('a firewall that its document has moved on from goes, though the document retains', async () => {
  await using world = await gcpWorld();
  const documents = (group: string) => [
    network(),
    rule('https', { group, deletionPolicy: 'retain' }),
    machine('web', { groups: ['web', 'shop'] }),
  ];
  await world.apply(documents('web'));
  const moved = await world.apply(documents('shop'));
  assert.deepEqual([moved.writes, moved.left], [['firewalls.insert 200', 'firewalls.delete 200'], []]);
});

test('after a lost database a network stays ours, whatever of it changes: its mark still names the old store', async () => {
  await using world = await gcpWorld();
  const documents = (internet: boolean) => [network({ internet }), rule('https'), machine('web')];
  const built = await world.apply(documents(true));
  await world.takeover(built);
  const taken = await world.apply(documents(true));
  assert.deepEqual([taken.writes.filter((write) => /insert|delete/.test(write)), taken.left], [[], []]);
  const closed = await world.apply(documents(false));
  assert.deepEqual([closed.writes, closed.left], [['routes.delete 200'], []]);
  const opened = await world.apply(documents(true));
  assert.deepEqual([opened.writes, opened.left], [['routes.insert 200'], []]);
});

test('after a takeover a loop replaces no machine: nobody knows that a spec asked for another', async () => {
  await using world = await gcpWorld();
  const documents = (image: string) => [network(), rule('https'), machine('web', { image })];
  const built = await world.apply(documents('projects/debian-cloud/global/images/debian-12-bookworm-v20251014'));
  await world.takeover(built);
  const healed = await world.apply(documents('projects/debian-cloud/global/images/debian-12-bookworm-v20251209'), {
    unattended: true,
  });
  assert.deepEqual(
    healed.writes.filter((write) => /insert|delete|stop/.test(write)),
    [],
  );
  assert.deepEqual(healed.left, ['withheld destructive-drift instance/web-0']);
});
