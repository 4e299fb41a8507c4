import type { HappeningDraft } from '../ports/happenings.ts';

/** What is told of a generation that was accepted. */
export const acceptedOf = (estate: string, number: number, revision: string): HappeningDraft => ({
  estate,
  type: 'generation',
  about: { number, revision },
});
