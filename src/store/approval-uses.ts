import { neverHappened } from '../core/knowledge.ts';
import type { Intended, IntentDraft } from '../ports/ledger.ts';
import type { Settling } from './settled-changes.ts';

/** One intent that an approval let pass. */
export interface ApprovalUse {
  readonly seq: number;
  /** Of the action, as it was approved. */
  readonly digest: string;
  readonly halves: readonly string[];
  readonly verb: string;
  readonly done: boolean;
}

/**
 * What an approval still lets pass: the digest of each action, and of the action that it was approved as.
 *
 *   intents of the action          | lets pass
 *   -------------------------------+------------------------------------------
 *   none, or none that went well   | the action: a retry shares the reservation
 *   one half of a replacement did  | the action, and each half of it
 *   all did                        | nothing: it is spent
 */
export function usable(actions: readonly string[], uses: readonly ApprovalUse[]): ReadonlyMap<string, string> {
  const left = new Map(actions.map((digest) => [digest, digest]));
  for (const [digest, own] of Map.groupBy(uses, (use) => use.digest)) {
    const halves = own[0]?.halves ?? [];
    const done = new Set(own.filter((use) => use.done).map(({ verb }) => verb)).size;
    if (done >= Math.max(1, halves.length)) left.delete(digest);
    else if (done > 0) for (const half of halves) left.set(half, digest);
  }
  return left;
}

/** An approval in force, and what it still lets pass. */
export interface UsableApproval {
  readonly seq: number;
  readonly left: ReadonlyMap<string, string>;
}

/** A reservation. `nth`: of which draft. */
export interface Reservation extends Omit<ApprovalUse, 'done'> {
  readonly nth: number;
}

/** Finds an approval for each draft that was let pass by one. Those that find none are refused. */
export function reserving(drafts: readonly IntentDraft[], approvals: readonly UsableApproval[]) {
  const reserved: Reservation[] = [];
  const refused = new Set<IntentDraft>();
  for (const [nth, draft] of drafts.entries()) {
    const { approval, verb } = draft;
    if (approval === undefined) continue;
    const found = approvals.find(({ left }) => left.has(approval.digest));
    const digest = found?.left.get(approval.digest);
    if (found === undefined || digest === undefined) refused.add(draft);
    else reserved.push({ nth, seq: found.seq, digest, halves: approval.halves, verb });
  }
  return { reserved, refused };
}

export const unapproved: Extract<Intended, { ok: false }> = {
  ok: false,
  reason: 'approval',
  why: 'the approval that it was planned by is spent, was withdrawn or ran out. If it is still to be done: setpoint approve',
};

/** What a settlement does to the approval of its intent: success spends it, what was proven not to be sent gives it back. */
export function settledUses(all: readonly Settling[]): { readonly spent: string[]; readonly returned: string[] } {
  const closed = all.filter(({ settlement }) => settlement.closes);
  const idsOf = (some: readonly Settling[]): string[] => some.map(({ record }) => record.intent);
  return { spent: idsOf(closed.filter(happened)), returned: idsOf(closed.filter(neverSent)) };
}

/** A machine that was made, and ended before anybody saw it, was made all the same. */
const happened = ({ settlement: { outcome }, record }: Settling): boolean =>
  outcome.ok || (record.action.verb === 'create' && outcome.failure.code === 'Gone');

const neverSent = ({ settlement: { outcome } }: Settling): boolean =>
  !outcome.ok && (outcome.failure.code === 'NotSent' || outcome.failure.code === neverHappened);
