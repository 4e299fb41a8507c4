import { setTimeout as sleep } from 'node:timers/promises';
import type { Serving } from './serve.ts';

/** Waits until it is seen, while `setpoint serve` runs. Throws with what that said where it ends, or where it takes longer. */
export async function until(seen: () => boolean, serving: Serving, withinMs = 60_000): Promise<void> {
  for (const end = performance.now() + withinMs; !seen(); await sleep(10))
    if (performance.now() > end || serving.hasEnded()) throw new Error(`not seen:\n${serving.said().slice(-3000)}`);
}
