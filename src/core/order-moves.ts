import type { Action } from './action.ts';
import type { InstanceAttributes, RuleAttributes } from './attributes.ts';
import { groupsNamed } from './kinds/firewall-rule.ts';
import type { Ref } from './resource.ts';
import { trafficChange } from './rule-widening.ts';

/** `before` must have gone well first. Positions in the actions. */
export interface Precedence {
  readonly before: number;
  readonly after: number;
}

/**
 * A machine changes groups between the rules: those that name its new groups stand, or have widened, before it moves; those
 * that name its old ones go, or shrink, after it has. So it is let through what it was let through all the time.
 */
export function movesBetweenGroups(actions: readonly Action[]): readonly Precedence[] {
  const moves = [...actions.entries()].flatMap(([at, action]) => moveOf(action, at));
  if (moves.length === 0) return [];
  const made = rulesByGroup(actions, 'stands');
  const gone = rulesByGroup(actions, 'goes');
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

function rulesByGroup(actions: readonly Action[], becoming: 'stands' | 'goes'): ReadonlyMap<Ref, readonly number[]> {
  const index = new Map<Ref, number[]>();
  for (const [at, action] of actions.entries()) {
    const rule = ruleOf(action, becoming);
    if (rule === undefined) continue;
    for (const group of new Set(groupsNamed(rule))) {
      const known = index.get(group);
      if (known) known.push(at);
      else index.set(group, [at]);
    }
  }
  return index;
}

/** The rule that an action makes or widens, or takes away or lets shrink. */
function ruleOf(action: Action, becoming: 'stands' | 'goes'): RuleAttributes | undefined {
  if (action.kind !== 'firewall-rule') return undefined;
  const change = action.verb === 'update' ? trafficChange(action) : undefined;
  const stands = action.verb === 'create' || (action.verb === 'update' && change === 'widens');
  const goes = action.verb === 'delete' || (action.verb === 'update' && change === 'shrinks');
  // why: `kind` was just checked
  if (becoming === 'stands') return stands ? (action.desired.attributes as RuleAttributes) : undefined;
  return goes ? (action.observed.attributes as RuleAttributes) : undefined; // why: as above
}
