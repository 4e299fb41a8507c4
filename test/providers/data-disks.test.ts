import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Instance } from '@aws-sdk/client-ec2';
import type { DataDisk as AzureDisk, VirtualMachine } from '@azure/arm-compute';
import { observeInstance as awsInstance } from '../../providers/aws/instance/observe.ts';
import { observeMachine } from '../../providers/azure/instance/observe.ts';
import { observeInstance as gcpInstance } from '../../providers/gcp/instance/observe.ts';
import type { AttachedDisk } from '../../providers/gcp/messages.ts';
import type { Observed } from '../../src/core/observed.ts';

/** `+` behind a disk that goes with its machine. */
const told = ({ condition }: Observed): readonly string[] | undefined =>
  condition.dataDisks?.map(({ id, isDeletedWithMachine }) => `${id}${isDeletedWithMachine ? '+' : ''}`);

describe('AWS: volumes besides the root', () => {
  type Mapping = NonNullable<Instance['BlockDeviceMappings']>[number];
  const device = (DeviceName: string, VolumeId: string, DeleteOnTermination?: boolean): Mapping => ({
    DeviceName,
    Ebs: { VolumeId, ...(DeleteOnTermination === undefined ? {} : { DeleteOnTermination }) },
  });
  const root = device('/dev/xvda', 'vol-root', true);
  const rows: readonly (readonly [string, readonly Mapping[], readonly string[] | undefined])[] = [
    ['none', [], undefined],
    ['the root only', [root], undefined],
    ['one that stays', [root, device('/dev/sdf', 'vol-2', false)], ['vol-2']],
    ['one that goes', [root, device('/dev/sdf', 'vol-2', true)], ['vol-2+']],
    ['one of which nobody tells', [root, device('/dev/sdf', 'vol-2')], ['vol-2+']],
    [
      'two, in any order',
      [device('/dev/sdg', 'vol-3', true), root, device('/dev/sdf', 'vol-2', false)],
      ['vol-2', 'vol-3+'],
    ],
  ];
  for (const [name, BlockDeviceMappings, want] of rows)
    test(name, () => {
      const { observed } = awsInstance({
        InstanceId: 'i-1',
        RootDeviceName: '/dev/xvda',
        BlockDeviceMappings: [...BlockDeviceMappings],
      });
      assert.deepEqual(told(observed), want);
    });
});

describe('Google Cloud: disks besides the boot disk', () => {
  const disk = (name: string, more: AttachedDisk): AttachedDisk => ({
    source: `https://www.googleapis.com/compute/v1/projects/acme/zones/b/disks/${name}`,
    type: 'PERSISTENT',
    ...more,
  });
  const boot = disk('web-0', { boot: true, autoDelete: true });
  const rows: readonly (readonly [string, readonly AttachedDisk[], readonly string[] | undefined])[] = [
    ['none', [], undefined],
    ['the boot disk only', [boot], undefined],
    ['a boot disk that stays', [disk('web-0', { boot: true, autoDelete: false })], undefined],
    ['one that stays', [boot, disk('data', { autoDelete: false })], ['data']],
    ['one that goes', [boot, disk('data', { autoDelete: true })], ['data+']],
    ['one of which nobody tells', [boot, disk('data', {})], ['data+']],
    ['a local SSD, which a stop empties', [boot, { type: 'SCRATCH', autoDelete: true }], undefined],
    ['two, in any order', [disk('z', { autoDelete: true }), boot, disk('a', { autoDelete: false })], ['a', 'z+']],
  ];
  const around = { project: 'acme', resolve: (link: string | null | undefined) => link ?? '', disks: new Map() };
  for (const [name, disks, want] of rows)
    test(name, () => {
      const instance = { name: 'web-0', zone: 'zones/b', status: 'RUNNING' as const, disks: [...disks] };
      assert.deepEqual(told(gcpInstance(instance, around)), want);
    });
});

describe('Azure: data disks', () => {
  const group = '/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute';
  const disk = (name: string, deleteOption?: string): AzureDisk => ({
    ...{ lun: 0, name, createOption: 'Attach', managedDisk: { id: `${group}/disks/${name}` } },
    ...(deleteOption === undefined ? {} : { deleteOption }),
  });
  const rows: readonly (readonly [string, VirtualMachine['storageProfile'], readonly string[] | undefined])[] = [
    ['no profile', undefined, undefined],
    ['an empty list', { dataDisks: [] }, undefined],
    ['one that stays', { dataDisks: [disk('data', 'Detach')] }, ['data']],
    ['one that goes', { dataDisks: [disk('data', 'Delete')] }, ['data+']],
    ['one without the option: Azure detaches it', { dataDisks: [disk('data')] }, ['data']],
    ['one that is no object', { dataDisks: [{ lun: 3, createOption: 'Empty', deleteOption: 'Delete' }] }, ['LUN 3+']],
    ['two, in any order', { dataDisks: [disk('z', 'Delete'), disk('a')] }, ['a', 'z+']],
  ];
  for (const [name, storageProfile, want] of rows)
    test(name, () => {
      const vm: VirtualMachine = {
        id: `${group}/virtualMachines/web-0`,
        location: 'x',
        ...(storageProfile === undefined ? {} : { storageProfile }),
      };
      const around = { nics: new Map(), addresses: new Map(), disks: new Map(), views: new Map() };
      assert.deepEqual(
        told(observeMachine(vm, { ...around, refOf: (id) => id ?? '', unknownTo: () => undefined })),
        want,
      );
    });
});
