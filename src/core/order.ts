import type { Action } from './action.ts';
import type { RuleAttributes } from './attributes.ts';
import type { Desired } from './desired.ts';
import { refsOf, rulesOf } from './kinds/kinds.ts';
import type { Observed } from './observed.ts';
import { movesBetweenGroups } from './order-moves.ts';
import { beforeItShuts } from './order-traffic.ts';
import type { Ref } from './resource.ts';

/** What must come before what, among the actions of one plan. Numbers are positions in `steps`. */
export interface Order {
  readonly steps: readonly Step[];
  /** Per container, the steps that make its new atoms: all must be seen on the cloud before an atom of it is removed. */
  readonly fresh: ReadonlyMap<Ref, readonly number[]>;
}

export interface Step {
  readonly action: Action;
  /** These must have gone well. */
  readonly needs: readonly number[];
  /** These must have ended, well or not. */
  readonly follows: readonly number[];
  /** Set on the removal of an atom whose container gets new ones. */
  readonly container?: Ref;
}

/**
 * The order of a plan's actions, finer than tiers of kinds; what is not ordered may run side by side.
 *
 *   what                                      | waits for
 *   ------------------------------------------+---------------------------------------------------------------
 *   whatever names a resource                 | that resource made, adopted or replaced; or its update, ended
 *   a delete                                  | whatever stands in it or names it: deleted, moved or let go
 *   removal of an atom                        | every new atom of its container, made (and seen: `fresh`)
 *   a denial, a rule that shrinks in place    | what lets through meanwhile: see order-traffic.ts
 *   a machine that changes groups             | every new atom that names a group it joins
 *   removal of an atom that names a group     | every machine that leaves that group
 *   replace or stop of a machine              | the one before it in the same document, and those being made
 *   a subnet that overlaps one being deleted  | that delete, ended
 */
export function order(actions: readonly Action[]): Order {
  const steps = actions.map((action): Draft => ({ action, needs: new Set(), follows: new Set() }));
  afterParents(steps);
  afterUsers(steps);
  const fresh = afterFresh(steps);
  for (const { before, after } of [...movesBetweenGroups(actions), ...beforeItShuts(actions)])
    steps[after]?.needs.add(before);
  oneByOne(steps);
  afterClashes(steps);
  return { steps: steps.map(finish), fresh };
}

interface Draft {
  readonly action: Action;
  readonly needs: Set<number>;
  readonly follows: Set<number>;
  container?: Ref;
}

const finish = ({ action, needs, follows, container }: Draft): Step => ({
  action,
  needs: [...needs],
  follows: [...follows],
  ...(container === undefined ? {} : { container }),
});

const desiredOf = (action: Action): Desired | undefined => ('desired' in action ? action.desired : undefined);
const observedOf = (action: Action): Observed | undefined => ('observed' in action ? action.observed : undefined);
const namedBy = (resource: Desired | Observed | undefined): readonly Ref[] =>
  resource === undefined ? [] : refsOf(resource.kind, resource.attributes);

function afterParents(steps: readonly Draft[]): void {
  const makers = indexBy(steps, ({ action }) => (desiredOf(action) ? [action.address] : []));
  for (const [i, { action, needs, follows }] of steps.entries()) {
    const parents = namedBy(desiredOf(action)).flatMap((ref) => makers.get(ref) ?? []);
    for (const parent of parents) {
      if (parent !== i) (steps[parent]?.action.verb === 'update' ? follows : needs).add(parent);
    }
  }
}

/** A twin shares its address with the one that stays, so only what names it by id would count; and it is empty. */
function afterUsers(steps: readonly Draft[]): void {
  const users = indexBy(steps, ({ action }) => namedBy(observedOf(action)));
  for (const [i, { action, needs }] of steps.entries()) {
    if (action.verb !== 'delete' || action.because === 'twin') continue;
    const inside = [action.address, action.observed.id].flatMap((ref) => users.get(ref) ?? []);
    for (const user of inside) if (user !== i) needs.add(user);
  }
}

function afterFresh(steps: readonly Draft[]): ReadonlyMap<Ref, readonly number[]> {
  const made = indexBy(steps, ({ action }) =>
    action.verb === 'create' && action.kind === 'firewall-rule' ? [containerOf(action.desired)] : [],
  );
  const fresh = new Map<Ref, readonly number[]>();
  for (const step of steps) {
    const { action } = step;
    if (action.verb !== 'delete' || action.kind !== 'firewall-rule') continue;
    const container = containerOf(action.observed);
    const atoms = made.get(container);
    if (!atoms) continue;
    step.container = container;
    fresh.set(container, atoms);
  }
  return fresh;
}

/** Where no group holds a rule, its network does. */
function containerOf({ attributes }: { readonly attributes: object }): Ref {
  // why: only called with firewall rules
  const { group, network } = attributes as RuleAttributes;
  return group ?? network;
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
    for (const other of [...(comingUp.get(document) ?? []), ...(last === undefined ? [] : [last])]) needs.add(other);
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
      const moved = [...step.needs].some((user) => steps[user]?.action.verb !== 'delete');
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
