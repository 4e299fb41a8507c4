import { setImmediate } from 'node:timers/promises';
import type { Steps } from '../core/steps.ts';

const mostMs = 10;

/**
 * Does the steps. Once they have taken 10 ms the process does whatever else it has to: other answers, timers, renewals of leases.
 * So they hold the loop for 10 ms and one step.
 */
export async function inTurns<T>(steps: Steps<T>): Promise<T> {
  for (let from = performance.now(); ; ) {
    const { done, value } = steps.next();
    if (done) return value;
    if (performance.now() - from < mostMs) continue;
    await setImmediate();
    from = performance.now();
  }
}
