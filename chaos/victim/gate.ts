import { readSync, writeSync } from 'node:fs';
import type { Failpoint } from '../matrix/sides.ts';
import type { Catch } from './catch.ts';

/** Where a victim may be held. `begun`: the first write of the caught kind has been answered. */
export interface Gate {
  readonly catching: Catch;
  begun: boolean;
  /** Holds the process here, once, if this is the failpoint. */
  at(point: Failpoint): void;
}

export function gateOf(catching: Catch, hold: () => void): Gate {
  let spent = false;
  return {
    catching,
    begun: false,
    at: (point) => {
      if (spent || point !== catching.at) return;
      spent = true;
      hold();
    },
  };
}

const wire = 3;

/**
 * Tells the director, and stands still until he answers: the whole process, with all its timers, as if it had been stopped
 * between two instructions.
 */
export function holdForDirector(): void {
  writeSync(wire, '!');
  while (!answered());
}

function answered(): boolean {
  try {
    // why: nothing comes over a wire whose director is gone, and nobody would look after us any more
    if (readSync(wire, Buffer.alloc(1)) === 0) process.kill(process.pid, 'SIGKILL');
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return false;
    throw error;
  }
}
