import {
  type Budget,
  budgetOf,
  type Count,
  excessesOf,
  flagOf,
  type LimitBounds,
  noCount,
  plus,
  type Sort,
  usedOf,
} from '../limits.ts';
import type { Address, ScopeKey } from '../resource.ts';

/** The period in which healing counts against the limits. */
export const healingWindowMs = 24 * 60 * 60 * 1000;

/**
 * One place in the estate's count. `subject`: the thing that counts once in its scope however often it is named: a document for
 * its rules, else the cloud id, else the address.
 */
export interface Place {
  readonly as: Sort;
  readonly by: 'generation' | 'healing';
  readonly scope: ScopeKey;
  readonly address: Address;
  readonly subject: string;
}

/**
 * The places that an estate has given out: in one generation, and to healing in the last 24 h. Each of the two periods is held
 * against the limits by itself, as in the plan (see plan/estate.ts).
 */
export interface EstateCount {
  /** Takes a place. Where there is none left: the reason, naming what already ran, and nothing is taken. */
  take(place: Place): string | undefined;
}

export function estateCount(bounds: LimitBounds, ran: readonly Place[]): EstateCount {
  const periods = { generation: ofPeriod('generation'), healing: ofPeriod('healing') };
  return { take: (place) => periods[place.by].take(place) };

  function ofPeriod(by: Place['by']): EstateCount {
    const known = new Map(ran.filter((place) => place.by === by).map((place) => [placeKey(place), place]));
    const named = [...known.values()];
    const period = periodCount(bounds, { count: countOfPlaces(named), named });
    return { take: (place) => (known.has(placeKey(place)) ? undefined : period.take(place)) };
  }
}

/** `named`: the places of each budget that were taken first, at least as many as a message names. */
export interface Ran {
  readonly count: Count;
  readonly named: readonly Pick<Place, 'as' | 'address'>[];
}

/** The count of one period. None of the places that it is asked for may have been taken before. */
export function periodCount(bounds: LimitBounds, ran: Ran): EstateCount {
  const taken = new Map<string, Place>();
  let { count } = ran;
  const take = (place: Place): string | undefined => {
    if (taken.has(placeKey(place))) return undefined;
    const more = plus(count, place.as);
    const over = excessText(place, bounds, more);
    if (over !== undefined) {
      const budget = budgetOf[place.as];
      const used = usedOf(count, budget);
      const names = list([...ran.named, ...taken.values()], budget, used);
      return `${over}${periodNote[place.by]}; already done or under way: ${names}. ${flagOf[budget]} ${used + 1} would let this one pass.`;
    }
    taken.set(placeKey(place), place);
    count = more;
    return undefined;
  };
  return { take };
}

/** The same place has the same key. */
export const placeKey = ({ as, scope, subject }: Pick<Place, 'as' | 'scope' | 'subject'>): string =>
  `${as} ${scope} ${subject}`;

export const countOfPlaces = (places: readonly Pick<Place, 'as'>[]): Count =>
  places.reduce((count, { as }) => plus(count, as), noCount);

const periodNote = { generation: '', healing: ' for healing in 24 h' };

/** Only what bounds the place itself: another sort of its budget may be over its limit because a person let that reconcile. */
function excessText({ as }: Place, bounds: LimitBounds, count: Count): string | undefined {
  const excess = excessesOf(bounds, count, budgetOf[as]).find(({ of }) => of === as || of === 'share');
  if (excess === undefined) return undefined;
  if (excess.of !== 'share') return `over the limit of ${excess.most} ${nouns[as]}`;
  return `over the limit of ${percent(bounds.limits.share ?? 1)} of ${bounds.owned} resources`;
}

const nouns: Readonly<Record<Sort, string>> = {
  delete: 'deletes',
  replace: 'replaces',
  create: 'new machines',
  closure: 'closures of rules that nobody wrote',
};

const percent = (share: number): string => `${Number((share * 100).toFixed(2))}%`;

/** As many as a message names. */
export const mostNamed = 5;

function list(places: Ran['named'], budget: Budget, total: number): string {
  if (total === 0) return 'none';
  const named = places
    .filter(({ as }) => budgetOf[as] === budget)
    .slice(0, mostNamed)
    .map(({ as, address }) => `${as} ${address}`);
  return total > mostNamed ? `${named.join(', ')} and ${total - mostNamed} more` : named.join(', ');
}
