import type { HappeningDraft } from '../ports/happenings.ts';
import { forgetHappenings } from './retention.ts';
import { inChunks } from './statements.ts';
import type { Write } from './tables.ts';

/** In characters of JSON. What is larger is told without what it is about: watchers read it where it is kept. */
const mostAbout = 4096;

/** One in so many clears away what is too old. */
const every = 100;

/**
 * Tells those who watch, once the transaction has ended: call it in the very one that makes it true. `at`: ms since the epoch,
 * as of the transaction. They are told of in the order given.
 */
export async function announce(trx: Write, at: number, drafts: readonly HappeningDraft[]): Promise<void> {
  const rows = drafts.map(({ estate, type, targets = null, owner = null, about, notTo }) => ({
    ...{ estate, type, targets, owner, at },
    about: small(JSON.stringify(about)),
    not_to: notTo === undefined ? null : JSON.stringify(notTo),
  }));
  await inChunks(rows, async (chunk) => {
    const made = await trx.insertInto('happenings').values(chunk).returning('number').execute();
    const due = made.find(({ number }) => number % every === 0);
    if (due) await forgetHappenings(trx, at, due.number);
  });
}

const small = (about: string): string => (about.length > mostAbout ? '{"omitted":true}' : about);
