import type { Clock } from '../ports/clock-and-log.ts';
import type { Queue } from '../ports/queue.ts';
import type { Store } from '../ports/store.ts';
import { type Reach, watchReach } from '../telemetry/health.ts';

interface HealthChecks {
  readonly all: readonly Reach[];
  stop(): void;
}

/** `api`: answers questions, and is ready as long as it can read; `worker`: writes, or is of no use. */
type Role = 'api' | 'worker';

/**
 * Checks the servers that a process depends on, every two seconds from now on.
 *
 *   check    | holds if                                              | needed by
 *   ---------+-------------------------------------------------------+-------------
 *   database | it answers a query                                    | api, worker
 *   writes   | it takes a write: not read-only, its disk not full    | worker
 *   queue    | it takes a write, and keeps it                        | worker
 */
export function openHealthChecks(
  { store, queue, clock }: { readonly store: Store; readonly queue?: Queue; readonly clock: Clock },
  role: Role,
): HealthChecks {
  const needed = role === 'worker';
  const all = [
    watchReach({ name: 'database', ping: store.health.readable, clock }),
    watchReach({
      name: 'writes',
      needed,
      ping: () => Promise.all([store.estates.alive(), store.health.writable()]),
      clock,
    }),
    ...(queue === undefined ? [] : [watchReach({ name: 'queue', needed, ping: queue.probe, clock })]),
  ];
  return {
    all,
    stop: () => {
      for (const reach of all) reach.stop();
    },
  };
}
