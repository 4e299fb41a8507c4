import type { Ref } from '../resource.ts';
import { flatMapInSteps, type Steps } from '../steps.ts';
import { compareText } from '../text.ts';
import { type Region, regionsOf } from './blocks.ts';
import {
  type Applied,
  both,
  type Direction,
  type Doubt,
  doubtsIn,
  type Filter,
  filterOf,
  type Lists,
  nothing,
  type Passing,
  passing,
  type RuleList,
} from './filter.ts';
import { classesOf, type MachineClass, type Side } from './machine-classes.ts';
import { intersect, isNone, noServices, partsOf, type Services, subtract, unite } from './service-set.ts';
import type { Machine, TrafficState } from './state.ts';
import { anyOf, least, meets, type Party } from './terms.ts';
import { type Way, wayOf } from './way.ts';

/** A change of the traffic is certain, or possible where something is unknown. */
export type ChangeKind = 'opens' | 'cuts' | 'may-open' | 'may-cut';

/** One end: machines of these classes, or a block outside. */
export type ClassEnd = { readonly classes: readonly MachineClass[] } | { readonly region: string };

/** Traffic from each of `from` to each of `to` whose passing changes. */
export interface Difference {
  readonly kind: ChangeKind;
  readonly network: Ref;
  readonly from: ClassEnd;
  readonly to: ClassEnd;
  readonly services: Services;
  readonly causes: Causes;
}

/** `rules`: that stand in one state only, or differ. `machines`: that rules see as others than before. `reasons`: of a doubt. */
export interface Causes {
  readonly rules: ReadonlySet<Ref>;
  readonly machines: ReadonlySet<Ref>;
  readonly reasons: ReadonlySet<string>;
}

/** Both states, and the answers that were found so far. */
interface Comparison {
  readonly before: TrafficState;
  readonly after: TrafficState;
  /** One list stands for all that decide alike. */
  readonly listsOf: (side: 'before' | 'after', machine: Machine, direction: Direction) => Lists;
  readonly letThrough: (lists: Lists, party: Side) => Passing;
  /** Contents of rules that stand in one state only. */
  readonly changed: ReadonlySet<string>;
}

export interface Compared {
  readonly differences: readonly Difference[];
  /** Why Setpoint cannot tell all that decides on the traffic of some machine. */
  readonly doubts: readonly string[];
}

/** All changes of the traffic of machines that stand in both states. */
export function* differencesInSteps(before: TrafficState, after: TrafficState): Steps<Compared> {
  const filters = { before: filterOf(before), after: filterOf(after) };
  const shared = new Map<string, Lists>();
  const comparison: Comparison = {
    ...{ before, after, letThrough: rememberedPassing(), changed: changedIn(filters.before, filters.after) },
    listsOf: (side, machine, direction) => {
      const lists = filters[side].lists(machine, direction);
      const known = shared.get(lists.key) ?? lists;
      shared.set(lists.key, known);
      return known;
    },
  };
  yield;
  const kinds = classesOf(before, after, [filters.before, filters.after]);
  const classes = yield* flatMapInSteps(kinds, (one) => [viewOf(one, comparison)]);
  const differences: Difference[] = [];
  const doubts = new Set(classes.flatMap((view) => doubtsOf(view, after)));
  for (const [network, some] of Map.groupBy(classes, ({ its }) => its.network)) {
    const inside = yield* insideDifferences(some, comparison);
    const name = before.networks.get(network)?.name ?? network;
    if (inside === undefined)
      doubts.add(`traffic inside of network ${name}: ${some.length} kinds of machines are too many`);
    yield;
    differences.push(...(inside ?? []), ...outsideDifferences(some, comparison));
    yield;
  }
  return { differences, doubts: [...doubts].toSorted(compareText) };
}

/** Outer filters make changes unknown, each with its reason, and hide none. */
function doubtsOf({ its, ingress, egress }: View, { subnets }: TrafficState): readonly string[] {
  const outer = subnets.get(its.after.machine.subnet)?.outer ?? [];
  return [ingress.after, egress.after].flatMap((lists) => doubtsIn(lists)).filter((reason) => !outer.includes(reason));
}

function changedIn(before: Filter, after: Filter): ReadonlySet<string> {
  const [was, is] = [before, after].map(({ rules }) => new Set(rules.map(({ content }) => content)));
  return was === undefined || is === undefined ? new Set() : was.symmetricDifference(is);
}

function rememberedPassing(): Comparison['letThrough'] {
  const found = new Map<Lists, Map<string, Passing>>();
  return (lists, { key, party }) => {
    const byParty = found.get(lists) ?? new Map<string, Passing>();
    found.set(lists, byParty);
    const known = byParty.get(key) ?? passing(lists, party);
    byParty.set(key, known);
    return known;
  };
}

/** A class, with the rules for its traffic in both states. */
interface View {
  readonly its: MachineClass;
  readonly isSeenOther: boolean;
  /** Other rules than before apply to it, though these did not change. */
  readonly isMoved: boolean;
  readonly ingress: ListsOf;
  readonly egress: ListsOf;
}

interface ListsOf {
  readonly before: Lists;
  readonly after: Lists;
  readonly differ: boolean;
}

function viewOf(its: MachineClass, { listsOf }: Comparison): View {
  const inBoth = (direction: Direction): ListsOf => {
    const before = listsOf('before', its.before.machine, direction);
    const after = listsOf('after', its.after.machine, direction);
    return { before, after, differ: before !== after };
  };
  return {
    its,
    isSeenOther: its.before.key !== its.after.key,
    isMoved: its.before.whole !== its.after.whole,
    ingress: inBoth('ingress'),
    egress: inBoth('egress'),
  };
}

/** One kind of change of one service at one machine class, and the positions of its other ends. */
interface Bucket {
  readonly kind: ChangeKind;
  readonly services: Services;
  readonly others: number[];
}

/** Services are split here, so that the common part of several ends is listed once. */
function bucketsOf() {
  const buckets = new Map<string, Bucket>();
  return {
    add: (before: Passing, after: Passing, other: number): void => {
      for (const [kind, services] of changesBetween(before, after)) {
        for (const part of partsOf(services)) {
          const key = `${kind} ${part.key}`;
          const bucket = buckets.get(key) ?? { kind, services: part, others: [] };
          bucket.others.push(other);
          buckets.set(key, bucket);
        }
      }
    },
    all: (): readonly Bucket[] => [...buckets.values()],
  };
}

/**
 *   traffic                                          | change
 *   -------------------------------------------------+-----------
 *   passes for certain now, and certainly did not    | opens
 *   passed for certain, and certainly does not now   | cuts
 *   is more certain to pass than before, or may pass | may-open
 *   is less certain to pass than before              | may-cut
 *   may pass as before, for other reasons            | may-open
 *
 * If something unlisted may decide before the rules, their changes are only possible.
 */
export function changesBetween(before: Passing, after: Passing): readonly (readonly [ChangeKind, Services])[] {
  if (before.byRules !== undefined || after.byRules !== undefined)
    return changesBetween(before.byRules ?? before, after.byRules ?? after).map(
      ([kind, services]) => [onlyPossible[kind], services] as const,
    );
  const isSame = before.sure.key === after.sure.key && before.may.key === after.may.key;
  if (isSame && before.sure.key === before.may.key) return [];
  const opens = subtract(after.sure, before.may);
  const cuts = subtract(before.sure, after.may);
  const more = unite(subtract(after.sure, before.sure), subtract(after.may, before.may));
  const less = unite(subtract(before.sure, after.sure), subtract(before.may, after.may));
  const found: readonly (readonly [ChangeKind, Services])[] = [
    ['opens', opens],
    ['cuts', cuts],
    ['may-open', subtract(unite(more, unclear(before, after)), opens)],
    ['may-cut', subtract(less, cuts)],
  ];
  return found.filter(([, services]) => !isNone(services));
}

/** The kind of a change if something else may decide. */
const onlyPossible: Readonly<Record<ChangeKind, ChangeKind>> = {
  opens: 'may-open',
  cuts: 'may-cut',
  'may-open': 'may-open',
  'may-cut': 'may-cut',
};

/** The services that may pass before and after, and for other reasons after. */
function unclear(before: Passing, after: Passing): Services {
  const both = intersect(subtract(before.may, before.sure), subtract(after.may, after.sure));
  if (isNone(both)) return both;
  const differing = [...unlike(before.doubts, after.doubts), ...unlike(after.doubts, before.doubts)];
  return intersect(both, differing.map(({ services }) => services).reduce(unite, noServices));
}

function unlike(some: readonly Doubt[], others: readonly Doubt[]): readonly Doubt[] {
  const known = new Set(others.map(({ content }) => content));
  return some.filter(({ content }) => !known.has(content));
}

/** Pairs of classes that a plan waits for: some seconds. */
const mostPairs = 2_000_000;

/** The number of receivers in one step. */
const receiversAtOnce = 20;

/** Undefined where there are too many pairs to look at. */
function* insideDifferences(views: readonly View[], comparison: Comparison): Steps<readonly Difference[] | undefined> {
  const sendersTo = rememberedSenders(views, comparison);
  if (isMoreThan(mostPairs, views, (view) => sendersTo(view).length)) return undefined;
  const groups = new Map<string, { readonly bucket: Bucket; readonly receivers: number[] }>();
  for (const [at, receiver] of views.entries()) {
    if (at % receiversAtOnce === 0) yield;
    for (const bucket of changesAt(receiver, sendersTo(receiver), views, comparison)) {
      const key = `${bucket.kind} ${bucket.services.key} ${bucket.others.join()}`;
      const known = groups.get(key);
      if (known === undefined) groups.set(key, { bucket, receivers: [at] });
      else known.receivers.push(at);
    }
  }
  const viewsAt = (positions: readonly number[]): readonly View[] => positions.flatMap((at) => views[at] ?? []);
  const sameEnds = Map.groupBy(
    groups.values(),
    ({ bucket, receivers }) => `${bucket.kind} ${bucket.others.join()} ${receivers.join()}`,
  );
  return yield* flatMapInSteps([...sameEnds.values()], (same): readonly Difference[] => {
    const [first] = same;
    if (first === undefined) return [];
    const { kind, others } = first.bucket;
    const [from, receivers] = [viewsAt(others), viewsAt(first.receivers)];
    const network = receivers[0]?.its.network;
    if (network === undefined || isOnlyItself(from, receivers)) return [];
    const services = same.map(({ bucket }) => bucket.services).reduce(unite, noServices);
    return [
      {
        ...{ kind, services, network },
        from: { classes: from.map(({ its }) => its) },
        to: { classes: receivers.map(({ its }) => its) },
        causes: causesOf({ from, receivers, kind, services }, comparison),
      },
    ];
  });
}

function isMoreThan<T>(most: number, all: readonly T[], countOf: (one: T) => number): boolean {
  let sum = 0;
  return all.some((one) => {
    sum += countOf(one);
    return sum > most;
  });
}

/** The changes of the traffic from these senders. */
function changesAt(
  receiver: View,
  senders: readonly number[],
  views: readonly View[],
  comparison: Comparison,
): readonly Bucket[] {
  const buckets = bucketsOf();
  for (const position of senders) {
    const sender = views[position];
    const pair = sender && pairOf(sender, receiver, comparison);
    if (pair !== undefined) buckets.add(pair.before, pair.after, position);
  }
  return buckets.all();
}

/** Nobody asks what a machine sends to itself; and yet with it the ends are more often a whole group. */
function isOnlyItself(from: readonly View[], receivers: readonly View[]): boolean {
  const [one] = from;
  return from.length === 1 && receivers.length === 1 && one === receivers[0] && one?.its.machines.length === 1;
}

/**
 * Positions of the senders whose traffic to a receiver may change, in order: those that its changed rules are about, and those that changed
 * themselves. Where the receiver is another than before, all.
 */
function rememberedSenders(views: readonly View[], { changed }: Comparison): (receiver: View) => readonly number[] {
  const everybody = [...views.keys()];
  const turned = everybody.filter((at) => views[at]?.egress.differ || views[at]?.isSeenOther);
  const met = new Map<string, readonly number[]>();
  const meeting = ({ rules, tags }: RuleList): readonly number[] =>
    rules.flatMap(({ rule }) => {
      if (!changed.has(rule.content)) return [];
      const key = `${tags} ${rule.content}`;
      const isMet = ({ its: { before, after } }: View): boolean =>
        [before, after].some(({ party }) => anyOf(rule.peers, (term) => meets(term, party, tags)) !== 'no');
      const found = met.get(key) ?? [...views.entries()].flatMap(([at, view]) => (isMet(view) ? [at] : []));
      met.set(key, found);
      return found;
    });
  const known = new Map<Lists, Map<Lists, readonly number[]>>();
  return ({ ingress: { before, after, differ }, isSeenOther, isMoved }) => {
    if (isSeenOther || isMoved) return everybody;
    if (!differ) return turned;
    const asked = known.get(before)?.get(after);
    if (asked !== undefined) return asked;
    const some = new Set([...before.lists, ...after.lists].flatMap(meeting).concat(turned));
    const found = [...some].toSorted((a, b) => a - b);
    known.set(before, (known.get(before) ?? new Map()).set(after, found));
    return found;
  };
}

/** Undefined where neither end changes. */
function pairOf(
  sender: View,
  receiver: View,
  { letThrough }: Comparison,
): { readonly before: Passing; readonly after: Passing } | undefined {
  const was = letThrough(receiver.ingress.before, sender.its.before);
  const is = letThrough(receiver.ingress.after, sender.its.after);
  if (was === is && !sender.egress.differ && !receiver.isSeenOther) return undefined;
  return {
    before: both(letThrough(sender.egress.before, receiver.its.before), was),
    after: both(letThrough(sender.egress.after, receiver.its.after), is),
  };
}

/**
 * The changes of the traffic with the world. Where the way to it is another one too, what finds no way does not pass; otherwise the
 * rules decide alone, and the ends tell how many machines find it.
 */
function outsideDifferences(views: readonly View[], comparison: Comparison): readonly Difference[] {
  const worlds = rememberedWorlds(comparison);
  return (['ingress', 'egress'] as const).flatMap((direction) => {
    const groups = new Map<string, { readonly difference: OutsideChange; readonly views: View[] }>();
    for (const view of views) {
      for (const difference of outsideOf(view, direction, worlds, comparison)) {
        const key = `${difference.kind} ${difference.region.text} ${difference.services.key}`;
        const known = groups.get(key);
        if (known === undefined) groups.set(key, { difference, views: [view] });
        else known.views.push(view);
      }
    }
    return [...groups.values()].flatMap(({ difference: { kind, services, region }, views: some }) => {
      const [first] = some;
      if (first === undefined) return [];
      const machines: ClassEnd = { classes: some.map(({ its }) => its) };
      const world: ClassEnd = { region: region.text };
      const party: Party = { kind: 'outside', block: region.block };
      return [
        {
          ...{ kind, services, network: first.its.network },
          from: direction === 'ingress' ? world : machines,
          to: direction === 'ingress' ? machines : world,
          causes: causesAt(some, { direction, parties: [party], kind, services }, comparison),
        },
      ];
    });
  });
}

interface OutsideChange {
  readonly kind: ChangeKind;
  readonly services: Services;
  readonly region: Region;
}

/** A region of the world with what passes between it and a machine by the rules, in both states. */
interface World {
  readonly region: Region;
  readonly before: Passing;
  readonly after: Passing;
}

type Worlds = (lists: ListsOf, network: Ref) => readonly World[];

/** Most machines share their rules with others. */
function rememberedWorlds({ before, after }: Comparison): Worlds {
  const found = new Map<Lists, Map<Lists, readonly World[]>>();
  return (lists, network) => {
    const known = found.get(lists.before)?.get(lists.after);
    if (known !== undefined) return known;
    const inside = [before, after].flatMap(({ networks }) => networks.get(network)?.blocks ?? []);
    const withV6 = inside.some(({ family }) => family === 6);
    const blocks = [lists.before, lists.after].flatMap((side) =>
      side.lists.flatMap(({ rules }) => rules.flatMap(peerBlocks)),
    );
    const worlds = regionsOf(blocks, { inside, withV6 }).map((region) => {
      const party: Party = { kind: 'outside', block: region.block };
      return { region, before: passing(lists.before, party), after: passing(lists.after, party) };
    });
    found.set(lists.before, (found.get(lists.before) ?? new Map()).set(lists.after, worlds));
    return worlds;
  };
}

export const peerBlocks = ({ rule: { peers } }: Applied) =>
  peers.flatMap((term) => (term.kind === 'block' ? [term.cidr] : []));

function outsideOf(view: View, direction: Direction, worlds: Worlds, comparison: Comparison): readonly OutsideChange[] {
  const { its, [direction]: lists } = view;
  const waysTo = (region: Region): readonly [Way['answer'], Way['answer']] => [
    wayOf(comparison.before, its.before.machine, direction, region.block).answer,
    wayOf(comparison.after, its.after.machine, direction, region.block).answer,
  ];
  const told: Readonly<Record<ChangeKind, Map<number, Services>>> = {
    opens: new Map(),
    cuts: new Map(),
    'may-open': new Map(),
    'may-cut': new Map(),
  };
  return worlds(lists, its.network).flatMap(({ region, before, after }, at) => {
    const [was, is] = waysTo(region);
    if (!lists.differ && was === is) return [];
    const passed = was === is ? ([before, after] as const) : ([byWay(before, was), byWay(after, is)] as const);
    return changesBetween(...passed).flatMap(([kind, services]) => {
      // why: an answer for the whole block covers its parts
      const around = region.within.map((other) => told[kind].get(other) ?? noServices).reduce(unite, noServices);
      const rest = subtract(services, around);
      told[kind].set(at, services);
      return isNone(rest) ? [] : [{ kind, services: rest, region }];
    });
  });
}

function byWay(letThrough: Passing, way: Way['answer']): Passing {
  if (way === 'yes') return letThrough;
  if (way === 'no') return nothing;
  return { ...letThrough, sure: noServices };
}

interface Pairs {
  readonly from: readonly View[];
  readonly receivers: readonly View[];
  readonly kind: ChangeKind;
  readonly services: Services;
}

/** Classes at each end that causes are looked for at: enough to name some. */
const mostExamples = 8;

function causesOf({ from, receivers, kind, services }: Pairs, comparison: Comparison): Causes {
  const partiesOf = (views: readonly View[]): readonly Party[] =>
    views.slice(0, mostExamples).flatMap(({ its }) => [its.before.party, its.after.party]);
  const [at, back] = [
    causesAt(receivers, { direction: 'ingress', parties: partiesOf(from), kind, services }, comparison),
    causesAt(from, { direction: 'egress', parties: partiesOf(receivers), kind, services }, comparison),
  ];
  return {
    rules: at.rules.union(back.rules),
    machines: at.machines.union(back.machines),
    reasons: at.reasons.union(back.reasons),
  };
}

interface About {
  readonly direction: Direction;
  readonly parties: readonly Party[];
  readonly kind: ChangeKind;
  readonly services: Services;
}

function causesAt(views: readonly View[], about: About, { changed }: Comparison): Causes {
  const examples = views.slice(0, mostExamples);
  const isPossible = about.kind === 'may-open' || about.kind === 'may-cut';
  const lists = examples.flatMap((view) => [
    ...view[about.direction].before.lists,
    ...view[about.direction].after.lists,
  ]);
  const met = lists.flatMap((list) => rulesMet(list, about));
  const doubts = examples.flatMap((view) =>
    [view[about.direction].before, view[about.direction].after].flatMap((lists) => doubtsIn(lists)),
  );
  const uncertain = met
    .filter(({ isUncertain }) => isUncertain)
    .map(({ rule }) => `Setpoint cannot tell all that rule ${rule.held.name} is about`);
  return {
    rules: new Set(met.flatMap(({ rule }) => (changed.has(rule.content) ? [rule.held.ref] : []))),
    machines: new Set(
      examples.flatMap(({ its, isSeenOther }) => (isSeenOther ? its.machines.map(({ ref }) => ref) : [])),
    ),
    reasons: new Set(isPossible ? [...doubts, ...uncertain] : []),
  };
}

/** The rules of a list that are about some of this traffic. */
function rulesMet({ rules, tags }: RuleList, { parties, services }: About) {
  return rules.flatMap(({ rule, applies }) => {
    if (isNone(intersect(rule.services.may, services))) return [];
    const matches = anyOf(parties, (party) => anyOf(rule.peers, (term) => meets(term, party, tags)));
    const meeting = least(applies, matches);
    if (meeting === 'no') return [];
    return [{ rule, isUncertain: meeting === 'maybe' || rule.services.sure.key !== rule.services.may.key }];
  });
}
