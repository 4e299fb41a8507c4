import type { Action } from './action.ts';
import type { InstanceAttributes } from './attributes.ts';
import { groupsNamed } from './kinds/firewall-rule.ts';
import type { Ref } from './resource.ts';

/** `before` must have gone well first. Positions in the actions. */
export interface Precedence {
  readonly before: number;
  readonly after: number;
}

/**
 * A machine changes groups between the rules: those that name its new groups stand before it moves, those that name its
 * old ones go after it has. So it is let through what it was let through all the time.
 */
export function movesBetweenGroups(actions: readonly Action[]): readonly Precedence[] {
  const moves = [...actions.entries()].flatMap(([at, action]) => moveOf(action, at));
  if (moves.length === 0) return [];
  const made = rulesByGroup(actions, 'create');
  const gone = rulesByGroup(actions, 'delete');
  return moves.flatMap(({ at, joins, leaves }) => [
    ...joins.flatMap((group) => made.get(group) ?? []).map((before) => ({ before, after: at })),
    ...leaves.flatMap((group) => gone.get(group) ?? []).map((after) => ({ before: at, after })),
  ]);
}

interface Move {
  readonly at: number;
  readonly joins: readonly Ref[];
  readonly leaves: readonly Ref[];
}

function moveOf(action: Action, at: number): readonly Move[] {
  if (action.kind !== 'instance' || (action.verb !== 'update' && action.verb !== 'replace')) return [];
  const [wanted, present = []] = [groupsOf(action.desired), groupsOf(action.observed)];
  if (wanted === undefined) return [];
  const joins = wanted.filter((group) => !present.includes(group));
  const leaves = present.filter((group) => !wanted.includes(group));
  return joins.length + leaves.length === 0 ? [] : [{ at, joins, leaves }];
}

/** Groups that nobody stated are not changed. */
function groupsOf({ attributes }: { readonly attributes: object }): readonly Ref[] | undefined {
  // why: only called with instances
  return (attributes as InstanceAttributes).groups;
}

function rulesByGroup(actions: readonly Action[], verb: 'create' | 'delete'): ReadonlyMap<Ref, readonly number[]> {
  const index = new Map<Ref, number[]>();
  for (const [at, action] of actions.entries()) {
    if (action.kind !== 'firewall-rule' || action.verb !== verb) continue;
    const rule = action.verb === 'create' ? action.desired : action.observed;
    // why: `kind` was just checked
    for (const group of new Set(groupsNamed(rule.attributes as Parameters<typeof groupsNamed>[0]))) {
      const known = index.get(group);
      if (known) known.push(at);
      else index.set(group, [at]);
    }
  }
  return index;
}
