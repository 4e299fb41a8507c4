import { setTimeout as pause } from 'node:timers/promises';

/** Looks again and again until it is so, for at most a minute. Of what other processes do: a virtual clock cannot wait for them. */
export async function until(what: string, isSo: () => boolean | Promise<boolean>, ms = 60_000): Promise<void> {
  for (const end = performance.now() + ms; !(await isSo()); await pause(10))
    if (performance.now() > end) throw new Error(`not within ${ms / 1000} s: ${what}`);
}
