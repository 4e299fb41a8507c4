import { type Cidr, parseCidr } from '../cidr.ts';
import { invalid, refused, required } from './errors.ts';
import { flag, listOf, type Message, message, oneOf, text, whole } from './message.ts';
import { linkTo } from './place.ts';
import type { Project } from './project.ts';
import type { Firewall, FirewallRule, FirewallTraffic, Json } from './records.ts';
import { checkedDescription, resourceJson, shown } from './resource.ts';

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

/** The wanted content of a firewall. Throws if it is invalid. An empty list counts as absent. */
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
export function rangesIn(list: readonly string[], field: string): readonly Cidr[] {
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

/** The names that https://docs.cloud.google.com/compute/docs/reference/rest/v1/firewalls lists, `all`, and their numbers. */
const NUMBERS: Readonly<Record<string, number>> = { icmp: 1, ipip: 4, tcp: 6, udp: 17, esp: 50, ah: 51, sctp: 132 };

/** Ports are for these: https://docs.cloud.google.com/firewall/docs/firewalls#protocols_and_ports */
const WITH_PORTS: ReadonlySet<string> = new Set(['tcp', 'udp', 'sctp', '6', '17', '132']);

interface Given {
  readonly IPProtocol?: string;
  readonly ports?: readonly string[];
}

/** Also of a rule of a policy, whose field has another name. */
export function trafficOf({ IPProtocol, ports: given }: Given, field: string): FirewallTraffic {
  if (!IPProtocol) throw required(`${field}.IPProtocol`);
  const protocol = IPProtocol.toLowerCase();
  const ports = orNone(given);
  if (protocol !== 'all' && protocolNumber(protocol) === undefined)
    throw invalid(`${field}.IPProtocol`, IPProtocol, 'Must be a well known protocol name or a number from 0 to 255.');
  if (ports && !WITH_PORTS.has(protocol))
    throw invalid(`${field}.ports`, ports, 'Ports are only for protocols TCP, UDP and SCTP.');
  ports?.forEach((port, index) => {
    if (!isPort(port)) throw invalid(`${field}.ports[${index}]`, port, 'Must be a port or a range such as 8000-8100.');
  });
  return { protocol, ports };
}

/** Undefined for what is no protocol, and for `all`. */
export function protocolNumber(protocol: string): number | undefined {
  const number = NUMBERS[protocol] ?? (/^\d{1,3}$/.test(protocol) ? Number(protocol) : Number.NaN);
  return number <= 255 ? number : undefined;
}

const PORT = /^(\d{1,5})(?:-(\d{1,5}))?$/;

/** First and last port of `22` or `8000-8100`. */
export function portRange(text: string): readonly [number, number] | undefined {
  const [, first, last = first] = PORT.exec(text) ?? [];
  return first === undefined ? undefined : [Number(first), Number(last)];
}

function isPort(text: string): boolean {
  const range = portRange(text);
  return range !== undefined && range[0] <= range[1] && range[1] <= 65_535;
}

/** An empty list is one that was left out: the SDK cannot send one, and others clear a list by it. */
export function orNone<T>(list: readonly T[] | undefined): readonly T[] | undefined {
  return list?.length ? list : undefined;
}

export function firewallJson(project: Project, firewall: Firewall): Json {
  const { rule } = firewall;
  return shown({
    ...resourceJson(project, 'firewall', firewall),
    description: firewall.description ?? '',
    network: linkTo(project, firewall.network),
    priority: firewall.priority,
    direction: firewall.direction,
    [rule.action === 'allow' ? 'allowed' : 'denied']: rule.traffic.map(({ protocol, ports }) =>
      shown({ IPProtocol: protocol, ports }),
    ),
    sourceRanges: rule.sources.ranges,
    sourceTags: rule.sources.tags,
    sourceServiceAccounts: rule.sources.accounts,
    destinationRanges: rule.destinations,
    targetTags: rule.targets.tags,
    targetServiceAccounts: rule.targets.accounts,
    logConfig: firewall.log,
    disabled: firewall.disabled,
  });
}
