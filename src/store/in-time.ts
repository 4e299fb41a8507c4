import pg from 'pg';
import { Declined } from '../ports/declined.ts';
import { unlessAway } from './away.ts';

/**
 * For questions alone. What the server gave up on because it took too long is declined: whoever asks can ask for less. So is
 * what it went away in the middle of: nothing was changed by it, and it can be asked again.
 */
export const inTime = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    // https://www.postgresql.org/docs/current/errcodes-appendix.html: query_canceled
    const isLate = error instanceof pg.DatabaseError && error.code === '57014';
    if (isLate) throw new Declined('too-many', tooLong, { cause: error });
    return unlessAway(error);
  });

const tooLong = 'The answer took longer than 5 s to find. Ask for less: narrow it by a cloud, an account or a kind.';
