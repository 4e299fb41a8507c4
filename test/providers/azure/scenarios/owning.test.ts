import assert from 'node:assert/strict';
import { test } from 'node:test';
import { network, rule } from '../../../support/engine-world/documents.ts';
import { azureWorld, here, machine } from './azure-world.ts';

test('two resource groups of one location hold each its own, in whatever case Azure spells them', async () => {
  await using world = await azureWorld();
  const there = { metadata: { name: 'there' }, spec: { ...here.spec, resourceGroup: 'RG-other' } };
  const both = { targets: ['here', 'there'] };
  const documents = [network(both), rule('https'), machine('web', both)];
  const built = await world.apply(documents, { targets: [here, there] });
  assert.equal(built.writes.filter((write) => write === 'virtualMachines.createOrUpdate 201').length, 2);
  world.sandbox.control.faults.add({ match: {}, effect: { kind: 'capitals' } });
  const again = await world.apply(documents, { targets: [there, here] });
  assert.deepEqual([again.writes, again.left], [[], []]);
});

test('copies of a network and its filter, marks and all, are nobody’s, and outlive it', async () => {
  await using world = await azureWorld();
  const documents = [network(), rule('https'), machine('web')];
  await world.apply(documents);
  const { tags: filterTags } = await world.ask('GET', 'Network/networkSecurityGroups/core-nsg');
  const { tags } = await world.ask('GET', 'Network/virtualNetworks/core');
  const location = 'westeurope';
  await world.ask('PUT', 'Network/networkSecurityGroups/copy-nsg', { location, tags: filterTags, properties: {} });
  const properties = { addressSpace: { addressPrefixes: ['10.30.0.0/16'] } };
  await world.ask('PUT', 'Network/virtualNetworks/copy', { location, tags, properties });
  const seen = await world.apply(documents);
  assert.deepEqual([seen.writes, seen.left.map((one) => one.replace(/ .*/, ''))], [[], ['copied-mark']]);
  const names = ['network/core', 'subnet/core.app', 'instance/web-0', 'group/core.web', 'group/core.all'];
  const pruned = await world.apply([], { prune: names.map((name) => `rg-app/${name}`) });
  assert.ok(pruned.writes.includes('virtualNetworks.delete 202'), pruned.writes.join('\n'));
  const copies = ['Network/virtualNetworks/copy', 'Network/networkSecurityGroups/copy-nsg'];
  for (const path of copies) assert.equal((await world.ask('GET', path)).status, 200);
});

test('a renamed network keeps all that stands in it, with its former name in the document and without', async () => {
  await using world = await azureWorld();
  await world.apply([network(), rule('https'), machine('web')]);
  const documents = (was: object) => [
    network({}, { name: 'main', ...was }),
    rule('https', { network: 'main' }),
    machine('web', { network: 'main' }),
  ];
  const renamed = await world.apply(documents({ was: ['core'] }));
  assert.deepEqual(
    renamed.writes.filter((write) => !/updateTags 200$/.test(write)),
    [],
  );
  assert.deepEqual(renamed.left, []);
  const forgotten = await world.apply(documents({}));
  assert.deepEqual([forgotten.writes, forgotten.left], [[], []]);
});

test('a machine that somebody made anew under the name of ours, marks and all, is nobody’s', async () => {
  await using world = await azureWorld();
  const documents = [network(), machine('web')];
  for (const _ of ['made', 'up']) await world.apply(documents);
  const [vm, nic] = ['Compute/virtualMachines/web-0', 'Network/networkInterfaces/web-0-nic'];
  const ours = { vm: await world.ask('GET', vm), nic: await world.ask('GET', nic) };
  await world.ask('DELETE', vm);
  const { location, tags } = ours.vm;
  await world.ask('PUT', nic, { location, tags: ours.nic.tags, properties: ours.nic.properties });
  const { vmId: _, timeCreated: __, provisioningState: ___, ...properties } = ours.vm.properties;
  const { imageReference } = Object(properties['storageProfile']);
  const osDisk = { name: 'web-0-disk', createOption: 'FromImage', deleteOption: 'Delete' };
  const storageProfile = { imageReference, osDisk };
  await world.ask('PUT', vm, { location, tags, properties: { ...properties, storageProfile } });
  const theirs = await world.ask('GET', vm);
  assert.equal(theirs.id, ours.vm.id, 'one resource id');
  assert.notEqual(theirs.properties['vmId'], ours.vm.properties['vmId']);
  for (const wanted of [documents, [network()]]) {
    const { writes, last } = await world.apply(wanted, { prune: ['rg-app/instance/web-0'] });
    assert.deepEqual(writes, []);
    const said = (last?.plan.findings ?? []).map((one) => `${one.type} ${'id' in one ? one.id : ''}`);
    assert.ok(
      said.some((one) => one.startsWith('copied-mark') && one.endsWith(String(theirs.properties['vmId']))),
      said.join('\n'),
    );
  }
  assert.equal((await world.ask('GET', vm)).properties['vmId'], theirs.properties['vmId']);
});
