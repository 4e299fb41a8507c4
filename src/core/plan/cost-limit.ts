import type { Action, ScopePlan } from '../action.ts';
import { inCents, type PriceTable } from '../cost/cost.ts';
import { type CostIncrease, costsBy, type ScopeCost } from '../cost/scope-cost.ts';
import { type CostLimit, costLimitIn } from '../limits.ts';
import type { ScopeKey } from '../resource.ts';
import { listed } from '../text.ts';
import type { Hold, PlanInput, Withholding } from './plan-input.ts';

/** The limit of an estate's monthly cost, and the prices that it is counted by. Both are of one currency: see `costBounds`. */
export interface CostBounds {
  readonly limit: CostLimit;
  readonly prices: PriceTable;
  /** Counts costs by these prices. */
  readonly costOf: (input: PlanInput) => ScopeCost;
  /** The last cost of each scope of the estate. The cost of a scope that is planned now is not used. */
  readonly scopes?: readonly CountedCost[];
  /** Scopes whose cost nobody has counted yet by these prices. Their cost among `scopes` is an earlier one. */
  readonly uncounted?: readonly ScopeKey[];
}

/** The limit may be of the generation before, and the prices of this one may be in another currency. */
export const costBounds = (limit: CostLimit, prices: PriceTable): CostBounds => ({
  limit: costLimitIn(limit, prices.currency),
  prices,
  costOf: costsBy(prices),
});

/** `monthly`: the cost of machines that stand or are being launched. `plannedIncrease`: of raises that have not begun. `currency`: of both. */
export interface CountedCost {
  readonly scope: ScopeKey;
  readonly currency: string;
  readonly monthly: number;
  readonly plannedIncrease: number;
  readonly unpriced: readonly string[];
}

/** `plan`: the whole plan at once, without the actions that other limits withhold. */
export interface PlannedScope {
  readonly input: PlanInput;
  readonly plan: Pick<ScopePlan, 'actions'>;
}

interface Asked {
  readonly bounds: CostBounds;
  /** A person allows this sum. */
  readonly allowCost?: number | undefined;
  /** The action has an open intent, so its cost counts already. */
  readonly hasPlace: (action: Action) => boolean;
}

/**
 * Holds actions that raise the monthly cost of the estate while the projected sum is over its limit. Each scope has one hold.
 *
 *   sum        | of
 *   -----------+-------------------------------------------------------------------------------------------------
 *   projected  | what stands and is launched in all scopes, less what the plans save
 *   of healing | the same, and all that healing raises here
 *   of rollout | the same, and all that rollouts raise, in all scopes
 *
 *   an action that raises the cost | is held
 *   -------------------------------+------------------------------------------------------------------------------
 *   by an unknown amount           | always: its price is missing
 *   while a sum is unknown         | always: a price is missing, or a scope is still to be counted, or in another currency
 *   of healing, of a rollout       | where its sum is over the limit, and over the sum that a person allows
 *
 * So a rollout that costs too much keeps no machine from being healed. Actions that raise nothing are not held.
 */
export function costHolds(scopes: readonly PlannedScope[], asked: Asked): readonly Hold[] {
  const { bounds } = asked;
  const costs = scopes.map(({ input }) => bounds.costOf(input));
  const sums = sumsOf(scopes, costs, asked);
  if (!sums.isRaised) return costs.map(() => () => undefined);
  return costs.map(
    (cost): Hold =>
      (action) => {
        const increase = cost.increaseOf(action);
        if (increase === undefined || asked.hasPlace(action)) return undefined;
        return unknownPrice(increase) ?? unknownSum(sums) ?? overLimit(increase, isHealing(action), { sums, asked });
      },
  );
}

const isHealing = ({ cause }: Action): boolean => cause === 'drift';

/** `isRaised`: true where an action of these scopes raises the cost. */
interface Sums {
  readonly isRaised: boolean;
  readonly healing: number;
  readonly rollout: number;
  readonly unpriced: readonly string[];
  /** Other scopes with a last cost in another currency. */
  readonly inOtherCurrency: readonly OwnCost[];
  /** The number of other scopes. */
  readonly uncounted: number;
}

function sumsOf(scopes: readonly PlannedScope[], costs: readonly ScopeCost[], { bounds, hasPlace }: Asked): Sums {
  const here = new Set(scopes.map(({ input }) => input.observation.scope));
  const uncounted = new Set((bounds.uncounted ?? []).filter((scope) => !here.has(scope)));
  const others = (bounds.scopes ?? []).filter(({ scope }) => !here.has(scope) && !uncounted.has(scope));
  const own = scopes.map(({ plan }, i) => totalsOf(plan.actions, costs[i], hasPlace));
  const sum = (amounts: readonly number[]): number => amounts.reduce((total, amount) => total + amount, 0);
  const standing = sum([...others.map(({ monthly }) => monthly), ...own.map(({ monthly, saved }) => monthly - saved)]);
  const healing = standing + sum(own.map((one) => one.healing));
  const rollout =
    healing + sum([...own.map((one) => one.rollout), ...others.map(({ plannedIncrease }) => plannedIncrease)]);
  return {
    isRaised: own.some(({ isRaised }) => isRaised),
    healing,
    rollout,
    unpriced: [...others, ...costs.map(({ standing }) => standing)].flatMap(({ unpriced }) => unpriced),
    inOtherCurrency: others.filter(({ currency }) => currency !== bounds.prices.currency),
    uncounted: uncounted.size,
  };
}

function totalsOf(actions: readonly Action[], cost: ScopeCost | undefined, hasPlace: Asked['hasPlace']) {
  const totals = { isRaised: false, monthly: cost?.standing.monthly ?? 0, saved: 0, healing: 0, rollout: 0 };
  for (const action of actions) {
    totals.saved += cost?.savingOf(action) ?? 0;
    const increase = cost?.increaseOf(action);
    if (increase === undefined || hasPlace(action)) continue;
    totals.isRaised = true;
    totals[isHealing(action) ? 'healing' : 'rollout'] += increase.monthly;
  }
  return totals;
}

const unknownPrice = ({ unpriced }: CostIncrease): Withholding | undefined =>
  unpriced.length === 0
    ? undefined
    : {
        code: 'limit',
        why: `${withoutPrice(unpriced)}, because limits.cost counts it. Or: setpoint approve --reason "…"`,
      };

function unknownSum({ unpriced, uncounted, inOtherCurrency }: Sums): Withholding | undefined {
  if (unpriced.length > 0)
    return {
      code: 'limit',
      why: `the cost of the estate is unknown, and limits.cost holds all that raises it: ${withoutPrice(unpriced)}. Or: setpoint approve --reason "…"`,
    };
  const [other] = inOtherCurrency;
  if (other !== undefined) return { code: 'limit', why: otherCurrencyText(other) };
  if (uncounted === 0) return undefined;
  const why = `limits.cost counts over all scopes of the estate, and ${uncounted} of them are still to be counted in this generation; it goes on by itself.`;
  return { code: 'limit', why };
}

type OwnCost = Pick<CountedCost, 'scope' | 'currency' | 'monthly'>;

const otherCurrencyText = ({ scope, currency }: OwnCost): string =>
  `the cost of the estate is unknown, and limits.cost holds all that raises it: the last cost of ${scope} is in ${currency}, the prices are not. Setpoint counts a scope of the specs again by itself; release the machines of another one with setpoint forget. Or: setpoint approve --reason "…"`;

const mostNamed = 3;

function withoutPrice(unpriced: readonly string[]): string {
  const named = [...new Set(unpriced)].toSorted();
  const it = named.length > 1 ? 'them' : 'it';
  const disk = named.some((what) => /\bdisk\b/.test(what)) ? ', and state disk.size and disk.type' : '';
  return `no price for ${listed(named, mostNamed)}: add ${it} to prices.yaml${disk}`;
}

interface Over {
  readonly sums: Sums;
  readonly asked: Asked;
}

function overLimit(increase: CostIncrease, heals: boolean, { sums, asked }: Over): Withholding | undefined {
  const { bounds, allowCost } = asked;
  const sum = heals ? sums.healing : sums.rollout;
  if (!isOver(sum, bounds.limit, allowCost)) return undefined;
  return { code: 'limit', why: overText({ sum, part: increase.monthly }, bounds.limit) };
}

/** Amounts are compared in whole cents. */
const isOver = (sum: number, { monthly }: CostLimit, allowCost = 0): boolean =>
  inCents(sum) > Math.max(monthly, allowCost);

/** `sum`: the projected sum. It includes `part`, the increase by this action. */
function overText({ sum, part }: { readonly sum: number; readonly part: number }, limit: CostLimit): string {
  const { monthly, currency, formerCurrency } = limit;
  const up = (Math.ceil(inCents(sum) * 100) / 100).toFixed(2);
  if (formerCurrency !== undefined)
    return `the cost limit was in ${formerCurrency} before this commit (limits.cost), the prices are in ${currency}: nothing that raises the cost passes until the next commit; this change adds ${part.toFixed(2)} ${currency} a month. Allow it with: setpoint apply --allow-cost ${up}, or: setpoint approve --reason "…"`;
  const all = `the estate would cost ${sum.toFixed(2)} ${currency} a month, the limit is ${monthly.toFixed(2)} (limits.cost)`;
  return `${all}; this change adds ${part.toFixed(2)}. Raise limits.cost, or allow it with: setpoint apply --allow-cost ${up}, or: setpoint approve --reason "…"`;
}

/** Increases in the order in which they are intended. */
export interface CostCount {
  /** Adds an increase, or returns the reason for which the limit refuses it. An approved increase is always added. */
  take(increase: number, isApproved: boolean): string | undefined;
  readonly taken: number;
}

interface CostAllowed {
  /** In any currency. */
  readonly limit: CostLimit;
  readonly allowCost?: number | undefined;
}

/** Starts from the cost of all scopes. `own`: the cost of the raising scope, in the currency of its increases. */
export function costCount({ limit, allowCost }: CostAllowed, own: OwnCost, all: readonly OwnCost[]): CostCount {
  const limitHere = costLimitIn(limit, own.currency);
  const other = all.find(({ currency }) => currency !== own.currency);
  const sum = all.reduce((total, { monthly }) => total + monthly, 0);
  const refusal = (after: number, part: number): string | undefined => {
    if (other !== undefined) return otherCurrencyText(other);
    return isOver(after, limitHere, allowCost) ? overText({ sum: after, part }, limitHere) : undefined;
  };
  let taken = 0;
  return {
    take: (part, isApproved) => {
      const why = isApproved ? undefined : refusal(sum + taken + part, part);
      if (why === undefined) taken += part;
      return why;
    },
    get taken() {
      return taken;
    },
  };
}

/** The plan, with the amount by which each action raises the monthly cost: the store counts it. */
export function withIncreases(plan: ScopePlan, input: PlanInput, { costOf }: Pick<CostBounds, 'costOf'>): ScopePlan {
  const cost = costOf(input);
  const actions = plan.actions.map((action) => {
    const increase = cost.increaseOf(action);
    return increase === undefined ? action : { ...action, raisesCostBy: increase.monthly };
  });
  return { ...plan, actions };
}

export function raisesCost({ actions }: ScopePlan, input: PlanInput, { costOf }: Pick<CostBounds, 'costOf'>): boolean {
  const cost = costOf(input);
  return actions.some((action) => cost.increaseOf(action) !== undefined);
}

/**
 * The cost of a scope as the store keeps it. `all`: the whole plan, before limits withhold anything; `plan`: the actions to be done now.
 */
export function countedCost(
  input: PlanInput,
  { plan, all }: { readonly plan: readonly Action[]; readonly all: readonly Action[] },
  { prices, costOf }: Pick<CostBounds, 'prices' | 'costOf'>,
): Omit<CountedCost, 'scope'> {
  const cost = costOf(input);
  const { standing } = cost;
  return {
    currency: prices.currency,
    monthly: standing.monthly - plan.reduce((sum, action) => sum + cost.savingOf(action), 0),
    plannedIncrease: all.reduce((sum, action) => sum + (cost.increaseOf(action)?.monthly ?? 0), 0),
    unpriced: [...new Set(standing.unpriced)].toSorted(),
  };
}
