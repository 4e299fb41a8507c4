import { refused } from './errors.ts';
import { checkedAddress, freeAddress, type Seeker } from './interface-addresses.ts';
import type { ConfigurationForm, InterfaceForm } from './interface-fields.ts';
import { configurationPath } from './interface-json.ts';
import type { IpConfiguration, NetworkInterface } from './machine-records.ts';
import { checkUsable } from './public-address.ts';
import type { Subnet, Tags } from './records.ts';
import { checkReference } from './references.ts';
import { keyOf, parentPath } from './resource-id.ts';
import { networkOf, type Subscription } from './subscription.ts';

export interface InterfaceOrder {
  readonly path: string;
  readonly location: string;
  readonly tags: Tags;
  readonly properties: InterfaceForm['properties'];
  readonly known: NetworkInterface | undefined;
}

/** The IP configurations that an order asks for, every reference and rule checked; nothing is written. */
export function plannedConfigurations(subscription: Subscription, order: InterfaceOrder): readonly IpConfiguration[] {
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
