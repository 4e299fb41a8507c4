import type { Observed } from '../observed.ts';
import { type PortRange, parsePorts } from '../port-set.ts';
import type { CloudId, RuleAttributes } from '../resource.ts';
import { compareText } from '../text.ts';

/** A rule of a cloud with its group and its peers by the names that documents have for them. */
export interface NamedRule {
  readonly observed: Observed<'firewall-rule'>;
  readonly group: string | undefined;
  readonly peer: NamedPeer;
}

export type NamedPeer =
  | { readonly type: 'cidrs' | 'groups' | 'groupIds' | 'prefixLists' | 'serviceTags'; readonly name: string }
  | { readonly type: 'any'; readonly name?: undefined };

/** The fields of one FirewallRule, without its network. It stands for exactly the rules in `objects`. */
export interface RuleFields {
  readonly group: string | undefined;
  readonly direction: 'ingress' | 'egress';
  readonly action: 'allow' | 'deny';
  readonly protocol: string;
  /** Port ranges as the cloud has them, and [] for all. */
  readonly ports: readonly string[];
  readonly icmp: { readonly type: number; readonly code: number } | undefined;
  readonly peers: readonly NamedPeer[];
  readonly description: string;
  readonly objects: readonly CloudId[];
}

/**
 * Rules that hold one port range and one peer each, as few documents. A document is the product of its ports and its peers, so rules
 * join only where the product is exactly what the cloud has:
 *
 *   step | rules with the same                                    | become
 *   -----+--------------------------------------------------------+----------------------------
 *   1    | group, direction, action, protocol, description, port  | one port with many peers
 *   2    | … and the same peers                                   | many ports with many peers
 *
 * Ports that touch stay apart: a document would unite them into one range.
 */
export function joinRules(rules: readonly NamedRule[]): readonly RuleFields[] {
  const byPort = Map.groupBy(rules, ({ observed: { attributes }, group }) =>
    JSON.stringify([commonOf(attributes, group), attributes.match.ports]),
  );
  const rows = [...byPort.values()].map((same) => same.toSorted(byPeer));
  const byPeers = Map.groupBy(rows, (row) =>
    JSON.stringify([commonOf(first(row).observed.attributes, first(row).group), row.map(({ peer }) => peer)]),
  );
  return [...byPeers.values()].flatMap((same) => partsOf(same).map(fieldsOf));
}

const commonOf = ({ match, description }: RuleAttributes, group: string | undefined): unknown => [
  group,
  match.direction,
  match.action,
  match.protocol,
  description,
];

const byPeer = (a: NamedRule, b: NamedRule): number => compareText(peerText(a.peer), peerText(b.peer));
const peerText = ({ type, name = '' }: NamedPeer): string => `${type} ${name}`;

type Row = readonly NamedRule[];

/** Rows of one peer list, in as few parts as ports allow that do not touch. ICMP types and "all" have a part each. */
function partsOf(rows: readonly Row[]): readonly (readonly Row[])[] {
  const parts: { readonly rows: Row[]; readonly ranges: PortRange[] }[] = [];
  const alone: (readonly Row[])[] = [];
  const ranged = rows.flatMap((row) => {
    const range = rangeOf(first(row).observed.attributes.match);
    if (range === undefined) alone.push([row]);
    return range === undefined ? [] : [{ row, range }];
  });
  for (const { row, range } of ranged.toSorted((a, b) => a.range.from - b.range.from || a.range.to - b.range.to)) {
    const part = parts.find(({ ranges }) => ranges.every((one) => one.to + 1 < range.from || range.to + 1 < one.from));
    if (part === undefined) parts.push({ rows: [row], ranges: [range] });
    else {
      part.rows.push(row);
      part.ranges.push(range);
    }
  }
  return [...alone, ...parts.map((part) => part.rows)];
}

const isIcmp = (protocol: string): boolean => protocol === 'icmp' || protocol === 'icmpv6';

/** Undefined: a row that stands alone. */
function rangeOf({ protocol, ports }: RuleAttributes['match']): PortRange | undefined {
  if (isIcmp(protocol) || ports === 'all') return undefined;
  return parsePorts([ports])?.[0];
}

function fieldsOf(rows: readonly Row[]): RuleFields {
  const row = rows[0] ?? [];
  const { group, observed } = first(row);
  const { match, description } = observed.attributes;
  const ports = rows.map((one) => first(one).observed.attributes.match.ports);
  return {
    group,
    direction: match.direction,
    action: match.action,
    protocol: match.protocol,
    ports: isIcmp(match.protocol) ? [] : ports.filter((text) => text !== 'all'),
    icmp: icmpOf(match),
    peers: row.map(({ peer }) => peer),
    description,
    objects: rows.flat().map((one) => one.observed.id),
  };
}

/** `8/0`, `8/all` or `all`. */
function icmpOf({ protocol, ports }: RuleAttributes['match']): RuleFields['icmp'] {
  const found = isIcmp(protocol) ? /^(\d+)\/(\d+|all)$/.exec(ports) : null;
  return found === null ? undefined : { type: Number(found[1]), code: found[2] === 'all' ? -1 : Number(found[2]) };
}

/** A group of rows is never empty. */
function first(row: Row): NamedRule {
  const [rule] = row;
  if (rule === undefined) throw new RangeError('a row without rules');
  return rule;
}

/** Services by their registered port: https://www.iana.org/assignments/service-names-port-numbers */
const services: Readonly<Record<string, string>> = {
  'tcp 22': 'ssh',
  'tcp 25': 'smtp',
  'tcp 53': 'dns',
  'udp 53': 'dns',
  'tcp 80': 'http',
  'udp 123': 'ntp',
  'tcp 443': 'https',
  'tcp 1433': 'mssql',
  'tcp 3306': 'mysql',
  'tcp 3389': 'rdp',
  'tcp 5432': 'postgresql',
  'tcp 6379': 'redis',
};

/** A short text for the traffic of a rule: `https`, `tcp-8000-8100`, `all`, `icmp-8`. */
export function serviceOf({ protocol, ports, icmp }: Pick<RuleFields, 'protocol' | 'ports' | 'icmp'>): string {
  if (icmp !== undefined) return `${protocol}-${icmp.type}`;
  if (ports.length === 0) return protocol;
  const named = ports.length === 1 ? services[`${protocol} ${ports[0]}`] : undefined;
  return named ?? [protocol, ...ports.slice(0, 3)].join('-');
}
