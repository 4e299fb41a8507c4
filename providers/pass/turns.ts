/**
 * The turns of this process's loop that long work is cut into. Leases are renewed and others are answered between two turns, so
 * all work of this kind shares one: ten answers that are read at once hold the loop no longer than one.
 */
const mostMs = 8;

let began = 0;
let coming: Promise<void> | undefined;

/** Whether the present turn has been long enough. Costs 50 ns; ask once for some 10 µs of work. */
export const isTurnOver = (): boolean => performance.now() - began > mostMs;

/** The loop has done what else it had to. */
export function nextTurn(): Promise<void> {
  coming ??= new Promise((resolve) => {
    setImmediate(() => {
      coming = undefined;
      began = performance.now();
      resolve();
    });
  });
  return coming;
}
