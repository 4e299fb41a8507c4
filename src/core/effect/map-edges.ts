import { flatMapInSteps, type Steps } from '../steps.ts';
import { compareText } from '../text.ts';
import type { ReadRule } from './filter.ts';
import type { Flow, MapGroup, OutsideEnd } from './map-flows.ts';
import type { MapScope, Place } from './map-places.ts';
import { type DecidingRule, decidingRule, type ReachAnswer } from './reach.ts';
import {
  entriesIn,
  intersect,
  isNone,
  noServices,
  type ServiceEntry,
  type Services,
  subtract,
  unite,
} from './service-set.ts';

/**
 * Traffic between two nodes. `answer`: `yes` where some passes for certain. `partial`: not all of it passes between each of their
 * machines. `rules`: that allow it, the violating ones first; none where a default does.
 */
export interface MapEdge {
  readonly from: string;
  readonly to: string;
  readonly answer: Exclude<ReachAnswer, 'no'>;
  readonly fromInternet: boolean;
  readonly open: readonly ServiceEntry[];
  readonly maybe: readonly ServiceEntry[];
  readonly partial: boolean;
  readonly rules: readonly (DecidingRule & { readonly violates: boolean })[];
  readonly moreRules: number;
  readonly reasons: readonly string[];
}

/** The ids of the nodes that stand for groups, and for blocks. `networks`: the places that are drawn with something inside. */
export interface Ends {
  readonly groups: ReadonlyMap<MapGroup, string>;
  readonly blocks: ReadonlyMap<string, string>;
  readonly networks: readonly Place[];
}

export const isOutside = (end: Flow['from']): end is OutsideEnd => 'text' in end;

/** An edge that grows: all flows between two nodes. */
interface Bundle {
  readonly from: string;
  readonly to: string;
  readonly fromInternet: boolean;
  /** Of the ends; undefined: outside of all networks. */
  readonly network: string | undefined;
  sure: Services;
  may: Services;
  /** That passes for certain between each two of its groups. */
  common: Services;
  flows: number;
  readonly rules: Set<ReadRule>;
  readonly reasons: Set<string>;
}

/** Flows in one step. */
const flowsAtOnce = 2_000;

/** All edges between the nodes, the worst first. */
export function* edgesInSteps(scopes: readonly MapScope[], ends: Ends): Steps<readonly MapEdge[]> {
  const counts = groupCounts(ends);
  const found: (readonly MapEdge[])[] = [];
  for (const { flows, conditions } of scopes) {
    const bundles = new Map<string, Bundle>();
    for (const [at, flow] of flows.flows.entries()) {
      addFlow(flow, bundles, ends);
      if (at % flowsAtOnce === flowsAtOnce - 1) yield;
    }
    yield;
    const all = [...bundles.values()].map((one) => ({ ...one, isWhole: one.flows >= pairsOf(one, counts) }));
    const isViolating = ({ held: { id } }: ReadRule): boolean => (conditions.get(id)?.violations ?? 0) > 0;
    found.push(yield* flatMapInSteps(withCommon(all, ends, counts), (one) => [edgeOf(one, isViolating)]));
  }
  return found.flat().toSorted(worstEdgeFirst);
}

function addFlow({ from, to, sure, may, rules, reasons }: Flow, bundles: Map<string, Bundle>, ends: Ends): void {
  const [source, sink] = [from, to].map((end) => (isOutside(end) ? ends.blocks.get(end.text) : ends.groups.get(end)));
  if (source === undefined || sink === undefined) return;
  const key = `${source}\n${sink}`;
  const network = [from, to].map((end) => (isOutside(end) ? undefined : end.network)).find((one) => one !== undefined);
  const bundle = bundles.get(key) ?? {
    ...{ from: source, to: sink, fromInternet: isOutside(from) && from.isPublic, network },
    ...{ sure: noServices, may: noServices, common: sure, flows: 0, rules: new Set(), reasons: new Set<string>() },
  };
  bundles.set(key, bundle);
  bundle.sure = unite(bundle.sure, sure);
  bundle.may = unite(bundle.may, may);
  bundle.common = intersect(bundle.common, sure);
  bundle.flows += 1;
  for (const rule of rules) bundle.rules.add(rule);
  for (const reason of reasons) bundle.reasons.add(reason);
}

/** By the ids of nodes: of their groups, and of those among them with one machine, which sends nothing to itself. */
interface Count {
  groups: number;
  single: number;
}

function groupCounts({ groups }: Ends): ReadonlyMap<string, Count> {
  const counts = new Map<string, Count>();
  for (const [{ machines }, id] of groups) {
    const count = counts.get(id) ?? { groups: 0, single: 0 };
    count.groups += 1;
    count.single += Number(machines.length === 1);
    counts.set(id, count);
  }
  return counts;
}

function pairsOf({ from, to }: Pick<Bundle, 'from' | 'to'>, counts: ReadonlyMap<string, Count>): number {
  const [source, sink] = [counts.get(from), counts.get(to)];
  const pairs = (source?.groups ?? 1) * (sink?.groups ?? 1);
  return from === to ? pairs - (source?.single ?? 0) : pairs;
}

type Whole = Bundle & { readonly isWhole: boolean };

/**
 * Where each of at least three nodes of a network may send the same to each, or to the internet, one edge of the network tells it, and the
 * edges of its nodes tell the rest.
 */
function withCommon(bundles: readonly Whole[], ends: Ends, counts: ReadonlyMap<string, Count>): readonly Whole[] {
  const networks = new Map(ends.networks.map((place) => [place.groups[0]?.network, place]));
  return [...Map.groupBy(bundles, ({ network }) => network)].flatMap(([network, some]) => {
    const place = networks.get(network);
    if (place === undefined) return some;
    const own = new Set(place.groups.flatMap((group) => ends.groups.get(group) ?? []));
    if (own.size < 3 || own.has(place.id)) return some;
    const single = [...own].filter((id) => counts.get(id)?.groups === 1 && counts.get(id)?.single === 1).length;
    const {
      inside = [],
      out = [],
      rest = [],
    } = Object.groupBy(some, ({ from, to }) => {
      if (own.has(from) && own.has(to)) return 'inside';
      return to === 'internet' ? 'out' : 'rest';
    });
    return [
      ...rest,
      ...joined(inside, own.size ** 2 - single, { from: place.id, to: place.id }),
      ...joined(out, own.size, { from: place.id, to: 'internet' }),
    ];
  });
}

function joined(some: readonly Whole[], pairs: number, ends: Pick<Bundle, 'from' | 'to'>): readonly Whole[] {
  const [first] = some;
  if (first === undefined || some.length < pairs || some.some(({ isWhole }) => !isWhole)) return some;
  const common = some.map((one) => one.common).reduce(intersect, first.common);
  if (isNone(common)) return some;
  const isAbout = (rule: ReadRule, services: Services): boolean => !isNone(intersect(rule.services.may, services));
  const rules = [...new Set(some.flatMap((one) => [...one.rules]))].filter((rule) => isAbout(rule, common));
  const rest = some.flatMap((one): readonly Whole[] => {
    const may = subtract(one.may, common);
    if (isNone(may)) return [];
    const left = new Set([...one.rules].filter((rule) => isAbout(rule, may)));
    return [{ ...one, may, sure: subtract(one.sure, common), common: subtract(one.common, common), rules: left }];
  });
  const shared = { sure: common, may: common, common, rules: new Set(rules) };
  return [{ ...first, ...ends, ...shared, isWhole: true, reasons: new Set() }, ...rest];
}

const mostRules = 20;
const mostReasons = 5;

function edgeOf(one: Whole, isViolating: (rule: ReadRule) => boolean): MapEdge {
  const rules = new Map(
    [...one.rules].map((rule) => [rule.held.ref, { ...decidingRule(rule), violates: isViolating(rule) }] as const),
  );
  const sorted = [...rules.values()].toSorted(
    (a, b) => Number(b.violates) - Number(a.violates) || compareText(a.name, b.name),
  );
  return {
    ...{ from: one.from, to: one.to, fromInternet: one.fromInternet },
    answer: isNone(one.sure) ? 'unknown' : 'yes',
    open: entriesIn(one.sure),
    maybe: entriesIn(subtract(one.may, one.sure)),
    partial: !one.isWhole || one.common.key !== one.sure.key,
    rules: sorted.slice(0, mostRules),
    moreRules: Math.max(0, sorted.length - mostRules),
    reasons: [...one.reasons].toSorted(compareText).slice(0, mostReasons),
  };
}

function worstEdgeFirst(a: MapEdge, b: MapEdge): number {
  return rankOf(a) - rankOf(b) || compareText(a.from, b.from) || compareText(a.to, b.to);
}

function rankOf({ fromInternet, answer, rules, to }: MapEdge): number {
  const certain = answer === 'yes' ? 0 : 1;
  if (fromInternet) return certain;
  if (rules.some(({ violates }) => violates)) return 2 + certain;
  return (to === 'internet' ? 6 : 4) + certain;
}
