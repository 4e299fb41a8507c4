import { slotOf } from '../../src/core/address.ts';
import type { RuleAttributes, RuleMatch } from '../../src/core/attributes.ts';
import type { Observed } from '../../src/core/observed.ts';
import { idOf, placeOf } from './cloud-id.ts';
import { lastOf } from './links.ts';
import { readDescription } from './marks/description.ts';
import type { Firewall } from './messages.ts';
import { originOf } from './origin.ts';
import type { Resolve } from './parents.ts';
import { canonicalCidr } from './spelling.ts';
import { readTraffic, writeTraffic } from './traffic.ts';

/** One firewall as the cloud holds it, in the form of a desired rule. */
export function observeFirewall(firewall: Firewall, resolve: Resolve, project: string): Observed<'firewall-rule'> {
  const { text, mark } = readDescription(firewall.description);
  const name = firewall.name ?? '';
  const origin = mark ? undefined : firewallOrigin(firewall);
  return {
    kind: 'firewall-rule',
    id: idOf(firewall) ?? '',
    name,
    attributes: {
      network: resolve(firewall.network),
      match: matchOf(firewall),
      description: text,
      order: {
        priority: firewall.priority ?? usualPriority,
        disabled: firewall.disabled === true,
        log: firewall.logConfig?.enable === true,
      },
    },
    signs: {
      ...(mark ? { mark } : {}),
      slot: slotOf(`gcp/${project}/global`, 'firewall-rule', name),
      ...(origin ? { origin } : {}),
    },
    condition: { state: 'ready' },
  };
}

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
    ...blocks(narrowing).map((block) => `range:${block}`),
  ];
  return { near: unique(near), far: unique(peers.length === 0 ? ['0.0.0.0/0'] : peers) };
}

type Texts = readonly string[] | null | undefined;

const blocks = (ranges: Texts): readonly string[] => (ranges ?? []).map(canonicalCidr);
const tags = (names: Texts): readonly string[] => (names ?? []).map((name) => tagPrefix + name);
const accounts = (emails: Texts): readonly string[] => (emails ?? []).map((email) => `service-account:${email}`);
const unique = (texts: readonly string[]): readonly string[] => [...new Set(texts)].sort();

const tagPrefix = 'tag:';

/** What the default network is born with: https://cloud.google.com/firewall/docs/firewalls#more_rules_default_vpc */
function firewallOrigin({ name, description, network }: Firewall): Observed['signs']['origin'] {
  if (lastOf(network ?? '') === 'default' && /^default-allow-(?:internal|ssh|rdp|icmp)$/.test(name ?? ''))
    return { why: 'provider-default', detail: 'a rule of the default network of the project' };
  return originOf({ name: name ?? '', description: description ?? '' });
}

/** What we say of a rule, whole: a PUT keeps nothing that it does not say. `kept`: what stands there and is not ours to say. */
export function firewallOf(
  { network, match, order }: RuleAttributes,
  { name, description, kept }: { readonly name: string; readonly description: string; readonly kept?: Firewall },
): Firewall {
  const { direction, action, protocol, ports, peers, targets = [] } = match;
  const entries = [writeTraffic({ protocol, ports })];
  const ranges = peers.filter((peer) => !peer.startsWith(tagPrefix));
  return {
    name,
    description,
    network: placeOf(network).path,
    direction: direction === 'ingress' ? 'INGRESS' : 'EGRESS',
    priority: order?.priority ?? usualPriority,
    disabled: order?.disabled ?? false,
    logConfig: order?.log ? { enable: true, ...logKept(kept) } : { enable: false },
    ...(action === 'allow' ? { allowed: entries } : { denied: entries }),
    ...(direction === 'ingress' ? { sourceRanges: ranges } : { destinationRanges: ranges }),
    sourceTags: tagNames(peers),
    targetTags: tagNames(targets),
  };
}

const tagNames = (refs: readonly string[]): string[] =>
  refs.flatMap((ref) => (ref.startsWith(tagPrefix) ? [ref.slice(tagPrefix.length)] : []));

/** Which metadata is logged is nobody's wish here, so it stays: https://cloud.google.com/firewall/docs/firewall-rules-logging */
const logKept = (kept: Firewall | undefined): { metadata?: string } => {
  const metadata = kept?.logConfig?.metadata;
  return metadata && kept.logConfig?.enable ? { metadata: String(metadata) } : {};
};
