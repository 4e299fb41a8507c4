import type { Where } from '../ports/queue.ts';
import type { Yard } from './yard.ts';

const askEveryMs = 2_000;

/**
 * Whether a pass failed because of the store, so that the failure is no fault of its scope. Returns once the store takes writes
 * again. Rejects where `signal` aborts before that. An error that does not say so counts where the store takes no writes now.
 */
export async function failedByStore(
  error: unknown,
  where: Where,
  yard: Pick<Yard, 'store' | 'clock' | 'outside' | 'telemetry'>,
  signal: AbortSignal,
): Promise<boolean> {
  const failure = yard.store.health.failureOf(error);
  if (failure === undefined) return wasUnwritable(yard, signal);
  const { as, code } = failure;
  yard.telemetry.log.warn('the store failed a pass; it is tried again', { ...where, why: `${as}: ${code}` });
  // why: what a full disk refused may fit a moment later, and be refused again
  await yard.clock.sleep(askEveryMs, signal);
  await wasUnwritable(yard, signal);
  return true;
}

/** Whether the database takes no writes at this moment; returns when it does again. */
async function wasUnwritable(
  { store, clock, outside }: Pick<Yard, 'store' | 'clock' | 'outside'>,
  signal: AbortSignal,
): Promise<boolean> {
  for (let asked = 1; ; asked += 1) {
    signal.throwIfAborted();
    try {
      // why: one that only reads, as in a failover, is as good as away; a lease is the smallest write there is
      const acquired = await store.leases.acquire('-', 'is-there', outside.holder);
      if (acquired.ok) await acquired.lease.release();
      await store.health.writable();
      return asked > 1;
    } catch {
      await clock.sleep(askEveryMs, signal);
    }
  }
}
