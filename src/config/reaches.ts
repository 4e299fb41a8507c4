import type { Clock } from '../ports/clock.ts';
import type { Queue } from '../ports/queue.ts';
import type { Store } from '../ports/store.ts';
import { type Reach, watchReach } from '../telemetry/reach.ts';

export interface Reaches {
  readonly all: readonly Reach[];
  stop(): void;
}

/** Whether what a process stands on answers; asked every two seconds from now on. */
export function openReaches(store: Store, queue: Queue | undefined, clock: Clock): Reaches {
  const all = [watchReach({ name: 'database', ping: () => store.estates.list(), clock })];
  if (queue !== undefined) all.push(watchReach({ name: 'queue', ping: () => queue.counts(), clock }));
  return {
    all,
    stop: () => {
      for (const reach of all) reach.stop();
    },
  };
}
