import type { Action } from './action.ts';
import type { RuleAttributes } from './attributes.ts';
import type { Graph } from './order-graph.ts';
import { trafficChange } from './rule-widening.ts';
import { type Flow, flowOf } from './traffic/flow.ts';
import { type Neighbours, neighboursOf, type Surroundings } from './traffic/neighbours.ts';
import { type Bundle, type Entry, trafficIndex } from './traffic/traffic-index.ts';

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
  return [{ at, as, rule, ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }];
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
 * Why this is enough: with all new rules beside all old ones, whichever decides is the first of the old or the first of the new; and
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

/** Where more rules than this turn to the same traffic in place at once, they do so in no order. */
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
export interface Gates {
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

/** How many have a lower rank: they are sorted by it. */
function lowerThan(bundle: Bundle, rank: number): number {
  let [low, high] = [0, bundle.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((bundle[middle]?.rank ?? rank) < rank) low = middle + 1;
    else high = middle;
  }
  return low;
}
