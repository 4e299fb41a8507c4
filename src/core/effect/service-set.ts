import { mergePorts, type PortRange, parsePorts, subtractPorts } from '../port-set.ts';
import type { Cloud, RuleMatch } from '../resource.ts';
import { compareText } from '../text.ts';

/**
 * A set of protocols and ports. `named`: by protocol, in the words of `RuleMatch`; never one that is as `others` says. `others`: whether
 * all protocols that are not named are in it. `key`: equal for equal sets. Types and codes of ICMP count as ports: type × 256 + code.
 */
export interface Services {
  readonly named: ReadonlyMap<string, readonly PortRange[]>;
  readonly others: boolean;
  readonly key: string;
}

const everyPort: readonly PortRange[] = [{ from: 0, to: 65_535 }];

function servicesOf(entries: Iterable<readonly [string, readonly PortRange[]]>, others: boolean): Services {
  const kept = [...entries]
    .filter(([, ranges]) => (others ? !isEvery(ranges) : ranges.length > 0))
    .toSorted(([a], [b]) => compareText(a, b));
  const key = kept.map(([protocol, ranges]) => `${protocol}:${ranges.map(({ from, to }) => `${from}-${to}`)}`);
  return { named: new Map(kept), others, key: [others ? '*' : '', ...key].join(' ') };
}

const isEvery = ([first]: readonly PortRange[]): boolean => first?.from === 0 && first.to === 65_535;

export const noServices: Services = servicesOf([], false);
export const allServices: Services = servicesOf([], true);

/** One protocol with these ports; without ports: all of them. */
export const oneService = (protocol: string, ranges: readonly PortRange[] = everyPort): Services =>
  protocol === 'all' ? allServices : servicesOf([[protocol, ranges]], false);

export const isNone = ({ key }: Services): boolean => key === noServices.key;

/** Each range of ports of each protocol by itself; a set with all other protocols stays whole. */
export function partsOf(services: Services): readonly Services[] {
  if (services.others) return [services];
  const found =
    knownParts.get(services) ??
    [...services.named].flatMap(([protocol, ranges]) => ranges.map((range) => oneService(protocol, [range])));
  knownParts.set(services, found);
  return found;
}

const knownParts = new WeakMap<Services, readonly Services[]>();

const portsIn = ({ named, others }: Services, protocol: string): readonly PortRange[] =>
  named.get(protocol) ?? (others ? everyPort : []);

type Combine<T> = (a: T, b: T) => T;

function combined(a: Services, b: Services, ports: Combine<readonly PortRange[]>, others: Combine<boolean>): Services {
  const protocols = new Set([...a.named.keys(), ...b.named.keys()]);
  return servicesOf(
    [...protocols].map((protocol) => [protocol, ports(portsIn(a, protocol), portsIn(b, protocol))] as const),
    others(a.others, b.others),
  );
}

/** The same two sets are joined again and again. */
function rememberedJoin(join: Combine<Services>): Combine<Services> {
  const known = new WeakMap<Services, WeakMap<Services, Services>>();
  return (a, b) => {
    const byOther = known.get(a) ?? new WeakMap<Services, Services>();
    known.set(a, byOther);
    const joined = byOther.get(b) ?? join(a, b);
    byOther.set(b, joined);
    return joined;
  };
}

const united = rememberedJoin((a, b) =>
  combined(
    a,
    b,
    (some, more) => mergePorts([...some, ...more]),
    (some, more) => some || more,
  ),
);

const subtracted = rememberedJoin((a, b) => combined(a, b, subtractPorts, (some, taken) => some && !taken));

const intersected = rememberedJoin((a, b) =>
  combined(
    a,
    b,
    (some, more) => subtractPorts(some, subtractPorts(everyPort, more)),
    (some, more) => some && more,
  ),
);

export function unite(a: Services, b: Services): Services {
  if (isNone(a) || a.key === b.key) return b;
  return isNone(b) ? a : united(a, b);
}

export function subtract(a: Services, b: Services): Services {
  if (isNone(a) || isNone(b)) return a;
  return a.key === b.key || b.key === allServices.key ? noServices : subtracted(a, b);
}

export function intersect(a: Services, b: Services): Services {
  if (isNone(a) || b.key === allServices.key || a.key === b.key) return a;
  return isNone(b) || a.key === allServices.key ? b : intersected(a, b);
}

/** The services of a rule: those that it is about for certain, and those that it may be about, where its text is not all ours. */
export interface RuleServices {
  readonly sure: Services;
  readonly may: Services;
}

/**
 * Reads the protocol and ports of a rule of this cloud.
 *
 *   text                                     | sure               | may
 *   -----------------------------------------+--------------------+---------------------
 *   `tcp` `80,443`, `icmp` `8/0`, `all`      | these              | these
 *   `tcp,udp` `tcp:80;udp:53`                | each of them       | the same
 *   `all` `53` (Azure)                       | tcp and udp 53, all other protocols
 *   `tcp` `80 from 5000` (source ports)      | none               | tcp 80
 *   anything else                            | none               | all ports of it
 *
 * A rule of Azure with ports and every protocol: only TCP and UDP have ports,
 * https://learn.microsoft.com/azure/virtual-network/network-security-groups-overview#security-rules
 */
export function ruleServices(cloud: Cloud, { protocol, ports }: Pick<RuleMatch, 'protocol' | 'ports'>): RuleServices {
  if (protocol.includes(',')) return several(cloud, ports);
  const [text = '', source] = ports.split(' from ');
  const ranges = rangesOf(protocol, text);
  const may = servicesWith(cloud, protocol, ranges ?? everyPort);
  return { sure: ranges === undefined || source !== undefined ? noServices : may, may };
}

function several(cloud: Cloud, text: string): RuleServices {
  const each = text.split(';').map((one) => {
    const [protocol = '', ports = 'all'] = one.split(':');
    return ruleServices(cloud, { protocol, ports });
  });
  return {
    sure: each.map(({ sure }) => sure).reduce(unite, noServices),
    may: each.map(({ may }) => may).reduce(unite, noServices),
  };
}

function servicesWith(cloud: Cloud, protocol: string, ranges: readonly PortRange[]): Services {
  if (protocol !== 'all' || isEvery(ranges)) return oneService(protocol, ranges);
  if (cloud !== 'azure') return allServices;
  return servicesOf(
    ['tcp', 'udp'].map((one) => [one, ranges] as const),
    true,
  );
}

/** Undefined for text that is no list of ports. */
function rangesOf(protocol: string, text: string): readonly PortRange[] | undefined {
  if (text === 'all') return everyPort;
  if (protocol.startsWith('icmp')) return icmpRange(text);
  return parsePorts(text.split(','));
}

/** `8/0` or `8/all`: a type has 256 codes, https://www.rfc-editor.org/rfc/rfc792 */
function icmpRange(text: string): readonly PortRange[] | undefined {
  const [, type, code] = /^(\d{1,3})\/(\d{1,3}|all)$/.exec(text) ?? [];
  if (type === undefined || code === undefined) return undefined;
  const first = Number(type) * 256;
  return code === 'all'
    ? [{ from: first, to: first + 255 }]
    : [{ from: first + Number(code), to: first + Number(code) }];
}

/** One protocol of a set, for people and for data. `ports`: absent where all are in it. */
export interface ServiceEntry {
  readonly protocol: string;
  readonly ports?: readonly PortRange[];
}

/** `all` with others left out is told as what is in it: `all` and the protocols that are in it in part only. */
export const entriesIn = ({ named, others }: Services): readonly ServiceEntry[] => [
  ...(others ? [{ protocol: 'all' }] : []),
  ...[...named].map(([protocol, ranges]) => ({ protocol, ...(isEvery(ranges) ? {} : { ports: ranges }) })),
];
