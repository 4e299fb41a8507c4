import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { collect, QUICK } from './bench.ts';
import { address, GROUP, ID, type MachineBench, machine, machineBench, nic, order, statuses } from './machine-bench.ts';

const left = async (at: MachineBench): Promise<readonly (string | undefined)[]> => [
  ...(await collect(at.compute.virtualMachines.listAll())).map(({ name }) => name),
  ...(await collect(at.network.networkInterfaces.listAll())).map(({ name }) => name),
  ...(await collect(at.network.publicIPAddresses.listAll())).map(({ name }) => name),
  ...(await collect(at.compute.disks.list())).map(({ name }) => name?.replace(/[0-9a-f]{32}$/, '…')),
];

describe('a virtual machine', () => {
  it('is made with a disk from its image, on its interface, and says no secret again', async () => {
    await using at = await machineBench();
    const customData = Buffer.from('#cloud-config').toString('base64');
    const nicId = await nic(at, 'web-0-nic');
    const wish = order('web-0', nicId, { tags: { tier: 'web' } });
    const made = await at.compute.virtualMachines.createOrUpdate(
      GROUP,
      'web-0',
      { ...wish, osProfile: { ...wish.osProfile, customData } },
      QUICK,
    );
    assert.equal(made.storageProfile?.imageReference?.exactVersion, '24.04.202510010');
    assert.match(made.storageProfile?.osDisk?.name ?? '', /^web-0_OsDisk_1_[0-9a-f]{32}$/);
    assert.equal(made.storageProfile?.osDisk?.diskSizeGB, 30);
    assert.match(made.vmId ?? '', /^[0-9a-f-]{36}$/);
    assert.equal(made.etag, '"1"');
    assert.equal(made.provisioningState, 'Succeeded');
    assert.equal(made.osProfile?.customData, undefined);
    assert.equal(made.instanceView, undefined);
    assert.doesNotMatch(JSON.stringify(at.sandbox.control.log.entries()), new RegExp(customData));
  });

  it('is Creating for a while, its power told by the instance view alone', async () => {
    await using at = await machineBench({ arm: { durations: { machineWrite: 5_000 } } });
    const nicId = await nic(at, 'a-nic');
    const poller = at.compute.virtualMachines.createOrUpdate(GROUP, 'a', order('a', nicId), QUICK);
    await poller.submitted();
    assert.deepEqual(await statuses(at, 'a'), ['ProvisioningState/creating', 'PowerState/starting']);
    at.sandbox.control.clock.advance(5_000);
    assert.equal((await poller).provisioningState, 'Succeeded');
    assert.deepEqual(await statuses(at, 'a'), ['ProvisioningState/succeeded', 'PowerState/running']);
    const expanded = await at.compute.virtualMachines.get(GROUP, 'a', { expand: 'instanceView' });
    assert.equal(expanded.instanceView?.statuses?.[1]?.displayStatus, 'VM running');
    const plain = await at.send('GET', ID.machine('a'));
    assert.doesNotMatch(JSON.stringify(plain.body), /PowerState/);
  });
});

describe('the parts of a virtual machine', () => {
  it('are made from what the order says of them', async () => {
    await using at = await machineBench();
    const wish = order('a', '');
    await at.compute.virtualMachines.createOrUpdate(
      GROUP,
      'a',
      {
        ...wish,
        networkProfile: {
          networkApiVersion: '2020-11-01',
          networkInterfaceConfigurations: [
            {
              name: 'a-nic',
              deleteOption: 'Delete',
              ipConfigurations: [
                {
                  name: 'c',
                  subnet: { id: ID.subnet() },
                  publicIPAddressConfiguration: {
                    name: 'a-ip',
                    sku: { name: 'Standard' },
                    publicIPAllocationMethod: 'Static',
                    deleteOption: 'Delete',
                  },
                },
              ],
            },
          ],
        },
      },
      QUICK,
    );
    assert.deepEqual(await left(at), ['a', 'a-nic', 'a-ip', 'a_OsDisk_1_…']);
    const made = await at.network.publicIPAddresses.get(GROUP, 'a-ip');
    assert.equal(made.ipConfiguration?.id, `${ID.nic('a-nic')}/ipConfigurations/c`);
    await at.compute.virtualMachines.delete(GROUP, 'a', QUICK);
    assert.deepEqual(await left(at), []);
  });
});

describe('the preconditions of a virtual machine', () => {
  it('If-None-Match: * makes, and changes nothing that is there', async () => {
    await using at = await machineBench();
    const nicId = await nic(at, 'a-nic');
    const make = () =>
      at.compute.virtualMachines.createOrUpdate(GROUP, 'a', order('a', nicId), { ...QUICK, ifNoneMatch: '*' });
    await make();
    await assert.rejects(make(), { code: 'PreconditionFailed', statusCode: 412 });
  });

  it('If-Match lets through what is still so, and etags count', async () => {
    await using at = await machineBench();
    await machine(at, 'a');
    const tag = (ifMatch: string) =>
      at.compute.virtualMachines.update(GROUP, 'a', { tags: { at: ifMatch } }, { ...QUICK, ifMatch });
    assert.equal((await tag('"1"')).etag, '"2"');
    await assert.rejects(tag('"1"'), { code: 'PreconditionFailed', statusCode: 412 });
    assert.deepEqual((await at.compute.virtualMachines.get(GROUP, 'a')).tags, { at: '"1"' });
  });
});

describe('the end of a virtual machine', () => {
  it('takes what says so, and leaves the rest free', async () => {
    await using at = await machineBench();
    const [gone, stays] = [await address(at, 'gone'), await address(at, 'stays')];
    const body = await at.send('GET', ID.address('gone'));
    body.body.properties.deleteOption = 'Delete';
    await at.send('PUT', ID.address('gone'), { body: body.body });
    const nics = [
      { id: await nic(at, 'first', { address: gone }), primary: true, deleteOption: 'Delete' },
      { id: await nic(at, 'second', { address: stays }), primary: false, deleteOption: 'Detach' },
    ] as const;
    const wish = order('a', '', { networkProfile: { networkInterfaces: [...nics] } });
    const osDisk = { ...wish.storageProfile?.osDisk, createOption: 'FromImage', deleteOption: 'Detach' } as const;
    await at.compute.virtualMachines.createOrUpdate(
      GROUP,
      'a',
      { ...wish, storageProfile: { ...wish.storageProfile, osDisk } },
      QUICK,
    );
    await at.compute.virtualMachines.delete(GROUP, 'a', { ...QUICK, forceDeletion: true });
    assert.deepEqual(await left(at), ['second', 'stays', 'a_OsDisk_1_…']);
    assert.equal((await at.network.networkInterfaces.get(GROUP, 'second')).virtualMachine, undefined);
    const [disk] = await collect(at.compute.disks.list());
    assert.deepEqual([disk?.diskState, disk?.managedBy], ['Unattached', undefined]);
    assert.equal((await at.send('DELETE', ID.machine('a'))).status, 204);
  });

  it('takes nothing that nobody said of', async () => {
    await using at = await machineBench();
    const nicId = await nic(at, 'a-nic');
    const wish = order('a', nicId, { networkProfile: { networkInterfaces: [{ id: nicId }] } });
    const { deleteOption: _, ...osDisk } = { ...wish.storageProfile?.osDisk, createOption: 'FromImage' as const };
    await at.compute.virtualMachines.createOrUpdate(
      GROUP,
      'a',
      { ...wish, storageProfile: { ...wish.storageProfile, osDisk } },
      QUICK,
    );
    await at.compute.virtualMachines.delete(GROUP, 'a', QUICK);
    assert.deepEqual(await left(at), ['a-nic', 'a_OsDisk_1_…']);
  });
});
