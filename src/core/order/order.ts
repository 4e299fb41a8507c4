import type { Action } from '../action.ts';
import type { Desired } from '../desired.ts';
import { groupByMany } from '../group-by-many.ts';
import { groupsNamed } from '../kinds/firewall-rule.ts';
import { refsOf, rulesOf } from '../kinds/kinds.ts';
import type { Observed } from '../observed.ts';
import type { Ref } from '../resource.ts';
import { type Flow, flowOf } from './flow.ts';
import { breakCycles, type Graph, graphOf, type Node } from './graph.ts';
import { type Changing, isJoining, joiningOf, movesIn, orderMoves } from './moves.ts';
import { neighboursOf, type Surroundings } from './neighbours.ts';
import { atOtherEnd, openedBy, orderOpenings, orderTraffic, ruleChanges } from './rule-changes.ts';
import { type Bundle, trafficIndex } from './traffic-index.ts';

/**
 * The order of the actions of one plan. Numbers are positions: those below the number of steps are steps, those
 * from there on are gates. A gate stands for what many wait for, so that waits grow with actions and not with pairs of them.
 */
export interface Order {
  readonly steps: readonly Step[];
  readonly gates: readonly Gate[];
}

export interface Step extends Waits {
  readonly action: Action;
}

/** `seen`: open only once the cloud shows every rule that was made: no old one is taken away before. */
export interface Gate extends Waits {
  readonly seen: boolean;
}

interface Waits {
  /** These must have gone well. */
  readonly needs: readonly number[];
  /** These must have ended, well or not. */
  readonly follows: readonly number[];
}

/**
 * The order of a plan's actions, finer than tiers of kinds; what is not ordered may run side by side.
 *
 *   what                                      | waits for
 *   ------------------------------------------+---------------------------------------------------------------
 *   whatever names a resource                 | that resource made, adopted or replaced; or its update, ended
 *   a delete                                  | whatever stands in it or names it: deleted, moved or let go
 *   a rule that goes, shrinks or denies       | the new rules that speak of the same traffic: see rule-changes.ts
 *   a rule that lets more through at one end  | what goes at the other end, ended: see rule-changes.ts
 *   a machine that is made or changes groups  | the rules of those groups: see moves.ts
 *   replace or stop of a machine              | the one before it in the same document, and those being made
 *   a subnet that overlaps one being deleted  | that delete, ended
 *
 * Machines that change groups may reach each other by both: then each would have to wait until the others have joined theirs, and no
 * order of single changes does that. They join their new groups first, and leave the others once all have joined. So there may be more
 * steps than actions: those of the actions come first, in their order, and then the joining ones.
 */
export function order(actions: readonly Action[], around: Surroundings): Order {
  const whole = arrange(actions, around);
  const joining = whole.circles.flatMap((circle) => {
    const machines = circle.flatMap((at) => actions[at] ?? []).filter(({ kind }) => kind === 'instance');
    // why: a machine alone waits for nobody else to join
    return machines.length < 2 ? [] : machines.flatMap((machine) => joiningOf(machine) ?? []);
  });
  return joining.length === 0 ? whole.order : arrange([...actions, ...joining], around).order;
}

/** `circles`: actions that would have waited for each other, for machines among them to join their groups; by their positions. */
interface Arranged {
  readonly order: Order;
  readonly circles: readonly (readonly number[])[];
}

function arrange(actions: readonly Action[], around: Surroundings): Arranged {
  const graph = graphOf(actions);
  const steps = graph.nodes.flatMap((node, at): Draft | readonly Draft[] => {
    const action = actions[at];
    return action === undefined ? [] : { action, needs: node.needs, follows: node.follows };
  });
  afterParents(steps);
  afterUsers(steps);
  oneByOne(steps);
  afterClashes(steps);
  const positions = new Map(actions.map((action, at) => [action, at]));
  for (const [at, action] of actions.entries())
    if (isJoining(action)) graph.needs(positions.get(action.partOf) ?? at, at);
  const changing = { changes: ruleChanges(actions), moves: movesIn(actions) };
  orderTraffic(graph, changing.changes, around);
  orderMoves(graph, changing, around);
  orderOpenings(graph, changing.changes, around);
  orderLeavers(graph, changing, around);
  const circles = breakCycles(graph);
  const order = {
    steps: steps.map(({ action, needs, follows }) => ({ action, needs: needs.all, follows: follows.all })),
    gates: graph.nodes
      .slice(actions.length)
      .map(({ needs, follows, seen }) => ({ needs: needs.all, follows: follows.all, seen })),
  };
  return { order, circles };
}

interface Draft extends Pick<Node, 'needs' | 'follows'> {
  readonly action: Action;
}

const desiredOf = (action: Action): Desired | undefined => ('desired' in action ? action.desired : undefined);
const observedOf = (action: Action): Observed | undefined => ('observed' in action ? action.observed : undefined);
const namedBy = (resource: Desired | Observed | undefined): readonly Ref[] =>
  resource === undefined ? [] : refsOf(resource.kind, resource.attributes);

function afterParents(steps: readonly Draft[]): void {
  const makers = indexBy(steps, ({ action }) => (desiredOf(action) ? [action.address] : []));
  for (const [i, { action, needs, follows }] of steps.entries()) {
    for (const ref of namedBy(desiredOf(action))) {
      const parents = makers.get(ref)?.filter((parent) => parent !== i) ?? [];
      for (const parent of parents) (steps[parent]?.action.verb === 'update' ? follows : needs).add(parent);
    }
  }
}

/** A twin, or what shows again, shares its address with the one that stays, so only what names it by id would count; and it is empty. */
function afterUsers(steps: readonly Draft[]): void {
  const users = indexBy(steps, ({ action }) => namedBy(observedOf(action)));
  for (const [i, { action, needs }] of steps.entries()) {
    if (
      action.verb !== 'delete' ||
      action.because === 'twin' ||
      (action.because === 'again' && action.kind === 'instance')
    )
      continue;
    const inside = [action.address, action.observed.id].flatMap((ref) => users.get(ref) ?? []);
    for (const user of inside) if (user !== i) needs.add(user);
  }
}

function oneByOne(steps: readonly Draft[]): void {
  const comingUp = indexBy(steps, ({ action }) =>
    action.kind === 'instance' && action.verb === 'create' ? [documentOf(action)] : [],
  );
  const before = new Map<string, number>();
  for (const [i, { action, needs }] of steps.entries()) {
    if (!interrupts(action)) continue;
    const document = documentOf(action);
    const last = before.get(document);
    for (const other of last === undefined ? (comingUp.get(document) ?? []) : [last]) needs.add(other);
    before.set(document, i);
  }
}

const documentOf = ({ documents, address }: Action): Ref => documents[0]?.address ?? address;

const interrupts = (action: Action): boolean =>
  (action.verb === 'replace' && action.kind === 'instance') || (action.verb === 'update' && action.effect === 'stops');

/** Left out where something would have to move from the old one to the new one first: the cloud then says what is wrong. */
function afterClashes(steps: readonly Draft[]): void {
  const leaving = [...steps.entries()].filter(([, { action }]) => action.verb === 'delete' && action.kind === 'subnet');
  if (leaving.length === 0) return;
  for (const { action, follows } of steps) {
    if (action.verb !== 'create' || action.kind !== 'subnet') continue;
    for (const [i, step] of leaving) {
      const observed = observedOf(step.action);
      const moved = step.needs.all.some((user) => steps[user]?.action.verb !== 'delete');
      if (observed && !moved && rulesOf('subnet').clash(action.desired, observed)) follows.add(i);
    }
  }
}

function indexBy(
  steps: readonly Draft[],
  keysOf: (step: Draft) => readonly Ref[],
): ReadonlyMap<Ref, readonly number[]> {
  const index = new Map<Ref, number[]>();
  for (const [i, step] of steps.entries()) {
    for (const key of keysOf(step)) {
      const known = index.get(key);
      if (known) known.push(i);
      else index.set(key, [i]);
    }
  }
  return index;
}

/**
 * A machine that leaves a group ends what the rules that name this group let through for it. So what would let through the rest of the
 * way waits until it has left; else both let through for a moment what gets through neither before nor after.
 *
 *   what                                      | waits for the machines that leave a group which is named by a standing rule
 *   ------------------------------------------+--------------------------------------------------------------------
 *   a rule that lets more through             | for the same traffic at its other end
 *   a machine that joins a group, or is made  | for the same traffic at the other end of a rule that names what it joins;
 *                                             | or that names both groups
 *
 * Two machines that each join what the other leaves would wait for each other: then neither waits. The waits are of order: a machine
 * that does not leave holds up nothing that is wanted.
 */
function orderLeavers(graph: Graph, { changes, moves }: Changing, around: Surroundings): void {
  const leaving = groupByMany(moves, ({ leaves }) => leaves);
  if (leaving.size === 0) return;
  const neighbours = neighboursOf(around, 'either');
  const left = new Map(
    [...leaving].map(([group, its]) => [group, graph.gate({ follows: its.map(({ at }) => at) })] as const),
  );
  const leftBy = (groups: readonly Ref[]): readonly number[] => groups.flatMap((group) => left.get(group) ?? []);
  const closing = around.standing.flatMap((rule) => {
    const gates = leftBy(groupsNamed(rule));
    const flow = flowOf(rule);
    return gates.length === 0 || flow?.action !== 'allow' ? [] : [{ flow, gates }];
  });
  const index = trafficIndex(
    closing.map(({ flow }, at) => ({ at, flow, rank: 0 })),
    neighbours,
  );
  const known = new Map<Bundle, number>();
  const gateOf = (bundle: Bundle): number => {
    const gate =
      known.get(bundle) ??
      oneGate(
        graph,
        bundle.flatMap(({ at }) => closing[at]?.gates ?? []),
      );
    known.set(bundle, gate);
    return gate;
  };
  const beyond = (flow: Flow): readonly number[] =>
    atOtherEnd(flow, neighbours).flatMap((other) => index.meeting(other, 'allow').map(gateOf));
  for (const change of changes)
    for (const flow of openedBy(change)) for (const gate of beyond(flow)) graph.follows(change.at, gate, 'preferred');
  const joined = groupByMany(moves, ({ joins }) => joins);
  const naming = groupByMany([...around.standing, ...around.wanted], (rule) =>
    groupsNamed(rule).filter((group) => joined.has(group)),
  );
  for (const [group, rules] of naming) {
    const flows = rules.flatMap((rule) => flowOf(rule) ?? []).filter(({ action }) => action === 'allow');
    const gates = [...leftBy(rules.flatMap(groupsNamed)), ...flows.flatMap(beyond)];
    if (gates.length === 0) continue;
    const gate = oneGate(graph, gates);
    for (const { at } of joined.get(group) ?? []) graph.follows(at, gate, 'preferred');
  }
}

const oneGate = (graph: Graph, follows: readonly number[]): number => graph.gate({ follows: [...new Set(follows)] });
