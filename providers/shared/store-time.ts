import type { Clock } from '../../src/ports/clock-and-log.ts';
import type { Call, StoreTime } from '../../src/ports/provider.ts';

/** For moments that other workers compare; without a store there is one worker, and its own clock will do. */
export function storeTime(call: Call, clock: Pick<Clock, 'now'>): StoreTime {
  const now = clock.now();
  return call.storeTime?.() ?? { earliest: now, latest: now };
}
