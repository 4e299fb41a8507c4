import { type Cidr, containsCidr } from '../cidr.ts';
import type { DocumentRef } from '../desired.ts';
import type { Cloud, Ref } from '../resource.ts';
import { finish, type Steps } from '../steps.ts';
import { listed } from '../text.ts';
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
  /** The number of ways that are left out. */
  readonly moreWays: number;
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

/** `ways`: at most so many are listed. `evaluated`: at most so many pairs of ends, and parts of blocks, are evaluated. */
export interface ReachLimits {
  readonly ways: number;
  readonly evaluated: number;
}

/** Evaluated in one step: some milliseconds. */
const evaluatedAtOnce = 50;

export function* reachInSteps(
  state: TrafficState,
  { from, to, services = allServices }: ReachQuestion,
  limits: ReachLimits,
): Steps<Reach> {
  const filter = filterOf(state);
  yield;
  const classes = classesOf(state, state, [filter]);
  yield;
  const inquiry: Inquiry = { state, filter, services, passing: rememberedPassing() };
  const found = yield* waysInSteps(foundWays(inquiry, classes, from, to), services, limits);
  const { ways, moreWays, isCut } = found;
  // why: the rest may have a way
  const answer = isCut && found.answer === 'no' ? 'unknown' : found.answer;
  const machines = [from, to].flatMap((end) => (end.kind === 'machines' ? end.machines : []));
  return {
    ...{ answer, ways, moreWays, notes: [...limitNotes(found, limits), ...stoppedNotes(machines)] },
    assumptions: assumptionsOf(state.cloud, answer, from.kind === 'block'),
  };
}

const limitNotes = ({ ways, moreWays, isCut }: Ways, { evaluated }: ReachLimits): readonly string[] => [
  ...(isCut
    ? [
        `Setpoint evaluated ${evaluated} pairs of ends and no more, so the rest is unknown: choose a group or one instance`,
      ]
    : []),
  ...(moreWays > 0
    ? [`${moreWays} ways are left out, of ${ways.length + moreWays}: choose a group or one instance`]
    : []),
];

interface FromBlock {
  readonly state: TrafficState;
  readonly filter: Filter;
  readonly machine: Machine;
}

/** All ways of any traffic from a block to one machine. */
export function waysFrom(end: BlockEnd, { state, filter, machine }: FromBlock): readonly ReachWay[] {
  const inquiry: Inquiry = { state, filter, services: allServices, passing };
  const found = worldWays(
    inquiry,
    { machine, all: [machine], key: undefined },
    { end, direction: 'ingress', tellsRules: true },
  );
  return finish(waysInSteps(found, allServices, { ways: Infinity, evaluated: Infinity })).ways;
}

interface Inquiry {
  readonly state: TrafficState;
  readonly filter: Filter;
  readonly services: Services;
  /** `key`: equal for parties that are the same to all rules; absent: this one alone. */
  passing(lists: Lists, party: Party, key?: string): Passing;
}

/** Most machines share their rules with others. */
function rememberedPassing(): Inquiry['passing'] {
  const known = new Map<string, Map<string, Passing>>();
  return (lists, party, key) => {
    if (key === undefined) return passing(lists, party);
    const byParty = known.get(lists.key) ?? new Map<string, Passing>();
    known.set(lists.key, byParty);
    const found = byParty.get(key) ?? passing(lists, party);
    byParty.set(key, found);
    return found;
  };
}

interface Found {
  readonly from: readonly string[];
  readonly to: readonly string[];
  readonly passing: Passing;
  /** The name of the sender in the steps; undefined: they name none, so those of another sender may be the same. */
  sender(): string | undefined;
  /** Most ways of a long answer are left out, and need none. */
  steps(): readonly ReachStep[];
}

/** Undefined: a part of a block with the same answer as the block around it. */
type Evaluated = Found | undefined;

function* foundWays(
  inquiry: Inquiry,
  classes: readonly MachineClass[],
  from: ReachEnd,
  to: ReachEnd,
): Generator<Evaluated, void, undefined> {
  if (from.kind === 'block' && to.kind === 'block') return;
  if (from.kind === 'block') {
    for (const one of chosen(classes, to)) yield* worldWays(inquiry, one, { end: from, direction: 'ingress' });
    return;
  }
  if (to.kind === 'block') {
    for (const one of chosen(classes, from)) yield* worldWays(inquiry, one, { end: to, direction: 'egress' });
    return;
  }
  const isOne = new Set([...from.machines, ...to.machines].map(({ network }) => network)).size === 1;
  const receivers = chosen(classes, to, isOne);
  for (const sender of chosen(classes, from, isOne))
    for (const receiver of receivers) if (!isItself(sender, receiver)) yield pairWay(inquiry, sender, receiver);
}

/** `key`: of its side, as the rules of other machines see it; undefined: unknown. */
interface Chosen {
  readonly machine: Machine;
  readonly all: readonly Machine[];
  readonly key: string | undefined;
}

/** Machines of one class may differ in their further interfaces; between networks, their public addresses count, too. */
function chosen(classes: readonly MachineClass[], end: ReachEnd, isInOneNetwork = true): readonly Chosen[] {
  if (end.kind === 'block') return [];
  const wanted = new Set(end.machines.map(({ ref }) => ref));
  const known = new Set(classes.flatMap(({ machines }) => machines.map(({ ref }) => ref)));
  const placed = classes.flatMap(({ machines, after: { key } }) => {
    const alike = Map.groupBy(
      machines.filter(({ ref }) => wanted.has(ref)),
      ({ interfaces, publicAddress }) => `${interfaces.join()} ${isInOneNetwork ? '' : publicAddress?.base}`,
    );
    return [...alike.values()].flatMap((all) => all.slice(0, 1).map((machine) => ({ machine, all, key })));
  });
  // why: a machine in no known network is of no class
  const others = end.machines
    .filter(({ ref }) => !known.has(ref))
    .map((machine) => ({ machine, all: [machine], key: undefined }));
  return [...placed, ...others];
}

const isItself = (a: Chosen, b: Chosen): boolean =>
  a.all.length === 1 && b.all.length === 1 && a.machine.ref === b.machine.ref;

const namesOf = ({ all }: Chosen): readonly string[] => all.map(({ name }) => name);

function pairWay(inquiry: Inquiry, sender: Chosen, receiver: Chosen): Found {
  const ends = { from: namesOf(sender), to: namesOf(receiver) };
  const [from, to] = [sender.machine, receiver.machine];
  if (from.network !== to.network) return { ...ends, ...acrossNetworks(inquiry, from, to) };
  const out = sideOf(inquiry, from, 'egress', {
    ...{ party: partyIn(inquiry.state, to), text: to.name, key: receiver.key },
  });
  const into = sideOf(inquiry, to, 'ingress', {
    ...{ party: partyIn(inquiry.state, from), text: from.name, key: sender.key },
  });
  const further = [from, to].find(({ interfaces }) => interfaces.length > 0);
  const rules = both(out.passing, into.passing);
  const isNamed = () => further === from || out.isNamed() || into.isNamed();
  const named = { ...ends, sender: () => (isNamed() ? from.name : undefined) };
  if (further === undefined) return { ...named, passing: rules, steps: () => [out.step(), into.step()] };
  const steps = () => [out.step(), into.step(), interfacesStep(further)];
  return { ...named, passing: { ...rules, may: allServices }, steps };
}

const interfacesStep = ({ name, interfaces }: Machine): ReachStep => ({
  ...{ by: 'route', answer: 'unknown', rules: [] },
  reason: `${name} has further interfaces or addresses, which Setpoint does not evaluate: ${interfaces.join(', ')}`,
});

/** By public addresses, or by a way between the networks that nobody evaluates. */
function acrossNetworks(inquiry: Inquiry, from: Machine, to: Machine): Omit<Found, 'from' | 'to'> {
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
    sender: () => (isKnown && (out.isNamed() || into.isNamed()) ? from.name : undefined),
    steps: () => [
      { by: 'route', answer: answerOf(between.answer), reason: between.reason, rules: [] },
      { by: 'route', answer: answerOf(way), reason: `by public addresses: ${worst.reason}`, rules: [] },
      ...(isKnown ? [out.step(), into.step()] : []),
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
function worldWays(inquiry: Inquiry, subject: Chosen, world: World): readonly Evaluated[] {
  const { end, direction } = world;
  const { state, filter, services } = inquiry;
  const lists = filter.lists(subject.machine, direction);
  const inside = state.networks.get(subject.machine.network ?? '')?.blocks ?? [];
  const blocks = lists.lists.flatMap(({ rules }) => rules.flatMap(peerBlocks));
  const answers = new Map<number, string>();
  return askedRegions(blocks, { inside, end }).map(([at, region]) => {
    const found = regionWay(inquiry, subject, region, world);
    const { sure, may } = found.passing;
    const rules = world.tellsRules
      ? found
          .steps()
          .map(({ answer }) => answer)
          .join()
      : '';
    const key = `${intersect(sure, services).key}\n${intersect(may, services).key}\n${rules}`;
    const around = region.within.find((other) => answers.has(other));
    answers.set(at, key);
    return around !== undefined && answers.get(around) === key ? undefined : found;
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
  const sender = direction === 'ingress' ? text : machine.name;
  return {
    from: direction === 'ingress' ? outside : namesOf(subject),
    to: direction === 'ingress' ? namesOf(subject) : outside,
    passing: further ? { ...rules, may: allServices } : rules,
    sender: () => (side.isNamed() || (further && direction === 'egress') ? sender : undefined),
    steps: () => [step, side.step(), ...(further ? [interfacesStep(machine)] : [])],
  };
}

interface Peer {
  readonly party: Party;
  readonly text: string;
  readonly key?: string | undefined;
}

/** `isNamed`: its step names both ends. */
interface Side {
  readonly passing: Passing;
  isNamed(): boolean;
  step(): ReachStep;
}

/** The decisions at one machine in one direction. */
function sideOf(inquiry: Inquiry, machine: Machine, direction: Direction, { party, text, key }: Peer): Side {
  const { filter, services } = inquiry;
  const lists = filter.lists(machine, direction);
  const found = inquiry.passing(lists, party, key);
  const step = (): ReachStep => {
    const asked = askedOf(found, services);
    const answer = verdictOf(asked);
    const way = direction === 'ingress' ? `from ${text}` : `to ${text}`;
    return stepOf({ lists, machine, direction, party, way }, answer, answer === 'yes' ? asked.sure : services);
  };
  return { passing: found, isNamed: () => verdictOf(askedOf(found, services)) !== 'unknown', step };
}

type Asked = Pick<Passing, 'sure' | 'may'>;

const askedOf = ({ sure, may }: Asked, services: Services): Asked => ({
  sure: intersect(sure, services),
  may: intersect(may, services),
});

const verdictOf = ({ sure, may }: Asked): ReachAnswer => {
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
    const unclear =
      rules.length === 0
        ? []
        : [`Setpoint cannot tell all that ${rulesText(rules)} ${rules.length === 1 ? 'is' : 'are'} about`];
    const reason = [...doubts, ...unclear].join('; ');
    return { by, answer, reason: reason || `it is not known what decides on ${machine.name}`, rules };
  }
  if (answer === 'yes') {
    const rules = distinct(each.flatMap(({ allowing }) => allowing));
    const reason = rules.length === 0 ? 'by default, as no rule denies it' : `by ${namedIn(rules)}`;
    return { by, answer, reason: `${direction} of ${machine.name} ${way} is allowed ${reason}`, rules };
  }
  const closed = each.find(({ allowing, uncertain }) => allowing.length + uncertain.length === 0) ?? each[0];
  const rules = distinct(closed?.denying ?? []);
  const subject = `${direction} rule of ${machine.name}`;
  const reason =
    rules.length === 0 ? `no ${subject} allows it ${way}` : `${namedIn(rules)} denies it ${way} (${subject})`;
  return { by, answer, reason, rules };
}

const namedIn = (rules: readonly DecidingRule[]): string => listed(rules.map(({ name }) => name));

const rulesText = (rules: readonly DecidingRule[]): string =>
  `${rules.length === 1 ? 'rule' : 'rules'} ${namedIn(rules)}`;

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

interface Ways extends Pick<Reach, 'answer' | 'ways' | 'moreWays'> {
  /** Not all was evaluated. */
  readonly isCut: boolean;
}

/**
 * Ways with the same answer for the same reasons are one; those that are open come first. Beyond the limit, more senders still join the ways
 * that are listed.
 */
function* waysInSteps(found: Iterable<Evaluated>, services: Services, limits: ReachLimits): Steps<Ways> {
  const listed = { yes: listedWays(limits.ways), unknown: listedWays(limits.ways), no: listedWays(limits.ways) };
  const answers = new Set<ReachAnswer>();
  let [evaluated, moreWays, isCut] = [0, 0, false];
  for (const one of found) {
    if (evaluated === limits.evaluated) {
      isCut = true;
      break;
    }
    evaluated += 1;
    if (evaluated % evaluatedAtOnce === 0) yield;
    if (one === undefined) continue;
    const asked = askedOf(one.passing, services);
    const answer = verdictOf(asked);
    answers.add(answer);
    if (!listed[answer].add(one, { answer, asked })) moreWays += 1;
  }
  const all = [listed.yes, listed.unknown, listed.no].flatMap((each) => each.all());
  const ways = all.slice(0, limits.ways);
  return { answer: bestOf([...answers]), ways, moreWays: moreWays + all.length - ways.length, isCut };
}

interface Verdict {
  readonly answer: ReachAnswer;
  readonly asked: Asked;
}

interface ListedWays {
  /** False: it is left out. */
  add(found: Found, verdict: Verdict): boolean;
  all(): readonly ReachWay[];
}

function listedWays(most: number): ListedWays {
  const ways = new Map<string, { readonly senders: Set<string>; readonly way: Omit<ReachWay, 'from'> }>();
  const joinable = new Set<string>();
  const add: ListedWays['add'] = (one, { answer, asked }) => {
    const { from, to } = one;
    const [sure, may] = [asked.sure.key, asked.may.key];
    // why: most pairs join no way, and their steps take long
    const rough = `${one.sender() ?? ''}\n${sure}\n${may}\n${to.join()}`;
    if (ways.size >= most && !joinable.has(rough)) return false;
    const steps = one.steps();
    const key = JSON.stringify([steps, sure, may, to]);
    const known = ways.get(key);
    if (known !== undefined) for (const name of from) known.senders.add(name);
    else if (ways.size >= most) return false;
    else {
      const traffic = { open: entriesIn(asked.sure), maybe: entriesIn(subtract(asked.may, asked.sure)) };
      ways.set(key, { senders: new Set(from), way: { answer, to, steps, ...traffic } });
      joinable.add(rough);
    }
    return true;
  };
  return { add, all: () => [...ways.values()].map(({ senders, way }) => ({ ...way, from: [...senders] })) };
}

const rank: Readonly<Record<ReachAnswer, number>> = { yes: 0, unknown: 1, no: 2 };

const bestOf = (answers: readonly ReachAnswer[]): ReachAnswer =>
  answers.toSorted((a, b) => rank[a] - rank[b])[0] ?? 'unknown';

/** So many have a note of their own. */
const mostStopped = 10;

function stoppedNotes(machines: readonly Machine[]): readonly string[] {
  const names = [...new Set(machines.flatMap(({ name, power }) => (power === 'stopped' ? [name] : [])))];
  const more = names.length - mostStopped;
  return [
    ...names.slice(0, mostStopped).map((name) => `${name} is stopped: nothing answers there now`),
    ...(more > 0 ? [`${more} more instances are stopped`] : []),
  ];
}

/** Setpoint lists no load balancers. They may forward traffic from outside that finds no other way. */
const assumptionsOf = (cloud: Cloud, answer: ReachAnswer, isFromOutside: boolean): readonly string[] =>
  cloud !== 'memory' && answer === 'no' && isFromOutside ? ['no load balancer forwards it'] : [];
