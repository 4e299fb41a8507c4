import { formatCidr, parseCidr } from '../../cidr.ts';
import type { RuleMatch } from '../../resource.ts';
import type { StateAttributes } from './state.ts';

/** The rules that a rule of Terraform stands for: one for each of its peers. */
export interface StateRules {
  readonly group: string;
  readonly matches: readonly Pick<RuleMatch, 'direction' | 'protocol' | 'ports' | 'peers'>[];
}

/**
 * The rules of a resource, by their content: listings of AWS name no ids of rules, and the `id` of an aws_security_group_rule is a hash
 * of Terraform's. Undefined where the state lacks the group or the peers.
 */
export function stateRules(type: string, { text, lists }: StateAttributes): StateRules | undefined {
  const group = text.security_group_id;
  const direction = type === 'aws_security_group_rule' ? text.type : directions[type];
  const protocol = protocolOf(text.ip_protocol ?? text.protocol ?? '');
  if (group === undefined || (direction !== 'ingress' && direction !== 'egress') || protocol === '') return undefined;
  const ports = portsOf(protocol, numberOf(text.from_port), numberOf(text.to_port));
  const blocks = [text.cidr_ipv4, text.cidr_ipv6, ...(lists.cidr_blocks ?? []), ...(lists.ipv6_cidr_blocks ?? [])];
  const groups = [text.referenced_security_group_id, text.source_security_group_id, text.self === 'true' ? group : ''];
  const peers = new Set([
    ...present(blocks).map(canonicalBlock),
    ...present(groups).map((id) => `group:${id}`),
    ...present([text.prefix_list_id, ...(lists.prefix_list_ids ?? [])]).map((id) => `prefix-list:${id}`),
  ]);
  if (peers.size === 0) return undefined;
  return { group, matches: [...peers].map((peer) => ({ direction, protocol, ports, peers: [peer] })) };
}

const directions: Readonly<Record<string, string>> = {
  aws_vpc_security_group_ingress_rule: 'ingress',
  aws_vpc_security_group_egress_rule: 'egress',
};

const present = (texts: readonly (string | undefined)[]): readonly string[] =>
  texts.filter((text) => text !== undefined && text !== '').map(String);

function canonicalBlock(text: string): string {
  const block = parseCidr(text);
  return block === undefined ? text : formatCidr(block);
}

/** The numbers that Terraform takes for names: https://www.iana.org/assignments/protocol-numbers */
const protocols: Readonly<Record<string, string>> = { '-1': 'all', 1: 'icmp', 6: 'tcp', 17: 'udp', 58: 'icmpv6' };

function protocolOf(text: string): string {
  const lower = text.toLowerCase();
  return protocols[lower] ?? lower;
}

const numberOf = (text: string | undefined): number => (text === undefined ? -1 : Number(text));

/** In the form of `RuleMatch`: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_IpPermission.html */
function portsOf(protocol: string, from: number, to: number): string {
  if (protocol === 'icmp' || protocol === 'icmpv6') {
    if (from === -1) return 'all';
    return to === -1 ? `${from}/all` : `${from}/${to}`;
  }
  if ((protocol !== 'tcp' && protocol !== 'udp') || from === -1 || (from === 0 && to === 65535)) return 'all';
  return from === to ? `${from}` : `${from}-${to}`;
}
