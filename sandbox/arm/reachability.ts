import { addressNumber, parseCidr } from '../cidr.ts';
import {
  checkPacket,
  type Filter,
  type FilterRule,
  filterGate,
  type Gate,
  gate,
  type Packet,
  type Party,
  type Verdict,
} from '../packet.ts';
import { interfacesOf } from './machine-network.ts';
import type {
  IpConfiguration,
  NetworkInterface,
  NetworkSecurityGroup,
  PublicAddress,
  RuleSide,
  SecurityRule,
  Subnet,
  Traffic,
  VirtualMachine,
  VirtualNetwork,
} from './records.ts';
import { keyOf, nameOf } from './resource-id.ts';
import { defaultRules, LOAD_BALANCER, rangesOf } from './security-rule.ts';
import { type AdminRule, networkOf, type Subscription } from './subscription.ts';

/** An end of the way: a machine by its id, `internet`, or an outside IPv4 address. */
export interface PacketQuestion extends Packet {
  readonly from: string;
  readonly to: string;
}

/** The address of the end `internet`: a documentation address of RFC 5737. */
const INTERNET_ADDRESS = '203.0.113.10';

/** Azure's default outbound address for a machine without its own: "this IP is implicit and belongs to Microsoft". */
const DEFAULT_OUTBOUND_ADDRESS = '198.19.255.254';

/** A machine, seen by its primary interface. */
interface Machine {
  readonly name: string;
  readonly machine: VirtualMachine;
  readonly nic: NetworkInterface;
  readonly configuration: IpConfiguration;
  readonly place: { readonly network: VirtualNetwork; readonly subnet: Subnet };
}

/** Follows a first packet through what the subscription holds: power, security groups, virtual networks, addresses. */
export function mayReach(subscription: Subscription, question: PacketQuestion): Verdict {
  const from = endOf(subscription, question.from);
  const to = endOf(subscription, question.to);
  if (typeof from === 'string' && typeof to === 'string')
    return checkPacket([gate('ends', false, 'neither end is a machine of this subscription')]);
  const inside = typeof from !== 'string' && typeof to !== 'string' && networkOf(from.nic) === networkOf(to.nic);
  const way: Way = { subscription, packet: question, inside };
  return checkPacket([
    ...(typeof from === 'string' ? [] : leaving(way, from, partyOf(way, to))),
    ...(typeof to === 'string' ? [] : arriving(way, to, partyOf(way, from, 'sender'))),
  ]);
}

interface Way {
  readonly subscription: Subscription;
  readonly packet: Packet;
  /** Both ends lie in one virtual network. */
  readonly inside: boolean;
}

function endOf(subscription: Subscription, name: string): Machine | string {
  if (!name.startsWith('/')) return name === 'internet' ? INTERNET_ADDRESS : name;
  const machine = subscription.machines.get(keyOf(name));
  const nics = machine ? interfacesOf(subscription, machine.interfaces) : [];
  const primary = machine?.interfaces.find((each) => each.primary === true);
  const nic = nics.find(({ id }) => id === keyOf(primary?.path ?? '')) ?? nics[0];
  const configuration = nic?.configurations.find(({ settings }) => settings.primary) ?? nic?.configurations[0];
  const network = nic && subscription.networks.get(networkOf(nic));
  const subnet = network?.subnets.find(({ id }) => id === keyOf(configuration?.subnet ?? ''));
  if (!machine || !nic || !configuration || !network || !subnet) return name;
  return { name: nameOf(machine.path), machine, nic, configuration, place: { network, subnet } };
}

/** Inside a virtual network machines know each other by private address and by groups; from outside only a public address counts. */
function partyOf({ subscription, inside }: Way, end: Machine | string, role?: 'sender'): Party {
  if (typeof end === 'string') return { name: 'internet', address: end, labels: [] };
  if (inside) return selfOf(end);
  const address = publicAddress(subscription, end)?.address ?? (role === 'sender' ? DEFAULT_OUTBOUND_ADDRESS : '');
  return { name: end.name, address, labels: [] };
}

function selfOf({ name, configuration }: Machine): Party {
  return { name, address: configuration.privateAddress, labels: configuration.groups.map(keyOf) };
}

function leaving(way: Way, machine: Machine, to: Party): readonly Gate[] {
  const admin = adminGates(way, machine, to, 'Outbound');
  const groups = admin.isFinal ? [] : groupsOf(way.subscription, machine).toReversed();
  return [
    powerGate(machine, 'sender'),
    ...(to.address === '' ? [unnamedGate(to.name)] : []),
    ...admin.gates,
    ...groups.map(({ on, group }) => groupGate(way, machine, { on, group, peer: to, direction: 'Outbound' })),
    way.inside ? insideGate(machine) : outboundGate(way.subscription, machine),
  ];
}

function arriving(way: Way, machine: Machine, from: Party): readonly Gate[] {
  const admin = adminGates(way, machine, from, 'Inbound');
  const groups = admin.isFinal ? [] : groupsOf(way.subscription, machine);
  const isGuarded = admin.isFinal || groups.length > 0;
  return [
    powerGate(machine, 'receiver'),
    ...(way.inside ? [insideGate(machine)] : inboundGates(way.subscription, machine, isGuarded)),
    ...admin.gates,
    ...groups.map(({ on, group }) => groupGate(way, machine, { on, group, peer: from, direction: 'Inbound' })),
  ];
}

/**
 * Security admin rules come before security groups. The first that matches decides, and only `Allow` leaves the decision to the groups:
 * https://learn.microsoft.com/azure/virtual-network-manager/concept-security-admins#evaluation-of-security-admin-rules-and-network-security-groups-nsgs
 */
function adminGates(
  { subscription, packet }: Way,
  machine: Machine,
  peer: Party,
  direction: AdminRule['direction'],
): { readonly gates: readonly Gate[]; readonly isFinal: boolean } {
  const { network } = machine.place;
  const [own, space] = [selfOf(machine), network.addressPrefixes];
  const isFor = (rule: AdminRule): boolean => {
    const [source, destination] = direction === 'Inbound' ? [peer, own] : [own, peer];
    const isOf = (prefixes: readonly string[], { address }: Party): boolean =>
      prefixes.some((prefix) => holds(prefix.toLowerCase(), address, space));
    return isOf(rule.sources, source) && isOf(rule.destinations, destination) && isAboutPacket(rule, packet);
  };
  const [first] = subscription.adminRules
    .filter((rule) => rule.network === network.id && rule.direction === direction && isFor(rule))
    .toSorted((a, b) => a.priority - b.priority);
  if (first === undefined) return { gates: [], isFinal: false };
  const name = `security admin rules on ${machine.name}, ${direction.toLowerCase()}`;
  const decision = gate(name, first.access !== 'Deny', `${nameOf(first.path)} says ${first.access}`);
  return { gates: [decision], isFinal: first.access === 'AlwaysAllow' };
}

function isAboutPacket({ protocol, ports }: AdminRule, packet: Packet): boolean {
  const wanted = numberOf(packet.protocol);
  if (protocol.toLowerCase() !== 'any' && numberOf(protocol) !== wanted) return false;
  if (wanted !== NUMBERS['tcp'] && wanted !== NUMBERS['udp']) return true;
  return hasPort({ portRange: undefined, portRanges: ports }, packet.port);
}

function powerGate({ name, machine }: Machine, role: string): Gate {
  return gate(`${role} runs`, machine.power.state === 'running', `${name} is ${machine.power.state}`);
}

interface AppliedGroup {
  readonly on: 'subnet' | 'network interface';
  readonly group: NetworkSecurityGroup;
}

/**
 * Inbound the subnet's group is asked first and then the interface's, outbound the other way round; both must allow.
 * https://learn.microsoft.com/azure/virtual-network/network-security-group-how-it-works
 */
function groupsOf(subscription: Subscription, { nic, place }: Machine): readonly AppliedGroup[] {
  const at = (on: AppliedGroup['on'], path: string | undefined): readonly AppliedGroup[] => {
    const group = path === undefined ? undefined : subscription.securityGroups.get(keyOf(path));
    return group ? [{ on, group }] : [];
  };
  return [...at('subnet', place.subnet.securityGroup), ...at('network interface', nic.securityGroup)];
}

interface Question extends AppliedGroup {
  readonly peer: Party;
  readonly direction: 'Inbound' | 'Outbound';
}

function groupGate({ packet }: Way, machine: Machine, { on, group, peer, direction }: Question): Gate {
  const stand = { direction, self: selfOf(machine), space: machine.place.network.addressPrefixes };
  const name = `${nameOf(group.path)} on the ${on} of ${machine.name}, ${direction.toLowerCase()}`;
  return filterGate(name, securityRuleFilter(group, stand), packet, peer);
}

function insideGate({ place }: Machine): Gate {
  return gate('virtual network', true, `${nameOf(place.network.path)} routes between its subnets`);
}

function publicAddress(subscription: Subscription, { configuration }: Machine): PublicAddress | undefined {
  const { publicAddress: path } = configuration;
  return path === undefined ? undefined : subscription.addresses.get(keyOf(path));
}

/**
 * A machine reaches the internet by its own public address, its subnet's NAT gateway, or else the address that Azure lends
 * it, unless the subnet is private: https://learn.microsoft.com/azure/virtual-network/ip-services/default-outbound-access
 */
function outboundGate(subscription: Subscription, machine: Machine): Gate {
  const own = publicAddress(subscription, machine)?.address;
  const { kept, path, defaultOutbound } = machine.place.subnet;
  const name = `outbound access of ${machine.name}`;
  if (own !== undefined) return gate(name, true, `through its public address ${own}`);
  if (kept['natGateway'] !== undefined) return gate(name, true, `through the NAT gateway of ${nameOf(path)}`);
  return defaultOutbound === false
    ? gate(name, false, `no public address, and ${nameOf(path)} has no default outbound access`)
    : gate(name, true, `through default outbound access of ${nameOf(path)}`);
}

function unnamedGate(name: string): Gate {
  return gate(`public address of ${name}`, false, 'none, so nobody outside can name it');
}

/**
 * "Secure by default": a Standard address is closed to inbound traffic until a security group allows it, a Basic one open.
 * https://learn.microsoft.com/azure/virtual-network/ip-services/public-ip-addresses#sku
 */
function inboundGates(subscription: Subscription, machine: Machine, guarded: boolean): readonly Gate[] {
  const own = publicAddress(subscription, machine);
  if (own?.address === undefined) return [unnamedGate(machine.name)];
  const known = gate(`public address of ${machine.name}`, true, own.address);
  if (own.sku.name !== 'Standard') return [known];
  const open = gate(
    `Standard address of ${machine.name}`,
    guarded,
    guarded ? 'a security group decides' : 'closed, as no security group is on its interface or subnet',
  );
  return [known, open];
}

interface FilterSubject {
  readonly direction: Traffic['direction'];
  /** The filtered machine. `labels` are the keys of its application security groups, as for the peer. */
  readonly self: Party;
  /** The address space of its virtual network, which the tag VirtualNetwork stands for. */
  readonly space: readonly string[];
}

/** Clients send from somewhere up here: https://www.rfc-editor.org/rfc/rfc6335#section-6 */
const SOURCE_PORT = 50_000;

/** https://www.iana.org/assignments/protocol-numbers */
const NUMBERS: Readonly<Record<string, string>> = { tcp: '6', udp: '17', icmp: '1', icmpv6: '58', esp: '50', ah: '51' };

/**
 * A security group, seen from one machine's side: its own rules and then the six defaults, by priority, of one
 * direction. Rules whose own side is not about this machine are left out.
 * https://learn.microsoft.com/azure/virtual-network/network-security-groups-overview
 */
export function securityRuleFilter(group: NetworkSecurityGroup, { direction, self, space }: FilterSubject): Filter {
  const rules = [...group.rules, ...defaultRules(group)]
    .filter(({ traffic }) => traffic.direction === direction)
    .filter((rule) => isAbout(direction === 'Inbound' ? rule.destination : rule.source, self, space));
  return { rules: rules.map((rule) => filterRule(rule, space)), otherwise: 'deny' };
}

function filterRule(rule: SecurityRule, space: readonly string[]): FilterRule {
  const { direction, access, priority } = rule.traffic;
  const peerSide = direction === 'Inbound' ? rule.source : rule.destination;
  return {
    name: `${nameOf(rule.path)} (${priority})`,
    action: access === 'Allow' ? 'allow' : 'deny',
    priority,
    covers: (packet) => covers(rule, packet),
    matches: (peer) => isAbout(peerSide, peer, space),
  };
}

function covers({ traffic, source, destination }: SecurityRule, { protocol, port }: Packet): boolean {
  const wanted = numberOf(protocol);
  if (traffic.protocol !== '*' && numberOf(traffic.protocol) !== wanted) return false;
  if (wanted !== NUMBERS['tcp'] && wanted !== NUMBERS['udp']) return true;
  return hasPort(source, SOURCE_PORT) && hasPort(destination, port);
}

function numberOf(protocol: string): string {
  return NUMBERS[protocol.toLowerCase()] ?? protocol;
}

function hasPort(
  { portRange, portRanges }: Pick<RuleSide, 'portRange' | 'portRanges'>,
  port: number | undefined,
): boolean {
  return [...portRanges, ...(portRange ? [portRange] : [])].some((range) => {
    if (range === '*') return true;
    const [first = 0, last = first] = range.split('-').map(Number);
    return port !== undefined && first <= port && port <= last;
  });
}

function isAbout(side: RuleSide, { address, labels }: Party, space: readonly string[]): boolean {
  if (side.groups.length > 0) return side.groups.some((path) => labels.includes(keyOf(path)));
  const prefixes = side.prefix ? [side.prefix] : side.prefixes;
  return prefixes.some((prefix) => holds(prefix.toLowerCase(), address, space));
}

/** Tags: https://learn.microsoft.com/azure/virtual-network/service-tags-overview#available-service-tags */
function holds(prefix: string, address: string, space: readonly string[]): boolean {
  switch (prefix) {
    case '*':
      return true;
    case 'virtualnetwork':
      return address === LOAD_BALANCER || space.some((block) => within(block, address));
    case 'azureloadbalancer':
      return address === LOAD_BALANCER;
    case 'internet':
      return address !== '' && !holds('virtualnetwork', address, space) && !isPrivate(address);
  }
  const ranges = rangesOf(prefix);
  return ranges ? ranges.some((block) => within(block, address)) : within(prefix, address);
}

/** RFC 1918 and RFC 4193: nothing there is reached through the internet. */
function isPrivate(address: string): boolean {
  return ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'].some((block) => within(block, address));
}

function within(prefix: string, address: string): boolean {
  const parsed = addressNumber(address);
  if (!parsed) return false;
  const block = parseCidr(
    prefix.includes('/') ? prefix : `${prefix}/${parsed.family === 'ipv4' ? 32 : 128}`,
    parsed.family,
  );
  return block !== undefined && block.first <= parsed.number && parsed.number <= block.last;
}
