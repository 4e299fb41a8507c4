import { setTimeout as sleep } from 'node:timers/promises';
import { Declined } from '../ports/declined.ts';
import { codeOf, isUnavailable } from './health.ts';

/** Throws it again, as `Declined` where it is that the database is away. */
export function unlessAway(error: unknown): never {
  throw isUnavailable(error) ? new Declined('away', away(error), { cause: error }) : error;
}

/** Of the reason only its code: where the database is, is nothing for whoever asks. */
const away = (error: unknown): string =>
  `The database cannot be reached (${codeOf(error) || 'no connection, or it was lost'}): ask again in a few seconds.`;

const pausesMs = [100, 500] as const;

/**
 * Asks again over another connection where one is lost on the way. For reads, and for writes that may be repeated. The server ends a
 * transaction that idles, and a process that loads a cloud's SDK on a busy machine idles for seconds.
 */
export async function untilAnswered<T>(ask: () => Promise<T>): Promise<T> {
  for (const pause of pausesMs) {
    try {
      return await ask();
    } catch (error) {
      if (!isUnavailable(error)) throw error;
    }
    await sleep(pause);
  }
  return ask();
}
