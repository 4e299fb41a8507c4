import type { Action } from './action.ts';
import type { RuleAttributes, RuleMatch } from './attributes.ts';
import type { Precedence } from './order-moves.ts';
import type { Ref } from './resource.ts';
import { mayMeet, trafficChange } from './rule-widening.ts';

/**
 * The order of denials, and of rules that change in place, so that nothing is shut or opened in between: what lets through
 * comes before what shuts, and what takes a rule's place before that shrinks. Each waits for what is of an earlier stage and
 * may speak of the same traffic.
 *
 *   stage | what
 *   ------+-------------------------------------------------------------------
 *   1     | an allowing rule is made, or widens
 *   2     | a denying rule is made, or widens
 *   3     | a rule shrinks, or comes to mean something else
 *   4     | a rule goes; that it waits for new ones is `fresh` in order.ts
 */
export function beforeItShuts(actions: readonly Action[]): readonly Precedence[] {
  const staged = [...actions.entries()].flatMap(([at, action]) => stagedOf(action, at));
  if (!staged.some(({ isChange }) => isChange)) return [];
  return [...Map.groupBy(staged, ({ container }) => container).values()].flatMap(within);
}

function within(staged: readonly Staged[]): readonly Precedence[] {
  const earlier = [2, 3, 4].map((stage) => [stage, staged.filter((one) => one.stage < stage)] as const);
  const before = new Map(earlier);
  return staged.flatMap((after) =>
    (before.get(after.stage) ?? [])
      .filter((one) => precedes(one, after))
      .map((one) => ({ before: one.at, after: after.at })),
  );
}

interface Staged {
  readonly at: number;
  readonly stage: 1 | 2 | 3 | 4;
  readonly container: Ref;
  /** What it speaks of, before and after. */
  readonly matches: readonly RuleMatch[];
  /** Not of those that the order of new and old atoms deals with. */
  readonly isChange: boolean;
}

function precedes(before: Staged, after: Staged): boolean {
  if (after.stage === 4 && !before.isChange) return false;
  return before.matches.some((one) => after.matches.some((other) => mayMeet(one, other)));
}

function stagedOf(action: Action, at: number): readonly Staged[] {
  if (action.kind !== 'firewall-rule') return [];
  switch (action.verb) {
    case 'create': {
      const { match, container } = ruleOf(action.desired);
      const isDenial = match.action === 'deny';
      return [{ at, stage: isDenial ? 2 : 1, container, matches: [match], isChange: isDenial }];
    }
    case 'update': {
      const change = trafficChange(action);
      if (change === undefined) return [];
      const { match, container } = ruleOf(action.desired);
      const widening = match.action === 'deny' ? 2 : 1;
      const matches = [ruleOf(action.observed).match, match];
      return [{ at, stage: change === 'widens' ? widening : 3, container, matches, isChange: true }];
    }
    case 'delete': {
      const { match, container } = ruleOf(action.observed);
      return [{ at, stage: 4, container, matches: [match], isChange: false }];
    }
    case 'replace':
    case 'adopt':
    case 'forget':
      return [];
  }
}

function ruleOf({ attributes }: { readonly attributes: object }) {
  // why: only called with firewall rules
  const { group, network, match } = attributes as RuleAttributes;
  return { match, container: group ?? network };
}
