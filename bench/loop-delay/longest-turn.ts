import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');

/** Collects what was thrown away before: some hostile bodies leave 500 MB behind as they are made, and that pause is none of theirs. */
// why: with the flag set, a new context has the collector's function
export const collectGarbage = runInNewContext('gc') as () => void;

/**
 * The most processor time that one turn of the loop took in this thread while `work` ran, ms: what holds up every timer, renewal
 * and answer meanwhile. Processor time, as a busy machine lets any thread wait; that of other threads does not count.
 */
export async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  const turns = { longest: 0, last: spent(), over: false };
  const look = (): void => {
    const now = spent();
    turns.longest = Math.max(turns.longest, now - turns.last);
    turns.last = now;
    if (!turns.over) setImmediate(look);
  };
  setImmediate(look);
  try {
    await work();
    await new Promise((resolve) => setImmediate(resolve));
    return turns.longest;
  } finally {
    turns.over = true;
  }
}

function spent(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
