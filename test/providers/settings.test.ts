import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Instance } from '@aws-sdk/client-ec2';
import type { VirtualMachine } from '@azure/arm-compute';
import type { NetworkInterface } from '@azure/arm-network';
import { observeInstance as awsInstance } from '../../providers/aws/instance/observe.ts';
import { canonicalId } from '../../providers/azure/ids.ts';
import { observeMachine } from '../../providers/azure/instance/observe.ts';
import { observeInstance as gcpInstance } from '../../providers/gcp/instance/observe.ts';
import type { Instance as GcpInstance } from '../../providers/gcp/messages.ts';
import type { MachineSettings } from '../../src/core/resource.ts';

type Row<T> = readonly [name: string, given: T, want: MachineSettings];

describe('AWS: settings of a machine', () => {
  const plain: MachineSettings = {
    spot: false,
    ipForwarding: false,
    metadataTokens: 'optional',
    dataDisks: [],
    interfaces: [],
  };
  const rows: readonly Row<Instance>[] = [
    ['a plain one', { SourceDestCheck: true }, plain],
    ['a key pair', { KeyName: 'ops' }, { ...plain, keyPair: 'ops' }],
    ['spot', { InstanceLifecycle: 'spot' }, { ...plain, spot: true }],
    ['scheduled', { InstanceLifecycle: 'scheduled' }, plain],
    ['no source/destination check', { SourceDestCheck: false }, { ...plain, ipForwarding: true }],
    ['IMDSv2 only', { MetadataOptions: { HttpTokens: 'required' } }, { ...plain, metadataTokens: 'required' }],
    ['IMDSv1 too', { MetadataOptions: { HttpTokens: 'optional' } }, { ...plain, metadataTokens: 'optional' }],
    [
      'interfaces, in any order',
      {
        NetworkInterfaces: [
          { NetworkInterfaceId: 'eni-9', Attachment: { DeviceIndex: 2 } },
          { NetworkInterfaceId: 'eni-1', Attachment: { DeviceIndex: 0 } },
          { NetworkInterfaceId: 'eni-3', Attachment: { DeviceIndex: 1 } },
        ],
      },
      { ...plain, interfaces: ['eni-3', 'eni-9'] },
    ],
    [
      'a volume',
      {
        RootDeviceName: '/dev/xvda',
        BlockDeviceMappings: [
          { DeviceName: '/dev/sdf', Ebs: { VolumeId: 'vol-2' } },
          { DeviceName: '/dev/xvda', Ebs: { VolumeId: 'vol-1' } },
        ],
      },
      { ...plain, dataDisks: ['vol-2'] },
    ],
  ];
  for (const [name, given, want] of rows)
    test(name, () => assert.deepEqual(awsInstance({ InstanceId: 'i-1', ...given }).observed.attributes.settings, want));
});

describe('Google Cloud: settings of a machine', () => {
  const plain = { spot: false, ipForwarding: false, scopes: [], dataDisks: [], interfaces: [] };
  const rows: readonly Row<GcpInstance>[] = [
    ['a plain one', {}, plain],
    ['spot', { scheduling: { provisioningModel: 'SPOT' } }, { ...plain, spot: true }],
    ['preemptible', { scheduling: { preemptible: true } }, { ...plain, spot: true }],
    ['standard', { scheduling: { provisioningModel: 'STANDARD', preemptible: false } }, plain],
    ['it forwards', { canIpForward: true }, { ...plain, ipForwarding: true }],
    ['scopes, in any order', { serviceAccounts: [{ scopes: ['b', 'a'] }] }, { ...plain, scopes: ['a', 'b'] }],
    [
      'a second interface, and a disk',
      {
        networkInterfaces: [{ name: 'nic0' }, { name: 'nic1' }],
        disks: [{ boot: true }, { source: 'projects/p/zones/z/disks/data' }],
      },
      { ...plain, interfaces: ['nic1'], dataDisks: ['data'] },
    ],
  ];
  const around = { project: 'acme', resolve: (link: string | null | undefined) => link ?? '', disks: new Map() };
  for (const [name, given, want] of rows)
    test(name, () =>
      assert.deepEqual(gcpInstance({ name: 'web-0', zone: 'zones/b', ...given }, around).attributes.settings, want),
    );
});

describe('Azure: settings of a machine', () => {
  const idOf = (type: string, name: string) => `/subscriptions/s/resourceGroups/g/providers/Microsoft.${type}/${name}`;
  const nicId = idOf('Network/networkInterfaces', 'web-0');
  const plain = { spot: false, ipForwarding: false, bootDiagnostics: false, dataDisks: [], interfaces: [] };
  const rows: readonly Row<Partial<VirtualMachine> & { readonly nic?: NetworkInterface }>[] = [
    ['a plain one', {}, plain],
    ['spot', { priority: 'Spot' }, { ...plain, spot: true }],
    ['spot, by its former name', { priority: 'Low' }, { ...plain, spot: true }],
    ['regular', { priority: 'Regular' }, plain],
    ['it forwards', { nic: { enableIPForwarding: true } }, { ...plain, ipForwarding: true }],
    [
      'an availability set, in any case',
      { availabilitySet: { id: idOf('Compute/availabilitySets', 'WEB') } },
      { ...plain, availabilitySet: 'web' },
    ],
    [
      'boot diagnostics',
      { diagnosticsProfile: { bootDiagnostics: { enabled: true } } },
      { ...plain, bootDiagnostics: true },
    ],
    [
      'an interface and a disk more',
      {
        networkProfile: {
          networkInterfaces: [
            { id: idOf('Network/networkInterfaces', 'Back'), primary: false },
            { id: nicId, primary: true },
          ],
        },
        storageProfile: {
          dataDisks: [{ lun: 0, createOption: 'Attach', managedDisk: { id: idOf('Compute/disks', 'DATA') } }],
        },
      },
      { ...plain, interfaces: ['back'], dataDisks: ['data'] },
    ],
  ];
  for (const [name, { nic, ...given }, want] of rows)
    test(name, () => {
      const vm: VirtualMachine = {
        id: idOf('Compute/virtualMachines', 'web-0'),
        location: 'x',
        networkProfile: { networkInterfaces: [{ id: nicId, primary: true }] },
        ...given,
      };
      const observed = observeMachine(vm, {
        nics: new Map([[canonicalId(nicId), { id: nicId, ...nic }]]),
        ...{ addresses: new Map(), disks: new Map(), views: new Map() },
        refOf: (id) => id ?? '',
        unknownTo: () => undefined,
      });
      assert.deepEqual(observed.attributes.settings, want);
    });
});
