import type { ScopePlan } from '../core/action.ts';
import { actionDigest } from '../core/digest.ts';
import { sha256 } from '../estate/sha256.ts';
import type { Approval, By, Refusal } from '../ports/fleet-state.ts';
import type { Store } from '../ports/store.ts';

export const digestsIn = (plans: readonly ScopePlan[]): readonly string[] =>
  plans.flatMap(({ actions }) => actions.map((action) => actionDigest(action, sha256)));

/** Reads the refusals of pending actions of an estate. */
export async function refusalsOf(
  estate: string,
  pending: ReadonlySet<string>,
  { fleet: { approvals } }: Pick<Store, 'fleet'>,
): Promise<readonly Refusal[]> {
  if (pending.size === 0) return [];
  const refused = await approvals.refused(estate);
  return refused.length === 0 ? [] : standingRefusals(refused, await approvals.given(estate), pending);
}

/**
 * Each refusal with those of its actions that are pending. A later approval of an action ends its refusals, whoever gave it. A later
 * refusal of it by the same person replaces their earlier one. `refused`, `given`: oldest first.
 */
export function standingRefusals(
  refused: readonly Refusal[],
  given: readonly Pick<Approval, 'seq' | 'actions'>[],
  pending: ReadonlySet<string>,
): readonly Refusal[] {
  const approvedAt = new Map(given.flatMap(({ seq, actions }) => actions.map((digest) => [digest, seq] as const)));
  const keyOf = (person: string, digest: string): string => JSON.stringify([person, digest]);
  const refusedAt = new Map(
    refused.flatMap(({ seq, actions, by }) => actions.map((digest) => [keyOf(by.person, digest), seq] as const)),
  );
  return refused.flatMap((refusal) => {
    const { seq, by } = refusal;
    const actions = refusal.actions.filter(
      (digest) =>
        pending.has(digest) && (approvedAt.get(digest) ?? -1) < seq && refusedAt.get(keyOf(by.person, digest)) === seq,
    );
    return actions.length === 0 ? [] : [{ ...refusal, actions }];
  });
}

/** `plans`: the pending actions that the person refuses. */
interface NewRefusal {
  readonly estate: string;
  readonly plans: readonly ScopePlan[];
  readonly generation: number;
  readonly digest: string;
  readonly by: By;
}

/** Records one refusal for each scope with pending actions. No reconcile follows, as it forbids nothing. */
export async function recordRefusals(
  { plans, ...refusal }: NewRefusal,
  { fleet }: Pick<Store, 'fleet'>,
): Promise<readonly Refusal[]> {
  const made: Refusal[] = [];
  for (const plan of plans)
    if (plan.actions.length > 0)
      made.push(await fleet.approvals.refuse({ ...refusal, scope: plan.scope, actions: digestsIn([plan]) }));
  return made;
}
