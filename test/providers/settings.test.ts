import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Instance } from '@aws-sdk/client-ec2';
import type { VirtualMachine } from '@azure/arm-compute';
import type { NetworkInterface, NetworkInterfaceIPConfiguration, PublicIPAddress } from '@azure/arm-network';
import { observeInstance as awsInstance } from '../../providers/aws/instance/observe.ts';
import { canonicalId } from '../../providers/azure/ids.ts';
import { observeMachine } from '../../providers/azure/instance/observe.ts';
import { observeInstance as gcpInstance } from '../../providers/gcp/instance/observe.ts';
import type { Instance as GcpInstance } from '../../providers/gcp/messages.ts';
import type { MachineSettings } from '../../src/core/resource.ts';

type Row<T> = readonly [
  name: string,
  given: T,
  want: MachineSettings,
  assigned?: readonly (keyof MachineSettings)[] | undefined,
];

const associated = (DeviceIndex: number, Association: { readonly IpOwnerId: string; readonly PublicIp?: string }) => ({
  NetworkInterfaceId: `eni-${DeviceIndex}`,
  Attachment: { DeviceIndex },
  Association,
});

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
    ['a private address', { PrivateIpAddress: '10.0.0.5' }, { ...plain, privateIp: '10.0.0.5' }, ['privateIp']],
    [
      'an address of the pool of Amazon',
      { NetworkInterfaces: [associated(0, { IpOwnerId: 'amazon', PublicIp: '203.0.113.9' })] },
      plain,
    ],
    [
      'an Elastic IP address',
      { NetworkInterfaces: [associated(0, { IpOwnerId: '111122223333', PublicIp: '203.0.113.10' })] },
      { ...plain, staticPublicIp: '203.0.113.10' },
    ],
    [
      'an Elastic IP address of a further interface',
      {
        NetworkInterfaces: [
          associated(1, { IpOwnerId: '111122223333', PublicIp: '203.0.113.11' }),
          associated(0, { IpOwnerId: 'amazon', PublicIp: '203.0.113.9' }),
        ],
      },
      { ...plain, interfaces: ['eni-1'] },
    ],
    ['a carrier address', { NetworkInterfaces: [associated(0, { IpOwnerId: '111122223333' })] }, plain],
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
  for (const [name, given, want, assigned] of rows)
    test(name, () => {
      const { attributes, condition } = awsInstance({ InstanceId: 'i-1', ...given }).observed;
      assert.deepEqual([attributes.settings, condition.assigned], [want, assigned]);
    });
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
      'addresses, which may be reserved or not',
      {
        networkInterfaces: [
          { name: 'nic0', networkIP: '10.0.0.5', accessConfigs: [{ natIP: '203.0.113.10' }] },
          { name: 'nic1', networkIP: '10.1.0.5' },
        ],
      },
      { ...plain, privateIp: '10.0.0.5', staticPublicIp: '203.0.113.10', interfaces: ['nic1'] },
      ['privateIp', 'staticPublicIp'],
    ],
    [
      'a stopped one, whose address is gone',
      { networkInterfaces: [{ networkIP: '10.0.0.5', accessConfigs: [{ name: 'External NAT' }] }] },
      { ...plain, privateIp: '10.0.0.5' },
      ['privateIp'],
    ],
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
  for (const [name, given, want, assigned] of rows)
    test(name, () => {
      const { attributes, condition } = gcpInstance({ name: 'web-0', zone: 'zones/b', ...given }, around);
      assert.deepEqual([attributes.settings, condition.assigned], [want, assigned]);
    });
});

describe('Azure: settings of a machine', () => {
  const idOf = (type: string, name: string) => `/subscriptions/s/resourceGroups/g/providers/Microsoft.${type}/${name}`;
  const nicId = idOf('Network/networkInterfaces', 'web-0');
  const plain = { spot: false, ipForwarding: false, bootDiagnostics: false, dataDisks: [], interfaces: [] };
  const addressId = idOf('Network/publicIPAddresses', 'web');
  const fixed = { publicIPAllocationMethod: 'Static', ipAddress: '203.0.113.10' } as const;
  const reached = (more: NetworkInterfaceIPConfiguration = {}): NetworkInterface => ({
    ipConfigurations: [
      { name: 'second', primary: false, privateIPAddress: '10.0.0.9', privateIPAllocationMethod: 'Static' },
      { name: 'first', primary: true, publicIPAddress: { id: addressId.toUpperCase() }, ...more },
    ],
  });
  const inside = (more: NetworkInterfaceIPConfiguration) => reached({ ...more, publicIPAddress: undefined });
  const rows: readonly Row<
    Partial<VirtualMachine> & { readonly nic?: NetworkInterface; readonly address?: PublicIPAddress }
  >[] = [
    ['a zone', { zones: ['2'] }, { ...plain, zone: '2' }],
    [
      'a private address of the choice of Azure',
      { nic: inside({ privateIPAddress: '10.0.0.5', privateIPAllocationMethod: 'Dynamic' }) },
      { ...plain, privateIp: '10.0.0.5' },
      ['privateIp'],
    ],
    [
      'a fixed private address',
      { nic: inside({ privateIPAddress: '10.0.0.5', privateIPAllocationMethod: 'Static' }) },
      { ...plain, privateIp: '10.0.0.5' },
    ],
    ['a reserved public address', { nic: reached(), address: fixed }, { ...plain, staticPublicIp: '203.0.113.10' }],
    [
      'a static public address that goes with its machine',
      { nic: reached(), address: { ...fixed, deleteOption: 'Delete' } },
      { ...plain, staticPublicIp: '203.0.113.10' },
      ['staticPublicIp'],
    ],
    [
      'the same, as the interface has it',
      { nic: reached({ publicIPAddress: { id: addressId, deleteOption: 'Delete' } }), address: fixed },
      { ...plain, staticPublicIp: '203.0.113.10' },
      ['staticPublicIp'],
    ],
    ['a dynamic public address', { nic: reached(), address: { ...fixed, publicIPAllocationMethod: 'Dynamic' } }, plain],
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
  const observedOn = ({ nic, address, ...given }: (typeof rows)[number][1]) => {
    const vm: VirtualMachine = {
      id: idOf('Compute/virtualMachines', 'web-0'),
      location: 'x',
      networkProfile: { networkInterfaces: [{ id: nicId, primary: true }] },
      ...given,
    };
    return observeMachine(vm, {
      nics: new Map([[canonicalId(nicId), { id: nicId, ...nic }]]),
      addresses: new Map(address === undefined ? [] : [[canonicalId(addressId), { id: addressId, ...address }]]),
      ...{ disks: new Map(), views: new Map() },
      refOf: (id) => id ?? '',
      unknownTo: () => undefined,
    });
  };
  for (const [name, given, want, assigned] of rows)
    test(name, () => {
      const { attributes, condition } = observedOn(given);
      assert.deepEqual([attributes.settings, condition.assigned, condition.unlisted], [want, assigned, undefined]);
    });

  test('a public address that its listing lacks is unlisted, never gone', () => {
    const { attributes, condition } = observedOn({ nic: reached() });
    assert.deepEqual(
      [attributes.settings, condition.assigned, attributes.placement.publicIp],
      [plain, undefined, true],
    );
    const reason = `${addressId.toLowerCase()} was not listed`;
    assert.deepEqual(condition.unlisted, [{ setting: 'staticPublicIp', code: 'NoPublicAddress', reason }]);
  });
});
