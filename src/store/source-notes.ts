import type { By } from '../ports/by.ts';
import type { Pin } from '../ports/sources.ts';

/** What the ledger says of a person's word on where the specs come from. */

export const pinNote = ({ revision, by: { person, reason } }: Omit<Pin, 'at'>) => ({
  pin: { revision, person, reason },
});

/** `revision`: what was pinned until then. */
export const unpinNote = (revision: string, { person, reason }: By) => ({ unpin: { revision, person, reason } });

export const historyNote = (head: string, { person, reason }: By) => ({ acceptHistory: { head, person, reason } });
