import { invalid, required } from './errors.ts';
import { checkedPeers, checkedRanges, orNone } from './firewall-peers.ts';
import { trafficOf } from './firewall-traffic.ts';
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

export type FirewallContent = Pick<Firewall, 'description' | 'direction' | 'priority' | 'rule' | 'log' | 'disabled'>;

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
