import { addressNumber } from '../address.ts';
import { parseCidr } from '../cidr.ts';
import type { Filter, FilterRule, Packet, Party } from '../packet.ts';
import { defaultRules } from './default-rules.ts';
import type { NetworkSecurityGroup, RuleSide, SecurityRule, Traffic } from './records.ts';
import { keyOf, nameOf } from './resource-id.ts';
import { LOAD_BALANCER, rangesOf } from './service-tags.ts';

export interface Stand {
  readonly direction: Traffic['direction'];
  /** Whose packets are filtered; `labels` are the keys of its application security groups, as those of the peer are. */
  readonly self: Party;
  /** The address space of its virtual network: what the tag VirtualNetwork means. */
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
export function securityRuleFilter(group: NetworkSecurityGroup, { direction, self, space }: Stand): Filter {
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

function hasPort({ portRange, portRanges }: RuleSide, port: number | undefined): boolean {
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
