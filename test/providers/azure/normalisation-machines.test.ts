import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Disk, VirtualMachine, VirtualMachineInstanceView } from '@azure/arm-compute';
import type { NetworkInterface } from '@azure/arm-network';
import { dialect } from '../../../providers/azure/dialect.ts';
import { canonicalId } from '../../../providers/azure/ids.ts';
import { type InstanceContext, observeMachine } from '../../../providers/azure/instance/observe.ts';
import { diff } from '../../../src/core/diff.ts';
import type { Attributes } from '../../../src/core/resource.ts';
import { account, prefix } from '../../support/azure-session.ts';
import { desiredOf } from '../../support/fixtures.ts';

/** Rows Z28 to Z40 of the cases that third parties recorded, as far as they are of machines, and their neighbours. */
type Wanted = Attributes['instance'];

const group = `/subscriptions/${account}/resourceGroups/rg-app/providers`;
const nicId = `${group}/Microsoft.Network/networkInterfaces/web-0-nic`;
const diskId = `${group}/Microsoft.Compute/disks/web-0-disk`;
const subnet = `${group}/Microsoft.Network/virtualNetworks/core/subnets/app`;
const asg = `${group}/Microsoft.Network/applicationSecurityGroups/core-web`;
const identity = `${group}/Microsoft.ManagedIdentity/userAssignedIdentities/web`;

const wanted: Wanted = {
  placement: { subnet: canonicalId(subnet), publicIp: false },
  groups: [canonicalId(asg)],
  machine: { image: 'Canonical:ubuntu-24_04-lts:server:latest', size: 'Standard_B2s', power: 'running' },
  labels: { Env: 'prod' },
};
const with_ = (machine: Partial<Wanted['machine']>): Partial<Wanted> => ({
  machine: { ...wanted.machine, ...machine },
});

const vm: VirtualMachine = {
  id: `${group}/Microsoft.Compute/virtualMachines/web-0`,
  name: 'web-0',
  location: 'westeurope',
  vmId: '5C9B2F2E-0000-4000-8000-000000000001',
  tags: { Env: 'prod' },
  provisioningState: 'Succeeded',
  hardwareProfile: { vmSize: 'Standard_B2s' },
  storageProfile: {
    imageReference: { publisher: 'Canonical', offer: 'ubuntu-24_04-lts', sku: 'server', version: 'latest' },
    osDisk: { createOption: 'FromImage', name: 'web-0-disk', managedDisk: { id: diskId } },
  },
  networkProfile: { networkInterfaces: [{ id: nicId }] },
};
const nic: NetworkInterface = {
  id: nicId,
  ipConfigurations: [
    { name: 'primary', primary: true, subnet: { id: subnet }, applicationSecurityGroups: [{ id: asg }] },
  ],
};
const disk: Disk = { id: diskId, location: 'westeurope', diskSizeGB: 30, sku: { name: 'Standard_LRS' } };
const running = (...codes: readonly string[]): VirtualMachineInstanceView => ({
  statuses: codes.map((code) => ({ code })),
});

interface Told {
  readonly vm?: Partial<VirtualMachine>;
  readonly nic?: Partial<NetworkInterface>;
  readonly disk?: Partial<Disk>;
  readonly view?: VirtualMachineInstanceView | 'untold';
}

function seen(told: Told) {
  const machine = { ...vm, ...told.vm };
  const view = told.view ?? running('ProvisioningState/succeeded', 'PowerState/running');
  const around: InstanceContext = {
    nics: new Map([[canonicalId(nicId), { ...nic, ...told.nic }]]),
    addresses: new Map(),
    disks: new Map([[canonicalId(diskId), { ...disk, ...told.disk }]]),
    views: new Map(view === 'untold' ? [] : [[canonicalId(machine.id ?? ''), view]]),
    refOf: (id) => canonicalId(id ?? ''),
    unknownTo: () => undefined,
  };
  return observeMachine(machine, around);
}

function changed(asked: Partial<Wanted>, told: Told): readonly string[] {
  const desired = desiredOf('instance', {
    address: `${prefix}/instance/web-0`,
    name: 'web-0',
    attributes: { ...wanted, ...asked },
  });
  const observed = seen(told);
  const spelled = dialect.matchSpelling?.(desired, observed) ?? desired;
  return diff(spelled.attributes, observed.attributes).map(({ field }) => field);
}

const storage = (more: Partial<NonNullable<VirtualMachine['storageProfile']>>): Told => ({
  vm: { storageProfile: { ...vm.storageProfile, ...more } },
});
const size = (vmSize: string): Told => ({ vm: { hardwareProfile: { vmSize } } });
const image = (imageReference: object): Told => storage({ imageReference });
const capitals = { id: nicId.toUpperCase() };
const identified = (...ids: readonly string[]): Told => ({
  vm: { identity: { type: 'UserAssigned', userAssignedIdentities: Object.fromEntries(ids.map((id) => [id, {}])) } },
});
const shown = { ...wanted.machine };

interface Row {
  readonly id: string;
  readonly name: string;
  readonly asked?: Partial<Wanted>;
  readonly told: Told;
  readonly drift?: readonly string[];
}

const rows: readonly Row[] = [
  { id: 'Z28', name: 'a location in capitals and with spaces', told: { vm: { location: 'West Europe' } } },
  { id: 'Z29', name: 'a tag key in another case', asked: { labels: { env: 'prod' } }, told: {} },
  {
    id: 'Z29',
    name: 'a tag value in another case',
    asked: { labels: { Env: 'Prod' } },
    told: {},
    drift: ['labels.Env'],
  },
  { id: 'Z34', name: 'ids in capitals', told: { vm: { networkProfile: { networkInterfaces: [capitals] } } } },
  {
    id: 'Z34',
    name: 'a subnet and group in capitals',
    told: {
      nic: {
        ipConfigurations: [
          { subnet: { id: subnet.toUpperCase() }, applicationSecurityGroups: [{ id: asg.toUpperCase() }] },
        ],
      },
    },
  },
  {
    id: 'Z35',
    name: 'what Azure adds to a disk made from an image',
    told: storage({
      osDisk: {
        createOption: 'FromImage',
        osType: 'Linux',
        diskSizeGB: 30,
        caching: 'ReadWrite',
        managedDisk: { id: diskId },
      },
    }),
  },
  {
    id: 'Z37',
    name: 'what `latest` was at launch',
    told: image({ ...vm.storageProfile?.imageReference, exactVersion: '24.04.202510010' }),
  },
  {
    id: 'Z37',
    name: 'another version than the one asked for',
    asked: with_({ image: 'Canonical:ubuntu-24_04-lts:server:24.04.1' }),
    told: image({ ...vm.storageProfile?.imageReference, version: '24.04.2' }),
    drift: ['machine.image'],
  },
  {
    id: 'Z37',
    name: 'an image in another case',
    asked: with_({ image: 'canonical:Ubuntu-24_04-LTS:server:latest' }),
    told: {},
  },
  {
    id: 'Z37',
    name: 'an image by its id, in another case',
    asked: with_({ image: `${group}/Microsoft.Compute/images/base` }),
    told: image({ id: `${group}/Microsoft.Compute/IMAGES/Base` }),
  },
  { id: 'Z38', name: 'no data disks, as an empty list', told: storage({ dataDisks: [] }) },
  {
    id: 'Z40',
    name: 'power that is told among other things',
    told: { view: running('OSUpdate/x', 'PowerState/running') },
  },
  { id: 'Z40', name: 'power in another case', told: { view: running('powerstate/RUNNING') } },
  { id: 'Z40', name: 'power that is not told', told: { view: 'untold' } },
  { id: 'Z40', name: 'power that is told to be unknown', told: { view: running('PowerState/unknown') } },
  {
    id: 'Z40',
    name: 'a machine that is off',
    told: { view: running('PowerState/deallocated') },
    drift: ['machine.power'],
  },
  {
    id: 'Z40',
    name: 'one shut down from within',
    told: { view: running('PowerState/stopped') },
    drift: ['machine.power'],
  },
  { id: 'beside', name: 'a size in another case', told: size('standard_b2s') },
  { id: 'beside', name: 'another size', told: size('Standard_B2ms'), drift: ['machine.size'] },
  { id: 'beside', name: 'a kind of disk in another case', asked: { disk: { type: 'standard_lrs' } }, told: {} },
  {
    id: 'beside',
    name: 'another kind of disk',
    asked: { disk: { type: 'Premium_LRS' } },
    told: {},
    drift: ['disk.type'],
  },
  { id: 'beside', name: 'the order of groups', asked: { groups: ['a', 'b'] }, told: { nic: grouped('b', 'A') } },
  { id: 'beside', name: 'a group more', told: { nic: grouped(asg, 'x') }, drift: ['groups'] },
  {
    id: 'beside',
    name: 'an identity by its name',
    asked: { machine: { ...shown, identity: 'web' } },
    told: identified(identity),
  },
  {
    id: 'beside',
    name: 'an identity in capitals',
    asked: { machine: { ...shown, identity } },
    told: identified(identity.toUpperCase()),
  },
  {
    id: 'beside',
    name: 'an identity among those that a policy adds',
    asked: { machine: { ...shown, identity: 'web' } },
    told: identified(`${group}/x/y/added`, identity),
  },
  {
    id: 'beside',
    name: 'another identity',
    asked: { machine: { ...shown, identity: 'web' } },
    told: identified(`${identity}-2`),
    drift: ['machine.identity'],
  },
  {
    id: 'beside',
    name: 'an identity of its own, where none is asked for',
    told: { vm: { identity: { type: 'SystemAssigned' } } },
  },
];

function grouped(...ids: readonly string[]): Partial<NetworkInterface> {
  return { ipConfigurations: [{ subnet: { id: subnet }, applicationSecurityGroups: ids.map((id) => ({ id })) }] };
}

describe('a machine of Azure', () => {
  for (const { id, name, asked = {}, told, drift = [] } of rows)
    test(`${id}: ${name}: ${drift.length === 0 ? 'the same' : 'drift'}`, () =>
      assert.deepEqual(changed(asked, told), drift));

  for (const [code, state, power] of [
    ['starting', 'pending', 'running'],
    ['running', 'ready', 'running'],
    ['stopping', 'pending', 'stopped'],
    ['stopped', 'ready', 'stopped'],
    ['deallocating', 'pending', 'stopped'],
    ['deallocated', 'ready', 'stopped'],
    ['unknown', 'pending', 'running'],
  ] as const) {
    test(`that is ${code} is ${state}, and ${power}`, () => {
      const { condition, attributes } = seen({ view: running(`PowerState/${code}`) });
      assert.deepEqual([condition.state, attributes.machine.power], [state, power]);
    });
  }

  for (const [provisioningState, state] of [
    ['Creating', 'pending'],
    ['Updating', 'pending'],
    ['Deleting', 'deleting'],
    ['Failed', 'ready'],
  ] as const) {
    test(`whose last change is ${provisioningState} is ${state}, though it runs`, () =>
      assert.equal(seen({ vm: { provisioningState } }).condition.state, state));
  }

  test('is known by its own number, and its place by its id', () => {
    const { id, signs } = seen({ vm: { id: vm.id?.toUpperCase() ?? '', location: 'West Europe' } });
    assert.equal(id, `${canonicalId(vm.id ?? '')}#5c9b2f2e-0000-4000-8000-000000000001`);
    assert.equal(signs.slot, `${prefix}/instance/web-0`);
  });
});
