import type { Action } from './action.ts';
import type { InstanceAttributes, RuleAttributes } from './attributes.ts';
import { groupByMany } from './group-by-many.ts';
import { groupsNamed } from './kinds/firewall-rule.ts';
import type { Graph } from './order-graph.ts';
import { gatesOf, type RuleChange } from './order-traffic.ts';
import type { Ref } from './resource.ts';
import { type Flow, flowOf } from './traffic/flow.ts';
import { neighboursOf, type Surroundings } from './traffic/neighbours.ts';
import { type Bundle, type Entry, type TrafficIndex, trafficIndex } from './traffic/traffic-index.ts';

/**
 * A machine changes groups between the rules, so that what it is let through before and after it is let through all the time, and
 * what it is let through neither before nor after at no time.
 *
 *   what                                      | comes
 *   ------------------------------------------+--------------------------------------------------------------
 *   a new rule that names a group it joins    | before it moves
 *   a new rule in place of one that names a   | before it moves
 *   group it leaves                           |
 *   a new rule that names a group it leaves   | after it has moved, if they would not wait for each other
 *   an old rule that names a group it is in   | goes after it has moved, if what it lets through is let through there too
 *   an old rule that names a group it joins   | goes before it moves, or is made, if they would not wait for each other
 */
export function orderMoves(graph: Graph, changes: readonly RuleChange[], around: Surroundings): void {
  const moves = [...graph.actions.entries()].flatMap(([at, action]) => moveOf(action, at));
  if (moves.length === 0) return;
  const moving = new Set(moves.flatMap(({ joins, present }) => [...joins, ...present]));
  const naming = groupByMany(changes, ({ rule }) => groupsNamed(rule).filter((group) => moving.has(group)));
  orderJoined(graph, moves, naming);
  const joining = joinersIn(graph, moves, around);
  orderLeaving(graph, moves, { successors: successorsIn(graph, changes, around), joining, around });
  const leavers = gatesBy(
    groupByMany(moves, ({ leaves }) => leaves),
    (its) => graph.gate({ needs: positionsOf(its) }),
  );
  for (const [group, its] of naming) {
    const left = leavers(group);
    if (left !== undefined) for (const change of its) orderBehind(graph, change, left);
  }
  for (const { at, from } of changes)
    if (from?.action === 'allow') for (const gate of joining(from)) graph.needs(at, gate);
}

/** The rules of the groups that a machine joins: the new ones stand before it comes, the old ones are gone. */
function orderJoined(graph: Graph, moves: readonly Move[], naming: ByGroup<RuleChange>): void {
  const added = gatesBy(naming, (its) => graph.gate({ needs: positionsOf(its.filter(isAdded)) }));
  const taken = gatesBy(naming, (its) => graph.gate({ follows: positionsOf(its.filter((one) => !isAdded(one))) }));
  for (const { at, joins, isMade } of moves) {
    for (const group of joins) {
      const [first, gone] = [added(group), taken(group)];
      if (first !== undefined && !isMade) graph.needs(at, first, 'wish');
      if (gone !== undefined) graph.follows(at, gone, 'soft');
    }
  }
}

function gatesBy<T>(by: ByGroup<T>, make: (its: readonly T[]) => number): (group: Ref) => number | undefined {
  const gates = new Map([...by].map(([group, its]) => [group, make(its)]));
  return (group) => gates.get(group);
}

interface Leaving {
  readonly successors: (group: Ref) => readonly number[];
  readonly joining: (flow: Flow) => readonly number[];
  readonly around: Surroundings;
}

/**
 * What takes the place of the rules of a group stands before a machine leaves it, wherever it stays or goes; and so do the machines
 * that these rules speak of, unless they would wait for each other.
 */
function orderLeaving(graph: Graph, moves: readonly Move[], { successors, joining, around }: Leaving): void {
  const standing = groupByMany(around.standing, groupsNamed);
  const joiners = new Map<Ref, readonly number[]>();
  const joinersFor = (group: Ref): readonly number[] => {
    const flows = joiners.has(group) ? [] : (standing.get(group) ?? []).flatMap((rule) => flowOf(rule) ?? []);
    const gates = joiners.get(group) ?? oneGate(graph, [...new Set(flows.flatMap(joining))]);
    joiners.set(group, gates);
    return gates;
  };
  for (const { at, leaves } of moves) {
    for (const group of leaves) {
      for (const gate of successors(group)) graph.needs(at, gate);
      for (const gate of joinersFor(group)) graph.needs(at, gate, 'soft');
    }
  }
}

function successorsIn(graph: Graph, changes: readonly RuleChange[], around: Surroundings) {
  const index = trafficIndex(
    entriesOf(changes.filter(isAdded).map(({ at, to }) => [at, to])),
    neighboursOf(around, 'passing'),
  );
  const standing = groupByMany(around.standing, groupsNamed);
  const gates = gatesOf(graph);
  const known = new Map<Ref, readonly number[]>();
  return (group: Ref): readonly number[] => {
    const found = known.get(group) ?? oneGate(graph, successorsOf(standing.get(group) ?? [], index).map(gates.all));
    known.set(group, found);
    return found;
  };
}

function successorsOf(rules: readonly RuleAttributes[], index: TrafficIndex): readonly Bundle[] {
  const flows = rules.flatMap((rule) => flowOf(rule) ?? []);
  return [...new Set(flows.flatMap((flow) => index.meeting(flow, flow.action)))];
}

const oneGate = (graph: Graph, needs: readonly number[]): readonly number[] =>
  needs.length === 0 ? [] : [graph.gate({ needs })];

/** The rules of a group that machines leave. What denies must not go before they have left, nor come. */
function orderBehind(graph: Graph, change: RuleChange, left: number): void {
  const { at, from, to } = change;
  if (from?.action === 'deny') graph.needs(at, left);
  else if (to?.action === 'deny') graph.needs(at, left, 'soft');
  else if (isAdded(change)) graph.follows(at, left, 'soft');
}

/** For traffic that goes: the machines that join groups in which some of it is to be let through. */
function joinersIn(graph: Graph, moves: readonly Move[], around: Surroundings): (flow: Flow) => readonly number[] {
  const joining = groupByMany(
    moves.filter(({ isMade }) => !isMade),
    ({ joins }) => joins,
  );
  const gates = gatesBy(joining, (its) => graph.gate({ needs: positionsOf(its) }));
  const rules = around.wanted.filter((rule) => groupsNamed(rule).some((group) => joining.has(group)));
  const index = trafficIndex(entriesOf(rules.map((rule, at) => [at, flowOf(rule)])), neighboursOf(around, 'passing'));
  const known = new Map<Bundle, readonly number[]>();
  const gateOf = (bundle: Bundle): readonly number[] => {
    const groups = known.has(bundle) ? [] : bundle.flatMap(({ at }) => rules.slice(at, at + 1).flatMap(groupsNamed));
    const found =
      known.get(bundle) ??
      oneGate(
        graph,
        [...new Set(groups)].flatMap((group) => gates(group) ?? []),
      );
    known.set(bundle, found);
    return found;
  };
  return (flow) => index.meeting(flow, flow.action).flatMap(gateOf);
}

const entriesOf = (flows: readonly (readonly [at: number, flow: Flow | undefined])[]): readonly Entry[] =>
  flows.flatMap(([at, flow]) => (flow === undefined ? [] : [{ at, flow, rank: flow.rank }]));

const positionsOf = (all: readonly { readonly at: number }[]): readonly number[] => all.map(({ at }) => at);
const isAdded = ({ as }: RuleChange): boolean => as === 'made' || as === 'grown';

interface Move {
  readonly at: number;
  /** The groups that it is in now. */
  readonly present: readonly Ref[];
  readonly joins: readonly Ref[];
  readonly leaves: readonly Ref[];
  /** It was not there before. */
  readonly isMade: boolean;
}

function moveOf(action: Action, at: number): readonly Move[] {
  if (action.kind !== 'instance') return [];
  if (action.verb === 'create')
    return [{ at, present: [], joins: groupsOf(action.desired) ?? [], leaves: [], isMade: true }];
  const { joins, leaves, present } = groupChangeOf(action);
  return joins.length + leaves.length === 0 ? [] : [{ at, present, joins, leaves, isMade: false }];
}

export type GroupChange = Pick<Move, 'present' | 'joins' | 'leaves'>;

/** The groups that a machine which stands is in, joins and leaves by an action. */
export function groupChangeOf(action: Action): GroupChange {
  const none = { present: [], joins: [], leaves: [] };
  const isChange = action.verb === 'update' || action.verb === 'replace';
  if (action.kind !== 'instance' || !isChange) return none;
  const [wanted, present = []] = [groupsOf(action.desired), groupsOf(action.observed)];
  if (wanted === undefined) return none;
  return {
    present,
    joins: wanted.filter((group) => !present.includes(group)),
    leaves: present.filter((group) => !wanted.includes(group)),
  };
}

/** Groups that nobody stated are not changed. */
function groupsOf({ attributes }: { readonly attributes: object }): readonly Ref[] | undefined {
  // why: only called with instances
  return (attributes as InstanceAttributes).groups;
}

type ByGroup<T> = ReadonlyMap<Ref, readonly T[]>;
