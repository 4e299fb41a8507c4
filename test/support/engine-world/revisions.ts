import type { Guards } from '../../../src/core/limits.ts';
import type { ScopeKey } from '../../../src/core/resource.ts';
import type { Authorization } from '../../../src/engine/ports.ts';
import type { Clock } from '../../../src/ports/clock-and-log.ts';
import { type MemoryStore, memoryDatabase } from '../memory-store.ts';

/** What an estate accepted one after another, worked on in one scope; and the store that knows of it. */
export interface Revisions {
  store(): MemoryStore;
  /** Accepts the next, and works under the scope's lease. */
  next<T>(guards: Guards, work: (warrant: Authorization) => Promise<T>): Promise<T>;
  /** The database is lost, and a new one begun. */
  lose(): void;
}

export function revisionsOf(scope: ScopeKey, clock: Clock, estate = 'acme'): Revisions {
  let store = memoryDatabase(clock).connect();
  let count = 0;
  return {
    store: () => store,
    next: async (guards, work) => {
      count += 1;
      const revision = `r${count}`;
      const { number } = await store.generations.accept(estate, revision, guards);
      const acquired = await store.leases.acquire(estate, scope, `me-${count}`);
      if (!acquired.ok) throw new Error(`${acquired.heldBy} holds the lease`);
      const { lease } = acquired;
      const { holder, epoch } = lease;
      const authority = { revision, generation: number, plan: '', approver: 'test' };
      const pass = { estate, scope, reconcileId: `pass-${count}`, authority, lease: { holder, epoch } };
      try {
        return await work({ lease, pass });
      } finally {
        await lease.release();
      }
    },
    lose: () => {
      store = memoryDatabase(clock, '11111111-1111-4111-8111-111111111111').connect();
    },
  };
}
