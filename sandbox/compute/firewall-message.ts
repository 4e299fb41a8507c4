import { type Cidr, parseCidr } from '../cidr.ts';
import { invalid, refused, required } from './errors.ts';
import { orNone, trafficOf } from './firewall-traffic.ts';
import type { Firewall, FirewallRule, Json } from './records.ts';
import { checkedDescription } from './resource.ts';
import { listOf } from './wire/collection.ts';
import { type Message, message } from './wire/message.ts';
import { flag, oneOf, text, whole } from './wire/scalar.ts';

const traffic = message({ IPProtocol: text, ports: listOf(text) });

const fields = {
  name: text,
  description: text,
  network: text,
  priority: whole,
  direction: oneOf('INGRESS', 'EGRESS'),
  allowed: listOf(traffic),
  denied: listOf(traffic),
  sourceRanges: listOf(text),
  sourceTags: listOf(text),
  sourceServiceAccounts: listOf(text),
  destinationRanges: listOf(text),
  targetTags: listOf(text),
  targetServiceAccounts: listOf(text),
  disabled: flag,
  logConfig: message({ enable: flag, metadata: oneOf('EXCLUDE_ALL_METADATA', 'INCLUDE_ALL_METADATA') }),
} as const;

/** https://docs.cloud.google.com/compute/docs/reference/rest/v1/firewalls */
export const firewallMessage = message(fields, {
  outputs: ['kind', 'id', 'creationTimestamp', 'selfLink', 'selfLinkWithId'],
  unmodelled: ['params'],
});

export type FirewallMessage = Message<typeof fields>;

type FirewallContent = Pick<Firewall, 'description' | 'direction' | 'priority' | 'rule' | 'log' | 'disabled'>;

const LOWEST_PRIORITY = 65_535;

/** What a firewall is to be like, or what is wrong with it. An empty list is one that was left out. */
export function firewallContent(asked: FirewallMessage): FirewallContent {
  const { direction = 'INGRESS', priority = 1000, disabled = false } = asked;
  if (priority < 0 || priority > LOWEST_PRIORITY)
    throw invalid('resource.priority', priority, `Must be between 0 and ${LOWEST_PRIORITY}, inclusive.`);
  return {
    description: checkedDescription(asked.description),
    direction,
    priority,
    rule: ruleOf(asked, direction),
    log: logOf(asked.logConfig),
    disabled,
  };
}

function ruleOf(asked: FirewallMessage, direction: Firewall['direction']): FirewallRule {
  const allowed = orNone(asked.allowed);
  const denied = orNone(asked.denied);
  if (allowed && denied)
    throw invalid('resource', '', 'Exactly one of allowed and denied must be specified, but both are.');
  const given = allowed ?? denied;
  if (!given) throw required('resource.allowed');
  const action = allowed ? 'allow' : 'deny';
  checkedPeers(asked, direction);
  const ranges = checkedRanges(asked, direction);
  return {
    action,
    traffic: given.map((each, index) => trafficOf(each, `resource.${allowed ? 'allowed' : 'denied'}[${index}]`)),
    sources: { ranges: ranges.sources, tags: orNone(asked.sourceTags), accounts: orNone(asked.sourceServiceAccounts) },
    destinations: ranges.destinations,
    targets: { tags: orNone(asked.targetTags), accounts: orNone(asked.targetServiceAccounts) },
  };
}

/** Metadata belongs to logging, and is included unless somebody says otherwise: seen so in recorded answers. */
function logOf({ enable = false, metadata }: NonNullable<FirewallMessage['logConfig']> = {}): Json {
  if (!enable && metadata !== undefined)
    throw invalid('resource.logConfig.metadata', metadata, 'Can only be specified if logging is enabled.');
  return enable ? { enable, metadata: metadata ?? 'INCLUDE_ALL_METADATA' } : { enable };
}

/** Per rule: https://docs.cloud.google.com/firewall/quotas#limits */
const MOST = { sourceTags: 30, targetTags: 70, sourceServiceAccounts: 10, targetServiceAccounts: 10, ranges: 5000 };

const TAG = /^[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?$/;

/** Tags and service accounts: their form, and which exclude each other, as the fields' descriptions say. */
function checkedPeers(asked: FirewallMessage, direction: string): void {
  for (const field of ['sourceTags', 'targetTags', 'sourceServiceAccounts', 'targetServiceAccounts'] as const) {
    const list = asked[field] ?? [];
    mostly(list, field, MOST[field]);
    if (!field.endsWith('Tags')) continue;
    list.forEach((tag, index) => {
      if (!TAG.test(tag))
        throw invalid(
          `resource.${field}[${index}]`,
          tag,
          "Must be a match of regex '(?:[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?)'",
        );
    });
  }
  for (const field of ['sourceTags', 'sourceServiceAccounts'] as const)
    if (direction === 'EGRESS' && asked[field]?.length)
      throw invalid(`resource.${field}`, asked[field], `Cannot be specified for EGRESS firewall rules.`);
  const tagged = [...(asked.sourceTags ?? []), ...(asked.targetTags ?? [])];
  const accounts = [...(asked.sourceServiceAccounts ?? []), ...(asked.targetServiceAccounts ?? [])];
  if (tagged.length > 0 && accounts.length > 0)
    throw refused(
      'invalid',
      "Invalid value for field 'resource': ''. Tags and service accounts cannot be used together.",
    );
}

interface Ranges {
  readonly sources: readonly string[] | undefined;
  readonly destinations: readonly string[] | undefined;
}

/**
 * Ranges in canonical form. With no source at all a rule for ingress is for 0.0.0.0/0, and so is one for egress without
 * destination. "Each firewall rule can contain either IPv4 or IPv6 ranges, but not both":
 * https://docs.cloud.google.com/firewall/docs/using-firewalls
 */
function checkedRanges(asked: FirewallMessage, direction: string): Ranges {
  const sources = rangesIn(asked.sourceRanges ?? [], 'sourceRanges');
  const destinations = rangesIn(asked.destinationRanges ?? [], 'destinationRanges');
  if (new Set([...sources, ...destinations].map(({ family }) => family)).size > 1)
    throw invalid('resource', '', 'A firewall rule can contain either IPv4 or IPv6 ranges, but not both.');
  const others = asked.sourceTags?.length || asked.sourceServiceAccounts?.length;
  return {
    sources: orNone(sources.map(({ text }) => text)) ?? (direction === 'INGRESS' && !others ? EVERYWHERE : undefined),
    destinations: orNone(destinations.map(({ text }) => text)) ?? (direction === 'EGRESS' ? EVERYWHERE : undefined),
  };
}

const EVERYWHERE: readonly string[] = ['0.0.0.0/0'];

/** Bits beyond the mask are refused: https://github.com/CartoDB/cartodb/pull/15649 */
function rangesIn(list: readonly string[], field: string): readonly Cidr[] {
  mostly(list, field, MOST.ranges);
  return list.map((value, index) => {
    const cidr = parseCidr(value, value.includes(':') ? 'ipv6' : 'ipv4');
    if (!cidr || !isNetwork(value, cidr))
      throw invalid(`resource.${field}[${index}]`, value, 'Must be a valid CIDR address range.');
    return cidr;
  });
}

function isNetwork(value: string, cidr: Cidr): boolean {
  const single = parseCidr(`${value.split('/')[0]}/${cidr.family === 'ipv4' ? 32 : 128}`, cidr.family);
  return single?.first === cidr.first;
}

function mostly(list: readonly unknown[], field: string, most: number): void {
  if (list.length > most)
    throw invalid(`resource.${field}`, `${list.length} values`, `Must have at most ${most} values.`);
}
