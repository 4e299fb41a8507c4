import type { Knowledge } from '../core/knowledge.ts';
import type { StoreTime } from '../ports/actuator.ts';
import type { Clock } from '../ports/clock.ts';

interface Read {
  readonly knowledge: Pick<Knowledge, 'readAt'>;
  /** By this worker's clock, before the knowledge was read; absent: nobody noted it. */
  readonly readFrom?: number;
}

/**
 * The moment by the store's clock: that at which the knowledge was read, and what has gone by since on this worker's. How far the
 * two clocks are apart does not matter, only how long the worker's takes for a second. To be called after the knowledge was read.
 */
export function storeTimeOf(
  { knowledge: { readAt }, readFrom }: Read,
  clock: Pick<Clock, 'now'>,
): { readonly storeTime?: () => StoreTime } {
  if (readAt === undefined) return {};
  const since = clock.now();
  return {
    storeTime: () => {
      const now = clock.now();
      return { earliest: readAt + now - since, latest: readAt + now - (readFrom ?? since) };
    },
  };
}
