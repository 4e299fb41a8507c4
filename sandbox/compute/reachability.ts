import { addressNumber, parseCidr } from '../cidr.ts';
import {
  checkPacket,
  decidingRule,
  type Filter,
  type FilterRule,
  type Gate,
  gate,
  type Packet,
  type Party,
  type Verdict,
} from '../packet.ts';
import { portRange, protocolNumber } from './firewall.ts';
import { effectivePolicies } from './firewall-policy.ts';
import { linkTo, nameIn, pathTo } from './place.ts';
import type { Project } from './project.ts';
import type { Firewall, FirewallPolicy, FirewallTraffic, Instance, PolicyRule, Route } from './records.ts';
import { zoneNamed } from './zones.ts';

/** An end of the way: an instance by its id (`zones/europe-west1-b/instances/web`) or link, `internet`, or an outside IPv4 address. */
export interface PacketQuestion extends Packet {
  readonly from: string;
  readonly to: string;
}

/** The address of the end `internet`: a documentation address of RFC 5737. */
const INTERNET_ADDRESS = '203.0.113.10';

/**
 * Follows a first packet through what the project holds: power, firewalls, routes, addresses. Firewalls are stateful, so
 * answers pass them: https://docs.cloud.google.com/firewall/docs/firewalls#specifications
 */
export function mayReach(project: Project, question: PacketQuestion): Verdict {
  const from = endOf(project, question.from);
  const to = endOf(project, question.to);
  if (typeof from === 'string' && typeof to === 'string')
    return checkPacket([gate('ends', false, 'neither end is an instance of this project')]);
  const inside = typeof from !== 'string' && typeof to !== 'string' && from.nic.network === to.nic.network;
  const way = { project, packet: question };
  return checkPacket([
    ...(typeof from === 'string' ? [] : leaving(way, from, party(to, inside))),
    ...(typeof to === 'string' ? [] : arriving(way, to, party(from, inside))),
  ]);
}

interface Way {
  readonly project: Project;
  readonly packet: Packet;
}

function endOf(project: Project, name: string): Instance | string {
  if (name === 'internet') return INTERNET_ADDRESS;
  const root = linkTo(project, '');
  return project.instances.get(name.startsWith(root) ? name.slice(root.length) : name) ?? name;
}

/**
 * Inside a network machines know each other by internal address, tags and service accounts; from outside only the external
 * address counts: https://docs.cloud.google.com/firewall/docs/firewalls#sources_or_destinations_for_the_rule
 */
function party(end: Instance | string, inside: boolean): Party {
  if (typeof end === 'string') return { name: 'internet', address: end, labels: [] };
  const { nic, marks, name } = end;
  return {
    name,
    address: inside ? nic.address : (nic.access?.natIp ?? ''),
    labels: inside ? [...marks.tags, ...accountsOf(end)] : [],
  };
}

function leaving({ project, packet }: Way, machine: Instance, to: Party): readonly Gate[] {
  return [
    powerGate(machine, 'sender'),
    guardGate({ project, packet }, machine, 'EGRESS', to),
    ...routeGates(project, routed(machine), to, 'to'),
  ];
}

function arriving({ project, packet }: Way, machine: Instance, from: Party): readonly Gate[] {
  return [
    powerGate(machine, 'receiver'),
    ...routeGates(project, routed(machine), from, 'back to'),
    guardGate({ project, packet }, machine, 'INGRESS', from),
  ];
}

function powerGate({ id, power }: Instance, role: string): Gate {
  return gate(`${role} runs`, power.status === 'RUNNING', `${nameIn(id)} is ${power.status}`);
}

function guarded(machine: Instance): Parameters<typeof firewallFilter>[1] {
  const { nic, marks } = machine;
  return { network: nic.network, address: nic.address, tags: marks.tags, accounts: accountsOf(machine) };
}

function routed({ name, nic, marks }: Instance): Parameters<typeof routeGates>[1] {
  return { name, network: nic.network, tags: marks.tags, external: nic.access?.natIp };
}

function accountsOf({ settings }: Instance): readonly string[] {
  return settings.serviceAccounts.map(({ email }) => email);
}

/** The machine whose routes are asked. */
export interface Routed {
  readonly name: string;
  /** The network's id. */
  readonly network: string;
  readonly tags: readonly string[];
  /** Its external address, if it has one. */
  readonly external: string | undefined;
}

/**
 * The route to the other end, and what its next hop asks for. Answers need a way back, so arrivals are asked too:
 * a machine reaches the internet, and is reached from it, by a route to the default internet gateway and an external
 * address. https://docs.cloud.google.com/vpc/docs/vpc#internet_access_reqs
 */
export function routeGates(project: Project, machine: Routed, peer: Party, way: 'to' | 'back to'): readonly Gate[] {
  const name = `route ${way} ${peer.address || peer.name}`;
  if (!peer.address) return [gate(name, false, `${peer.name} has no external address`)];
  const route = routeTo(project, machine, peer.address);
  if (!route) return [gate(name, false, `no route in ${pathTo(project, machine.network)}`)];
  switch (route.next.kind) {
    case 'subnetwork':
      return [gate(name, true, `${route.name} sends ${route.destination} within the network`)];
    case 'internet':
      return [
        gate(name, true, `${route.name} sends ${route.destination} to the default internet gateway`),
        gate(
          `external address of ${machine.name}`,
          machine.external !== undefined,
          machine.external ?? 'none, so the internet gateway has nothing to translate to',
        ),
      ];
    case 'peering':
      return [gate(name, false, `${route.name} leads to a peered network, which the sandbox does not follow`)];
    case 'ip':
    case 'instance':
      return [gate(name, false, `${route.name} leads to another machine, which the sandbox does not follow`)];
  }
}

/**
 * Routes for a tag are only for machines with it. The most specific destination wins, then the lowest priority:
 * https://docs.cloud.google.com/vpc/docs/routes#routeselection
 */
function routeTo(project: Project, { network, tags }: Routed, address: string): Route | undefined {
  const hits = [...project.routes.of(network)].filter(
    (route) => within(address, route.destination) && (!route.tags || route.tags.some((tag) => tags.includes(tag))),
  );
  return hits.toSorted((a, b) => prefixLength(b) - prefixLength(a) || a.priority - b.priority)[0];
}

function prefixLength({ destination }: Route): number {
  return Number(destination.split('/')[1]);
}

/**
 * Policies of the organisation and of folders, then firewalls and policies of the network in the order that it says, then the implied
 * rules: https://docs.cloud.google.com/firewall/docs/firewall-policies-overview#rule-evaluation
 */
function guardGate({ project, packet }: Way, machine: Instance, direction: Firewall['direction'], peer: Party): Gate {
  const { rules, otherwise } = firewallFilter(project, guarded(machine), direction);
  const implied = rules.at(-1);
  const firewalls = rules.map((rule) => ({ ...rule, isPassedOn: rule === implied }));
  const policies = effectivePolicies(project, machine.nic.network, regionOf(machine));
  const [inherited, own] = [policies.filter(isInherited), policies.filter((one) => !isInherited(one))];
  const first = project.networks.get(machine.nic.network)?.enforcementOrder === 'BEFORE_CLASSIC_FIREWALL';
  const asked = { machine, direction };
  const stages: readonly (readonly StageRule[])[] = [
    ...inherited.map((policy) => stageOf(policy, asked)),
    ...(first ? own.map((policy) => stageOf(policy, asked)) : []),
    firewalls,
    ...(first ? [] : own.map((policy) => stageOf(policy, asked))),
    implied === undefined ? [] : [implied],
  ];
  return {
    name: `firewalls of ${machine.name}, ${direction.toLowerCase()}`,
    decide: () => {
      for (const stage of stages) {
        const rule = decidingRule(stage, packet, peer);
        if (rule !== undefined && !rule.isPassedOn)
          return { allowed: rule.action === 'allow', reason: `${rule.name} ${rule.action}s it` };
      }
      return { allowed: otherwise === 'allow', reason: `no rule matches ${peer.name} (${peer.address})` };
    },
  };
}

/** `isPassedOn`: it leaves the decision to the next stage. */
interface StageRule extends FilterRule {
  readonly isPassedOn?: boolean;
}

const isInherited = ({ parent }: FirewallPolicy): boolean => parent !== undefined;

const regionOf = ({ scope }: Instance): string | undefined => zoneNamed(nameIn(scope))?.region;

interface AskedStage {
  readonly machine: Instance;
  readonly direction: Firewall['direction'];
}

const stageOf = ({ name, rules }: FirewallPolicy, { machine, direction }: AskedStage): readonly StageRule[] =>
  rules
    .filter((rule) => rule.direction === direction && !rule.disabled && isForAccounts(rule, machine))
    .map((rule) => ({
      name: `${name} ${rule.priority}`,
      action: rule.action === 'deny' ? 'deny' : 'allow',
      isPassedOn: rule.action === 'goto_next',
      priority: rule.priority,
      covers: (packet) => rule.traffic.some((traffic) => covers(traffic, packet)),
      matches: (peer) => {
        const [from, to] =
          direction === 'INGRESS' ? [peer.address, machine.nic.address] : [machine.nic.address, peer.address];
        return isAnyOf(from, rule.sources) && isAnyOf(to, rule.destinations);
      },
    }));

const isForAccounts = ({ accounts }: PolicyRule, machine: Instance): boolean =>
  accounts === undefined || accountsOf(machine).some((account) => accounts.includes(account));

const isAnyOf = (address: string, ranges: readonly string[] | undefined): boolean =>
  ranges === undefined || withinAny(address, ranges);

/** The machine whose firewall is asked. */
export interface Guarded {
  /** The network's id. */
  readonly network: string;
  /** Its internal address. */
  readonly address: string;
  readonly tags: readonly string[];
  /** Emails of its service accounts. */
  readonly accounts: readonly string[];
}

/**
 * All that guards a machine in one direction. A peer's labels are the tags and service accounts by which it is known
 * within the network; none from outside. The implied rules take part at 65535 like any other, so that a deny that
 * somebody made there wins over the implied allow, and the implied deny over an allow:
 * https://docs.cloud.google.com/firewall/docs/firewalls#default_firewall_rules
 */
export function firewallFilter(project: Project, machine: Guarded, direction: Firewall['direction']): Filter {
  const rules = [...project.firewalls.of(machine.network)].filter(
    (firewall) => firewall.direction === direction && !firewall.disabled && isTarget(firewall, machine),
  );
  const implied = direction === 'INGRESS' ? 'deny' : 'allow';
  return { rules: [...rules.map((rule) => filterRule(rule, machine)), impliedRule(implied)], otherwise: implied };
}

const IMPLIED_PRIORITY = 65_535;

function impliedRule(action: FilterRule['action']): FilterRule {
  const name = action === 'deny' ? 'the implied rule for ingress' : 'the implied rule for egress';
  return { name, action, priority: IMPLIED_PRIORITY, covers: () => true, matches: () => true };
}

/** Without targets a rule is for every machine of the network. */
function isTarget({ rule: { targets } }: Firewall, { tags, accounts }: Guarded): boolean {
  if (!targets.tags && !targets.accounts) return true;
  return (
    (targets.tags ?? []).some((tag) => tags.includes(tag)) ||
    (targets.accounts ?? []).some((account) => accounts.includes(account))
  );
}

function filterRule(firewall: Firewall, machine: Guarded): FilterRule {
  const { rule, name, priority } = firewall;
  return {
    name: `${name} (${rule.traffic.map(({ protocol }) => protocol).join(', ')})`,
    action: rule.action,
    priority,
    covers: (packet) => rule.traffic.some((traffic) => covers(traffic, packet)),
    matches: (peer) => matches(firewall, machine, peer),
  };
}

/** Sources are joined by OR; ranges of the machine's own side narrow it further. */
function matches({ rule, direction }: Firewall, machine: Guarded, peer: Party): boolean {
  const { ranges, tags, accounts } = rule.sources;
  if (direction === 'EGRESS')
    return withinAny(peer.address, rule.destinations) && (!ranges || withinAny(machine.address, ranges));
  const from =
    withinAny(peer.address, ranges) ||
    [...(tags ?? []), ...(accounts ?? [])].some((label) => peer.labels.includes(label));
  return from && (!rule.destinations || withinAny(machine.address, rule.destinations));
}

function withinAny(address: string, ranges: readonly string[] | undefined): boolean {
  return (ranges ?? []).some((range) => within(address, range));
}

function within(address: string, range: string): boolean {
  const parsed = addressNumber(address);
  if (!parsed) return false;
  const block = parseCidr(range, parsed.family);
  return block !== undefined && block.first <= parsed.number && parsed.number <= block.last;
}

const ICMPV6 = 58;

function covers({ protocol, ports }: FirewallTraffic, packet: Packet): boolean {
  if (protocol === 'all') return true;
  const number = packet.protocol === 'icmpv6' ? ICMPV6 : protocolNumber(packet.protocol);
  if (number === undefined || protocolNumber(protocol) !== number) return false;
  return !ports || ports.some((text) => holds(portRange(text), packet.port));
}

function holds(range: readonly [number, number] | undefined, port: number | undefined): boolean {
  return range !== undefined && port !== undefined && range[0] <= port && port <= range[1];
}
