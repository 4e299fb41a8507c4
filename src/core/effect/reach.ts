import { type Cidr, containsCidr } from '../cidr.ts';
import type { DocumentRef } from '../desired.ts';
import type { Cloud, Ref } from '../resource.ts';
import { type Region, regionsOf } from './blocks.ts';
import { peerBlocks } from './differences.ts';
import {
  both,
  type Direction,
  decisionsIn,
  doubtsIn,
  type Filter,
  filterOf,
  type Lists,
  nothing,
  type Passing,
  passing,
  type ReadRule,
  type RuleList,
} from './filter.ts';
import { classesOf, type MachineClass, partyIn } from './machine-classes.ts';
import {
  allServices,
  entriesIn,
  intersect,
  isNone,
  noServices,
  type ServiceEntry,
  type Services,
  subtract,
} from './service-set.ts';
import type { Machine, TrafficState } from './state.ts';
import { type Certainty, isPrivate, least, type Party } from './terms.ts';
import { privateWay, wayOf } from './way.ts';

/** One end of the question. */
export type ReachEnd = { readonly kind: 'machines'; readonly machines: readonly Machine[] } | BlockEnd;

/** A block outside of the networks; `isInternet`: without its private parts. */
export interface BlockEnd {
  readonly kind: 'block';
  readonly block: Cidr;
  readonly isInternet: boolean;
}

export type ReachAnswer = 'yes' | 'no' | 'unknown';

/**
 * The answer for traffic from one end to the other, by the rules, routes and addresses of a scope. `yes`: some of it passes for certain.
 * `no`: none of it does. `assumptions`: facts that Setpoint does not list, and takes for granted. `notes`: other facts for people.
 */
export interface Reach {
  readonly answer: ReachAnswer;
  readonly ways: readonly ReachWay[];
  readonly assumptions: readonly string[];
  readonly notes: readonly string[];
}

/**
 * Ends with the same answer for the same reasons. `open`: the requested traffic that passes for certain. `maybe`: the rest that may pass.
 */
export interface ReachWay {
  readonly answer: ReachAnswer;
  readonly from: readonly string[];
  readonly to: readonly string[];
  readonly open: readonly ServiceEntry[];
  readonly maybe: readonly ServiceEntry[];
  readonly steps: readonly ReachStep[];
}

/** One of the things that must let traffic through. `rules`: that decide; empty where a default or a route does. */
export interface ReachStep {
  readonly by: 'egress' | 'ingress' | 'route';
  readonly answer: ReachAnswer;
  readonly reason: string;
  readonly rules: readonly DecidingRule[];
}

export interface DecidingRule {
  readonly ref: Ref;
  readonly name: string;
  readonly action: 'allow' | 'deny';
  readonly document?: DocumentRef;
}

export interface ReachQuestion {
  readonly from: ReachEnd;
  readonly to: ReachEnd;
  /** Absent: all. */
  readonly services?: Services;
}

export function reachIn(state: TrafficState, { from, to, services = allServices }: ReachQuestion): Reach {
  const filter = filterOf(state);
  const classes = classesOf(state, state, [filter]);
  const inquiry: Inquiry = { state, filter, services };
  const found = foundWays(inquiry, classes, from, to);
  const ways = joined(found, services);
  const answer = bestOf(ways.map((way) => way.answer));
  const machines = [from, to].flatMap((end) => (end.kind === 'machines' ? end.machines : []));
  return {
    ...{ answer, ways, notes: notesOf(machines) },
    assumptions: assumptionsOf(state.cloud, answer, from.kind === 'block'),
  };
}

interface FromBlock {
  readonly state: TrafficState;
  readonly filter: Filter;
  readonly machine: Machine;
}

/** All ways of any traffic from a block to one machine. */
export const waysFrom = (end: BlockEnd, { state, filter, machine }: FromBlock): readonly ReachWay[] =>
  joined(
    worldWays(
      { state, filter, services: allServices },
      { machine, all: [machine] },
      { end, direction: 'ingress', tellsRules: true },
    ),
    allServices,
  );

interface Inquiry {
  readonly state: TrafficState;
  readonly filter: Filter;
  readonly services: Services;
}

interface Found {
  readonly from: readonly string[];
  readonly to: readonly string[];
  readonly passing: Passing;
  readonly steps: readonly ReachStep[];
}

function foundWays(inquiry: Inquiry, classes: readonly MachineClass[], from: ReachEnd, to: ReachEnd): readonly Found[] {
  if (from.kind === 'block' && to.kind === 'block') return [];
  if (from.kind === 'block')
    return chosen(classes, to).flatMap((one) => worldWays(inquiry, one, { end: from, direction: 'ingress' }));
  if (to.kind === 'block')
    return chosen(classes, from).flatMap((one) => worldWays(inquiry, one, { end: to, direction: 'egress' }));
  const isOne = new Set([...from.machines, ...to.machines].map(({ network }) => network)).size === 1;
  const receivers = chosen(classes, to, isOne);
  return chosen(classes, from, isOne).flatMap((sender) =>
    receivers.flatMap((receiver) => (isItself(sender, receiver) ? [] : [pairWay(inquiry, sender, receiver)])),
  );
}

interface Chosen {
  readonly machine: Machine;
  readonly all: readonly Machine[];
}

/** Machines of one class may differ in their further interfaces; between networks, their public addresses count, too. */
function chosen(classes: readonly MachineClass[], end: ReachEnd, isInOneNetwork = true): readonly Chosen[] {
  if (end.kind === 'block') return [];
  const wanted = new Set(end.machines.map(({ ref }) => ref));
  const known = new Set(classes.flatMap(({ machines }) => machines.map(({ ref }) => ref)));
  const placed = classes.flatMap(({ machines }) => {
    const alike = Map.groupBy(
      machines.filter(({ ref }) => wanted.has(ref)),
      ({ interfaces, publicAddress }) => `${interfaces.join()} ${isInOneNetwork ? '' : publicAddress?.base}`,
    );
    return [...alike.values()].flatMap((all) => all.slice(0, 1).map((machine) => ({ machine, all })));
  });
  // why: a machine in no known network is of no class
  const others = end.machines.filter(({ ref }) => !known.has(ref)).map((machine) => ({ machine, all: [machine] }));
  return [...placed, ...others];
}

const isItself = (a: Chosen, b: Chosen): boolean =>
  a.all.length === 1 && b.all.length === 1 && a.machine.ref === b.machine.ref;

const namesOf = ({ all }: Chosen): readonly string[] => all.map(({ name }) => name);

function pairWay(inquiry: Inquiry, sender: Chosen, receiver: Chosen): Found {
  const ends = { from: namesOf(sender), to: namesOf(receiver) };
  const [from, to] = [sender.machine, receiver.machine];
  if (from.network !== to.network) return { ...ends, ...acrossNetworks(inquiry, from, to) };
  const out = sideOf(inquiry, from, 'egress', { party: partyIn(inquiry.state, to), text: to.name });
  const into = sideOf(inquiry, to, 'ingress', { party: partyIn(inquiry.state, from), text: from.name });
  const further = [from, to].find(({ interfaces }) => interfaces.length > 0);
  const rules = both(out.passing, into.passing);
  if (further === undefined) return { ...ends, passing: rules, steps: [out.step, into.step] };
  return { ...ends, passing: { ...rules, may: allServices }, steps: [out.step, into.step, interfacesStep(further)] };
}

const interfacesStep = ({ name, interfaces }: Machine): ReachStep => ({
  ...{ by: 'route', answer: 'unknown', rules: [] },
  reason: `${name} has further interfaces or addresses, which Setpoint does not evaluate: ${interfaces.join(', ')}`,
});

/** By public addresses, or by a way between the networks that nobody evaluates. */
function acrossNetworks(inquiry: Inquiry, from: Machine, to: Machine): Pick<Found, 'passing' | 'steps'> {
  const outside = (machine: Machine): Peer => {
    const block = machine.publicAddress ?? everyV4;
    return { party: { kind: 'outside', block }, text: `the public address of ${machine.name}` };
  };
  const [out, into] = [sideOf(inquiry, from, 'egress', outside(to)), sideOf(inquiry, to, 'ingress', outside(from))];
  const [leaving, arriving] = [
    wayOf(inquiry.state, from, 'egress', to.publicAddress ?? everyV4),
    wayOf(inquiry.state, to, 'ingress', from.publicAddress ?? everyV4),
  ];
  const isKnown = from.publicAddress !== undefined && to.publicAddress !== undefined;
  const way = least(least(leaving.answer, arriving.answer), isKnown ? 'yes' : 'maybe');
  const rules = both(out.passing, into.passing);
  const between = privateWay(inquiry.state, from, to);
  const publicly = byWay(isKnown ? rules : { ...rules, sure: noServices, may: allServices }, way);
  const found = between.answer === 'no' ? publicly : { ...publicly, may: allServices };
  const worst = leaving.answer === 'no' ? leaving : arriving;
  return {
    passing: found,
    steps: [
      { by: 'route', answer: answerOf(between.answer), reason: between.reason, rules: [] },
      { by: 'route', answer: answerOf(way), reason: `by public addresses: ${worst.reason}`, rules: [] },
      ...(isKnown ? [out.step, into.step] : []),
    ],
  };
}

const everyV4: Cidr = { family: 4, base: 0n, prefix: 0 };

const answerOf = (certainty: Certainty): ReachAnswer => (certainty === 'maybe' ? 'unknown' : certainty);

const byWay = (rules: Passing, way: Certainty): Passing => {
  if (way === 'yes') return rules;
  return way === 'no' ? nothing : { ...rules, sure: noServices };
};

interface World {
  readonly end: BlockEnd;
  readonly direction: Direction;
  /** A part of the block counts too where only the rules answer otherwise than around it, and no way leads there. */
  readonly tellsRules?: true;
}

/** Splits the block where the rules of the machine split it. A part with the same answer as the block around it is left out. */
function worldWays(inquiry: Inquiry, subject: Chosen, world: World): readonly Found[] {
  const { end, direction } = world;
  const { state, filter, services } = inquiry;
  const lists = filter.lists(subject.machine, direction);
  const inside = state.networks.get(subject.machine.network ?? '')?.blocks ?? [];
  const blocks = lists.lists.flatMap(({ rules }) => rules.flatMap(peerBlocks));
  const told = new Map<number, string>();
  return askedRegions(blocks, { inside, end }).flatMap(([at, region]) => {
    const found = regionWay(inquiry, subject, region, world);
    const { sure, may } = found.passing;
    const rules = world.tellsRules ? found.steps.map(({ answer }) => answer).join() : '';
    const key = `${intersect(sure, services).key}\n${intersect(may, services).key}\n${rules}`;
    const around = region.within.find((other) => told.has(other));
    told.set(at, key);
    return around !== undefined && told.get(around) === key ? [] : [found];
  });
}

/** The parts of the asked block that the others tell apart, wide ones first, with their positions as in `within`. */
export function askedRegions(
  blocks: readonly Cidr[],
  { inside, end }: { readonly inside: readonly Cidr[]; readonly end: BlockEnd },
): readonly (readonly [at: number, region: Region])[] {
  const hasV6 = inside.some(({ family }) => family === 6);
  const withV6 = end.block.family === 6 || (end.isInternet && hasV6);
  return [...regionsOf([...blocks, end.block], { inside, withV6 }).entries()].filter(([, one]) => isAsked(one, end));
}

const isAsked = ({ block }: Region, { block: asked, isInternet }: World['end']): boolean =>
  isInternet ? !isPrivate(block) : containsCidr(asked, block);

/** The internet has two families, and a machine may have an address of each. */
const worldText = ({ block, text }: Region, { isInternet }: World['end']): string => {
  if (!isInternet || block.prefix > 0) return text;
  return block.family === 4 ? 'internet' : 'internet by IPv6';
};

function regionWay(inquiry: Inquiry, subject: Chosen, region: Region, { end, direction }: World): Found {
  const { block, text } = region;
  const { machine } = subject;
  const side = sideOf(inquiry, machine, direction, { party: { kind: 'outside', block }, text });
  const way = wayOf(inquiry.state, machine, direction, block);
  const step: ReachStep = { by: 'route', answer: answerOf(way.answer), reason: way.reason, rules: [] };
  const rules = byWay(side.passing, way.answer);
  const outside = [worldText(region, end)];
  const further = machine.interfaces.length > 0;
  return {
    from: direction === 'ingress' ? outside : namesOf(subject),
    to: direction === 'ingress' ? namesOf(subject) : outside,
    passing: further ? { ...rules, may: allServices } : rules,
    steps: [step, side.step, ...(further ? [interfacesStep(machine)] : [])],
  };
}

interface Peer {
  readonly party: Party;
  readonly text: string;
}

/** The decisions at one machine in one direction. */
function sideOf(
  { filter, services }: Inquiry,
  machine: Machine,
  direction: Direction,
  { party, text }: Peer,
): { readonly passing: Passing; readonly step: ReachStep } {
  const lists = filter.lists(machine, direction);
  const found = passing(lists, party);
  const asked = { sure: intersect(found.sure, services), may: intersect(found.may, services) };
  const answer = verdictOf(asked);
  const way = direction === 'ingress' ? `from ${text}` : `to ${text}`;
  const step = stepOf({ lists, machine, direction, party, way }, answer, answer === 'yes' ? asked.sure : services);
  return { passing: found, step };
}

const verdictOf = ({ sure, may }: Pick<Passing, 'sure' | 'may'>): ReachAnswer => {
  if (!isNone(sure)) return 'yes';
  return isNone(may) ? 'no' : 'unknown';
};

interface At {
  readonly lists: Lists;
  readonly machine: Machine;
  readonly direction: Direction;
  readonly party: Party;
  readonly way: string;
}

function stepOf({ lists, machine, direction, party, way }: At, answer: ReachAnswer, services: Services): ReachStep {
  const each = lists.lists.map((list) => decidingIn(list, party, services));
  const by = direction;
  if (answer === 'unknown') {
    const doubts = doubtsIn(lists, party);
    const rules = each.flatMap(({ uncertain }) => uncertain);
    const reason = [...doubts, ...rules.map(({ name }) => `Setpoint cannot tell all that rule ${name} is about`)].join(
      '; ',
    );
    return { by, answer, reason: reason || `it is not known what decides on ${machine.name}`, rules };
  }
  if (answer === 'yes') {
    const rules = distinct(each.flatMap(({ allowing }) => allowing));
    const reason =
      rules.length === 0 ? 'by default, as no rule denies it' : `by ${rules.map(({ name }) => name).join(', ')}`;
    return { by, answer, reason: `${direction} of ${machine.name} ${way} is allowed ${reason}`, rules };
  }
  const closed = each.find(({ allowing, uncertain }) => allowing.length + uncertain.length === 0) ?? each[0];
  const rules = distinct(closed?.denying ?? []);
  const subject = `${direction} rule of ${machine.name}`;
  const reason =
    rules.length === 0
      ? `no ${subject} allows it ${way}`
      : `${rules.map(({ name }) => name).join(', ')} denies it ${way} (${subject})`;
  return { by, answer, reason, rules };
}

interface Deciding {
  readonly allowing: readonly DecidingRule[];
  readonly denying: readonly DecidingRule[];
  readonly uncertain: readonly DecidingRule[];
}

/** The rules of a list that decide on some of these services, each before all that follow it. */
function decidingIn(list: RuleList, party: Party, services: Services): Deciding {
  const found: Record<'allow' | 'deny' | 'uncertain', DecidingRule[]> = { allow: [], deny: [], uncertain: [] };
  for (const { rule, isCertain } of decisionsIn(list, party, services))
    (isCertain ? found[rule.held.attributes.match.action] : found.uncertain).push(decidingRule(rule));
  return { allowing: found.allow, denying: found.deny, uncertain: found.uncertain };
}

export function decidingRule({ held: { ref, name, document, attributes } }: ReadRule): DecidingRule {
  return { ref, name, action: attributes.match.action, ...(document === undefined ? {} : { document }) };
}

const distinct = (rules: readonly DecidingRule[]): readonly DecidingRule[] => [
  ...new Map(rules.map((rule) => [rule.ref, rule])).values(),
];

/** Ways with the same answer for the same reasons are one; those that are open come first. */
function joined(found: readonly Found[], services: Services): readonly ReachWay[] {
  const ways = new Map<string, ReachWay>();
  for (const { from, to, passing: by, steps } of found) {
    const asked = { sure: intersect(by.sure, services), may: intersect(by.may, services) };
    const answer = verdictOf(asked);
    const key = JSON.stringify([answer, steps, asked.sure.key, asked.may.key, to]);
    const known = ways.get(key);
    ways.set(key, {
      ...{ answer, to, steps },
      from: [...new Set([...(known?.from ?? []), ...from])],
      open: entriesIn(asked.sure),
      maybe: entriesIn(subtract(asked.may, asked.sure)),
    });
  }
  return [...ways.values()].toSorted((a, b) => rank[a.answer] - rank[b.answer]);
}

const rank: Readonly<Record<ReachAnswer, number>> = { yes: 0, unknown: 1, no: 2 };

const bestOf = (answers: readonly ReachAnswer[]): ReachAnswer =>
  answers.toSorted((a, b) => rank[a] - rank[b])[0] ?? 'unknown';

const notesOf = (machines: readonly Machine[]): readonly string[] => [
  ...new Set(
    machines.flatMap(({ name, power }) =>
      power === 'stopped' ? [`${name} is stopped: nothing answers there now`] : [],
    ),
  ),
];

/** Setpoint lists no load balancers. They may forward traffic from outside that finds no other way. */
const assumptionsOf = (cloud: Cloud, answer: ReachAnswer, isFromOutside: boolean): readonly string[] =>
  cloud !== 'memory' && answer === 'no' && isFromOutside ? ['no load balancer forwards it'] : [];
