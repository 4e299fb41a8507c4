import { type Cidr, parseCidr } from '../cidr.ts';
import { invalid, refused } from './errors.ts';
import type { FirewallMessage } from './firewall-message.ts';

/** An empty list is one that was left out: the SDK cannot send one, and others clear a list by it. */
export function orNone<T>(list: readonly T[] | undefined): readonly T[] | undefined {
  return list?.length ? list : undefined;
}

/** Per rule: https://docs.cloud.google.com/firewall/quotas#limits */
const MOST = { sourceTags: 30, targetTags: 70, sourceServiceAccounts: 10, targetServiceAccounts: 10, ranges: 5000 };

const TAG = /^[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?$/;

/** Tags and service accounts: their form, and which exclude each other, as the fields' descriptions say. */
export function checkedPeers(asked: FirewallMessage, direction: string): void {
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

export interface Ranges {
  readonly sources: readonly string[] | undefined;
  readonly destinations: readonly string[] | undefined;
}

/**
 * Ranges in canonical form. With no source at all a rule for ingress is for 0.0.0.0/0, and so is one for egress without
 * destination. "Each firewall rule can contain either IPv4 or IPv6 ranges, but not both":
 * https://docs.cloud.google.com/firewall/docs/using-firewalls
 */
export function checkedRanges(asked: FirewallMessage, direction: string): Ranges {
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
