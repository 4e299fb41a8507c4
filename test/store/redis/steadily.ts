import { watchStandstill } from '../../../bench/process/standstill.ts';

/**
 * A check of who goes when, which a worker that the machine holds up for a moment changes, and rightly: a check that
 * fails while this process stood still is made again, five times at most.
 */
export async function steadily(check: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const standstill = watchStandstill();
    try {
      await check();
      return;
    } catch (error) {
      if (tries === 5 || standstill.longestMs() < 50) throw error;
    } finally {
      standstill.stop();
    }
  }
}
