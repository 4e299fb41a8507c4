import ipaddr from 'ipaddr.js';
import { JsonProblem, listOf, oneOf, optional, type Reader, scalar } from '../json.ts';
import { anything, fields, outputs, readOnly } from './body.ts';
import { refused } from './errors.ts';
import { freshEtag } from './etag.ts';
import { identity } from './lifecycle.ts';
import type { Asked } from './method.ts';
import { allocate, bind, checkUsable } from './public-address.ts';
import type { IpConfiguration, NetworkInterface, Subnet, Tags } from './records.ts';
import { checkReference } from './references.ts';
import { childPath, keyOf, nameOf, parentPath } from './resource-id.ts';
import { networkOf, type Subscription } from './subscription.ts';
import { tagsBody, tagsField } from './tags.ts';

const text = optional(scalar('string'));

const flag = optional(scalar('boolean'));

/** `{ "id": … }`: of what else somebody sends along, nothing is read. */
export const reference: Reader<string> = (value, path) => {
  if (typeof value === 'object' && value !== null && 'id' in value && typeof value.id === 'string') return value.id;
  throw new JsonProblem(`Value for reference id is missing. Path '${path}.id'.`);
};

const deleteOption = optional(oneOf('Delete', 'Detach'));

type AddressReference = { readonly path: string; readonly deleteOption: ReturnType<typeof deleteOption> };

/** A public address may be told here what becomes of it: https://learn.microsoft.com/azure/virtual-machines/delete */
const addressReference: Reader<AddressReference> = (value, path) => {
  const id = reference(value, path);
  const properties =
    typeof value === 'object' && value !== null && 'properties' in value ? value.properties : undefined;
  const option =
    typeof properties === 'object' && properties !== null && 'deleteOption' in properties
      ? properties.deleteOption
      : undefined;
  return { path: id, deleteOption: deleteOption(option, `${path}.properties.deleteOption`) };
};

const configuration = fields({
  name: text,
  properties: fields({
    subnet: optional(reference),
    privateIPAddress: text,
    privateIPAllocationMethod: optional(oneOf('Dynamic', 'Static')),
    privateIPAddressVersion: optional(oneOf('IPv4')),
    primary: flag,
    publicIPAddress: optional(addressReference),
    applicationSecurityGroups: optional(listOf(reference)),
    privateIPAddressPrefixLength: readOnly,
    provisioningState: readOnly,
    privateLinkConnectionProperties: readOnly,
  }),
  id: readOnly,
  etag: readOnly,
  type: readOnly,
});

/** The sandbox stores and returns these fields. They change nothing in it. */
const KEPT = {
  dnsSettings: anything,
  enableAcceleratedNetworking: flag,
  enableIPForwarding: flag,
  disableTcpStateTracking: flag,
  nicType: text,
  auxiliaryMode: text,
  auxiliarySku: text,
  workloadType: text,
} as const;

/** https://learn.microsoft.com/rest/api/virtualnetwork/network-interfaces/create-or-update, as far as the sandbox models it. */
export const interfaceForm = fields({
  location: text,
  tags: tagsField,
  properties: fields({
    ...KEPT,
    ipConfigurations: optional(listOf(configuration)),
    networkSecurityGroup: optional(reference),
    virtualMachine: readOnly,
    privateEndpoint: readOnly,
    tapConfigurations: readOnly,
    macAddress: readOnly,
    primary: readOnly,
    vnetEncryptionSupported: readOnly,
    defaultOutboundConnectivityEnabled: readOnly,
    hostedWorkloads: readOnly,
    dscpConfiguration: readOnly,
    resourceGuid: readOnly,
    provisioningState: readOnly,
    privateLinkService: readOnly,
    migrationPhase: readOnly,
  }),
  ...outputs,
  kind: readOnly,
});

type InterfaceForm = ReturnType<typeof interfaceForm>;

type ConfigurationForm = ReturnType<typeof configuration>;

const INTERFACE_KEPT = Object.keys(KEPT);

/** https://learn.microsoft.com/rest/api/virtualnetwork/network-interfaces/get */
export function interfaceBody(subscription: Subscription, nic: NetworkInterface): object {
  const { path, version, location, securityGroup, machine } = nic;
  return {
    name: nameOf(path),
    id: path,
    etag: version.etag,
    type: 'Microsoft.Network/networkInterfaces',
    location,
    ...tagsBody(nic.tags),
    properties: {
      provisioningState: version.state,
      resourceGuid: nic.guid,
      ipConfigurations: nic.configurations.map((each) => configurationBody(subscription, nic, each)),
      dnsSettings: { dnsServers: [], appliedDnsServers: [] },
      vnetEncryptionSupported: false,
      enableAcceleratedNetworking: false,
      enableIPForwarding: false,
      disableTcpStateTracking: false,
      ...nic.kept,
      ...(securityGroup === undefined ? {} : { networkSecurityGroup: { id: securityGroup } }),
      ...(machine === undefined ? {} : attachedBody(subscription, nic, machine)),
      hostedWorkloads: [],
      tapConfigurations: [],
      nicType: nic.kept['nicType'] ?? 'Standard',
    },
  };
}

/** Only a machine that has run knows its hardware address; `primary` shows on an attached interface alone. */
function attachedBody(subscription: Subscription, nic: NetworkInterface, machine: string): object {
  const references = subscription.machines.get(keyOf(machine))?.interfaces ?? [];
  const own = references.find(({ path }) => keyOf(path) === nic.id);
  return {
    macAddress: `00-0D-3A-${nic.guid
      .slice(0, 6)
      .toUpperCase()
      .replace(/(..)(?=.)/g, '$1-')}`,
    primary: own?.primary ?? references.length === 1,
    virtualMachine: { id: machine },
  };
}

function configurationPath(nic: { readonly path: string }, name: string): string {
  return childPath(nic, 'ipConfigurations', name);
}

function configurationBody(subscription: Subscription, nic: NetworkInterface, configuration: IpConfiguration): object {
  const { name, subnet, privateAddress, publicAddress, groups, settings } = configuration;
  return {
    name,
    id: configurationPath(nic, name),
    etag: nic.version.etag,
    type: 'Microsoft.Network/networkInterfaces/ipConfigurations',
    properties: {
      provisioningState: nic.version.state,
      privateIPAddress: privateAddress,
      privateIPAllocationMethod: settings.allocation,
      ...(publicAddress === undefined ? {} : { publicIPAddress: addressReferenceBody(subscription, publicAddress) }),
      subnet: { id: subnet },
      primary: settings.primary,
      privateIPAddressVersion: 'IPv4',
      ...(groups.length === 0 ? {} : { applicationSecurityGroups: groups.map((id) => ({ id })) }),
    },
  };
}

function addressReferenceBody(subscription: Subscription, path: string): object {
  const deleteOption = subscription.addresses.get(keyOf(path))?.deleteOption;
  return { id: path, ...(deleteOption === undefined ? {} : { properties: { deleteOption } }) };
}

/** The interface that an order asks for, every reference and rule checked; nothing is written. */
export function plannedInterface(asked: Asked, order: InterfaceOrder): NetworkInterface {
  const { subscription } = asked;
  const { known, path, properties } = order;
  const group = properties.networkSecurityGroup;
  if (group !== undefined) checkReference(subscription, { from: path, to: group, location: order.location });
  const given = Object.entries(properties).filter(
    ([name, value]) => INTERFACE_KEPT.includes(name) && value !== undefined,
  );
  return {
    ...identity(asked, known, path),
    location: order.location,
    tags: order.tags,
    configurations: plannedConfigurations(subscription, order),
    securityGroup: group,
    machine: known?.machine,
    kept: Object.fromEntries(given),
  };
}

/** Azure refuses this as long as a machine has it. */
export function refuseUsedInterface({ path, machine }: NetworkInterface): void {
  if (machine === undefined) return;
  // https://github.com/hashicorp/terraform-provider-azurerm/issues/8105
  throw refused(
    'NicInUse',
    `Network Interface ${path} is used by existing resource ${machine}. In order to delete the network interface, it must be dissociated from the resource. To learn more, see aka.ms/deletenic.`,
    { details: [] },
  );
}

/** Takes an interface away, and with it every public address that says so, where a machine's end is the reason. */
export function removeInterface(
  subscription: Subscription,
  nic: NetworkInterface,
  { withMachine }: { readonly withMachine: boolean },
): void {
  releaseAddresses(subscription, nic, withMachine);
  subscription.interfaces.remove(nic.id);
}

/** Gives an interface to a machine, or sets it free. */
export function attach(subscription: Subscription, nic: NetworkInterface, machine: string | undefined): void {
  if (nic.machine === machine) return;
  const etag = freshEtag(subscription.random);
  subscription.interfaces.put({ ...nic, machine, version: { ...nic.version, etag } });
}

export interface InterfaceOrder {
  readonly path: string;
  readonly location: string;
  readonly tags: Tags;
  readonly properties: InterfaceForm['properties'];
  readonly known: NetworkInterface | undefined;
}

/** The IP configurations that an order asks for, every reference and rule checked; nothing is written. */
function plannedConfigurations(subscription: Subscription, order: InterfaceOrder): readonly IpConfiguration[] {
  const forms = order.properties.ipConfigurations ?? [];
  if (forms.length === 0)
    throw refused('InvalidRequestFormat', `Network interface ${order.path} must have at least one IP configuration.`, {
      details: [],
    });
  refuseLostPrimary(order, forms);
  const planned: IpConfiguration[] = [];
  for (const form of forms) planned.push(plannedConfiguration({ subscription, order, forms, planned }, form));
  oneNetwork(order, planned);
  oneSetOfGroups(order, planned);
  return planned;
}

interface Planning {
  readonly subscription: Subscription;
  readonly order: InterfaceOrder;
  readonly forms: readonly ConfigurationForm[];
  /** Those before this one. */
  readonly planned: readonly IpConfiguration[];
}

function plannedConfiguration(planning: Planning, form: ConfigurationForm): IpConfiguration {
  const { subscription, order, forms, planned } = planning;
  const { name = '', properties } = form;
  const configuration = configurationPath(order, name);
  if (name === '' || planned.some((each) => each.name === name))
    throw refused(
      'InvalidRequestFormat',
      `The name '${name}' of an IP configuration of ${order.path} is empty or used twice.`,
    );
  // https://github.com/Azure/azure-cli/issues/1238
  if (properties.subnet === undefined)
    throw refused('SubnetRequired', `Subnet reference is required for ipconfiguration ${configuration}.`, {
      details: [],
    });
  const subnet = subnetAt(subscription, properties.subnet, order);
  const address = properties.publicIPAddress?.path;
  if (address !== undefined) checkUsable(subscription, address, { configuration, location: order.location });
  const groups = properties.applicationSecurityGroups ?? [];
  for (const group of groups) checkGroup(subscription, group, order, parentPath(subnet.path));
  const nobodyPrimary = forms.every((each) => each.properties.primary !== true);
  return {
    name,
    subnet: subnet.path,
    privateAddress: privateAddress(planning, form, subnet),
    publicAddress: address,
    groups,
    settings: {
      primary: properties.primary === true || (nobodyPrimary && planned.length === 0),
      allocation: properties.privateIPAllocationMethod ?? 'Dynamic',
    },
  };
}

function subnetAt(subscription: Subscription, path: string, order: InterfaceOrder): Subnet {
  checkReference(subscription, { from: order.path, to: path, location: order.location });
  const subnet = subscription.networks.get(keyOf(parentPath(path)))?.subnets.find(({ id }) => id === keyOf(path));
  if (!subnet) throw refused('InvalidRequestFormat', `Value for reference id ${path} is not the id of a subnet.`);
  return subnet;
}

/** A dynamic address stays for as long as its configuration stays in its subnet. */
function privateAddress({ subscription, order, planned }: Planning, form: ConfigurationForm, subnet: Subnet): string {
  const { privateIPAllocationMethod: method, privateIPAddress: wanted } = form.properties;
  const had = order.known?.configurations.find(({ name }) => name === form.name);
  const stays = had !== undefined && keyOf(had.subnet) === subnet.id;
  if (stays && (method !== 'Static' || wanted === had.privateAddress)) return had.privateAddress;
  const others = order.known?.configurations.filter(({ name }) => name !== form.name) ?? [];
  const seeker: Seeker = {
    interface: order,
    configuration: configurationPath(order, form.name ?? ''),
    spoken: [...others, ...planned].map((each) => each.privateAddress),
  };
  return method === 'Static'
    ? checkedAddress(subscription, subnet, seeker, wanted ?? '')
    : freeAddress(subscription, subnet, seeker);
}

/**
 * "All network interfaces assigned to an application security group have to exist in the same virtual network that the
 * first network interface assigned to the application security group is in."
 * https://learn.microsoft.com/azure/virtual-network/application-security-groups. No page gives the code: an assumption.
 */
function checkGroup(subscription: Subscription, group: string, order: InterfaceOrder, network: string): void {
  const key = keyOf(group);
  checkReference(subscription, { from: order.path, to: group, location: order.location });
  for (const nic of subscription.interfaces.values()) {
    if (nic.id === keyOf(order.path)) continue;
    if (!nic.configurations.some(({ groups }) => groups.some((each) => keyOf(each) === key))) continue;
    if (networkOf(nic) === keyOf(network)) return;
    throw refused(
      'ApplicationSecurityGroupsNotInSameVnet',
      `Network interface ${order.path} in virtual network ${network} cannot join application security group ${group}, whose network interfaces are in virtual network ${parentPath(nic.configurations[0]?.subnet ?? '')}.`,
      { details: [] },
    );
  }
}

/** An interface lies in one virtual network, for life. */
function oneNetwork({ path, known }: InterfaceOrder, planned: readonly IpConfiguration[]): void {
  const networks = new Set(planned.map(({ subnet }) => keyOf(parentPath(subnet))));
  if (known) networks.add(networkOf(known));
  if (networks.size > 1)
    throw refused(
      'SubnetsNotInSameVnet',
      `The subnets of network interface ${path} are not in the same virtual network.`,
      {
        details: [],
      },
    );
}

/** https://github.com/Azure/azure-cli/issues/21551 */
function oneSetOfGroups({ path }: InterfaceOrder, planned: readonly IpConfiguration[]): void {
  const sets = planned.map(({ groups }) => groups.map(keyOf).toSorted().join());
  const other = sets.findIndex((each) => each !== sets[0]);
  if (other < 0) return;
  const told = (index: number): string =>
    `${configurationPath({ path }, planned[index]?.name ?? '')} references ASG(s) ${planned[index]?.groups.join(', ')}`;
  throw refused(
    'AllIpConfigurationsOnANicMustBelongToTheSameApplicationSecurityGroups',
    `All IPConfigurations on a Network Interface should reference the same set of Application Security Groups. IPConfiguration ${told(0)}, wheras IPConfiguration ${told(other)}.`,
    { details: [] },
  );
}

/** https://github.com/ansible-collections/azure/issues/1281 */
function refuseLostPrimary({ known }: InterfaceOrder, forms: readonly ConfigurationForm[]): void {
  const primary = known?.configurations.find(({ settings }) => settings.primary);
  if (!primary || forms.some(({ name }) => name === primary.name)) return;
  throw refused(
    'IpConfigDeleteNotSupported',
    `IP Configuration ${primary.name} cannot be deleted. Deletion and renaming of primary IP Configuration is not supported`,
    { details: [] },
  );
}

/** Public addresses follow their interface: those it takes up are tied to it, those it had and has no more are free. */
export function tieAddresses(
  subscription: Subscription,
  was: NetworkInterface | undefined,
  nic: NetworkInterface | undefined,
): void {
  const kept = new Set(nic ? addressesOf(nic).map(([key]) => key) : []);
  for (const [key] of was ? addressesOf(was) : []) if (!kept.has(key)) untie(subscription, key);
  if (!nic) return;
  const machine = nic.machine === undefined ? undefined : subscription.machines.get(keyOf(nic.machine));
  for (const [key, { name }] of addressesOf(nic)) {
    const address = subscription.addresses.get(key);
    if (address) bind(subscription, address, configurationPath(nic, name));
    if (machine) allocate(subscription, key, machine.power.state !== 'deallocated');
  }
}

/** Stores the delete option that an order gives for its public addresses. */
export function markAddresses(subscription: Subscription, { properties }: InterfaceOrder): void {
  for (const form of properties.ipConfigurations ?? []) {
    const { path = '', deleteOption } = form.properties.publicIPAddress ?? {};
    const address = subscription.addresses.get(keyOf(path));
    if (address && deleteOption !== undefined) subscription.addresses.put({ ...address, deleteOption });
  }
}

function addressesOf(nic: NetworkInterface): readonly (readonly [string, IpConfiguration])[] {
  return nic.configurations.flatMap((each) =>
    each.publicAddress === undefined ? [] : [[keyOf(each.publicAddress), each] as const],
  );
}

function untie(subscription: Subscription, key: string): void {
  const address = subscription.addresses.get(key);
  if (address) bind(subscription, address, undefined);
}

/** A deallocated machine loses the dynamic public addresses of its interface. */
export function allocateAddresses(subscription: Subscription, nic: NetworkInterface, allocated: boolean): void {
  for (const [key] of addressesOf(nic)) allocate(subscription, key, allocated);
}

/** Sets the addresses of an interface free that goes; where a machine's end is the reason, those that say so go too. */
function releaseAddresses(subscription: Subscription, nic: NetworkInterface, withMachine: boolean): void {
  for (const [key] of addressesOf(nic)) {
    const address = subscription.addresses.get(key);
    if (withMachine && address?.deleteOption === 'Delete') subscription.addresses.remove(key);
    else untie(subscription, key);
  }
}

/**
 * Azure keeps the first four addresses of a subnet and the last.
 * https://learn.microsoft.com/azure/virtual-network/virtual-networks-faq#are-there-any-restrictions-on-using-ip-addresses-within-these-subnets
 */
const FIRST_HOST = 4;

/** A configuration that looks for an address. */
interface Seeker {
  readonly interface: { readonly path: string };
  readonly configuration: string;
  /** Addresses of the interface's other configurations. */
  readonly spoken: readonly string[];
}

/** The interface that has an address of a subnet now, so that a seeker cannot have it. */
function holderOf(subscription: Subscription, { id }: Place, address: string, seeker: Seeker): string | undefined {
  if (seeker.spoken.includes(address)) return seeker.interface.path;
  const path = subscription.privateAddresses.get(id)?.get(address);
  if (path === undefined) return undefined;
  if (keyOf(path) === keyOf(seeker.interface.path)) return undefined;
  const has = subscription.interfaces
    .get(keyOf(path))
    ?.configurations.some(({ subnet, privateAddress }) => privateAddress === address && keyOf(subnet) === id);
  return has ? path : undefined;
}

type Place = Pick<Subnet, 'id' | 'path' | 'prefixes'>;

function give(subscription: Subscription, { id }: Place, address: string, { interface: { path } }: Seeker): string {
  const given = subscription.privateAddresses.get(id) ?? new Map<string, string>();
  subscription.privateAddresses.set(id, given.set(address, path));
  return address;
}

/** The next address that nobody has. */
function freeAddress(subscription: Subscription, subnet: Place, seeker: Seeker): string {
  const count = subscription.privateAddresses.get(subnet.id)?.size ?? 0;
  for (const { first, hosts } of rangesOf(subnet)) {
    for (let step = 0; step < hosts; step++) {
      const address = textOf(first + FIRST_HOST + ((count + step) % hosts));
      if (holderOf(subscription, subnet, address, seeker) !== undefined) continue;
      return give(subscription, subnet, address, seeker);
    }
  }
  // https://github.com/MicrosoftDocs/azure-docs/issues/88211
  throw refused(
    'SubnetIsFull',
    `Subnet ${subnet.path} with address prefix ${subnet.prefixes.list.join(',')} does not have enough capacity for 1 IP addresses.`,
    { details: [] },
  );
}

/** An address that somebody wants to keep: inside the subnet, none of the five, and free. */
function checkedAddress(subscription: Subscription, subnet: Place, seeker: Seeker, wanted: string): string {
  const prefixes = subnet.prefixes.list.join(',');
  const range = ipaddr.IPv4.isValidFourPartDecimal(wanted)
    ? rangesOf(subnet).find(({ first, size }) => numberOf(wanted) >= first && numberOf(wanted) < first + size)
    : undefined;
  if (!range)
    throw refused(
      'PrivateIPAddressNotInSubnet',
      `Private static IP address ${wanted} does not belong to the range of subnet prefix ${prefixes}.`,
      { details: [] },
    );
  const place = numberOf(wanted) - range.first;
  // https://github.com/hashicorp/terraform-provider-azurerm/issues/4225
  if (place < FIRST_HOST || place === range.size - 1)
    throw refused(
      'PrivateIPAddressInReservedRange',
      `Private static IP address ${wanted} falls within reserved IP range of subnet prefix ${prefixes}.`,
      { details: [] },
    );
  const holder = holderOf(subscription, subnet, wanted, seeker);
  // https://github.com/Azure/acs-engine/issues/1867
  if (holder !== undefined)
    throw refused(
      'PrivateIPAddressIsAllocated',
      `IP configuration ${seeker.configuration} is using the private IP address ${wanted} which is already allocated to resource ${holder}.`,
      { details: [] },
    );
  return give(subscription, subnet, wanted, seeker);
}

interface Range {
  readonly first: number;
  readonly size: number;
  readonly hosts: number;
}

/** Addresses of a subnet that interfaces may have. */
export const roomIn = (subnet: Pick<Subnet, 'prefixes'>): number =>
  rangesOf(subnet).reduce((sum, { hosts }) => sum + hosts, 0);

function rangesOf({ prefixes }: Pick<Subnet, 'prefixes'>): readonly Range[] {
  return prefixes.list.flatMap((prefix) => {
    const [base = '', bits] = prefix.split('/');
    if (!ipaddr.IPv4.isValidFourPartDecimal(base)) return [];
    const size = 2 ** (32 - Number(bits));
    return [{ first: numberOf(base), size, hosts: Math.max(0, size - FIRST_HOST - 1) }];
  });
}

function numberOf(address: string): number {
  return address.split('.').reduce((value, part) => value * 256 + Number(part), 0);
}

function textOf(value: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.');
}
