import type { Where } from '../ports/queue.ts';
import type { Yard } from './yard.ts';

/** How often a worker that does not lead asks again. */
const askEveryMs = 2_000;

/**
 * Does what one worker of all must do, while it holds the lease of it; waits for its turn before. Returns when the work has
 * ended, the lease was lost, or `signal` aborts.
 */
export async function asLeader(
  { estate, scope }: Where,
  { store, clock, outside }: Pick<Yard, 'store' | 'clock' | 'outside'>,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  while (!signal.aborted) {
    const acquired = await store.leases.acquire(estate, scope, outside.holder);
    if (!acquired.ok) {
      await clock.sleep(askEveryMs, signal).catch(() => {});
      continue;
    }
    const { lease } = acquired;
    const lead = AbortSignal.any([signal, lease.signal]);
    try {
      return await work(lead);
    } catch (error) {
      if (!lead.aborted) throw error;
      return;
    } finally {
      await lease.release();
    }
  }
}
