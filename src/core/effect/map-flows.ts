import { type Cidr, containsCidr, formatCidr } from '../cidr.ts';
import type { Ref } from '../resource.ts';
import type { Steps } from '../steps.ts';
import { compareText } from '../text.ts';
import { type Region, regionsOf } from './blocks.ts';
import { peerBlocks } from './differences.ts';
import { type Exposure, exposureOf, withInterfaces } from './exposure.ts';
import {
  type Decision,
  type Direction,
  decisionsIn,
  doubtsIn,
  type Filter,
  filterOf,
  type Lists,
  passing,
  type ReadRule,
} from './filter.ts';
import { classesOf, type Side } from './machine-classes.ts';
import { askedRegions, type BlockEnd } from './reach.ts';
import { endIn } from './reach-ends.ts';
import { intersect, isNone, noServices, type Services } from './service-set.ts';
import type { Machine, TrafficState } from './state.ts';
import { isPrivate, type Party } from './terms.ts';
import { type Way, wayOf } from './way.ts';

/**
 * Machines of one subnet that no rule, no route and no address tells apart. `doubts`: the reasons for which more may reach them, or they
 * may reach more, than the flows say.
 */
export interface MapGroup {
  readonly network: Ref | undefined;
  readonly subnet: Ref;
  /** Sorted by Ref; at least one. */
  readonly machines: readonly Machine[];
  readonly exposure: Exposure;
  readonly doubts: readonly string[];
}

/** A block of addresses outside of the networks; `text`: `internet` for the world. */
export interface OutsideEnd {
  readonly text: string;
  readonly isPublic: boolean;
}

/**
 * Traffic from every machine of one end to every machine of the other. `sure`: passes for certain; `may`: with it, what may pass. `rules`:
 * that allow some of it. `reasons`: of the uncertain part.
 */
export interface Flow {
  readonly from: MapGroup | OutsideEnd;
  readonly to: MapGroup | OutsideEnd;
  readonly sure: Services;
  readonly may: Services;
  readonly rules: readonly ReadRule[];
  readonly reasons: readonly string[];
}

/**
 * `unlooked`: networks of which the flows between their own machines are left out, with the number of their groups. `doubts`: the reasons
 * for which the choice may have more flows, of groups without one too.
 */
export interface Flows {
  readonly groups: readonly MapGroup[];
  readonly flows: readonly Flow[];
  readonly unlooked: ReadonlyMap<Ref, number>;
  readonly doubts: readonly string[];
}

/** Only some of the flows of a state. */
export interface FlowChoice {
  /** Machines at one end or the other. Absent: all. */
  readonly focus?: (machine: Machine) => boolean;
  /** Rules of which one allows it. */
  readonly rules?: ReadonlySet<Ref>;
  /** A block of addresses at one end. Of the internet: all public ones. */
  readonly outside?: BlockEnd;
}

/** Only the flows from and to the end of this word. Undefined: nothing here is called so. */
export function focusOn(state: TrafficState, word: string): FlowChoice | undefined {
  const end = endIn(state, word);
  if (end === undefined) return undefined;
  if (end.kind === 'block') return { outside: end };
  const refs = new Set(end.machines.map(({ ref }) => ref));
  return { focus: ({ ref }) => refs.has(ref) };
}

/** Only the flows that rules of this name, id or address allow: rules of two networks may have one name. Undefined: there is none. */
export function allowedBy({ rules }: TrafficState, word: string): FlowChoice | undefined {
  const refs = rules.flatMap(({ ref, id, name }) =>
    ref !== '' && (ref === word || id === word || name === word || ref.endsWith(`/${word}`)) ? [ref] : [],
  );
  return refs.length === 0 ? undefined : { rules: new Set(refs) };
}

/** Pairs of groups in one network that an answer waits for: about a second. */
const mostPairs = 250_000;

/** The number of receivers in one step. */
const receiversAtOnce = 50;

/** All traffic of the machines of a scope, by its rules, routes and addresses. */
export function* flowsInSteps(state: TrafficState, choice: FlowChoice = {}): Steps<Flows> {
  const filter = filterOf(state);
  yield;
  const views = yield* viewsInSteps(state, filter, choice);
  const memory = memoryOf(choice.outside);
  const flows: Flow[] = [];
  const unlooked = new Map<Ref, number>();
  for (const [network, some] of Map.groupBy(views, ({ group }) => group.network)) {
    if (network === undefined) continue;
    const focused = some.filter(({ isFocus }) => isFocus);
    if (focused.length === 0) continue;
    if (choice.outside === undefined && focused.length * some.length > mostPairs) unlooked.set(network, some.length);
    else if (choice.outside === undefined) yield* addInsideFlows(some, memory, flows);
    for (const [at, view] of focused.entries()) {
      if (at % receiversAtOnce === 0) yield;
      flows.push(
        ...outsideFlows(view, 'ingress', { state, memory }),
        ...outsideFlows(view, 'egress', { state, memory }),
      );
    }
  }
  const doubts = vacantDoubts(state, choice);
  return narrowed(views, { flows, unlooked, doubts }, choice);
}

function narrowed(
  views: readonly View[],
  { flows, unlooked, doubts }: Omit<Flows, 'groups'>,
  { rules, outside, focus }: FlowChoice,
): Flows {
  const chosen = rules === undefined ? flows : flows.filter((flow) => isBy(flow, rules));
  const ends = new Set(chosen.flatMap(({ from, to }) => [from, to]));
  const isWhole = rules === undefined && outside === undefined && focus === undefined;
  const isDrawn = ({ group, isFocus }: View): boolean => isWhole || ends.has(group) || (focus !== undefined && isFocus);
  const groups = views.filter(isDrawn).map(({ group }) => group);
  // why: what decides before the rules, and is no rule itself, may let other traffic through to groups without a flow
  const doubtful = rules === undefined ? views.map(({ group }) => group) : groups;
  const all = [...doubtful.flatMap((group) => group.doubts), ...doubts];
  return { groups, flows: chosen, unlooked, doubts: [...new Set(all)] };
}

const isBy = ({ rules }: Flow, refs: ReadonlySet<Ref>): boolean => rules.some(({ held }) => refs.has(held.ref));

/** Addresses of a network that no known machine has. */
function vacantDoubts({ networks }: TrafficState, { outside }: FlowChoice): readonly string[] {
  if (outside === undefined) return [];
  return [...networks.values()].flatMap(({ name, blocks }) =>
    blocks.some((block) => containsCidr(block, outside.block))
      ? [`${formatCidr(outside.block)} lies in ${name}, and no listed instance has such an address`]
      : [],
  );
}

/** A group with all that decides on its traffic. */
interface View {
  readonly group: MapGroup;
  readonly side: Side;
  readonly machine: Machine;
  readonly ingress: Lists;
  readonly egress: Lists;
  readonly isFocus: boolean;
}

function* viewsInSteps(state: TrafficState, filter: Filter, { focus }: FlowChoice): Steps<readonly View[]> {
  const shared = new Map<string, Lists>();
  const listsOf = (machine: Machine, direction: Direction): Lists => {
    const lists = filter.lists(machine, direction);
    const known = shared.get(lists.key) ?? lists;
    shared.set(lists.key, known);
    return known;
  };
  const views: View[] = [];
  for (const { machines, after } of classesOf(state, state, [filter])) {
    const exposure = exposureOf(after.machine, { state, filter });
    const parts = Map.groupBy(machines, (one) => `${focus?.(one)} ${one.interfaces.join()}`);
    for (const part of parts.values()) {
      const [machine] = part;
      if (machine === undefined) continue;
      const [ingress, egress] = [listsOf(machine, 'ingress'), listsOf(machine, 'egress')];
      const group = groupOf(part, withInterfaces(machine, exposure), doubtsOf(machine, [ingress, egress]));
      views.push({ group, side: after, machine, ingress, egress, isFocus: focus?.(machine) ?? true });
    }
    yield;
  }
  return [...views, ...unplaced(state, filter, focus)];
}

const groupOf = (machines: readonly Machine[], exposure: Exposure, doubts: readonly string[]): MapGroup => ({
  network: machines[0]?.network,
  subnet: machines[0]?.subnet ?? '',
  machines: machines.toSorted((a, b) => compareText(a.ref, b.ref)),
  exposure,
  doubts,
});

/** Something before the rules may let through more than they do; so may a further interface. */
const doubtsOf = ({ name, interfaces }: Machine, lists: readonly Lists[]): readonly string[] => [
  ...new Set([
    ...lists.flatMap(({ overruled }) => overruled),
    ...(interfaces.length === 0
      ? []
      : [`${name} has further interfaces or addresses, which Setpoint does not evaluate: ${interfaces.join(', ')}`]),
  ]),
];

/** Machines in no known network: nothing of their traffic is known. */
function unplaced(state: TrafficState, filter: Filter, focus: FlowChoice['focus']): readonly View[] {
  const all = [...state.machines.values()].filter(({ network }) => network === undefined);
  const bySubnet = Map.groupBy(all, (one) => `${focus?.(one)} ${one.subnet}`);
  return [...bySubnet.values()].flatMap((machines): readonly View[] => {
    const [machine] = machines;
    if (machine === undefined) return [];
    const reason = `the network of ${machine.name} is not known`;
    const group = groupOf(machines, { answer: 'unknown', reason }, [reason]);
    const lists = { ingress: filter.lists(machine, 'ingress'), egress: filter.lists(machine, 'egress') };
    const party: Party = { kind: 'machine', machine, subnet: undefined };
    return [
      { group, machine, ...lists, side: { machine, party, key: '', whole: '' }, isFocus: focus?.(machine) ?? true },
    ];
  });
}

/** The decision of the lists at one end about one party. `sure`: none where something decides before them. */
interface Decided {
  readonly sure: Services;
  readonly may: Services;
  readonly allowing: readonly Decision[];
  readonly reasons: readonly string[];
}

function decidedBy(lists: Lists, party: Party): Decided {
  const found = passing(lists, party);
  const { sure, may } = found.byRules ?? found;
  const decisions = lists.lists.flatMap((list) => decisionsIn(list, party, may));
  const unclear = decisions.filter(({ isCertain }) => !isCertain);
  return {
    sure: found.byRules === undefined ? sure : noServices,
    may,
    allowing: decisions.filter(({ rule }) => rule.allows),
    reasons: [
      ...doubtsIn(lists, party),
      ...unclear.map(({ rule }) => `Setpoint cannot tell all that ${ruleName(rule)} is about`),
    ],
  };
}

const ruleName = ({ held: { name } }: ReadRule): string => (name.includes(' ') ? name : `rule ${name}`);

/** Most machines share their rules with others. */
interface Memory {
  decided(lists: Lists, side: Pick<Side, 'key' | 'party'>): Decided;
  worlds(lists: Lists, network: Ref, state: TrafficState): readonly World[];
}

/** `at`: the position of the region, as in its `within`. */
interface World {
  readonly at: number;
  readonly region: Region;
  readonly decided: Decided;
}

function memoryOf(outside: BlockEnd | undefined): Memory {
  const decisions = new Map<Lists, Map<string, Decided>>();
  const worlds = new Map<string, readonly World[]>();
  return {
    decided: (lists, { key, party }) => {
      const byParty = decisions.get(lists) ?? new Map<string, Decided>();
      decisions.set(lists, byParty);
      const known = byParty.get(key) ?? decidedBy(lists, party);
      byParty.set(key, known);
      return known;
    },
    worlds: (lists, network, { networks }) => {
      const key = `${network}\n${lists.key}`;
      const known = worlds.get(key) ?? worldsOf(lists, networks.get(network)?.blocks ?? [], outside);
      worlds.set(key, known);
      return known;
    },
  };
}

function worldsOf(lists: Lists, inside: readonly Cidr[], outside: BlockEnd | undefined): readonly World[] {
  const blocks = lists.lists.flatMap(({ rules }) => rules.flatMap(peerBlocks));
  const withV6 = inside.some(({ family }) => family === 6);
  const regions =
    outside === undefined
      ? [...regionsOf(blocks, { inside, withV6 }).entries()]
      : askedRegions(blocks, { inside, end: outside });
  return regions.map(([at, region]) => ({
    ...{ at, region },
    decided: decidedBy(lists, { kind: 'outside', block: region.block }),
  }));
}

/** Adds one by one: an engine takes no call with as many arguments as a large network has flows. */
function* addInsideFlows(views: readonly View[], memory: Memory, flows: Flow[]): Steps<void> {
  for (const [at, to] of views.entries()) {
    if (at % receiversAtOnce === 0) yield;
    for (const from of views) if (from.isFocus || to.isFocus) flows.push(...pairFlow(from, to, memory));
  }
}

/** Nobody asks what a machine sends to itself. */
function pairFlow(from: View, to: View, { decided }: Memory): readonly Flow[] {
  if (from === to && from.group.machines.length === 1) return [];
  const [out, into] = [decided(from.egress, to.side), decided(to.ingress, from.side)];
  const may = intersect(out.may, into.may);
  if (isNone(may)) return [];
  return [flowOf({ from: from.group, to: to.group }, { sure: intersect(out.sure, into.sure), may }, [out, into])];
}

function flowOf(
  ends: Pick<Flow, 'from' | 'to'>,
  { sure, may }: Pick<Flow, 'sure' | 'may'>,
  sides: readonly Pick<Decided, 'allowing' | 'reasons'>[],
): Flow {
  const rules = sides.flatMap(({ allowing }) =>
    allowing.flatMap(({ rule }) => (isNone(intersect(rule.services.may, may)) ? [] : [rule])),
  );
  const reasons = sure.key === may.key ? [] : sides.flatMap((side) => side.reasons);
  return { ...ends, sure, may, rules: [...new Set(rules)], reasons: [...new Set(reasons)] };
}

interface FlowContext {
  readonly state: TrafficState;
  readonly memory: Memory;
}

/** A part of the world with the same answer as the block around it is left out. */
function outsideFlows(
  { group, machine, ...view }: View,
  direction: Direction,
  { state, memory }: FlowContext,
): readonly Flow[] {
  const answers = new Map<number, string>();
  return memory.worlds(view[direction], group.network ?? '', state).flatMap(({ at, region, decided }) => {
    const way = wayOf(state, machine, direction, region.block);
    const isPublic = !isPrivate(region.block);
    const { sure, may, reasons } = byWay(decided, way, isPublic && direction === 'ingress');
    const key = `${sure.key}\n${may.key}`;
    const around = region.within.find((other) => answers.has(other));
    answers.set(at, key);
    if (isNone(may) || (around !== undefined && answers.get(around) === key)) return [];
    const end: OutsideEnd = { text: region.block.prefix === 0 ? 'internet' : region.text, isPublic };
    const ends = direction === 'ingress' ? { from: end, to: group } : { from: group, to: end };
    return [flowOf(ends, { sure, may }, [{ allowing: decided.allowing, reasons }])];
  });
}

/** As for the exposure of a machine: a load balancer that nobody lists may forward what the rules let in. */
function byWay(decided: Decided, { answer, reason }: Way, mayBeForwarded: boolean): Omit<Decided, 'allowing'> {
  if (answer === 'yes') return decided;
  if (answer === 'maybe') return { ...decided, sure: noServices, reasons: [reason, ...decided.reasons] };
  if (!mayBeForwarded) return { sure: noServices, may: noServices, reasons: [] };
  const forwarded = `${reason}, but a load balancer, which Setpoint does not list, may forward it`;
  return { ...decided, sure: noServices, reasons: [forwarded, ...decided.reasons] };
}
