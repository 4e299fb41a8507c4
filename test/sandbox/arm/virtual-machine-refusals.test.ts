import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { VirtualMachine } from '@azure/arm-compute';
import { collect } from './bench.ts';
import { GROUP, ID, KEY, machine, machineBench, nic, order } from './machine-bench.ts';

interface Refused {
  readonly name: string;
  readonly more: object;
  readonly want: string;
}

const wish = order('new', ID.nic('free'));
const os = (more: object): Partial<VirtualMachine> => ({ osProfile: { ...wish.osProfile, ...more } });
const image = (more: object): Partial<VirtualMachine> => ({
  storageProfile: { ...wish.storageProfile, imageReference: { ...wish.storageProfile?.imageReference, ...more } },
});
const disk = (more: object): Partial<VirtualMachine> => ({
  storageProfile: { ...wish.storageProfile, osDisk: { createOption: 'FromImage', ...more } },
});
const nics = (...ids: readonly string[]): Partial<VirtualMachine> => ({
  networkProfile: { networkInterfaces: ids.map((id) => ({ id })) },
});
const keys = (path: string, keyData: string): Partial<VirtualMachine> =>
  os({ linuxConfiguration: { disablePasswordAuthentication: true, ssh: { publicKeys: [{ path, keyData }] } } });

const refusals: readonly Refused[] = [
  { name: 'a size that there is not', more: { hardwareProfile: { vmSize: 'big' } }, want: 'InvalidParameter' },
  { name: 'an image that nobody offers', more: image({ sku: 'none' }), want: 'PlatformImageNotFound' },
  { name: 'a version that is gone', more: image({ version: '1.0.0' }), want: 'PlatformImageNotFound' },
  {
    name: 'an image of one’s own that is not there',
    more: {
      storageProfile: { ...wish.storageProfile, imageReference: { id: ID.disk('x').replace('disks', 'images') } },
    },
    want: 'NotFound',
  },
  { name: 'a disk smaller than its image', more: disk({ diskSizeGB: 10 }), want: 'OperationNotAllowed' },
  { name: 'a disk too large', more: disk({ diskSizeGB: 5000 }), want: 'InvalidParameter' },
  {
    name: 'a data disk’s type',
    more: disk({ managedDisk: { storageAccountType: 'UltraSSD_LRS' } }),
    want: 'InvalidParameter',
  },
  { name: 'a disk name that is taken', more: disk({ name: 'taken' }), want: 'ConflictingUserInput' },
  { name: 'no OS profile', more: { osProfile: undefined }, want: 'InvalidParameter' },
  { name: 'no computer name', more: os({ computerName: undefined }), want: 'InvalidParameter' },
  { name: 'a user who may not be', more: os({ adminUsername: 'root' }), want: 'InvalidParameter' },
  {
    name: 'no way to log on',
    more: os({ linuxConfiguration: { disablePasswordAuthentication: true } }),
    want: 'InvalidParameter',
  },
  { name: 'a key elsewhere', more: keys('/home/somebody-else/.ssh/authorized_keys', KEY), want: 'InvalidParameter' },
  { name: 'a key that is none', more: keys('/home/ops/.ssh/authorized_keys', 'key'), want: 'InvalidParameter' },
  { name: 'custom data that is not Base64', more: os({ customData: '#!/bin/sh' }), want: 'InvalidParameter' },
  { name: 'no interface', more: nics(), want: 'InvalidParameter' },
  { name: 'an interface that is not there', more: nics(ID.nic('none')), want: 'InvalidResourceReference' },
  { name: 'another machine’s interface', more: nics(ID.nic('old-nic')), want: 'NicInUse' },
  {
    name: 'two interfaces, none primary',
    more: nics(ID.nic('free'), ID.nic('second')),
    want: 'VirtualMachineMustHaveOneNetworkInterfaceAsPrimary',
  },
  { name: 'another location', more: { location: 'northeurope' }, want: 'InvalidResourceReference' },
  { name: 'a zone that there is not', more: { zones: ['9'] }, want: 'InvalidAvailabilityZone' },
];

describe('a virtual machine is refused, and nothing is left of it', () => {
  for (const { name, more, want } of refusals) {
    it(`${name}: ${want}`, async () => {
      await using at = await machineBench();
      for (const each of ['free', 'second']) await nic(at, each);
      await machine(at, 'old', disk({ name: 'taken' }));
      await assert.rejects(async () => at.compute.virtualMachines.createOrUpdate(GROUP, 'new', { ...wish, ...more }), {
        code: want,
      });
      assert.equal((await at.send('GET', ID.machine('new'))).status, 404);
      assert.equal((await collect(at.compute.disks.list())).length, 1);
      assert.equal((await at.network.networkInterfaces.get(GROUP, 'free')).virtualMachine, undefined);
    });
  }
});

describe('how many virtual machines and addresses there may be', () => {
  it('more vCPUs than the family has left: OperationNotAllowed, as the usages tell', async () => {
    await using at = await machineBench({
      arm: { quotas: { machines: { machines: 9, cores: 9, coresPerFamily: 3 } } },
    });
    for (const each of ['free', 'second']) await nic(at, each);
    const sized = (vmSize: string, on: string): VirtualMachine => ({
      ...order('new', ID.nic(on)),
      hardwareProfile: { vmSize },
    });
    await machine(at, 'old', { hardwareProfile: { vmSize: 'Standard_D2s_v5' } });
    await assert.rejects(
      async () => at.compute.virtualMachines.createOrUpdate(GROUP, 'new', sized('Standard_D2s_v5', 'free')),
      {
        code: 'OperationNotAllowed',
        message:
          /exceeding approved standardDSv5Family Cores quota.*Current Limit: 3, Current Usage: 2, Additional Required: 2/,
      },
    );
    await machine(at, 'other', { hardwareProfile: { vmSize: 'Standard_B2s' } });
    const used = (await collect(at.compute.usage.list('westeurope'))).filter(({ currentValue }) => currentValue > 0);
    assert.deepEqual(
      used.map(({ name, currentValue, limit }) => [name.value, name.localizedValue, currentValue, limit]),
      [
        ['cores', 'Total Regional vCPUs', 4, 9],
        ['virtualMachines', 'Virtual Machines', 2, 9],
        ['standardBSFamily', 'Standard BS Family vCPUs', 2, 3],
        ['standardDSv5Family', 'Standard DSv5 Family vCPUs', 2, 3],
      ],
    );
    assert.ok((await collect(at.compute.usage.list('northeurope'))).every(({ currentValue }) => currentValue === 0));
  });

  it('a network tells how many addresses of each subnet are in use, of all but five', async () => {
    await using at = await machineBench();
    await nic(at, 'free', { subnet: ID.subnet('tiny') });
    const usages = await collect(at.network.virtualNetworks.listUsage(GROUP, 'core'));
    assert.deepEqual(
      usages.map(({ id = '', currentValue, limit, unit }) => [id.split('/').at(-1), currentValue, limit, unit]),
      [
        ['app', 0, 251, 'Count'],
        ['db', 0, 251, 'Count'],
        ['tiny', 1, 3, 'Count'],
        ['open', 0, 251, 'Count'],
      ],
    );
  });
});
