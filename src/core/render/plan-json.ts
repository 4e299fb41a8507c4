import type { Action, Finding, ScopePlan } from '../action.ts';
import { actionDigest, type Hash, planDigest } from '../digest.ts';
import type { WithheldDrift } from '../inventory/withheld-drift.ts';
import { type Summary, summarise } from './summary.ts';

/** A plan as data: what `--json` prints and `--out` saves. */
export type PlanJson = PlanBound & PlanBody;

export interface PlanBody {
  readonly summary: Summary;
  readonly actions: readonly (Action & { readonly digest: string })[];
  readonly findings: readonly Finding[];
  readonly digest: string;
}

/** What the plan was made for. `serial`: the last ledger entry it knew; absent without a store. */
export interface PlanBound {
  readonly estate: string;
  readonly revision: string;
  readonly generation?: number;
  readonly serial?: number;
  /** Where the newest specs are not in force, and why; absent: nowhere. */
  readonly sources?: readonly HeldSource[];
  /** Drift that workers leave alone, by the newest looks of what is in force; absent: none. */
  readonly withheldDrift?: readonly WithheldDrift[];
}

/**
 * A source whose newest state is held back; see the port `Sources` for its states. `since`: ms since the epoch. Which one it is,
 * and why, is told to those who see all of the estate.
 */
export interface HeldSource {
  readonly source?: string;
  readonly head?: string;
  readonly state: string;
  readonly why?: string;
  readonly since: number;
}

export function planJson(plans: readonly ScopePlan[], bound: PlanBound, hash: Hash): PlanJson {
  return {
    ...bound,
    summary: summarise(plans),
    actions: plans.flatMap(({ actions }) =>
      actions.map((action) => ({ ...action, digest: actionDigest(action, hash) })),
    ),
    findings: plans.flatMap(({ findings }) => findings),
    digest: planDigest(plans, hash),
  };
}
