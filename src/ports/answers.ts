import type { Bounds } from '../core/access/grant.ts';
import type { ScopePlan } from '../core/action.ts';
import type { Explanation } from '../core/inventory/explanation.ts';
import type { Gap } from '../core/observed.ts';
import type { PlanBound } from '../core/render/plan-json.ts';
import type { ScopeKey } from '../core/resource.ts';

/**
 * What is asked about an estate beyond one call of the store, and answered out of the store: the specs in force, the newest
 * looks, what is known. No cloud is asked. All of it throws `Declined` where there is no answer.
 */
export interface Answers {
  /** What changed on the clouds behind our back. */
  drift(asked: EstateAsked): Promise<Planned>;
  /** All about one resource. `of`: its address, the end of it where that is unique, or an id of the cloud. */
  explain(asked: EstateAsked & { readonly of: string }): Promise<Explained>;
}

/** `seen`: who asks is told only what lies within one of these. `targets`: only their scopes; absent: all. */
export interface EstateAsked {
  readonly estate: string;
  readonly seen: readonly Bounds[];
  readonly targets?: readonly string[];
}

/** One plan and one look for each scope, in the same order. */
export interface Planned {
  readonly bound: PlanBound;
  readonly plans: readonly ScopePlan[];
  readonly looks: readonly ScopeLook[];
}

/** `at`: when the look began, ms since the epoch; absent: nobody has looked yet. `targets`: those that lie in the scope. */
export interface ScopeLook {
  readonly scope: ScopeKey;
  readonly targets: readonly string[];
  readonly at?: number;
  readonly gaps: readonly Gap[];
}

export interface Explained extends Pick<Planned, 'bound' | 'looks'> {
  readonly explanation: Explanation;
}
