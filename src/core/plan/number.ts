import type { Dialect } from '../compile/dialect.ts';
import type { Desired } from '../desired.ts';
import type { Observed } from '../observed.ts';
import { compareText } from '../text-order.ts';
import { numbersFor } from './numbers-for.ts';
import type { World } from './world.ts';

type Rule = Desired<'firewall-rule'>;

/**
 * Gives rules their numbers where a cloud wants one for each (Azure): by priority of the document, deny before allow, then
 * address; per network and direction. The network's defaults have fixed ones.
 */
export function number(desired: readonly Desired[], world: World): readonly Desired[] {
  const { numbering } = world.input.dialect.rules;
  if (numbering === undefined) return desired;
  const held = heldNumbers(world);
  const numbered = new Map<Desired, Rule>();
  for (const [place, rules] of Map.groupBy(desired.filter(isStated), placeOf)) {
    const inOrder = rules.toSorted(byWish);
    const current = inOrder.map(({ address }) => currentNumber(address, world));
    const numbers = numbersFor(current, held.get(place) ?? new Set(), numbering);
    for (const [at, rule] of inOrder.entries()) numbered.set(rule, withNumber(rule, numbers[at]));
  }
  return desired.map((one) => numbered.get(one) ?? one);
}

/** The field that holds it. */
export const givenNumber = 'order.priority';

/** Whether the planner gives this one its number. */
export const isNumbered = (one: Desired, { rules }: Pick<Dialect, 'rules'>): boolean =>
  rules.numbering !== undefined && isStated(one);

/** Stated by a rule's document, not by a network's `default`. */
const isStated = (one: Desired): one is Rule =>
  one.kind === 'firewall-rule' && one.documents.some(({ address }) => address.includes('/firewall-rule/'));

const placeOf = ({ attributes: { network, match } }: Pick<Rule, 'attributes'>): string =>
  `${network} ${match.direction}`;

function byWish(a: Rule, b: Rule): number {
  const [first, second] = [a.attributes, b.attributes];
  return (
    (first.order?.priority ?? 0) - (second.order?.priority ?? 0) ||
    // why: "deny" comes after "allow" in the alphabet; where two say one priority the clouds that allow it let deny win
    compareText(second.match.action, first.match.action) ||
    compareText(a.address, b.address)
  );
}

function currentNumber(address: string, { ours }: World): number | undefined {
  const observed = ours.get(address)?.[0]?.observed;
  return observed === undefined || !isRule(observed) ? undefined : observed.attributes.order?.priority;
}

const isRule = (one: Observed): one is Observed<'firewall-rule'> => one.kind === 'firewall-rule';

/** Every number in use, whoever's it is. */
function heldNumbers({ claimed }: World): ReadonlyMap<string, ReadonlySet<number>> {
  const held = new Map<string, Set<number>>();
  for (const { observed } of claimed) {
    const priority = isRule(observed) ? observed.attributes.order?.priority : undefined;
    if (!isRule(observed) || priority === undefined) continue;
    const numbers = held.get(placeOf(observed)) ?? new Set();
    held.set(placeOf(observed), numbers.add(priority));
  }
  return held;
}

function withNumber(rule: Rule, priority: number | undefined): Rule {
  if (priority === undefined) return rule;
  return { ...rule, attributes: { ...rule.attributes, order: { ...rule.attributes.order, priority } } };
}
