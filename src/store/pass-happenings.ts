import type { HappeningDraft } from '../ports/happenings.ts';
import type { PassDraft, PassEnding } from '../ports/passes.ts';

export const passBegan = (pass: PassDraft): HappeningDraft => happening(pass, { state: 'running' });

export const passEnded = (pass: PassDraft, { outcome, nextAt, account }: PassEnding): HappeningDraft =>
  happening(pass, {
    state: 'ended',
    outcome,
    ...account.counts,
    ...(nextAt === undefined ? {} : { nextPassAt: new Date(nextAt).toISOString() }),
  });

const happening = (
  { id, estate, scope, reason, ground: { targets, generation } }: PassDraft,
  about: HappeningDraft['about'],
): HappeningDraft => ({
  estate,
  type: 'pass',
  targets,
  about: {
    reconcileId: id,
    scope,
    generation,
    ...(reason === undefined ? {} : { reason: reason.slice(0, 500) }),
    ...about,
  },
});
