import { watchStandstill } from '../../bench/processes/standstill.ts';

/** `leastMs`: a standstill that is shorter changes nothing that is checked. */
export interface Steadiness {
  readonly leastMs?: number;
}

/**
 * Repeats a check of real time where this process stood still meanwhile, five times at most: a machine that holds a worker up
 * changes rightly the order of turns and the holder of a lock. Any other failure counts at once. `check` gets the number of the try.
 */
export async function steadily(
  check: (attempt: number) => Promise<void>,
  { leastMs = 50 }: Steadiness = {},
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const standstill = watchStandstill();
    try {
      await check(attempt);
      return;
    } catch (error) {
      if (attempt === 5 || standstill.longestMs() < leastMs) throw error;
    } finally {
      standstill.stop();
    }
  }
}
