import type { Cidr } from '../cidr.ts';
import { groupByMany } from '../group-by-many.ts';
import type { PortRange } from '../port-set.ts';
import { remembered } from '../remembered.ts';
import type { Flow, Peer, Service } from './flow.ts';
import type { Neighbours } from './neighbours.ts';

/** A rule in the index. `rank`: by which the entries of a bundle are sorted. */
export interface Entry {
  readonly at: number;
  readonly flow: Flow;
  readonly rank: number;
}

/** Entries that are met together, by rank and then position, each once. Never empty, and the same object each time. */
export type Bundle = readonly Entry[];

/** Rules by the traffic that they speak of, between machines. */
export interface TrafficIndex {
  /**
   * The rules with this action that speak of some of the same traffic: of the same network, direction, service, machines and
   * peers. Few bundles, however many rules. A rule that meets more than 32 groups, or more than 32 services, meets what all
   * groups, or all services, hold for its peers: it waits for more than it must then, and for nothing less.
   */
  meeting(flow: Flow, action: Flow['action']): readonly Bundle[];
}

const most = 32;
const every = '*';
const none: readonly Bundle[] = [];
/** Holds the rules that apply to every machine of the network. */
const everybody = '';

/** `atPeers`: of the machines at the other end; left out: as of those that the rules apply to. */
export function trafficIndex(
  entries: readonly Entry[],
  neighbours: Neighbours,
  atPeers: Neighbours = neighbours,
): TrafficIndex {
  const places = Map.groupBy(entries, ({ flow }) => placeOf(flow, flow.action));
  const lookup = remembered((key: string) => lookupIn(places.get(key) ?? [], neighbours, atPeers));
  return { meeting: (flow, action) => lookup(placeOf(flow, action))(flow) };
}

const placeOf = ({ network, direction }: Flow, action: Flow['action']): string => `${network} ${direction} ${action}`;

/** Of one network, direction and action. A slot is what one group holds, or all do, of one service, or of all. */
function lookupIn(
  place: readonly Entry[],
  neighbours: Neighbours,
  atPeers: Neighbours,
): (flow: Flow) => readonly Bundle[] {
  const held = groupByMany(place, ({ flow: { holders } }) => (holders.length === 0 ? [everybody] : holders));
  const services = serviceMap(place.map(({ flow }) => flow.service));
  const inHolder = (holder: string): readonly Entry[] => (holder === every ? place : (held.get(holder) ?? []));
  const byService = remembered((holder: string) => groupByMany(inHolder(holder), ({ flow }) => [flow.service.key]));
  const slotOf = remembered((holder: string) =>
    remembered((service: string) =>
      slotIn(service === every ? inHolder(holder) : (byService(holder).get(service) ?? []), atPeers),
    ),
  );
  const near = remembered((holder: string) => {
    const others = neighbours.near(holder);
    return others && [...shared(others, held), ...(held.has(everybody) ? [everybody] : [])];
  });
  const servicesMet = new Map<string, readonly string[]>();
  return ({ holders, service, peers }) => {
    const met = servicesMet.get(service.key) ?? services.meeting(service, most) ?? [every];
    servicesMet.set(service.key, met);
    const lists: (readonly Bundle[])[] = [];
    for (const holder of holdersMet(holders, near)) {
      for (const one of met) {
        const slot = slotOf(holder)(one);
        for (const peer of peers) lists.push(slot(peer));
      }
    }
    return joined(lists);
  };
}

/** The bundles of all lists, each once. Most flows meet one list, which is answered as it is. */
function joined(lists: readonly (readonly Bundle[])[]): readonly Bundle[] {
  const filled = lists.filter(({ length }) => length > 0);
  return filled.length > 1 ? [...new Set(filled.flat())] : (filled[0] ?? none);
}

function holdersMet(
  holders: Flow['holders'],
  near: (holder: string) => readonly string[] | undefined,
): readonly string[] {
  if (holders.length === 0) return [every];
  const lists: (readonly string[])[] = [];
  for (const holder of holders) {
    const others = near(holder);
    if (others === undefined || others.length > most) return [every];
    lists.push(others);
  }
  const met = lists.length === 1 ? lists.flat() : [...new Set(lists.flat())];
  return met.length > most ? [every] : met;
}

/** Keys that both have, at the price of the smaller. */
const shared = (some: ReadonlySet<string>, others: ReadonlyMap<string, unknown>): readonly string[] =>
  some.size < others.size
    ? [...some].filter((one) => others.has(one))
    : [...others.keys()].filter((one) => some.has(one));

/** Bundles of the entries with a peer that this one meets. */
type Slot = (peer: Peer) => readonly Bundle[];

function slotIn(entries: readonly Entry[], neighbours: Neighbours): Slot {
  const all = unite([entries]);
  const peersOf = <K extends Peer['kind']>(kind: K) =>
    all.flatMap((entry) =>
      entry.flow.peers.flatMap((peer) => {
        // why: the kind is what was asked for
        return peer.kind === kind ? [{ peer: peer as Extract<Peer, { kind: K }>, entry }] : [];
      }),
    );
  const unknown = unite([peersOf('unknown').map(({ entry }) => entry)]);
  const blocks = blockMap(
    peersOf('block').map(({ peer, entry }) => ({ cidr: peer.cidr, item: entry })),
    unite,
  );
  const inGroups = Map.groupBy(peersOf('group'), ({ peer }) => peer.key);
  const groups = {
    all: unite([peersOf('group').map(({ entry }) => entry)]),
    by: new Map([...inGroups].map(([group, its]) => [group, unite([its.map(({ entry }) => entry)])])),
  };
  const met: Readonly<Record<Peer['kind'], (peer: Peer) => readonly Bundle[]>> = {
    unknown: () => [all],
    group: ({ key }) => [unknown, ...groupsNear(key, groups, neighbours), ...blocksOf(key, blocks, neighbours)],
    block: (peer) =>
      peer.kind === 'block' ? [unknown, ...blocks.meeting(peer.cidr), ...groupsInside(peer, groups, neighbours)] : [],
  };
  const known = new Map<string, readonly Bundle[]>();
  return (peer) => {
    const before = known.get(peer.key);
    if (before !== undefined) return before;
    const found = [...new Set(met[peer.kind](peer).filter(({ length }) => length > 0))];
    known.set(peer.key, found);
    return found;
  };
}

interface Groups {
  readonly all: Bundle;
  readonly by: ReadonlyMap<string, Bundle>;
}

function groupsNear(group: string, { all, by }: Groups, neighbours: Neighbours): readonly Bundle[] {
  const near = neighbours.near(group);
  const names = near === undefined ? undefined : shared(near, by);
  if (names === undefined || names.length > most) return [all];
  return names.map((name) => by.get(name) ?? []);
}

function groupsInside(
  { cidr }: Extract<Peer, { kind: 'block' }>,
  { all, by }: Groups,
  neighbours: Neighbours,
): readonly Bundle[] {
  if (by.size > most) return neighbours.isInside(cidr) ? [all] : [];
  return [...by].flatMap(([group, bundle]) => (neighbours.standsIn(group, cidr) ? [bundle] : []));
}

function blocksOf(group: string, blocks: BlockMap<Entry>, neighbours: Neighbours): readonly Bundle[] {
  const own = neighbours.blocksOf(group);
  return own.length === 0 || own.length > most ? [blocks.all] : own.flatMap((cidr) => blocks.meeting(cidr));
}

function unite(bundles: readonly (readonly Entry[])[]): Bundle {
  const one = bundles.length === 1 ? (bundles[0] ?? []) : bundles.flat();
  const sorted = one.toSorted((a, b) => a.rank - b.rank || a.at - b.at);
  return sorted.filter((entry, at) => entry.at !== sorted[at - 1]?.at);
}

/** Lists of things by blocks of addresses. */
interface BlockMap<T> {
  /**
   * Few lists, which together hold exactly what lies in blocks that overlap this one; the same list each time it is met. Two
   * blocks overlap only where one contains the other: those that contain it are looked up, those inside are one run.
   */
  meeting(cidr: Cidr): readonly (readonly T[])[];
  readonly all: readonly T[];
}

type Unite<T> = (lists: readonly (readonly T[])[]) => readonly T[];

/** `unite` makes one list of several. */
function blockMap<T>(items: readonly { readonly cidr: Cidr; readonly item: T }[], unite: Unite<T>): BlockMap<T> {
  const grouped = Map.groupBy(items, ({ cidr }) => keyOf(cidr));
  const blocks = new Map([...grouped].flatMap(([key, all]) => all.slice(0, 1).map(({ cidr }) => [key, cidr] as const)));
  const sorted = [...blocks].toSorted(([, a], [, b]) => compare(a, b));
  const lists = sorted.map(([key]) => unite((grouped.get(key) ?? []).map(({ item }) => [item])));
  const listAt = new Map(sorted.map(([key], at) => [key, lists[at] ?? []]));
  const prefixes = [...new Set([...blocks.values()].map(({ prefix }) => prefix))];
  const run = runsOf(lists, unite);
  return {
    all: unite(lists),
    meeting: (cidr) => {
      const around = prefixes
        .filter((prefix) => prefix <= cidr.prefix)
        .map((prefix) => listAt.get(keyOf(widened(cidr, prefix))) ?? []);
      const first = firstWhere(sorted, ([, block]) => compare(block, cidr) > 0);
      const end = firstWhere(sorted, ([, block]) => isBehind(block, cidr));
      return [...around, ...run(first, end)].filter(({ length }) => length > 0);
    },
  };
}

const bits = { 4: 32, 6: 128 } as const;
const keyOf = ({ family, prefix, base }: Cidr): string => `${family} ${prefix} ${base}`;

function widened({ family, base }: Cidr, prefix: number): Cidr {
  const host = BigInt(bits[family] - prefix);
  return { family, prefix, base: (base >> host) << host };
}

/** By family, then address, the wider first: what a block contains follows it. */
function compare(a: Cidr, b: Cidr): number {
  if (a.family !== b.family) return a.family - b.family;
  if (a.base !== b.base) return a.base < b.base ? -1 : 1;
  return a.prefix - b.prefix;
}

const isBehind = (block: Cidr, { family, base, prefix }: Cidr): boolean =>
  block.family > family || (block.family === family && block.base >= base + (1n << BigInt(bits[family] - prefix)));

function firstWhere<T>(sorted: readonly T[], holds: (one: T) => boolean): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const one = sorted[middle];
    if (one !== undefined && holds(one)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The lists of any run as about 2 log n lists: those of the halves, quarters, … that it is made of. */
function runsOf<T>(lists: readonly (readonly T[])[], unite: Unite<T>) {
  const made = new Map<string, readonly T[]>();
  const whole = (from: number, to: number): readonly T[] => {
    const key = `${from} ${to}`;
    const known = made.get(key) ?? (to - from === 1 ? (lists[from] ?? []) : unite(lists.slice(from, to)));
    made.set(key, known);
    return known;
  };
  return (first: number, end: number): readonly (readonly T[])[] => {
    const found: (readonly T[])[] = [];
    const visit = (from: number, to: number): void => {
      if (to <= first || end <= from || from >= to) return;
      if (first <= from && to <= end) {
        found.push(whole(from, to));
        return;
      }
      const middle = (from + to) >>> 1;
      visit(from, middle);
      visit(middle, to);
    };
    visit(0, lists.length);
    return found;
  };
}

/** Services by what they have in common. */
interface ServiceMap {
  /** Keys of those that share a protocol and a port with this one; undefined where they are more than `most`. */
  meeting(service: Service, most: number): readonly string[] | undefined;
}

interface Span extends PortRange {
  readonly key: string;
}

export function serviceMap(services: readonly Service[]): ServiceMap {
  const spans = new Map<string, Map<string, Span>>();
  for (const { key, protocol, ranges } of services) {
    const known = spans.get(protocol) ?? new Map<string, Span>();
    for (const range of ranges) known.set(`${key} ${range.from}`, { ...range, key });
    spans.set(protocol, known);
  }
  const lookups = new Map([...spans].map(([protocol, all]) => [protocol, spansOf([...all.values()])]));
  return {
    meeting: ({ protocol, ranges }, most) => {
      const met = new Set<string>();
      const protocols = protocol === 'all' ? lookups.keys() : new Set([protocol, 'all']);
      for (const one of protocols) {
        // why: what speaks of every protocol, or is of every protocol, has no ports
        const asked = one === protocol ? ranges : [{ from: 0, to: 65_535 }];
        for (const range of asked) lookups.get(one)?.(range, met, most);
        if (met.size > most) return undefined;
      }
      return [...met];
    },
  };
}

/** Adds the keys of the spans that overlap a range to `met`, and stops once these are more than `most`. */
function spansOf(all: readonly Span[]) {
  const sorted = all.toSorted((a, b) => a.from - b.from || a.to - b.to);
  let furthest = -1;
  const reach = sorted.map(({ to }) => (furthest = Math.max(furthest, to)));
  return ({ from, to }: PortRange, met: Set<string>, most: number): void => {
    for (let at = lastFrom(sorted, to); at >= 0 && (reach[at] ?? -1) >= from && met.size <= most; at -= 1) {
      const span = sorted[at];
      if (span !== undefined && span.to >= from) met.add(span.key);
    }
  };
}

function lastFrom(sorted: readonly Span[], to: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle]?.from ?? 0) <= to) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
