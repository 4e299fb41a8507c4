import type { Action } from '../core/action.ts';
import { actionDigest, halvesOf } from '../core/digest.ts';
import { modePolicy } from '../core/plan/guard.ts';
import type { Policy } from '../core/plan/plan-input.ts';
import type { Guard, Withholding } from '../engine/ports.ts';
import { sha256 } from '../estate/sha256.ts';
import type { Charter } from './charter.ts';
import type { Spoken } from './reconcile.ts';

/**
 * What people let a pass do, judged again while it runs: by the charter as it would be drawn up now. A generation that came in
 * between binds by its modes and by what it protects, as the one before does.
 *
 *   held by                                                  | code
 *   ---------------------------------------------------------+----------------------------
 *   a pause, `observe`, or `protect` of any of them          | paused, mode, protect
 *   mode `plan` of any of them, and no approval is in force   | mode
 *   it was approved when it was planned, and no longer is    | stale
 */
export function guardOf(by: Spoken, charter: Charter): Guard {
  let drawn: { readonly epoch: number; readonly charter: Promise<Charter> } | undefined;
  const chartered = (epoch: number): Promise<Charter> => {
    if (drawn?.epoch !== epoch) drawn = { epoch, charter: charter.again() };
    return drawn.charter;
  };
  return {
    epoch: charter.guardEpoch,
    approvedAs: (action) =>
      charter.approved(action) ? { digest: actionDigest(action, sha256), halves: halvesOf(action, sha256) } : undefined,
    judge: async (actions, epoch) => {
      const policies = policiesNow(by, charter, await chartered(epoch));
      return new Map(
        actions.flatMap((action): readonly (readonly [Action, Withholding])[] => {
          const reason = policies.map((policy) => policy(action)).find((given) => given !== undefined);
          return reason === undefined ? [] : [[action, reason]];
        }),
      );
    },
  };
}

const policiesNow = ({ scope: { wanted } }: Spoken, before: Charter, now: Charter): readonly Policy[] => [
  ...now.policies,
  modePolicy({ wanted, choices: { unattended: true, modesBefore: now.modesBefore, approved: now.approved } }),
  (action) => (before.approved(action) && !now.approved(action) ? unapproved : undefined),
];

const unapproved: Withholding = {
  code: 'stale',
  why: 'the approval that it was planned by is no longer in force. If it is still to be done: setpoint approve',
};
