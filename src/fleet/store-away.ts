import type { Yard } from './yard.ts';

const askEveryMs = 2_000;

/** Whether the database takes no writes at this moment; returns when it does again. Rejects where `signal` aborts before that. */
export async function wasAway({ store, clock, outside }: Yard, signal: AbortSignal): Promise<boolean> {
  for (let asked = 1; ; asked += 1) {
    signal.throwIfAborted();
    try {
      // why: one that only reads, as in a failover, is as good as away; a lease is the smallest write there is
      const acquired = await store.leases.acquire('-', 'is-there', outside.holder);
      if (acquired.ok) await acquired.lease.release();
      return asked > 1;
    } catch {
      await clock.sleep(askEveryMs, signal);
    }
  }
}
