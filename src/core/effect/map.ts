import { flatMapInSteps, type Steps } from '../steps.ts';
import { compareText } from '../text.ts';
import { edgesInSteps, isOutside, type MapEdge } from './map-edges.ts';
import type { Flow, MapGroup, OutsideEnd } from './map-flows.ts';
import { isTroubled, type MapScope, type Place, placesOf, sumOf, type Trouble, worstFirst } from './map-places.ts';
import { gapText } from './reach-between.ts';

/**
 * A map of machines and their traffic, of at most so many nodes. `internet` and `block` are outside of all networks; `rest` stands for all
 * of one place, or of the world, that has no node of its own.
 */
export interface TrafficMap {
  readonly nodes: readonly MapNode[];
  readonly edges: readonly MapEdge[];
  readonly hidden: readonly Hidden[];
  readonly unknown: readonly Unknown[];
}

export interface MapNode
  extends Pick<Place, 'id' | 'name' | 'cidrs' | 'memberships' | 'machines' | 'doubts' | 'trouble'> {
  readonly kind: Place['kind'] | 'internet' | 'block' | 'rest';
  readonly parent?: string;
  readonly scope?: string;
  readonly address?: string;
  readonly condition?: Place['condition'];
  readonly exposure?: Place['exposure'];
  /** It contains others that have no node of their own. */
  readonly isCollapsed: boolean;
}

/** Things without a node or an edge of their own. */
export interface Hidden {
  readonly what: 'instances' | 'edges' | 'blocks' | 'statuses';
  readonly count: number;
  readonly reason: string;
}

/** Traffic that the map may lack. */
export interface Unknown {
  readonly scope: string;
  readonly reason: string;
}

export interface MapLimits {
  readonly nodes: number;
  readonly edges: number;
}

/** Draws the map of these scopes. */
export function* mapInSteps(scopes: readonly MapScope[], limits: MapLimits): Steps<TrafficMap> {
  const world = worldOf(
    scopes.flatMap((one) => one.flows.flows),
    limits.nodes,
  );
  yield;
  const placed = yield* flatMapInSteps(scopes, (one) => [{ ...one, places: placesOf(one) }], 1);
  const places = placed.flatMap((one) => one.places);
  const chosen = chosenPlaces(places, limits.nodes - world.nodes.length);
  const networks = chosen.flatMap(({ place, isRest }) => (place.kind === 'network' && !isRest ? [place] : []));
  yield;
  const edges = yield* edgesInSteps(scopes, { groups: endsOf(chosen), blocks: world.ends, networks });
  const nodes = [...world.nodes, ...chosen.map(nodeOf)];
  return {
    nodes,
    edges: edges.slice(0, limits.edges),
    hidden: hiddenOf(scopes, { nodes, edges, world, limits }),
    unknown: placed.flatMap(unknownOf),
  };
}

const nothing: Trouble = sumOf([]);

interface World {
  readonly nodes: readonly MapNode[];
  readonly ends: ReadonlyMap<string, string>;
  readonly hidden: number;
}

/** The internet, and the blocks with the most flows, each with a node; others share one. */
function worldOf(flows: readonly Flow[], limit: number): World {
  const counts = new Map<string, { readonly end: OutsideEnd; flows: number }>();
  for (const { from, to } of flows) {
    const end = isOutside(from) ? from : to;
    if (!isOutside(end)) continue;
    const known = counts.get(end.text) ?? { end, flows: 0 };
    known.flows += 1;
    counts.set(end.text, known);
  }
  const blocks = [...counts.values()]
    .filter(({ end: { text } }) => text !== 'internet')
    .toSorted((a, b) => b.flows - a.flows || compareText(a.end.text, b.end.text))
    .map(({ end: { text } }) => text);
  const most = Math.max(1, Math.floor(limit / 12));
  const own = blocks.length <= most ? blocks : blocks.slice(0, most - 1);
  const others = blocks.slice(own.length);
  const rest =
    others.length === 0 ? [] : [outsideNode('other blocks', 'rest', `${others.length} other blocks of addresses`)];
  return {
    nodes: [
      outsideNode('internet', 'internet', 'internet'),
      ...own.map((text) => outsideNode(`block ${text}`, 'block', text)),
      ...rest,
    ],
    ends: new Map([
      ['internet', 'internet'],
      ...own.map((text) => [text, `block ${text}`] as const),
      ...others.map((text) => [text, 'other blocks'] as const),
    ]),
    hidden: others.length,
  };
}

const outsideNode = (id: string, kind: MapNode['kind'], name: string): MapNode => ({
  ...{ id, kind, name, cidrs: [], memberships: [], machines: 0, doubts: [], trouble: nothing, isCollapsed: false },
});

/** A place that is drawn, in another one. `rest`: the places that it stands for. */
interface Chosen {
  readonly place: Place;
  readonly parent?: Chosen;
  readonly isRest?: true;
  isCollapsed: boolean;
}

/** Draws the outer places first, at each depth the worst first. What finds no room is drawn as one with its place. */
function chosenPlaces(scopes: readonly Place[], limit: number): readonly Chosen[] {
  const drawn: Chosen[] = [];
  let level = withRest(scopes, undefined, limit);
  drawn.push(...level);
  while (level.length > 0) {
    const next: Chosen[] = [];
    for (const one of level.toSorted((a, b) => worstFirst(a.place, b.place))) {
      const room = limit - drawn.length;
      const inside = insideOf(one, room);
      if (inside.length === 0) continue;
      one.isCollapsed = false;
      drawn.push(...inside);
      next.push(...inside);
    }
    level = next;
  }
  return drawn;
}

/** A group with more machines than this is drawn as one, with its troubled machines beside it. */
const mostMachines = 20;
const mostTroubled = 10;
/** Of a place that has too many for the room that is left. */
const mostOfSome = 40;

function insideOf(one: Chosen, room: number): readonly Chosen[] {
  const { place, isRest } = one;
  const { children, kind } = place;
  if (isRest || children.length === 0 || room < 2) return [];
  if (kind !== 'group' || children.length <= mostMachines) {
    if (children.length <= room) return children.toSorted(worstFirst).map((child) => chosenOf(child, one));
    return isTroubled(place.trouble) ? withRest(children, one, Math.min(room, mostOfSome)) : [];
  }
  const own = children.filter(({ trouble }) => trouble.violating + trouble.drifted + trouble.failed > 0);
  return own.length === 0 ? [] : withRest(children, one, Math.min(room, own.length + 1, mostTroubled + 1));
}

const chosenOf = (place: Place, parent: Chosen | undefined): Chosen => ({
  place,
  isCollapsed: place.children.length > 0,
  ...(parent === undefined ? {} : { parent }),
});

/** The worst of these places, and one for the others where there are more than `limit`. */
function withRest(places: readonly Place[], parent: Chosen | undefined, limit: number): readonly Chosen[] {
  if (places.length <= limit) return places.map((place) => chosenOf(place, parent));
  const sorted = places.toSorted(worstFirst);
  const own = sorted.slice(0, Math.max(0, limit - 1));
  const others = sorted.slice(own.length);
  const rest: Place = {
    ...{ id: `rest of ${parent?.place.id ?? 'all'}`, kind: others[0]?.kind ?? 'scope' },
    name: `${others.length} more ${nouns[others[0]?.kind ?? 'scope']}`,
    scope: parent?.place.scope ?? '',
    ...{ cidrs: [], memberships: [], doubts: [], children: [] },
    machines: others.reduce((n, { machines }) => n + machines, 0),
    trouble: sumOf(others.map(({ trouble }) => trouble)),
    groups: others.flatMap(({ groups }) => groups),
  };
  return [
    ...own.map((place) => chosenOf(place, parent)),
    { ...chosenOf(rest, parent), isRest: true, isCollapsed: true },
  ];
}

const nouns: Readonly<Record<Place['kind'], string>> = {
  scope: 'scopes',
  network: 'networks',
  subnet: 'subnets',
  group: 'groups of instances',
  instance: 'instances',
};

function nodeOf({ place, parent, isRest, isCollapsed }: Chosen): MapNode {
  const { children: _, groups: _groups, kind, scope, ...rest } = place;
  return {
    ...rest,
    kind: isRest ? 'rest' : kind,
    ...(scope === '' ? {} : { scope }),
    ...(parent === undefined ? {} : { parent: parent.place.id }),
    isCollapsed,
  };
}

/** Outer places come first, so the innermost one with a node counts. */
const endsOf = (chosen: readonly Chosen[]): ReadonlyMap<MapGroup, string> =>
  new Map(chosen.flatMap(({ place }) => place.groups.map((group) => [group, place.id] as const)));

interface Outcome {
  readonly nodes: readonly MapNode[];
  readonly edges: readonly MapEdge[];
  readonly world: World;
  readonly limits: MapLimits;
}

function hiddenOf(scopes: readonly MapScope[], { nodes, edges, world, limits }: Outcome): readonly Hidden[] {
  const all = scopes.flatMap(({ flows }) => flows.groups.map(({ machines }) => machines.length));
  const instances = all.reduce((n, one) => n + one, 0) - nodes.filter(({ kind }) => kind === 'instance').length;
  const found: readonly Hidden[] = [
    {
      what: 'instances',
      count: instances,
      reason: `a group of more than ${mostMachines} instances is one node, and so is a place with more than the ${limits.nodes} nodes of the map have room for; the worst have nodes of their own first`,
    },
    { what: 'blocks', count: world.hidden, reason: 'blocks of addresses with few edges share one node' },
    {
      what: 'edges',
      count: edges.length - limits.edges,
      reason: `the map has at most ${limits.edges} edges: choose a network, a group or one resource`,
    },
  ];
  return found.filter(({ count }) => count > 0);
}

interface Placed extends MapScope {
  readonly places: readonly Place[];
}

/** Reasons for which the map of a scope may lack an edge. */
function unknownOf({ scope, state, flows, places }: Placed): readonly Unknown[] {
  const gaps = state.gaps.map(gapText);
  const names = state.networks;
  const unlooked = [...flows.unlooked].map(
    ([network, groups]) =>
      `inside of ${names.get(network)?.name ?? network}: ${groups} groups of instances are too many pairs; choose a group or one resource`,
  );
  return [...new Set([...gaps, ...unlooked, ...flows.doubts, ...places.flatMap(doubtsIn)])].map((reason) => ({
    scope,
    reason,
  }));
}

/** Of networks and subnets, drawn or not. The flows have the doubts of machines. */
const doubtsIn = ({ kind, name, doubts, children }: Place): readonly string[] =>
  kind === 'group' || kind === 'instance'
    ? []
    : [...doubts.map((doubt) => `${name}: ${doubt}`), ...children.flatMap(doubtsIn)];
