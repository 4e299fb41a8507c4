import { type Action, type ScopePlan, type Verb, verbKey } from '../action.ts';
import { fightKey, ruleField } from '../fights.ts';
import type { Knowledge, PendingIntent } from '../knowledge.ts';
import {
  type Budget,
  budgetOf,
  budgets,
  type Count,
  type Excess,
  excessesOf,
  fieldOf,
  flagOf,
  type LimitBounds,
  noCount,
  plus,
  sorts,
  usedOf,
} from '../limits.ts';
import type { Address } from '../resource.ts';
import { finish, type Steps } from '../steps.ts';
import { type CostBounds, costHolds, withIncreases } from './cost-limit.ts';
import { unlessApproved } from './holds.ts';
import { planInSteps } from './plan.ts';
import type { Choices, Hold, PlanInput } from './plan-input.ts';
import { hasRollouts } from './rollout-stops.ts';
import { countOf, type Tally, tally } from './tally.ts';

/** The limits of an estate, and its use of them. */
export interface Bounds extends LimitBounds {
  /** Of this generation so far, and of healing in the last 24 h. */
  readonly spent: Tally;
  /** The remaining changes of this generation in scopes that are not planned with these. */
  readonly elsewhere?: Count;
  /** Absent: the estate has no limit on its cost. */
  readonly cost?: CostBounds;
}

/**
 * Plans every scope of an estate, and withholds what would go over a limit: deletes and replaces, new machines, and closures of
 * rules that nobody wrote are each a budget over all scopes, so one scope alone cannot tell, and later waves count too. All of
 * a budget wait, not only those beyond the limit; the rest goes on. What an open intent stands for has its place already.
 */
export function planEstate(inputs: readonly PlanInput[], bounds: Bounds): readonly ScopePlan[] {
  return finish(planEstateInSteps(inputs, bounds));
}

/** The same, in steps. */
export function* planEstateInSteps(inputs: readonly PlanInput[], bounds: Bounds): Steps<readonly ScopePlan[]> {
  const denied = inputs.map((): Hold[] => []);
  const inAll = yield* each(inputs, ({ choices = {} }, at) => ({ ...noting(choices, denied[at] ?? []), atOnce: true }));
  const actions = inAll.flatMap((one) => one.actions);
  const isBegun = underWay(
    actions,
    inputs.map(({ knowledge }) => knowledge),
  );
  const isAgain = closedBefore(inputs.map(({ knowledge }) => knowledge));
  const hasPlace = (action: Action): boolean => isBegun(action) || isAgain(action);
  const planned = tally(actions.filter((action) => !hasPlace(action)));
  const holds = (['generation', 'healing'] as const)
    .flatMap((by) => budgets.flatMap((budget) => overLimit({ by, budget }, planned, bounds) ?? []))
    .map(
      (limit): Hold =>
        (action) =>
          hasPlace(action) ? undefined : limit(action),
    );
  const ofCost = yield* costHoldsOf(inputs, inAll, { bounds, holds, denied, hasPlace });
  if (holds.length + ofCost.length === 0 && !inputs.some(({ wanted }) => hasRollouts(wanted)))
    return withAllIncreases(inAll, inputs, bounds);
  const plans = yield* each(inputs, ({ choices = {} }, at) =>
    bounded(choices, [...holds, ...ofCost.slice(at, at + 1)], denied[at]),
  );
  return withAllIncreases(plans, inputs, bounds);
}

const withAllIncreases = (
  plans: readonly ScopePlan[],
  inputs: readonly PlanInput[],
  { cost }: Pick<Bounds, 'cost'>,
): readonly ScopePlan[] =>
  cost === undefined
    ? plans
    : plans.map((plan, at) => {
        const input = inputs[at];
        return input === undefined ? plan : withIncreases(plan, input, cost);
      });

interface Counting {
  readonly bounds: Bounds;
  /** The holds of the other limits. */
  readonly holds: readonly Hold[];
  readonly denied: readonly Hold[][];
  readonly hasPlace: (action: Action) => boolean;
}

/** One hold a scope; empty where no limit on the cost holds anything. An action that another limit withholds neither raises nor saves. */
function* costHoldsOf(
  inputs: readonly PlanInput[],
  inAll: readonly ScopePlan[],
  { bounds, holds, denied, hasPlace }: Counting,
): Steps<readonly Hold[]> {
  const { cost, allowCost } = bounds;
  if (cost === undefined) return [];
  const plans =
    holds.length === 0
      ? inAll
      : yield* each(inputs, ({ choices = {} }, at) => ({ ...bounded(choices, holds, denied[at]), atOnce: true }));
  const scopes = inputs.flatMap((input, at) => plans.slice(at, at + 1).map((plan) => ({ input, plan })));
  const ofCost = costHolds(scopes, { bounds: cost, allowCost, hasPlace });
  return ofCost.some((hold, at) => plans[at]?.actions.some((action) => hold(action) !== undefined)) ? ofCost : [];
}

/** Keeps the denials of a judge: of all at once it judges more than of one wave. */
function noting(choices: Choices, denied: Hold[]): Choices {
  const { judge } = choices;
  if (judge === undefined) return choices;
  const noted = function* (plan: ScopePlan, input: PlanInput): Steps<Hold | undefined> {
    const hold = yield* judge(plan, input);
    if (hold !== undefined) denied.push(hold);
    return hold;
  };
  return { ...choices, judge: Object.assign(noted, { key: judge.key }) };
}

function* each(
  inputs: readonly PlanInput[],
  choicesOf: (input: PlanInput, at: number) => Choices,
): Steps<readonly ScopePlan[]> {
  const plans: ScopePlan[] = [];
  for (const [at, input] of inputs.entries()) {
    plans.push(yield* planInSteps({ ...input, choices: choicesOf(input, at) }));
    yield;
  }
  return plans;
}

/** Approved actions count like all others, and are executed. */
const bounded = (choices: Choices, limits: readonly Hold[], denied: readonly Hold[] = []): Choices => ({
  ...choices,
  holds: [...(choices.holds ?? []), ...denied, ...limits.map((limit) => unlessApproved(limit, choices.approved))],
});

interface Held {
  readonly by: keyof Tally;
  readonly budget: Budget;
}

function overLimit(held: Held, planned: Tally, bounds: Bounds): Hold | undefined {
  const { by, budget } = held;
  const spent = bounds.spent[by];
  const others = by === 'generation' ? (bounds.elsewhere ?? noCount) : noCount;
  if (usedOf(planned[by], budget) === 0) return undefined;
  const all = [spent, others].reduce(sumOf, planned[by]);
  const over = excessesOf(bounds, all, budget);
  if (over.length === 0) return undefined;
  const period = by === 'generation' ? 'this generation' : 'healing in the last 24 h';
  const elsewhere = usedOf(others, budget);
  const ran = `${usedOf(spent, budget)} already made${elsewhere > 0 ? `, ${elsewhere} in other scopes` : ''}`;
  const would = over.map((one) => excessText(one, bounds)).join('; ');
  const wayBack = by === 'generation' ? '. If that is a mistake, commit the former specs' : '';
  const why = `${period} would make ${would} (${ran})${wayBack}. Allow it with: setpoint apply ${flagOf[budget]} ${usedOf(all, budget)}, or: setpoint approve --reason "…"`;
  return (action) => (isHeld(action, held) ? { code: 'limit', why } : undefined);
}

const sumOf = (a: Count, b: Count): Count => sorts.reduce((sum, sort) => plus(sum, sort, b[fieldOf[sort]]), a);

function excessText({ of, count, most }: Excess, { owned }: Bounds): string {
  switch (of) {
    case 'share':
      return `${count} of ${owned} resources, the limit is ${most} (limits.share)`;
    case 'delete':
    case 'replace':
      return `${count} ${of}s, the limit is ${most} (limits.${of}s)`;
    case 'create':
      return `${count} new machines, the limit is ${most} (limits.creates)`;
    case 'closure':
      return `${count} closures of rules that nobody wrote, the limit is ${most} (limits.closures)`;
  }
}

function isHeld(action: Action, { by, budget }: Held): boolean {
  const counted = countOf(action);
  return counted !== undefined && counted.by === by && budgetOf[counted.as] === budget;
}

/**
 * Tells of these actions which one an open intent stands for: that took its place in the limits when it was intended, and whoever
 * intends it again takes no other.
 */
export function underWay(actions: readonly Action[], known: readonly OpenIntents[]): (action: Action) => boolean {
  const intents = known.flatMap(({ pending, again = [] }) => [...pending, ...again]);
  if (intents.length === 0) return () => false;
  const open = new Set(intents.map(verbKey));
  const isBegun = ({ verb, address }: Action): boolean =>
    sentAs[verb].some((sent) => open.has(verbKey({ verb: sent, address })));
  const begun = new Set(actions.filter(isBegun).map(subjectOf));
  return (action) => begun.has(subjectOf(action));
}

/** A rule that healing closed lately has its place in the limits: however often somebody opens it, it takes no other. */
function closedBefore(known: readonly Pick<Knowledge, 'healed'>[]): (action: Action) => boolean {
  const isKnown = (address: Address): boolean =>
    known.some(({ healed }) => healed?.get(fightKey({ address, field: ruleField }))?.to === '');
  return (action) => action.verb === 'delete' && action.because === 'rogue' && isKnown(action.address);
}

type OpenIntents = Pick<Knowledge, 'pending' | 'again'>;

/** The intents of each verb; both halves of a replacement share its place. */
const sentAs: Readonly<Record<Verb, readonly PendingIntent['verb'][]>> = {
  create: ['create'],
  update: ['update'],
  replace: ['create', 'delete'],
  delete: ['delete', 'tombstone'],
  adopt: ['adopt'],
  forget: ['forget'],
};

/** The subject with one place in the count: all atoms of a document together. */
const subjectOf = ({ verb, kind, address, documents }: Action): string =>
  verbKey({
    verb: verb === 'replace' ? 'create' : verb,
    address: (kind === 'firewall-rule' ? documents[0]?.address : undefined) ?? address,
  });
