import type { Action } from '../action.ts';
import { containsCidr, parseCidr } from '../cidr.ts';
import { coversPorts, parsePorts } from '../port-set.ts';
import type { RuleAttributes, RuleMatch } from '../resource.ts';
import { type Flow, flowOf, type Peer } from './flow.ts';
import type { Graph } from './graph.ts';
import { type Neighbours, neighboursOf, type Surroundings } from './neighbours.ts';
import { type Bundle, type Entry, trafficIndex } from './traffic-index.ts';

/** A change of one rule, by the traffic that it speaks of from then on, and that it no longer speaks of as it did. */
export interface RuleChange {
  readonly at: number;
  /** `made`, `grown`: something is added, and nothing taken. `changed`: both at once. `gone`, `shrunk`: something is taken. */
  readonly as: 'made' | 'grown' | 'changed' | 'shrunk' | 'gone';
  readonly to?: Flow;
  readonly from?: Flow;
  readonly rule: RuleAttributes;
}

/** The changes of rules among the actions; those that touch no traffic are left out. */
export const ruleChanges = (actions: readonly Action[]): readonly RuleChange[] =>
  actions.flatMap((action, at) => changeOf(action, at));

function changeOf(action: Action, at: number): readonly RuleChange[] {
  if (action.kind !== 'firewall-rule') return [];
  switch (action.verb) {
    case 'create': {
      const rule = ruleOf(action.desired);
      return change(at, 'made', { to: flowOf(rule) }, rule);
    }
    case 'delete': {
      const rule = ruleOf(action.observed);
      return change(at, 'gone', { from: flowOf(rule) }, rule);
    }
    case 'update': {
      const how = trafficChange(action);
      if (how === undefined) return [];
      const [from, to] = [ruleOf(action.observed), ruleOf(action.desired)];
      if (how === 'widens') return change(at, 'grown', { to: flowOf(to) }, to);
      if (how === 'shrinks') return change(at, 'shrunk', { from: flowOf(from) }, from);
      return change(at, 'changed', { from: flowOf(from), to: flowOf(to) }, from);
    }
    case 'replace':
    case 'adopt':
    case 'forget':
      return [];
  }
}

// why: only called with firewall rules
const ruleOf = ({ attributes }: { readonly attributes: object }): RuleAttributes => attributes as RuleAttributes;

function change(
  at: number,
  as: RuleChange['as'],
  { from, to }: { readonly from?: Flow | undefined; readonly to?: Flow | undefined },
  rule: RuleAttributes,
): readonly RuleChange[] {
  if (from === undefined && to === undefined) return [];
  return [{ at, as, rule, from, to }];
}

/**
 * The order of rules, so that nothing is shut or opened in between. Of two rules that speak of no common traffic (the same machines,
 * peers and ports) neither waits.
 *
 *   a rule                                    | waits for each that speaks of the same traffic and
 *   ------------------------------------------+--------------------------------------------------------------------
 *   goes, shrinks, or comes to mean another   | says the same (both allow, or both deny), and is made or grows
 *   goes                                      | says the same, and comes to speak of it by a change in place
 *   comes to mean another thing               | the same, unless they would wait for each other
 *   is made, grows, comes to mean another     | says the opposite, outranks it, and is made or grows
 *   goes                                      | says the opposite, is outranked by it, and goes or shrinks
 *
 * This is enough: with all new rules beside all old ones, the rule that decides is the first of the old or the first of the new; and
 * both answers were, or will be, right.
 */
export function orderTraffic(graph: Graph, changes: readonly RuleChange[], around: Surroundings): void {
  const gates = gatesOf(graph);
  waitForSuccessors({ graph, gates }, changes, neighboursOf(around, 'passing'));
  waitForRank({ graph, gates }, changes, neighboursOf(around, 'either'));
}

interface Ordering {
  readonly graph: Graph;
  readonly gates: Gates;
}

function waitForSuccessors({ graph, gates }: Ordering, changes: readonly RuleChange[], neighbours: Neighbours): void {
  const successors = trafficIndex(entriesOf(changes, isAdded, 'to'), neighbours);
  const turning = trafficIndex(entriesOf(changes, isTurned, 'to'), neighbours);
  for (const { at, as, from } of changes) {
    if (from === undefined) continue;
    const turned = turning.meeting(from, from.action);
    const first = [...successors.meeting(from, from.action), ...(as === 'gone' ? turned : [])];
    for (const bundle of first) graph.needs(at, gates.all(bundle));
    for (const other of as === 'gone' ? [] : turned.filter(isFew).flat()) graph.needs(at, other.at, 'soft');
  }
}

/** More rules than this that change in place to the same traffic do so in no order. */
const isFew = ({ length }: Bundle): boolean => length <= 32;

function waitForRank({ graph, gates }: Ordering, changes: readonly RuleChange[], neighbours: Neighbours): void {
  const added = trafficIndex(entriesOf(changes, isAdded, 'to'), neighbours);
  const leaving = trafficIndex(entriesOf(changes, isLeaving, 'from'), neighbours);
  for (const { at, as, from, to } of changes) {
    if (to !== undefined) {
      for (const bundle of added.meeting(to, opposite[to.action])) addAll(graph, at, gates.below(bundle, to.rank));
    }
    if (as === 'gone' && from !== undefined) {
      const outranked = leaving.meeting(from, opposite[from.action]);
      for (const bundle of outranked) addAll(graph, at, gates.below(bundle, -from.rank));
    }
  }
}

const opposite = { allow: 'deny', deny: 'allow' } as const;
const isAdded = ({ as }: RuleChange): boolean => as === 'made' || as === 'grown';
const isTurned = ({ as }: RuleChange): boolean => as === 'changed';
const isLeaving = ({ as }: RuleChange): boolean => as === 'gone' || as === 'shrunk';

function addAll(graph: Graph, at: number, gates: readonly number[]): void {
  for (const gate of gates) graph.needs(at, gate);
}

/** Rules that come are sorted by their rank, those that go from the last to the first. */
const entriesOf = (
  changes: readonly RuleChange[],
  which: (change: RuleChange) => boolean,
  side: 'to' | 'from',
): readonly Entry[] =>
  changes.filter(which).flatMap(({ at, [side]: flow }) => {
    if (flow === undefined) return [];
    return [{ at, flow, rank: side === 'to' ? flow.rank : -flow.rank }];
  });

/** One gate for all that wait for the same bundle, so that edges grow with rules and not with pairs of them. */
interface Gates {
  all(bundle: Bundle): number;
  /** For the entries of a lower rank: none, or one. */
  below(bundle: Bundle, rank: number): readonly number[];
}

export function gatesOf(graph: Graph): Gates {
  const whole = new Map<Bundle, number>();
  const chains = new Map<Bundle, number[]>();
  return {
    all: (bundle) => {
      const gate = whole.get(bundle) ?? graph.gate({ needs: bundle.map(({ at }) => at), seen: true });
      whole.set(bundle, gate);
      return gate;
    },
    below: (bundle, rank) => {
      const length = lowerThan(bundle, rank);
      const chain = chains.get(bundle) ?? [];
      chains.set(bundle, chain);
      for (let next = chain.length; next < length; next += 1) {
        const own = bundle.slice(next, next + 1).map(({ at }) => at);
        chain.push(graph.gate({ needs: [...own, ...chain.slice(-1)], seen: true }));
      }
      return length === 0 ? [] : chain.slice(length - 1, length);
    },
  };
}

/** The number of those with a lower rank: they are sorted by it. */
function lowerThan(bundle: Bundle, rank: number): number {
  let [low, high] = [0, bundle.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((bundle[middle]?.rank ?? rank) < rank) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Traffic between two machines passes the rules of both: those for what leaves the one, and those for what enters the other. So a rule
 * that lets something through at one end waits until what goes at the other end is gone; else both let through for a moment what gets
 * through neither before nor after.
 *
 *   a change of a rule                        | waits for each that speaks of the same traffic at its other end and
 *   ------------------------------------------+--------------------------------------------------------------------
 *   lets more through                         | lets less through, if they would not wait for each other
 *
 * The wait is one of order: a rule that the cloud does not let go holds up nothing that is wanted.
 */
export function orderOpenings(graph: Graph, changes: readonly RuleChange[], around: Surroundings): void {
  const neighbours = neighboursOf(around, 'either');
  const closing = changes.flatMap((change) =>
    closedBy(change).flatMap((flow) =>
      atOtherEnd(flow, neighbours).map((other) => ({ at: change.at, flow: other, rank: 0 })),
    ),
  );
  if (closing.length === 0) return;
  const index = trafficIndex(closing, neighbours);
  const gates = endedGates(graph);
  for (const change of changes) {
    for (const flow of openedBy(change)) {
      for (const bundle of index.meeting(flow, 'allow')) graph.follows(change.at, gates(bundle), 'shut-rule');
    }
  }
}

/** The traffic of which a change may let some through. */
export const openedBy = ({ from, to }: RuleChange): readonly Flow[] => [
  ...(to?.action === 'allow' ? [to] : []),
  ...(from?.action === 'deny' ? [from] : []),
];

/** The traffic of which a change may shut some. */
export const closedBy = ({ from, to }: RuleChange): readonly Flow[] => [
  ...(from?.action === 'allow' ? [from] : []),
  ...(to?.action === 'deny' ? [to] : []),
];

/** The same traffic as a rule for its other end would speak of it: none where that is no machine of ours. */
export function atOtherEnd(flow: Flow, { isInside }: Neighbours): readonly Flow[] {
  const { direction, holders, peers, network, service } = flow;
  const groups = peers.flatMap((peer) => (peer.kind === 'group' ? [peer.key] : []));
  const isAny = peers.some((peer) => peer.kind === 'unknown' || (peer.kind === 'block' && isInside(peer.cidr)));
  if (!isAny && groups.length === 0) return [];
  const everybody: Peer = { kind: 'unknown', key: 'everybody' };
  return [
    {
      network,
      service,
      direction: direction === 'ingress' ? 'egress' : 'ingress',
      action: 'allow',
      holders: isAny ? [] : groups,
      peers: holders.length === 0 ? [everybody] : holders.map((key) => ({ kind: 'group', key })),
      rank: 0,
    },
  ];
}

/** One gate for all that wait until the same bundle has ended. */
function endedGates(graph: Graph): (bundle: Bundle) => number {
  const gates = new Map<Bundle, number>();
  return (bundle) => {
    const gate = gates.get(bundle) ?? graph.gate({ follows: bundle.map(({ at }) => at) });
    gates.set(bundle, gate);
    return gate;
  };
}

/** A rule is its content and the scope of that content. */
export type RuleMeaning = Pick<RuleAttributes, 'match' | 'order'>;

/**
 * The effect of an update on the traffic of a rule; undefined if there is none.
 *
 * - `widens`: the rule speaks of all that it did, and of more.
 * - `shrinks`: of some of what it did, and of nothing else.
 * - `changes`: of something else, in another place among the rules, or nobody can tell.
 */
export function trafficChange(
  action: Extract<Action, { readonly verb: 'update' }>,
): 'widens' | 'shrinks' | 'changes' | undefined {
  const touches = action.changes.some(({ field }) => /^(?:match|order)(?:\.|$)/.test(field) && field !== 'order.log');
  if (action.kind !== 'firewall-rule' || !touches) return undefined;
  const [from, to] = [saidOf(action.observed), saidOf(action.desired)];
  if (widens(from, to)) return 'widens';
  return widens(to, from) ? 'shrinks' : 'changes';
}

// why: only called with firewall rules
const saidOf = ({ attributes }: { readonly attributes: object }): RuleMeaning => attributes as RuleAttributes;

function widens(from: RuleMeaning, to: RuleMeaning): boolean {
  if (from.match.action !== to.match.action || from.match.direction !== to.match.direction) return false;
  if (to.order?.disabled) return false;
  if (from.order?.disabled) return true;
  return from.order?.priority === to.order?.priority && covers(to.match, from.match);
}

const covers = (outer: RuleMatch, inner: RuleMatch): boolean =>
  (outer.protocol === 'all' || outer.protocol === inner.protocol) &&
  portsCover(outer.ports, inner.ports) &&
  peersCover(outer.peers, inner.peers) &&
  ((outer.targets ?? []).length === 0 || ((inner.targets ?? []).length > 0 && holdsAll(outer.targets, inner.targets)));

function portsCover(outer: string, inner: string): boolean {
  if (outer === 'all' || outer === inner) return true;
  const [wide, narrow] = [parsePorts(outer.split(',')), parsePorts(inner.split(','))];
  return wide !== undefined && narrow !== undefined && coversPorts(wide, narrow);
}

/** Of peers that are no blocks of addresses only equal ones are known to be the same machines. */
function peersCover(outer: readonly string[], inner: readonly string[]): boolean {
  const blocks = outer.flatMap((peer) => parseCidr(peer) ?? []);
  return inner.every((peer) => {
    if (outer.includes(peer)) return true;
    const block = parseCidr(peer);
    return block !== undefined && (outer.includes('any') || blocks.some((wide) => containsCidr(wide, block)));
  });
}

const holdsAll = (outer: readonly string[] = [], inner: readonly string[] = []): boolean =>
  inner.every((one) => outer.includes(one));
