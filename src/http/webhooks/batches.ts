import { setImmediate } from 'node:timers/promises';

/** Items that are hashed, or read, within some milliseconds. */
const batchSize = 250;

/** A delivery may have thousands: between two pieces the process does what else it has to. */
export async function* inBatches<T>(items: readonly T[]): AsyncGenerator<readonly T[]> {
  for (let from = 0; from < items.length; from += batchSize) {
    if (from > 0) await setImmediate();
    yield items.slice(from, from + batchSize);
  }
}
