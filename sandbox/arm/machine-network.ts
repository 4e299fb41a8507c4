import { readBody } from './body.ts';
import { refused } from './errors.ts';
import { identity } from './lifecycle.ts';
import { type InterfaceConfigurationForm, invalid, type MachineProperties } from './machine-fields.ts';
import type { Asked } from './method.ts';
import { allocateAddresses, attach, interfaceForm, plannedInterface, tieAddresses } from './network-interface.ts';
import { freshPublicAddress } from './public-address.ts';
import type { InterfaceReference, NetworkInterface, PublicAddress, VirtualMachine } from './records.ts';
import { checkReference } from './references.ts';
import { freshGuid, keyOf, resourcePath } from './resource-id.ts';
import { networkOf, type Subscription } from './subscription.ts';
import { noTags } from './tags.ts';

/** The interfaces that a machine is to have, and what must be made for that. Nothing is written yet. */
export interface NetworkPlan {
  readonly references: readonly InterfaceReference[];
  readonly making: readonly NetworkInterface[];
  readonly makingAddresses: readonly PublicAddress[];
}

/** The machine, or where it is to be. */
export interface Owner {
  readonly path: string;
  readonly location: string;
}

type NetworkForm = NonNullable<MachineProperties['networkProfile']>;

export function plannedNetwork(asked: Asked, owner: Owner, form: NetworkForm | undefined): NetworkPlan {
  const existing = form?.networkInterfaces ?? [];
  const configurations = form?.networkInterfaceConfigurations ?? [];
  if (existing.length + configurations.length === 0)
    throw invalid('networkProfile', "Required parameter 'networkProfile' is missing (null).");
  if (configurations.length > 0 && form?.networkApiVersion === undefined)
    throw invalid(
      'networkProfile.networkApiVersion',
      "Required parameter 'networkProfile.networkApiVersion' is missing (null).",
    );
  const found = existing.map(({ path }) => usable(asked.subscription, path, owner));
  const made = configurations.map((configuration) => plannedMaking(asked, owner, configuration));
  const references = [
    ...existing.map(({ said }, index) => referenceTo(found[index]?.path ?? '', said)),
    ...configurations.map(({ properties }, index) => referenceTo(made[index]?.nic.path ?? '', properties)),
  ];
  checkTogether(owner, references, [...found, ...made.map(({ nic }) => nic)]);
  return {
    references,
    making: made.map(({ nic }) => nic),
    makingAddresses: made.flatMap(({ addresses }) => addresses),
  };
}

function referenceTo(path: string, said: Partial<InterfaceReference> | undefined): InterfaceReference {
  return { path, primary: said?.primary, deleteOption: said?.deleteOption };
}

function usable(subscription: Subscription, path: string, owner: Owner): NetworkInterface {
  checkReference(subscription, { from: owner.path, to: path, location: owner.location });
  const nic = subscription.interfaces.get(keyOf(path));
  if (!nic)
    throw refused('InvalidRequestFormat', `Value for reference id ${path} is not the id of a network interface.`);
  if (nic.machine !== undefined && keyOf(nic.machine) !== keyOf(owner.path))
    // https://github.com/cloudfoundry/docs-bosh/pull/155
    throw refused('NicInUse', `Network Interface ${nic.path} is used by existing VM ${nic.machine}.`, { details: [] });
  return nic;
}

/** Of several interfaces one is primary, and they lie in one virtual network. */
function checkTogether(
  { path }: Owner,
  references: readonly InterfaceReference[],
  nics: readonly NetworkInterface[],
): void {
  if (references.length > 1 && references.filter(({ primary }) => primary === true).length !== 1)
    throw refused(
      'VirtualMachineMustHaveOneNetworkInterfaceAsPrimary',
      `Virtual machine ${path} must have one network interface set as the primary.`,
      { details: [] },
    );
  if (new Set(nics.map(networkOf)).size > 1)
    throw refused(
      'SubnetsNotInSameVnet',
      `The network interfaces of virtual machine ${path} are not in the same virtual network.`,
      { details: [] },
    );
}

interface Making {
  readonly nic: NetworkInterface;
  readonly addresses: readonly PublicAddress[];
}

/** https://learn.microsoft.com/rest/api/compute/virtual-machines/create-or-update#virtualmachinenetworkinterfaceconfiguration */
function plannedMaking(asked: Asked, owner: Owner, form: InterfaceConfigurationForm): Making {
  const { properties, name = '' } = form;
  const { ipConfigurations, networkSecurityGroup, primary: _, deleteOption: __, ...kept } = properties;
  const path = resourcePath(
    { path: owner.path.split('/providers/')[0] ?? '' },
    'Microsoft.Network/networkInterfaces',
    name,
  );
  const known = asked.subscription.interfaces.get(keyOf(path));
  if (name === '' || known)
    throw invalid('networkInterfaceConfigurations', `A network interface named '${name}' cannot be made here.`);
  const body = {
    location: owner.location,
    properties: {
      ...kept,
      ...(networkSecurityGroup === undefined ? {} : { networkSecurityGroup: { id: networkSecurityGroup } }),
      ipConfigurations: ipConfigurations.map((each) => ({
        name: each.name,
        properties: {
          subnet: each.properties.subnet === undefined ? undefined : { id: each.properties.subnet },
          primary: each.properties.primary,
          applicationSecurityGroups: each.properties.applicationSecurityGroups?.map((id) => ({ id })),
        },
      })),
    },
  };
  const read = readBody(body, interfaceForm).properties;
  const order = { path, location: owner.location, tags: form.tags ?? noTags, properties: read, known: undefined };
  const nic = plannedInterface(asked, order);
  const addresses = ipConfigurations.map((each) => plannedAddress(asked, owner, each.properties));
  const configurations = nic.configurations.map((each, index) => ({ ...each, publicAddress: addresses[index]?.path }));
  const version = { ...nic.version, state: 'Succeeded' } as const;
  return { nic: { ...nic, version, configurations }, addresses: addresses.flatMap((each) => each ?? []) };
}

type IpForm = InterfaceConfigurationForm['properties']['ipConfigurations'][number]['properties'];

function plannedAddress(asked: Asked, owner: Owner, form: IpForm): PublicAddress | undefined {
  const wanted = form.publicIPAddressConfiguration;
  if (!wanted) return undefined;
  const group = { path: owner.path.split('/providers/')[0] ?? '' };
  const path = resourcePath(group, 'Microsoft.Network/publicIPAddresses', wanted.name ?? '');
  if (wanted.name === undefined || asked.subscription.addresses.get(keyOf(path)))
    throw invalid('publicIPAddressConfiguration', `A public IP address named '${wanted.name}' cannot be made here.`);
  const sku = wanted.sku?.name ?? 'Basic';
  const allocation = wanted.properties?.publicIPAllocationMethod ?? (sku === 'Standard' ? 'Static' : 'Dynamic');
  const base = identity(asked, undefined, path);
  return {
    ...base,
    version: { ...base.version, state: 'Succeeded' },
    location: owner.location,
    tags: wanted.tags ?? noTags,
    guid: freshGuid(asked.subscription.random),
    sku: { name: sku, tier: wanted.sku?.tier ?? 'Regional' },
    allocation,
    address: allocation === 'Static' ? freshPublicAddress(asked.subscription.random) : undefined,
    usedBy: undefined,
    deleteOption: wanted.properties?.deleteOption,
    kept: { zones: undefined, properties: {} },
  };
}

/** Makes what is to be made, and gives the machine its interfaces. */
export function connect(subscription: Subscription, machine: string, plan: NetworkPlan, allocated = true): void {
  for (const address of plan.makingAddresses) subscription.addresses.put(address);
  for (const nic of plan.making) tieAddresses(subscription, undefined, subscription.interfaces.put(nic));
  for (const nic of interfacesOf(subscription, plan.references)) {
    attach(subscription, nic, machine);
    allocateAddresses(subscription, nic, allocated);
  }
}

/** Takes interfaces from a machine that keeps none of them. */
export function disconnect(subscription: Subscription, nics: readonly NetworkInterface[]): void {
  for (const nic of nics) {
    attach(subscription, nic, undefined);
    allocateAddresses(subscription, nic, false);
  }
}

export function interfacesOf(
  subscription: Subscription,
  references: VirtualMachine['interfaces'],
): readonly NetworkInterface[] {
  return references.flatMap(({ path }) => subscription.interfaces.get(keyOf(path)) ?? []);
}
