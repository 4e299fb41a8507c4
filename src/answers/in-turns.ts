import { setImmediate } from 'node:timers/promises';

/** Does the steps, and between them whatever else the process has to do: other answers, timers, renewals of leases. */
export async function inTurns<T>(steps: Iterator<undefined, T, undefined>): Promise<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    await setImmediate();
  }
}
