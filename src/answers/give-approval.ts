import type { ScopePlan } from '../core/action.ts';
import { actionDigest } from '../core/digest.ts';
import { type Budget, usedOf } from '../core/limits.ts';
import { tally } from '../core/plan/tally.ts';
import { sha256 } from '../estate/sha256.ts';
import type { Approval, ApprovalDraft } from '../ports/approvals.ts';
import type { Store } from '../ports/store.ts';

/** What is let pass. `generation`: the newest; what is said of another one lets nothing pass. */
export interface Word extends Pick<ApprovalDraft, 'estate' | 'generation' | 'digest' | 'by' | 'until'> {
  /** The actions of each are what is let pass. */
  readonly plans: readonly ScopePlan[];
}

/** One approval for each scope where something waits. */
export async function giveApproval(
  { plans, ...word }: Word,
  { fleet }: Pick<Store, 'fleet'>,
): Promise<readonly Approval[]> {
  const given: Approval[] = [];
  for (const { scope, actions } of plans) {
    if (actions.length === 0) continue;
    const digests = actions.map((action) => actionDigest(action, sha256));
    given.push(await fleet.approvals.give({ ...word, scope, actions: digests, ...boundedIn(actions) }));
  }
  return given;
}

/** As limits count: a removed document once, whatever it was made of. */
export function boundedIn(
  actions: ScopePlan['actions'],
): Required<Pick<ApprovalDraft, 'destroys' | 'creates' | 'closures'>> {
  const { generation, healing } = tally(actions);
  const used = (budget: Budget): number => usedOf(generation, budget) + usedOf(healing, budget);
  return { destroys: used('deletes'), creates: used('creates'), closures: used('closures') };
}
