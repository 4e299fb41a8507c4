import type { Where } from '../ports/queue.ts';
import type { Yard } from './yard.ts';

/** How often a worker that does not lead asks again. */
const askEveryMs = 2_000;

type Around = Pick<Yard, 'store' | 'clock' | 'outside'> & { readonly patienceMs?: number };

/**
 * Does what one worker of all must do, while it holds the lease of it; waits for its turn before. Returns when the work has
 * ended, the lease was lost, `signal` aborts, or its turn did not come within `patienceMs`.
 */
export async function asLeader(
  { estate, scope }: Where,
  { store, clock, outside, patienceMs = Number.POSITIVE_INFINITY }: Around,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const until = clock.now() + patienceMs;
  while (!signal.aborted) {
    const acquired = await store.leases.acquire(estate, scope, outside.holder);
    if (!acquired.ok) {
      if (clock.now() >= until) return;
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
