import { addressNumber } from '../address.ts';
import { parseCidr } from '../cidr.ts';
import type { Filter, FilterRule, Packet, Party } from '../packet.ts';
import { portRange, protocolNumber } from './firewall-traffic.ts';
import type { Project } from './project.ts';
import type { Firewall, FirewallTraffic } from './records.ts';

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

export function within(address: string, range: string): boolean {
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
