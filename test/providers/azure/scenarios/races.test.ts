import assert from 'node:assert/strict';
import { test } from 'node:test';
import { account, resourceGroup } from '../../../support/azure-session.ts';
import { network, rule } from '../../../support/engine-world/documents.ts';
import { azureWorld, machine } from './azure-world.ts';

const path = (rest: string): string =>
  `/subscriptions/${account}/resourceGroups/${resourceGroup}/providers/Microsoft.${rest}?api-version=2026-01-01`;

test('a subnet that a colleague makes while others are made one by one is not written over', async () => {
  await using world = await azureWorld();
  await world.apply([network({ subnets: [] })]);
  const theirs = { properties: { addressPrefix: '10.20.9.0/24' } };
  await world.ask('PUT', 'Network/virtualNetworks/core/subnets/theirs', theirs);
  world.sandbox.control.faults.add({
    match: { action: 'subnets.createOrUpdate', nth: 1 },
    effect: {
      kind: 'edit',
      method: 'PUT',
      path: path('Network/virtualNetworks/core/subnets/b'),
      body: { properties: { addressPrefix: '10.20.8.0/24', serviceEndpoints: [{ service: 'Microsoft.Storage' }] } },
    },
  });
  const subnets = ['a', 'b'].map((name, index) => ({ name, cidr: `10.20.${index + 1}.0/24` }));
  const { writes } = await world.apply([network({ subnets })]);
  const { properties } = await world.ask('GET', 'Network/virtualNetworks/core/subnets/b');
  assert.equal(properties['addressPrefix'], '10.20.8.0/24');
  assert.deepEqual(writes, ['subnets.createOrUpdate 201']);
});

test('an interface that a colleague has hung on another machine is left as it is', async () => {
  await using world = await azureWorld();
  await world.apply([network(), machine('web')]);
  const nic = await world.ask('GET', 'Network/networkInterfaces/web-0-nic');
  const vm = await world.ask('GET', 'Compute/virtualMachines/web-0');
  const keep = {
    properties: {
      networkProfile: { networkInterfaces: [{ id: nic.id, properties: { primary: true, deleteOption: 'Detach' } }] },
    },
  };
  assert.equal((await world.ask('PATCH', 'Compute/virtualMachines/web-0', keep)).status, 200);
  assert.equal((await world.ask('DELETE', 'Compute/virtualMachines/web-0')).status, 202);
  const { location, properties } = { location: 'westeurope', ...vm };
  const rescue = {
    location,
    properties: {
      hardwareProfile: properties['hardwareProfile'],
      storageProfile: {
        imageReference: { publisher: 'Canonical', offer: 'ubuntu-24_04-lts', sku: 'server', version: 'latest' },
        osDisk: { name: 'rescue', createOption: 'FromImage' },
      },
      osProfile: { computerName: 'rescue', adminUsername: 'ops', adminPassword: 'Not-a-secret-1' },
      networkProfile: keep.properties.networkProfile,
    },
  };
  assert.equal((await world.ask('PUT', 'Compute/virtualMachines/rescue', rescue)).status, 201);
  const before = await world.ask('GET', 'Network/networkInterfaces/web-0-nic');
  const { writes } = await world.apply([network(), machine('web', { groups: [] })]);
  assert.deepEqual(
    writes.filter((write) => /networkInterfaces|virtualMachines/.test(write)),
    [],
  );
  assert.deepEqual((await world.ask('GET', 'Network/networkInterfaces/web-0-nic')).properties, before.properties);
});

test('rules that go singly, as one among them is refused, all go in one reconcile', async () => {
  await using world = await azureWorld();
  const rules = (description: string) =>
    ['one', 'two', 'three'].map((name, index) => rule(name, { ports: [index + 1], description }));
  await world.apply([network(), ...rules('before')]);
  const { faults } = world.sandbox.control;
  faults.add({
    match: { action: 'networkSecurityGroups.createOrUpdate' },
    effect: { kind: 'error', code: 'InvalidParameter', status: 400 },
  });
  const { writes, left } = await world.apply([network(), ...rules('after')]);
  assert.deepEqual([writes.filter((write) => write.endsWith(' 412')), left], [[], []]);
});
