import { Declined } from '../ports/declined.ts';
import { codeOf, isUnavailable } from './health.ts';

/** Throws it again, as `Declined` where it is that the database is away. */
export function unlessAway(error: unknown): never {
  throw isUnavailable(error) ? new Declined('away', away(error), { cause: error }) : error;
}

/** Of the reason only its code: where the database is, is nothing for whoever asks. */
const away = (error: unknown): string =>
  `The database cannot be reached (${codeOf(error) || 'no connection, or it was lost'}): ask again in a few seconds.`;
