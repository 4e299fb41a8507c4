import { nameIn, type RuleAttributes } from '../resource.ts';

/** One atom for people: `ingress tcp 443 from 0.0.0.0/0 to core.web`. */
export function ruleText(attributes: object): string {
  // why: only called for rules, whose attributes are these
  const { match, group, order } = attributes as RuleAttributes;
  const services = servicesText(match);
  const peers = match.peers.map(bare).join(', ');
  const own = (group === undefined ? (match.targets ?? []) : [group]).map(bare).join(', ') || 'everyone';
  const way = match.direction === 'ingress' ? `from ${peers} to ${own}` : `from ${own} to ${peers}`;
  const rank = order === undefined ? '' : `, priority ${order.priority}${order.disabled ? ', disabled' : ''}`;
  return `${match.action === 'deny' ? 'deny ' : ''}${match.direction} ${services} ${way}${rank}`;
}

/** `tcp 443`, `all`, `tcp 443 (source ports 5000)`, or of a rule with several protocols `icmp and tcp 80,443`. */
function servicesText({ protocol, ports }: RuleAttributes['match']): string {
  if (!protocol.includes(','))
    return ports === 'all' ? protocol : `${protocol} ${ports.replace(/ from (.*)$/, ' (source ports $1)')}`;
  const each = ports.split(';').map((text) => text.replace(/:all$/, '').replace(':', ' '));
  return each.join(' and ');
}

/** A group by its name, whether it is an object or a tag. */
export const bare = (peer: string): string => short(peer.replace(/^(?:group|tag):/, ''));

/** An address by its kind and name; anything else as it is. */
export function short(value: unknown): string {
  const text = String(value);
  const kind = (['network', 'subnet', 'group', 'firewall-rule', 'instance'] as const).find((one) =>
    text.includes(`/${one}/`),
  );
  return kind === undefined ? text : nameIn(text, kind);
}
