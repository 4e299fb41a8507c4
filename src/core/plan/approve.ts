import { actionDigest, type Hash } from '../digest.ts';
import type { Approved, Policy } from './plan-input.ts';

/**
 * Approvals in force, as the digests of the actions that a person was shown. What has moved since has another digest, and is not
 * approved. What they let pass, of all that withholds:
 *
 *   code                                          | lifted
 *   ----------------------------------------------+----------------------------------------------
 *   mode                                          | of `plan`; `observe` reads only, whoever asks
 *   limit                                         | yes
 *   destructive-drift                             | of the very action that was named: see destructive-drift.ts
 *   protect, retain, adopted-in-store-only, depends | no: the specs, or the store, say so
 *   paused, wave, rollout-stopped                 | no: each has a word of its own to go on
 */
export const approvedBy =
  (digests: ReadonlySet<string>, hash: Hash): Approved =>
  (action) =>
    digests.size > 0 && digests.has(actionDigest(action, hash));

/** The policy, but for what is approved. Asked only about what it withholds: a digest takes its time. */
export const unlessApproved =
  (policy: Policy, approved: Approved = () => false): Policy =>
  (action) => {
    const reason = policy(action);
    return reason === undefined || approved(action) ? undefined : reason;
  };
