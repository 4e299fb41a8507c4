/** Blast radius per estate, over all scopes. `share`: part of the resources we own (0.1 is 10%), from 20 up; absent: no such bound. */
export interface Limits {
  readonly deletes: number;
  readonly replaces: number;
  readonly share?: number;
  /** New machines. Absent where an earlier version wrote it down: `usualLimits`, never unlimited. */
  readonly creates?: number;
  /** Rules that nobody wrote and that are removed. Absent: as above. */
  readonly closures?: number;
  /** Absent: no limit. See plan/cost-limit.ts. */
  readonly cost?: CostLimit;
}

/** The most that a month of all machines may cost, by the prices in the specs. */
export interface CostLimit {
  readonly monthly: number;
  /** Of ISO 4217, as in the prices. */
  readonly currency: string;
  /** The currency of the limit before, whose amount says nothing in this one: nothing that raises the cost passes. */
  readonly formerCurrency?: string;
}

/** The defaults of `specs` without these limits, and of generations that were accepted before the limits existed. */
export const usualLimits = { creates: 50, closures: 50 } as const;

/** The sorts of changes that count against a limit. `closure`: a rule that nobody wrote is removed. */
export const sorts = ['delete', 'replace', 'create', 'closure'] as const;
export type Sort = (typeof sorts)[number];

/** So many of each sort. Rules of one document are one delete; a replaced machine is one replace and no create. */
export interface Count {
  readonly deletes: number;
  readonly replaces: number;
  readonly creates: number;
  readonly closures: number;
}

export const noCount: Count = { deletes: 0, replaces: 0, creates: 0, closures: 0 };

export const fieldOf = { delete: 'deletes', replace: 'replaces', create: 'creates', closure: 'closures' } as const;

export const plus = (count: Count, sort: Sort, more = 1): Count => ({
  ...count,
  [fieldOf[sort]]: count[fieldOf[sort]] + more,
});

/** Deletes and replaces share a budget, because both take away what stands; the others have each their own. */
export type Budget = 'deletes' | 'creates' | 'closures';
export const budgets: readonly Budget[] = ['deletes', 'creates', 'closures'];
export const budgetOf = { delete: 'deletes', replace: 'deletes', create: 'creates', closure: 'closures' } as const;

export const usedOf = (count: Count, budget: Budget): number =>
  budget === 'deletes' ? count.deletes + count.replaces : count[budget];

/** So many a person lets pass, whatever the limits. `allowDeletes`: deletes and replaces together. `allowCost`: a month's cost. */
export interface Allowance {
  readonly allowDeletes?: number | undefined;
  readonly allowCreates?: number | undefined;
  readonly allowClosures?: number | undefined;
  readonly allowCost?: number | undefined;
}

export const allowed = ({ allowDeletes = 0, allowCreates = 0, allowClosures = 0 }: Allowance, budget: Budget): number =>
  ({ deletes: allowDeletes, creates: allowCreates, closures: allowClosures })[budget];

export const flagOf: Readonly<Record<Budget, string>> = {
  deletes: '--allow-deletes',
  creates: '--allow-creates',
  closures: '--allow-closures',
};

/** Only the allowances of a larger record, those that are there. */
export const allowanceIn = ({ allowDeletes, allowCreates, allowClosures, allowCost }: Allowance): Allowance => ({
  ...(allowDeletes === undefined ? {} : { allowDeletes }),
  ...(allowCreates === undefined ? {} : { allowCreates }),
  ...(allowClosures === undefined ? {} : { allowClosures }),
  ...(allowCost === undefined ? {} : { allowCost }),
});

/** `owned`: resources of the estate over all scopes, those already deleted under these limits included. */
export interface LimitBounds extends Allowance {
  readonly limits: Limits;
  readonly owned: number;
}

/** The number of a sort that the limits allow, where no person allows more. */
export const mostOf = ({ deletes, replaces, creates, closures }: Limits, sort: Sort): number =>
  ({
    delete: deletes,
    replace: replaces,
    create: creates ?? usualLimits.creates,
    closure: closures ?? usualLimits.closures,
  })[sort];

/** The exceeded bound: the limit of a sort, or the share. A share is of deletes and replaces together. */
export interface Excess {
  readonly of: Sort | 'share';
  readonly count: number;
  readonly most: number;
}

/** The bounds of a budget that a count breaks; none where a person allows as much. */
export function excessesOf(bounds: LimitBounds, count: Count, budget: Budget): readonly Excess[] {
  const used = usedOf(count, budget);
  if (used <= allowed(bounds, budget)) return [];
  const ofSorts = sorts
    .filter((sort) => budgetOf[sort] === budget)
    .map((sort): Excess => ({ of: sort, count: count[fieldOf[sort]], most: mostOf(bounds.limits, sort) }));
  const share = budget === 'deletes' ? shareBound(bounds.limits, bounds.owned) : undefined;
  const ofShare: readonly Excess[] = share === undefined ? [] : [{ of: 'share', count: used, most: share }];
  return [...ofSorts, ...ofShare].filter((one) => one.count > one.most);
}

/** The stricter of two: no commit lifts its own guard. A limit that was stored before it had a field has the usual one. */
export function stricterLimits(a: Limits, b: Limits | undefined): Limits {
  if (b === undefined) return a;
  const share = Math.min(a.share ?? Number.POSITIVE_INFINITY, b.share ?? Number.POSITIVE_INFINITY);
  const most = (sort: Sort): number => Math.min(mostOf(a, sort), mostOf(b, sort));
  const cost = stricterCostLimit(a.cost, b.cost);
  return {
    deletes: most('delete'),
    replaces: most('replace'),
    creates: most('create'),
    closures: most('closure'),
    ...(Number.isFinite(share) ? { share } : {}),
    ...(cost === undefined ? {} : { cost }),
  };
}

/**
 * The lower of two limits. Amounts of two currencies cannot be compared, so a commit that changes the currency has a limit of 0
 * until the next one: nothing that it raises passes without a person.
 *
 *   now  | before | limit
 *   -----+--------+--------------------------------------------
 *   none | none   | none
 *   set  | none   | the one that is set: it tightens
 *   none | set    | the one before: that it is gone counts later
 *   set  | set    | the lower one; 0 if the currencies differ
 */
export function stricterCostLimit(now: CostLimit | undefined, before: CostLimit | undefined): CostLimit | undefined {
  if (now === undefined || before === undefined) return now ?? before;
  const former = costLimitIn(before, now.currency);
  return former.monthly < now.monthly ? former : now;
}

/** The limit for costs of this currency: 0 where it is stated in another one. */
export const costLimitIn = (limit: CostLimit, currency: string): CostLimit =>
  limit.currency === currency ? limit : { monthly: 0, currency, formerCurrency: limit.currency };

/** Below this many resources a share says nothing: one of nine would be 11%. */
export const shareFrom = 20;

/** 0.29 × 100 is 28.999999999999996 in binary. */
const rounding = 1e-9;

/** The number of `owned` resources that the share allows; undefined where it does not apply. */
export const shareBound = ({ share }: Limits, owned: number): number | undefined =>
  share === undefined || owned < shareFrom ? undefined : Math.floor(share * owned + rounding);
