import type { ScopePlan } from '../core/action.ts';
import { actionDigest } from '../core/digest.ts';
import type { ScopeKey } from '../core/resource.ts';
import { sha256 } from '../estate/sha256.ts';
import type { Approval, Refusal, RefusalDraft } from '../ports/fleet-state.ts';
import type { RequiredApproval, ShownRefusal } from '../ports/queries.ts';
import type { Store } from '../ports/store.ts';

export const digestsIn = (plans: readonly ScopePlan[]): readonly string[] =>
  plans.flatMap(({ actions }) => actions.map((action) => actionDigest(action, sha256)));

/** The pending actions, and the requirements that they do not meet yet. */
interface Pending {
  readonly actions: ReadonlySet<string>;
  readonly required: readonly Pick<RequiredApproval, 'digest'>[];
}

export interface StandingRefusals {
  readonly refusals: readonly StandingRefusal[];
  readonly truncated: boolean;
}

/** Reads the refusals of pending actions of an estate. */
export async function refusalsOf(
  estate: string,
  pending: Pending,
  { fleet: { approvals } }: Pick<Store, 'fleet'>,
): Promise<StandingRefusals> {
  if (pending.actions.size === 0) return { refusals: [], truncated: false };
  const { refusals, truncated } = await approvals.refused(estate, pending.actions);
  const said = { given: await approvals.given(estate), active: await approvals.activeIn(estate) };
  return { refusals: standingRefusals(refusals, said, pending), truncated };
}

/** `actions`: those for which it stands. `isWhole`: all that it refused is pending. */
interface StandingRefusal extends Refusal {
  readonly isWhole: boolean;
}

type Said = Pick<Approval, 'seq' | 'actions' | 'by'>;

/** `given`: expired and spent ones, too. Each oldest first. */
interface Approvals {
  readonly given: readonly Said[];
  readonly active: readonly Said[];
}

/**
 * Each refusal with those of its actions that are pending. A later word of the same person on an action ends it. So does a later active approval
 * of anybody, unless the action needs more approvals. `refused`: oldest first.
 */
export function standingRefusals(
  refused: readonly Refusal[],
  { given, active }: Approvals,
  { actions: pending, required }: Pending,
): readonly StandingRefusal[] {
  const unmet = new Set(required.map(({ digest }) => digest));
  const approvedAt = new Map(active.flatMap(({ seq, actions }) => actions.map((digest) => [digest, seq] as const)));
  const keyOf = (person: string, digest: string): string => JSON.stringify([person, digest]);
  const newestOf = (said: readonly Said[]): ReadonlyMap<string, number> =>
    new Map(said.flatMap(({ seq, actions, by }) => actions.map((digest) => [keyOf(by.person, digest), seq] as const)));
  const [approved, refusedAt] = [newestOf(given), newestOf(refused)];
  return refused.flatMap((refusal) => {
    const { seq, by } = refusal;
    const stands = (digest: string): boolean => {
      const own = keyOf(by.person, digest);
      const isApproved = !unmet.has(digest) && (approvedAt.get(digest) ?? -1) > seq;
      return !isApproved && (approved.get(own) ?? -1) < seq && refusedAt.get(own) === seq;
    };
    const actions = refusal.actions.filter((digest) => pending.has(digest) && stands(digest));
    const isWhole = refusal.actions.every((digest) => pending.has(digest));
    return actions.length === 0 ? [] : [{ ...refusal, actions, isWhole }];
  });
}

/**
 * Callers who do not see all of a scope see neither the entry nor the plan's digest. They see the reason where all of the refused
 * actions are theirs: it may tell of the others.
 */
export const shownRefusals = (
  refusals: readonly StandingRefusal[],
  seesWhole: (scope: ScopeKey) => boolean,
): readonly ShownRefusal[] =>
  refusals.map(({ isWhole, ...refusal }) => {
    if (seesWhole(refusal.scope)) return refusal;
    const { seq: _seq, digest: _digest, by, ...rest } = refusal;
    return { ...rest, by: isWhole ? by : { person: by.person } };
  });

/** `plans`: the pending actions that the person refuses. */
interface NewRefusal extends Omit<RefusalDraft, 'parts'> {
  readonly plans: readonly ScopePlan[];
}

/** Records one refusal for each scope with pending actions. No reconcile follows, as it forbids nothing. Undefined: as of the store. */
export async function recordRefusals(
  { plans, ...refusal }: NewRefusal,
  { fleet }: Pick<Store, 'fleet'>,
): Promise<readonly Refusal[] | undefined> {
  const parts = plans
    .filter(({ actions }) => actions.length > 0)
    .map((plan) => ({ scope: plan.scope, actions: digestsIn([plan]) }));
  return parts.length === 0 ? [] : fleet.approvals.refuse({ ...refusal, parts });
}
