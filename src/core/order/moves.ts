import type { Action } from '../action.ts';
import type { Cidr } from '../cidr.ts';
import { groupByMany } from '../group-by-many.ts';
import { groupsNamed } from '../kinds/firewall-rule.ts';
import { membershipsOf } from '../kinds/instance.ts';
import { remembered } from '../remembered.ts';
import { type InstanceAttributes, isAddress, nameIn, type Ref } from '../resource.ts';
import { type Flow, flowOf } from './flow.ts';
import type { Graph } from './graph.ts';
import { neighboursOf, type Surroundings } from './neighbours.ts';
import { closedBy, gatesOf, type RuleChange } from './rule-changes.ts';
import { type Bundle, type Entry, trafficIndex } from './traffic-index.ts';

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
 *   an old rule that names a group it is in   | goes after it has moved, if what it lets through is let through there too, and
 *                                             | a machine is in a group that the rule applies to, or they would not wait for
 *                                             | each other
 *   an old rule that names a group it joins   | goes before it moves, or is made, if they would not wait for each other; if it
 *                                             | does not go, the machine waits for the next look
 *   an old rule that speaks of all machines   | goes, or fails to, before it is made
 */
export function orderMoves(graph: Graph, { changes, moves }: Changing, around: Surroundings): void {
  if (moves.length === 0) return;
  const moving = new Set(moves.flatMap(({ joins, present }) => [...joins, ...present]));
  const naming = groupByMany(changes, ({ rule }) => groupsNamed(rule).filter((group) => moving.has(group)));
  orderJoined(graph, moves, naming);
  orderShut(graph, moves, changes, around);
  const joining = joinersIn(graph, moves, around);
  orderLeaving(graph, moves, { successors: successorsIn(graph, changes, around), joiners: joining.joiners });
  const leavers = gatesBy(
    groupByMany(moves, ({ leaves }) => leaves),
    (its) => graph.gate({ needs: positionsOf(its) }),
  );
  for (const [group, its] of naming) {
    const left = leavers(group);
    if (left !== undefined) for (const change of its) orderBehind(graph, change, left);
  }
  orderTakenOver(graph, changes, joining.takingOver, around);
}

/**
 * An old rule is removed after the machines that another rule lets through by then. Where no listed machine is in a group that it applies
 * to, it waits only if those machines do not wait for it. Unlisted members of the group may lose traffic for a moment, which weighs less
 * than an open machine.
 */
function orderTakenOver(
  graph: Graph,
  changes: readonly RuleChange[],
  takenOver: (flow: Flow) => readonly number[],
  { members, isWhole }: Surroundings,
): void {
  const peopled = new Set(members.flatMap(({ before }) => before));
  const isEmpty = ({ holders }: Flow): boolean =>
    isWhole && holders.length > 0 && !holders.some((group) => peopled.has(group));
  for (const { at, from } of changes)
    if (from?.action === 'allow')
      for (const gate of takenOver(from)) graph.needs(at, gate, isEmpty(from) ? 'preferred' : undefined);
}

/** The changes of rules, and of the groups of machines. */
export interface Changing {
  readonly changes: readonly RuleChange[];
  readonly moves: readonly Move[];
}

/** The rules of the groups that a machine joins: the new ones stand before it comes, what denied there is gone. */
function orderJoined(graph: Graph, moves: readonly Move[], naming: ByGroup<RuleChange>): void {
  const added = gatesBy(naming, (its) => graph.gate({ needs: positionsOf(its.filter(isAdded)) }));
  const denied = gatesBy(naming, (its) =>
    graph.gate({ follows: positionsOf(its.filter(({ as, from }) => from?.action === 'deny' && as !== 'grown')) }),
  );
  for (const { at, joins, isMade } of moves) {
    for (const group of joins) {
      const [first, gone] = [added(group), denied(group)];
      // why: none of these rules replaces one that the machine has now; it needs those that do: see `orderLeaving`
      if (first !== undefined && !isMade) graph.needs(at, first, 'sooner');
      if (gone !== undefined) graph.follows(at, gone, 'soft');
    }
  }
}

/**
 * A machine that joins a group waits for the end of the old rules that name any of its groups, or cover everybody. A rule that could
 * not be deleted delays it until the next observation if it names the group, and otherwise only until the deletion has ended.
 */
function orderShut(graph: Graph, moves: readonly Move[], changes: readonly RuleChange[], around: Surroundings): void {
  const closing = changes.filter((change) => closedBy(change).length > 0);
  const joined = moves.filter(({ joins }) => joins.length > 0);
  if (closing.length === 0 || joined.length === 0) return;
  const naming = gatesBy(
    groupByMany(closing, ({ rule }) => groupsNamed(rule)),
    (its) => graph.gate({ needs: positionsOf(its) }),
  );
  const everywhere = closingEverywhere(graph, closing, around);
  for (const { at, joins, stays, subnet, isMade } of joined) {
    for (const gate of joins.flatMap((group) => naming(group) ?? [])) graph.needs(at, gate, 'shut-machine');
    for (const gate of stays.flatMap((group) => naming(group) ?? [])) graph.needs(at, gate, 'preferred');
    for (const gate of everywhere(subnet)) graph.follows(at, gate, isMade ? 'shut-machine' : 'preferred');
  }
}

/** By the subnet of a machine: the rules of its network that speak of all machines there. */
function closingEverywhere(graph: Graph, closing: readonly RuleChange[], around: Surroundings) {
  const { isInside } = neighboursOf(around, 'either');
  const ofAll = closing.filter((change) => closedBy(change).some((flow) => speaksOfAll(flow, isInside)));
  const byNetwork = Map.groupBy(ofAll, ({ rule }) => nameIn(rule.network, 'network'));
  const gates = gatesBy(byNetwork, (its) => graph.gate({ follows: positionsOf(its) }));
  return (subnet: Ref): readonly number[] => {
    const networks = isAddress(subnet) ? [nameIn(subnet, 'subnet').replace(/\.[^.]*$/, '')] : [...byNetwork.keys()];
    return networks.flatMap((network) => gates(network) ?? []);
  };
}

/** Of machines whatever groups they are in. */
const speaksOfAll = (flow: Flow, isInside: (cidr: Cidr) => boolean): boolean =>
  flow.holders.length === 0 || speaksOfAny(flow, isInside);

function gatesBy<T>(by: ByGroup<T>, make: (its: readonly T[]) => number): (group: Ref) => number | undefined {
  const gates = new Map([...by].map(([group, its]) => [group, make(its)]));
  return (group) => gates.get(group);
}

/**
 * The successors of a group's rules exist before a machine leaves the group, in whichever groups they are. So do the machines
 * that these rules name, unless they would wait for each other.
 */
function orderLeaving(graph: Graph, moves: readonly Move[], { successors, joiners }: Leaving): void {
  for (const { at, leaves } of moves) {
    for (const group of leaves) {
      for (const gate of successors(group)) graph.needs(at, gate);
      for (const gate of joiners(group)) graph.needs(at, gate, 'join');
    }
  }
}

/** By the group that is left. */
interface Leaving {
  readonly successors: (group: Ref) => readonly number[];
  readonly joiners: (group: Ref) => readonly number[];
}

/**
 * Of these rules, those that take over from the rules of a group for the machines that leave it: at their own end those of the groups
 * that they are in then, at the other end those that speak of these groups, or of blocks.
 */
function takingOver(entries: readonly Entry[], around: Surroundings): (group: Ref) => TakingOver {
  const [leaving, passing] = [neighboursOf(around, 'leaving'), neighboursOf(around, 'passing')];
  const [atOwnEnd, atOther] = [trafficIndex(entries, leaving, passing), trafficIndex(entries, passing, leaving)];
  const standing = groupByMany(around.standing, groupsNamed);
  return (group) => {
    const flows = (standing.get(group) ?? []).flatMap((rule) => flowOf(rule) ?? []);
    const byHolder = flows.flatMap((flow) =>
      flow.holders.includes(group)
        ? atOwnEnd.meeting({ ...flow, holders: [group] }, flow.action).map((bundle) => ({ bundle, flow }))
        : [],
    );
    const byPeer = flows.flatMap((flow) =>
      flow.peers
        .filter(({ key }) => key === group)
        .flatMap((peer) =>
          atOther.meeting({ ...flow, peers: [peer] }, flow.action).map((bundle) => ({ bundle, flow })),
        ),
    );
    return { byHolder, byPeer };
  };
}

/** Those that a machine which leaves is a holder of, and those that speak of it as a peer. */
interface TakingOver {
  readonly byHolder: readonly Successors[];
  readonly byPeer: readonly Successors[];
}

/** The rules that take over some traffic of a rule. */
interface Successors {
  readonly flow: Flow;
  readonly bundle: Bundle;
}

function successorsIn(graph: Graph, changes: readonly RuleChange[], around: Surroundings): Leaving['successors'] {
  const added = entriesOf(changes.filter(isAdded).map(({ at, to }) => [at, to]));
  const [bundles, gates] = [takingOver(added, around), gatesOf(graph)];
  return remembered((group) => {
    const { byHolder, byPeer } = bundles(group);
    return oneGate(graph, [...new Set([...byHolder, ...byPeer].map(({ bundle }) => bundle))].map(gates.all));
  });
}

const oneGate = (graph: Graph, needs: readonly number[]): readonly number[] =>
  needs.length === 0 ? [] : [graph.gate({ needs })];

/** The rules of a group that machines leave. What denies must not go before they have left, nor come. */
function orderBehind(graph: Graph, change: RuleChange, left: number): void {
  const { at, from, to } = change;
  if (from?.action === 'deny') graph.needs(at, left);
  else if (to?.action === 'deny') graph.needs(at, left, 'soft');
  else if (isAdded(change)) graph.follows(at, left, 'shut-rule');
}

/**
 * For traffic that goes: the machines that join groups in which some of it is to be let through. Only those count that the old rule speaks
 * of now: for all others it lets nothing through that they could lose.
 */
function joinersIn(
  graph: Graph,
  moves: readonly Move[],
  around: Surroundings,
): Pick<Leaving, 'joiners'> & { readonly takingOver: (flow: Flow) => readonly number[] } {
  const joining = moves.filter(({ isMade }) => !isMade);
  const joined = new Set(joining.flatMap(({ joins }) => joins));
  const gates = gatesBy(
    groupByMany(joining, ({ joins, present }) =>
      joins.flatMap((group) => [...present, everybody].map((now) => keyOfJoin(group, now))),
    ),
    (its) => graph.gate({ needs: positionsOf(its) }),
  );
  const { isInside } = neighboursOf(around, 'either');
  const gateAt = (groupsOf: (flow: Flow) => readonly Ref[]) =>
    remembered((bundle: Bundle) => {
      const groups = [...new Set(bundle.flatMap(({ flow }) => groupsOf(flow)))].filter((group) => joined.has(group));
      return remembered((now: Ref) =>
        oneGate(
          graph,
          groups.flatMap((group) => gates(keyOfJoin(group, now)) ?? []),
        ),
      );
    });
  const [ofHolders, ofPeers] = [gateAt(({ holders }) => holders), gateAt(peersOf)];
  const atHolders = (bundle: Bundle, { holders }: Flow): readonly number[] =>
    (holders.length === 0 ? [everybody] : holders).flatMap(ofHolders(bundle));
  const atPeers = (bundle: Bundle, flow: Flow): readonly number[] =>
    (speaksOfAny(flow, isInside) ? [everybody] : peersOf(flow)).flatMap(ofPeers(bundle));
  const rules = around.wanted.filter((rule) => groupsNamed(rule).some((group) => joined.has(group)));
  const entries = entriesOf(rules.map((rule, at) => [at, flowOf(rule)]));
  const index = trafficIndex(entries, neighboursOf(around, 'passing'));
  const bundles = takingOver(entries, around);
  return {
    takingOver: (flow) => [
      ...new Set(
        index.meeting(flow, flow.action).flatMap((bundle) => [...atHolders(bundle, flow), ...atPeers(bundle, flow)]),
      ),
    ],
    // why: a machine that leaves is itself at one end of the new rule, so only machines that join at the other end are waited for
    joiners: remembered((group: Ref) => {
      const { byHolder, byPeer } = bundles(group);
      const all = [
        ...byHolder.flatMap(({ bundle, flow }) => atPeers(bundle, flow)),
        ...byPeer.flatMap(({ bundle, flow }) => atHolders(bundle, flow)),
      ];
      return oneGate(graph, [...new Set(all)]);
    }),
  };
}

const everybody = '';
const keyOfJoin = (group: Ref, now: Ref): Ref => `${group} ${now}`;

/** Of machines by their addresses, whatever groups they are in. */
const speaksOfAny = ({ peers }: Flow, isInside: (cidr: Cidr) => boolean): boolean =>
  peers.some((peer) => peer.kind === 'unknown' || (peer.kind === 'block' && isInside(peer.cidr)));

const entriesOf = (flows: readonly (readonly [at: number, flow: Flow | undefined])[]): readonly Entry[] =>
  flows.flatMap(([at, flow]) => (flow === undefined ? [] : [{ at, flow, rank: flow.rank }]));

const peersOf = ({ peers }: Flow): readonly Ref[] => peers.flatMap(({ kind, key }) => (kind === 'group' ? [key] : []));

const positionsOf = (all: readonly { readonly at: number }[]): readonly number[] => all.map(({ at }) => at);
const isAdded = ({ as }: RuleChange): boolean => as === 'made' || as === 'grown';

export const movesIn = (actions: readonly Action[]): readonly Move[] => {
  const begun = new Map(actions.flatMap((action) => (isJoining(action) ? [[action.partOf, action] as const] : [])));
  return actions.flatMap((action, at) => moveOf(action, at, begun.get(action)));
};

export interface Move {
  readonly at: number;
  /** The groups that it is in now. */
  readonly present: readonly Ref[];
  readonly joins: readonly Ref[];
  readonly leaves: readonly Ref[];
  readonly stays: readonly Ref[];
  /** The subnet after the move. */
  readonly subnet: Ref;
  /** It was not there before. */
  readonly isMade: boolean;
}

/** `begun`: its first step, in which the machine joins its new groups. */
function moveOf(action: Action, at: number, begun: Joining | undefined): readonly Move[] {
  if (action.kind !== 'instance') return [];
  if (action.verb === 'create') {
    const { desired } = action;
    return [
      {
        at,
        present: [],
        joins: membershipsOf(machineIn(desired)) ?? [],
        leaves: [],
        stays: [],
        subnet: subnetOf(desired),
        isMade: true,
      },
    ];
  }
  const change = groupChangeOf(action);
  const { joins, leaves, present } = begun ? afterJoining(change) : change;
  if (joins.length + leaves.length === 0 || !('desired' in action)) return [];
  const stays = present.filter((group) => !leaves.includes(group));
  return [{ at, present, joins, leaves, stays, subnet: subnetOf(action.desired), isMade: false }];
}

type GroupChange = Pick<Move, 'present' | 'joins' | 'leaves'>;

/** The groups that a machine which stands is in, joins and leaves by an action. */
export function groupChangeOf(action: Action): GroupChange {
  const none = { present: [], joins: [], leaves: [] };
  const isChange = action.verb === 'update' || action.verb === 'replace';
  if (action.kind !== 'instance' || !isChange) return none;
  const [wanted, present = []] = [membershipsAfter(action), membershipsOf(machineIn(action.observed))];
  if (wanted === undefined) return none;
  return {
    present,
    joins: wanted.filter((group) => !present.includes(group)),
    leaves: present.filter((group) => !wanted.includes(group)),
  };
}

const afterJoining = ({ present, joins, leaves }: GroupChange): GroupChange => ({
  present: [...present, ...joins],
  joins: [],
  leaves,
});

type Updating = Extract<Action, { readonly verb: 'update' }>;

/** The first step of a change of groups: no plan has it, see `order`. `partOf`: the planned action. */
export type Joining = Updating & { readonly partOf: Action };

export const isJoining = (action: Action): action is Joining => 'partOf' in action;

/** The action as it was planned. */
export const plannedOf = (action: Action): Action => (isJoining(action) ? action.partOf : action);

/**
 * The step in which a machine joins its new groups and leaves none yet. Undefined where it does not both join and leave some, or where
 * what it joins is its service account: a machine has one.
 */
export function joiningOf(action: Action): Joining | undefined {
  if (action.verb !== 'update') return undefined;
  const { joins, leaves } = groupChangeOf(action);
  const { groups: from = [], ...seen } = machineIn(action.observed);
  if (joins.length === 0 || leaves.length === 0 || !joins.every((one) => isGroupOf(action, one))) return undefined;
  const groups = [...from, ...joins].sort();
  const { kind, address, documents, cause, by, desired, observed } = action;
  return {
    ...{ verb: 'update', kind, address, documents, cause, by, observed },
    desired: { ...desired, attributes: { ...seen, groups } },
    changes: [{ field: 'groups', from, to: groups }],
    effect: 'in-place',
    partOf: action,
  };
}

/** The planned change as it is planned again once the machine has joined its new groups. */
export function leftOf({ partOf, desired }: Joining): Action {
  if (!('changes' in partOf)) return partOf;
  const { groups } = machineIn(desired);
  const changes = partOf.changes.map((one) => (one.field === 'groups' ? { ...one, from: groups } : one));
  return { ...partOf, changes };
}

const isGroupOf = ({ desired }: Updating, group: Ref): boolean => machineIn(desired).groups?.includes(group) === true;

/** The groups of a machine after an action. Undefined: nobody stated them, so they do not change. */
export function membershipsAfter(
  action: Extract<Action, { readonly verb: 'update' | 'replace' }>,
): readonly Ref[] | undefined {
  const [wanted, seen] = [machineIn(action.desired), machineIn(action.observed)];
  if (action.verb === 'replace') return membershipsOf(wanted);
  // why: ignored or held fields stay as they are, whatever the document states
  const isChanged = (field: string): boolean => action.changes.some((change) => change.field === field);
  const machine = isChanged('machine.identity') ? wanted.machine : seen.machine;
  return membershipsOf({ ...(isChanged('groups') ? wanted : seen), machine });
}

const machineIn = ({ attributes }: { readonly attributes: object }): InstanceAttributes =>
  attributes as InstanceAttributes; // why: only called with instances

const subnetOf = (machine: { readonly attributes: object }): Ref => machineIn(machine).placement.subnet;

type ByGroup<T> = ReadonlyMap<Ref, readonly T[]>;
