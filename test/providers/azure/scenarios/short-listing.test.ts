import assert from 'node:assert/strict';
import { test } from 'node:test';
import { network, rule } from '../../../support/engine-world/documents.ts';
import { azureWorld, machine } from './azure-world.ts';

const listings = [
  'virtualNetworks.listAll',
  'networkSecurityGroups.listAll',
  'applicationSecurityGroups.listAll',
  'virtualMachines.listAll',
  'networkInterfaces.listAll',
  'publicIPAddresses.listAll',
  'disks.list',
];

test('no listing that silently misses all it should show leads to a write', async () => {
  await using world = await azureWorld();
  const documents = [network(), rule('https'), machine('web', { publicIp: true })];
  await world.apply(documents);
  const { faults } = world.sandbox.control;
  for (const action of listings) {
    const flicker = faults.add({ match: { action }, effect: { kind: 'flicker', share: 1 } });
    const { writes } = await world.apply(documents);
    assert.deepEqual(writes, [], `${action} was empty`);
    faults.remove(flicker);
  }
  const after = await world.apply(documents);
  assert.deepEqual([after.writes, after.left], [[], []]);
});

test('a network that has no subnet yet is missed as little as one that has', async () => {
  await using world = await azureWorld();
  const documents = [network({ subnets: [] }), rule('https')];
  await world.apply(documents);
  for (const action of listings.slice(0, 3)) {
    const { faults } = world.sandbox.control;
    const flicker = faults.add({ match: { action }, effect: { kind: 'flicker', share: 1 } });
    assert.deepEqual((await world.apply(documents)).writes, [], `${action} was empty`);
    faults.remove(flicker);
  }
});

test('listings that miss now this and now that, several at once, lead to no write either', async () => {
  await using world = await azureWorld();
  const peers = { groups: ['web'] };
  const documents = [
    network(),
    rule('https'),
    rule('db', { group: 'db', ports: [5432], peers }),
    machine('web', { publicIp: true, replicas: 2 }),
  ];
  await world.apply(documents);
  const { faults } = world.sandbox.control;
  faults.add({ match: {}, effect: { kind: 'flicker', share: 0.4 } });
  for (let reconcile = 1; reconcile <= 12; reconcile++)
    assert.deepEqual((await world.apply(documents)).writes, [], `pass ${reconcile}`);
  faults.clear();
  const after = await world.apply(documents);
  assert.deepEqual([after.writes, after.left], [[], []]);
});
