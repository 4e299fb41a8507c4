import type { Action } from './action.ts';
import type { Desired } from './desired.ts';
import { refsOf, rulesOf } from './kinds/kinds.ts';
import type { Observed } from './observed.ts';
import { graphOf, type Node, openCircles } from './order-graph.ts';
import { orderLeavers } from './order-leavers.ts';
import { movesIn, orderMoves } from './order-moves.ts';
import { orderOpenings } from './order-openings.ts';
import { orderTraffic, ruleChanges } from './order-traffic.ts';
import type { Ref } from './resource.ts';
import type { Surroundings } from './traffic/neighbours.ts';

/**
 * What must come before what, among the actions of one plan. Numbers are positions: those below the number of steps are steps, those
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
 *   a rule that goes, shrinks or denies       | the new rules that speak of the same traffic: see order-traffic.ts
 *   a rule that lets more through at one end  | what goes at the other end, ended: see order-openings.ts
 *   a machine that is made or changes groups  | the rules of those groups: see order-moves.ts
 *   replace or stop of a machine              | the one before it in the same document, and those being made
 *   a subnet that overlaps one being deleted  | that delete, ended
 */
export function order(actions: readonly Action[], around: Surroundings): Order {
  const graph = graphOf(actions);
  const steps = graph.nodes.flatMap((node, at): Draft | readonly Draft[] => {
    const action = actions[at];
    return action === undefined ? [] : { action, needs: node.needs, follows: node.follows };
  });
  afterParents(steps);
  afterUsers(steps);
  oneByOne(steps);
  afterClashes(steps);
  const changes = ruleChanges(actions);
  orderTraffic(graph, changes, around);
  orderMoves(graph, changes, around);
  orderOpenings(graph, changes, around);
  orderLeavers(graph, { changes, moves: movesIn(actions) }, around);
  openCircles(graph);
  return {
    steps: steps.map(({ action, needs, follows }) => ({ action, needs: needs.all, follows: follows.all })),
    gates: graph.nodes
      .slice(actions.length)
      .map(({ needs, follows, seen }) => ({ needs: needs.all, follows: follows.all, seen })),
  };
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
