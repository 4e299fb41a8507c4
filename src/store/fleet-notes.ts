import type { Held } from '../core/pause.ts';
import type { Approval, ApprovalDraft } from '../ports/approvals.ts';
import type { By } from '../ports/by.ts';
import type { Quarantined } from '../ports/fleet-state.ts';
import type { Pause } from '../ports/pauses.ts';
import type { Where } from '../ports/queue.ts';

/** What the ledger says of a person's word to the fleet. */

export const pauseNote = ({ at: _, ...pause }: Pause) => ({ pause });

/** `pauses`: the ids of those that end. */
export const resumeNote = ({ what, of }: Held, pauses: readonly number[], { person, reason }: By) => ({
  resume: { what, of, pauses, person, reason },
});

export const approvalNote = ({ estate: _, ...approval }: ApprovalDraft) => ({ approval });

export const withdrawalNote = ({ seq, scope }: Approval, { person, reason }: By) => ({
  withdrawApproval: { approval: seq, scope, person, reason },
});

export const rolloutNote = ({ scope }: Where, documents: readonly string[], { person, reason }: By) => ({
  resumeRollout: { scope, documents, person, reason },
});

/** `why`: what had failed, so that the word can be judged later. */
export const quarantineNote = ({ scope, why }: Pick<Quarantined, 'scope' | 'why'>, { person, reason }: By) => ({
  resumeQuarantined: { scope, why, person, reason },
});
