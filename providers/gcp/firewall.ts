import { isDeepStrictEqual } from 'node:util';
import type { Observed } from '../../src/core/observed.ts';
import { type RuleAttributes, type RuleMatch, slotOf } from '../../src/core/resource.ts';
import { idOf, placeOf } from './cloud-id.ts';
import type { Rule } from './firewall-merge.ts';
import { inexpressibleOf } from './inexpressible.ts';
import { lastOf } from './links.ts';
import { readDescription } from './marks/description.ts';
import type { Firewall } from './messages.ts';
import { originOf } from './origin.ts';
import type { Resolve } from './parents.ts';
import { canonicalCidr } from './spelling.ts';
import { readTraffic, writeTraffic } from './traffic.ts';

/** One firewall as the cloud holds it, in the form of a desired rule. */
export function observeFirewall(firewall: Firewall, resolve: Resolve, project: string): Observed<'firewall-rule'> {
  const { mark } = readDescription(firewall.description);
  const name = firewall.name ?? '';
  const origin = mark ? undefined : firewallOrigin(firewall);
  return {
    kind: 'firewall-rule',
    id: idOf(firewall) ?? '',
    name,
    attributes: { network: resolve(firewall.network), ...ruleOf(firewall) },
    signs: {
      ...(mark ? { mark } : {}),
      slot: slotOf(`gcp/${project}/global`, 'firewall-rule', name),
      ...(origin ? { origin } : {}),
    },
    condition: { state: 'ready', ...inexpressibleOf.rule(firewall) },
  };
}

/** The content of a firewall, in the form of a desired rule. */
export const ruleOf = (firewall: Firewall): Rule => ({
  match: matchOf(firewall),
  description: readDescription(firewall.description).text,
  order: {
    priority: firewall.priority ?? usualPriority,
    disabled: firewall.disabled === true,
    log: firewall.logConfig?.enable === true,
  },
});

/** The same for attributes, with their defaults. */
export const ruleIn = ({ match, description, order }: RuleAttributes): Rule => ({
  match,
  description,
  order: { priority: order?.priority ?? usualPriority, disabled: order?.disabled ?? false, log: order?.log ?? false },
});

/** "The default value is 1000": https://cloud.google.com/compute/docs/reference/rest/v1/firewalls. 0 is a value. */
const usualPriority = 1000;

function matchOf(firewall: Firewall): RuleMatch {
  const direction = firewall.direction === 'EGRESS' ? 'egress' : 'ingress';
  const denied = firewall.denied ?? [];
  const { protocol, ports } = readTraffic(denied.length > 0 ? denied : (firewall.allowed ?? []));
  const { near, far } = sidesOf(firewall, direction);
  return { direction, action: denied.length > 0 ? 'deny' : 'allow', protocol, ports, peers: far, targets: near };
}

/**
 *   direction | whom it applies to                            | peers: any one of them is enough
 *   ----------+-----------------------------------------------+------------------------------------------------
 *   ingress   | target tags, accounts; destinationRanges too  | sourceRanges, sourceTags, sourceServiceAccounts;
 *             | if it narrows them                            | none of them is 0.0.0.0/0
 *   egress    | target tags, accounts; sourceRanges too       | destinationRanges; none is 0.0.0.0/0
 */
function sidesOf(firewall: Firewall, direction: RuleMatch['direction']) {
  const [narrowing, ranges] =
    direction === 'ingress'
      ? [firewall.destinationRanges, firewall.sourceRanges]
      : [firewall.sourceRanges, firewall.destinationRanges];
  const peers = [...blocks(ranges), ...tags(firewall.sourceTags), ...accounts(firewall.sourceServiceAccounts)];
  const near = [
    ...tags(firewall.targetTags),
    ...accounts(firewall.targetServiceAccounts),
    ...blocks(narrowing).map((block) => narrowingPrefix + block),
  ];
  return { near: unique(near), far: unique(peers.length === 0 ? ['0.0.0.0/0'] : peers) };
}

type Texts = readonly string[] | null | undefined;

const blocks = (ranges: Texts): readonly string[] => (ranges ?? []).map(canonicalCidr);
const tags = (names: Texts): readonly string[] => (names ?? []).map((name) => tagPrefix + name);
const accounts = (emails: Texts): readonly string[] => (emails ?? []).map((email) => accountPrefix + email);
const unique = (texts: readonly string[]): readonly string[] => [...new Set(texts)].sort();

const tagPrefix = 'tag:';
const accountPrefix = 'service-account:';
/** A block on the side of the machines themselves. */
const narrowingPrefix = 'range:';

/**
 * The firewalls that the default network is created with:
 * https://cloud.google.com/firewall/docs/firewalls#more_rules_default_vpc
 */
function firewallOrigin({ name, description, network }: Firewall): Observed['signs']['origin'] {
  if (lastOf(network ?? '') === 'default' && /^default-allow-(?:internal|ssh|rdp|icmp)$/.test(name ?? ''))
    return { why: 'provider-default', detail: 'a rule of the default network of the project' };
  return originOf({ name: name ?? '', description: description ?? '' });
}

/** The whole of a new firewall. */
export function firewallOf(
  attributes: RuleAttributes,
  { name, description }: { readonly name: string; readonly description: string },
): Firewall {
  const { match, order } = ruleIn(attributes);
  const { priority, disabled, log } = order;
  return {
    name,
    description,
    network: placeOf(attributes.network).path,
    direction: match.direction === 'ingress' ? 'INGRESS' : 'EGRESS',
    priority,
    disabled,
    logConfig: { enable: log },
    ...listsOf(match),
  };
}

/** The fields that make a firewall say `after` instead of `before`. An empty list: the firewall loses it. */
export function fieldsBetween(before: Rule, after: Rule, seen: Firewall): Firewall {
  const [had, has] = [listsOf(before.match), listsOf(after.match)];
  const lists = listNames.filter((name) => !isDeepStrictEqual(had[name], has[name]));
  const { priority, disabled, log } = after.order;
  return {
    ...Object.fromEntries(lists.map((name) => [name, has[name]])),
    ...(priority === before.order.priority ? {} : { priority }),
    ...(disabled === before.order.disabled ? {} : { disabled }),
    ...(log === before.order.log ? {} : { logConfig: log ? { enable: true, ...logKept(seen) } : { enable: false } }),
  };
}

export const listNames = [
  'allowed',
  'denied',
  'sourceRanges',
  'destinationRanges',
  'sourceTags',
  'targetTags',
  'sourceServiceAccounts',
  'targetServiceAccounts',
] as const satisfies readonly (keyof Firewall)[];

/** The other way round from `matchOf`. */
function listsOf(match: RuleMatch) {
  const { direction, action, peers, targets = [] } = match;
  const entries = writeTraffic(match);
  const far = peers.filter((peer) => !isNamed(peer));
  const narrowing = namesIn(targets, narrowingPrefix);
  return {
    allowed: action === 'allow' ? entries : [],
    denied: action === 'deny' ? entries : [],
    sourceRanges: direction === 'ingress' ? far : narrowing,
    destinationRanges: direction === 'ingress' ? narrowing : far,
    sourceTags: namesIn(peers, tagPrefix),
    targetTags: namesIn(targets, tagPrefix),
    sourceServiceAccounts: namesIn(peers, accountPrefix),
    targetServiceAccounts: namesIn(targets, accountPrefix),
  } satisfies Firewall;
}

const isNamed = (peer: string): boolean => peer.startsWith(tagPrefix) || peer.startsWith(accountPrefix);

const namesIn = (refs: readonly string[], prefix: string): string[] =>
  refs.flatMap((ref) => (ref.startsWith(prefix) ? [ref.slice(prefix.length)] : []));

/** Specs do not choose the logged metadata, so it stays: https://cloud.google.com/firewall/docs/firewall-rules-logging */
const logKept = ({ logConfig }: Firewall): { metadata?: string } =>
  logConfig?.metadata && logConfig.enable ? { metadata: String(logConfig.metadata) } : {};
