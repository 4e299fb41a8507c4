import type { Disk, OSDisk, VirtualMachine, VirtualMachineInstanceView } from '@azure/arm-compute';
import type { NetworkInterface, NetworkInterfaceIPConfiguration, PublicIPAddress } from '@azure/arm-network';
import type { Condition, DataDisk, Observed, Part, Setting } from '../../../src/core/observed.ts';
import { type InstanceAttributes, type MachineSettings, type Ref, slotOf } from '../../../src/core/resource.ts';
import { stateOf } from '../condition.ts';
import { filtersOf } from '../filter.ts';
import { canonicalId, cloudIdOf, networkOfSubnet, partsOfId } from '../ids.ts';
import { inexpressibleOf } from '../inexpressible.ts';
import { readExtra, readMark } from '../marks.ts';
import { originOf } from '../origin.ts';
import { prefixAt } from '../place.ts';
import { readLabels, type Tags } from '../tags.ts';
import { identityOf } from './identity.ts';
import { imageTextOf } from './image.ts';
import type { PartName } from './parts.ts';
import { failureIn, powerCodeOf, powerStateOf } from './power-state.ts';

/** Pure: what the API says of one machine, in the form of a desired one. */
export function observeMachine(vm: VirtualMachine, context: InstanceContext): Observed<'instance'> {
  const { id = '', name = '', location, tags } = vm;
  const mark = readMark(tags);
  const origin = mark ? undefined : originOf(id, tags);
  const { state, power } = powerStateOf(context.views.get(canonicalId(id)) ?? vm.instanceView);
  const provisioned = stateOf(vm.provisioningState);
  const dataDisks = dataDisksOf(vm);
  const nic = context.nics.get(canonicalId(interfaceOf(vm) ?? ''));
  const unstated = unstatedOf(vm, nic);
  return {
    kind: 'instance',
    id: cloudIdOf(id, vm.vmId),
    name,
    attributes: attributesOf(vm, power, context),
    signs: {
      ...(mark ? { mark } : {}),
      slot: slotOf(prefixAt(id, location), 'instance', name),
      ...(origin ? { origin } : {}),
    },
    condition: {
      state: provisioned === 'ready' ? state : provisioned,
      ...endOf(vm, context),
      ...filtersAt(nic, context),
      parts: partsOf(vm, context),
      ...(unstated.length > 0 ? { unstated } : {}),
      ...inexpressibleOf.instance(vm, nic),
      ...ephemeralOf(vm),
      ...(dataDisks.length > 0 ? { dataDisks } : {}),
      ...assignedOf(nic, context),
      ...unlistedOf(nic, context),
    },
  };
}

/** Of the primary interface; absent where it was not listed. */
const filtersAt = (
  nic: NetworkInterface | undefined,
  { refOf }: Pick<InstanceContext, 'refOf'>,
): Pick<Condition, 'filters'> =>
  nic === undefined
    ? {}
    : { filters: filtersOf(nic.networkSecurityGroup?.id, networkOfSubnet(refOf(primaryOf(nic)?.subnet?.id))) };

/** Why it failed, or that it stands still, in the words of Azure. */
function endOf(vm: VirtualMachine, { views }: InstanceContext): Pick<Condition, 'reason'> {
  const view = views.get(canonicalId(vm.id ?? '')) ?? vm.instanceView;
  const failure = failureIn(view);
  if (failure !== undefined) return { reason: failure };
  const code = powerCodeOf(view);
  return code !== '' && powerStateOf(view).power === 'stopped' ? { reason: `PowerState/${code}` } : {};
}

/** The interface that it is reached by: https://learn.microsoft.com/azure/virtual-machines/network-overview#network-interfaces */
export function interfaceOf({ networkProfile }: VirtualMachine): string | undefined {
  const nics = networkProfile?.networkInterfaces ?? [];
  return (nics.find(({ primary }) => primary) ?? nics[0])?.id;
}

export const osDiskOf = ({ storageProfile }: VirtualMachine): OSDisk | undefined => storageProfile?.osDisk;

export const addressesOf = (nic: NetworkInterface | undefined): readonly string[] =>
  (nic?.ipConfigurations ?? []).flatMap(({ publicIPAddress }) => publicIPAddress?.id ?? []);

function attributesOf(
  vm: VirtualMachine,
  power: InstanceAttributes['machine']['power'],
  context: InstanceContext,
): InstanceAttributes {
  const nic = context.nics.get(canonicalId(interfaceOf(vm) ?? ''));
  const disk = context.disks.get(canonicalId(osDiskOf(vm)?.managedDisk?.id ?? ''));
  const identity = identityOf(vm);
  const boot = bootOf(vm.tags);
  return {
    ...reachOf(nic, context),
    machine: {
      image: imageTextOf(vm.storageProfile?.imageReference),
      size: vm.hardwareProfile?.vmSize ?? '',
      ...(identity === undefined ? {} : { identity }),
      power,
    },
    ...(disk ? { disk: diskAttributes(disk) } : {}),
    ...(boot === undefined ? {} : { boot }),
    settings: settingsOf(vm, nic, context),
    labels: readLabels(vm.tags),
  };
}

/**
 * https://learn.microsoft.com/rest/api/compute/virtual-machines/get; `Low` was the name of Spot. Names are in lower case, as Azure
 * spells them in several ways.
 */
function settingsOf(
  vm: VirtualMachine,
  nic: NetworkInterface | undefined,
  context: Pick<InstanceContext, 'addresses'>,
): MachineSettings {
  const set = vm.availabilitySet?.id;
  const [zone] = vm.zones ?? [];
  const privateIp = primaryOf(nic)?.privateIPAddress;
  const address = staticAddressOf(nic, context)?.ipAddress;
  return {
    spot: /^(?:spot|low)$/i.test(vm.priority ?? ''),
    ...(nic === undefined ? {} : { ipForwarding: nic.enableIPForwarding === true }),
    ...(privateIp === undefined ? {} : { privateIp }),
    ...(address === undefined ? {} : { staticPublicIp: address }),
    ...(zone === undefined ? {} : { zone }),
    ...(set === undefined ? {} : { availabilitySet: partsOfId(set).name.toLowerCase() }),
    bootDiagnostics: vm.diagnosticsProfile?.bootDiagnostics?.enabled === true,
    dataDisks: dataDisksOf(vm).map(({ id }) => id),
    interfaces: furtherInterfaces(vm, nic)
      .map((name) => name.toLowerCase())
      .toSorted(),
  };
}

const primaryOf = (nic: NetworkInterface | undefined): NetworkInterfaceIPConfiguration | undefined => {
  const configurations = nic?.ipConfigurations ?? [];
  return configurations.find(({ primary }) => primary) ?? configurations[0];
};

const isStatic = (method: string | undefined): boolean => /^static$/i.test(method ?? '');

/** https://learn.microsoft.com/azure/virtual-network/ip-services/public-ip-addresses#ip-address-assignment */
function staticAddressOf(
  nic: NetworkInterface | undefined,
  { addresses }: Pick<InstanceContext, 'addresses'>,
): PublicIPAddress | undefined {
  const address = addresses.get(canonicalId(primaryOf(nic)?.publicIPAddress?.id ?? ''));
  return isStatic(address?.publicIPAllocationMethod) ? address : undefined;
}

/**
 * The addresses that nobody reserved.
 *
 *   address | is the cloud's choice where
 *   --------+-----------------------------------------------------------------------------------------------------------
 *   private | its allocation is dynamic,
 *           | https://learn.microsoft.com/azure/virtual-network/ip-services/private-ip-addresses#allocation-method
 *   public  | it goes with its machine, as those that Setpoint makes: https://learn.microsoft.com/azure/virtual-machines/delete
 */
function assignedOf(
  nic: NetworkInterface | undefined,
  context: Pick<InstanceContext, 'addresses'>,
): Pick<Condition, 'assigned'> {
  const { privateIPAddress, privateIPAllocationMethod, publicIPAddress } = primaryOf(nic) ?? {};
  const address = staticAddressOf(nic, context);
  const goes = /^delete$/i.test(address?.deleteOption ?? publicIPAddress?.deleteOption ?? '');
  const assigned = [
    ...(privateIPAddress === undefined || isStatic(privateIPAllocationMethod) ? [] : (['privateIp'] as const)),
    ...(address?.ipAddress !== undefined && goes ? (['staticPublicIp'] as const) : []),
  ];
  return assigned.length === 0 ? {} : { assigned };
}

/** Its interface names a public address that nobody listed: whether people reserved it is unknown. */
function unlistedOf(
  nic: NetworkInterface | undefined,
  { addresses }: Pick<InstanceContext, 'addresses'>,
): Pick<Condition, 'unlisted'> {
  const id = canonicalId(primaryOf(nic)?.publicIPAddress?.id ?? '');
  if (id === '' || addresses.has(id)) return {};
  return { unlisted: [{ setting: 'staticPublicIp', code: 'NoPublicAddress', reason: `${id} was not listed` }] };
}

function furtherInterfaces(vm: VirtualMachine, nic: NetworkInterface | undefined): readonly string[] {
  const interfaces = vm.networkProfile?.networkInterfaces ?? [];
  const primary = canonicalId(nic?.id ?? interfaceOf(vm) ?? '');
  return interfaces.flatMap(({ id = '' }) => (canonicalId(id) === primary ? [] : [partsOfId(id).name])).toSorted();
}

/** The subnet and groups of a machine, by its interface. */
export function reachOf(
  nic: NetworkInterface | undefined,
  { refOf }: Pick<InstanceContext, 'refOf'>,
): Required<Pick<InstanceAttributes, 'placement' | 'groups'>> {
  const configurations = nic?.ipConfigurations ?? [];
  const groups = configurations.flatMap(({ applicationSecurityGroups = [] }) => applicationSecurityGroups);
  const refs: readonly Ref[] = groups.map(({ id }) => refOf(id));
  return {
    placement: { subnet: refOf(primaryOf(nic)?.subnet?.id), publicIp: addressesOf(nic).length > 0 },
    groups: [...new Set(refs)].sort(),
  };
}

/** Azure encrypts every managed disk at rest: https://learn.microsoft.com/azure/virtual-machines/disk-encryption */
const diskAttributes = ({ diskSizeGB, sku }: Disk): NonNullable<InstanceAttributes['disk']> => ({
  ...(diskSizeGB === undefined ? {} : { size: diskSizeGB }),
  ...(sku?.name === undefined ? {} : { type: sku.name }),
  encrypted: true,
});

/** Hashes are known of machines that we made only; '' there means none. */
function bootOf(tags: Tags | undefined): InstanceAttributes['boot'] {
  const [userData, access] = [readExtra(tags, 'user-data'), readExtra(tags, 'access')];
  if (userData === undefined && access === undefined) return undefined;
  return { ...(userData === undefined ? {} : { userData }), ...(access === undefined ? {} : { access }) };
}

/**
 * True if a stop empties one of its disks. Undefined: not known, and it may.
 *
 *   machine                                  | emptied
 *   -----------------------------------------+--------------------------------------------------------------------------
 *   OS disk on the host (`Local`)            | yes: a resize or a stop makes it anew from its image,
 *                                            | https://learn.microsoft.com/azure/virtual-machines/ephemeral-os-disks
 *   size of the L series                     | yes: NVMe data disks on the host, which a deallocation empties,
 *                                            | https://learn.microsoft.com/azure/virtual-machines/sizes/storage-optimized/l-family
 *   size of the H and N series, or not told  | some have NVMe disks there, so it is not known,
 *                                            | https://learn.microsoft.com/azure/virtual-machines/sizes/overview
 *   any other; the temporary disk of most is | no: Azure says that it is not for data to keep,
 *   none of these                            | https://learn.microsoft.com/azure/virtual-machines/managed-disks-overview#temporary-disk
 */
function ephemeralOf({ storageProfile, hardwareProfile }: VirtualMachine): Pick<Condition, 'ephemeral'> {
  const size = hardwareProfile?.vmSize ?? '';
  if (storageProfile?.osDisk?.diffDiskSettings?.option === 'Local' || /^standard_l\d/i.test(size))
    return { ephemeral: true };
  return size === '' || /^standard_[hn]/i.test(size) ? {} : { ephemeral: false };
}

/** In lower case, as Azure spells them in several ways. They stay unless their `deleteOption` is Delete: https://learn.microsoft.com/azure/virtual-machines/delete */
const dataDisksOf = ({ storageProfile }: VirtualMachine): readonly DataDisk[] =>
  (storageProfile?.dataDisks ?? [])
    .map(({ name, managedDisk, lun, deleteOption }) => ({
      id:
        managedDisk?.id === undefined
          ? (name?.toLowerCase() ?? `LUN ${lun}`)
          : partsOfId(managedDisk.id).name.toLowerCase(),
      isDeletedWithMachine: deleteOption === 'Delete',
    }))
    .toSorted(byId);

/** The resources that it refers to and that we would create with it; further interfaces and disks are ignored. */
function partsOf(vm: VirtualMachine, { nics, addresses, disks }: InstanceContext): readonly Part[] {
  const nic = nics.get(canonicalId(interfaceOf(vm) ?? ''));
  const disk = disks.get(canonicalId(osDiskOf(vm)?.managedDisk?.id ?? ''));
  const held = addressesOf(nic).flatMap((id) => addresses.get(canonicalId(id)) ?? []);
  return [
    ...(nic ? [partOf('network-interface', nic.id, nic.resourceGuid)] : []),
    ...held.map(({ id, resourceGuid }) => partOf('public-address', id, resourceGuid)).sort(byId),
    ...(disk ? [partOf('disk', disk.id, disk.uniqueId)] : []),
  ];
}

export const partOf = (part: PartName, id: string | undefined, guid: string | undefined): Part => ({
  part,
  id: cloudIdOf(id ?? '', guid),
});

const byId = (a: Pick<Part, 'id'>, b: Pick<Part, 'id'>): number => (a.id < b.id ? -1 : 1);

/** Resources that machines name but do not contain, by canonical id. `refOf`: the id that we have for a subnet or group that is only named. */
export interface InstanceContext {
  readonly nics: ReadonlyMap<string, NetworkInterface>;
  readonly addresses: ReadonlyMap<string, PublicIPAddress>;
  readonly disks: ReadonlyMap<string, Disk>;
  /** Power states of machines that do not report their own. */
  readonly views: ReadonlyMap<string, VirtualMachineInstanceView>;
  readonly refOf: (id: string | undefined) => Ref;
  /** Networks and groups that an interface names and that are not here. */
  readonly unknownTo: (nic: NetworkInterface) => string | undefined;
}

/**
 * Settings of a machine that no spec states and that open it to others, as `VirtualMachines_ListAll` and
 * `NetworkInterfaces_ListAll` have them.
 *
 *   setting                  | told where
 *   -------------------------+------------------------------------------------------------------------------------------------
 *   further interfaces       | there is one besides the primary
 *   NSG on the interface     | there is one: it decides with that of the subnet,
 *                            | https://learn.microsoft.com/azure/virtual-network/network-security-group-how-it-works
 *   IP forwarding            | it is on, https://learn.microsoft.com/azure/virtual-network/virtual-network-network-interface
 *   identity of Azure's own  | it has a system-assigned one
 */
function unstatedOf(vm: VirtualMachine, nic: NetworkInterface | undefined): readonly Setting[] {
  const filter = nic?.networkSecurityGroup?.id;
  return [
    ...furtherInterfaces(vm, nic).map((name) => ({
      field: `interface ${name}`,
      detail: `has the further network interface ${name}`,
      statedBy: 'interfaces' as const,
    })),
    ...(filter === undefined
      ? []
      : [{ field: 'networkSecurityGroup', detail: `has the NSG ${partsOfId(filter).name} on its network interface` }]),
    ...(nic?.enableIPForwarding
      ? [{ field: 'enableIPForwarding', detail: 'may forward packets of others', statedBy: 'ipForwarding' as const }]
      : []),
    ...(/systemassigned/i.test(vm.identity?.type ?? '')
      ? [{ field: 'system identity', detail: 'has a system-assigned identity' }]
      : []),
  ];
}
