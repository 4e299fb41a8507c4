import type { Clock } from './clock.ts';
import type { Random } from './random.ts';

/**
 * Eventual consistency. For `ms` after a write each read sees the new state with the chance `sight`:
 * 0 hides every write until its time has passed, 0.5 flickers.
 */
export interface LagOptions {
  readonly ms: number;
  readonly sight?: number;
}

export interface Lag {
  /** True if this one read sees a write made at `writtenAt`. Two reads in a row may disagree. */
  sees(writtenAt: number): boolean;
  /** True if every read sees a write made at `writtenAt`. Nobody needs the replaced record any more. */
  settled(writtenAt: number): boolean;
  set(options: LagOptions): void;
  /** Runs something whose writes every reader sees at once, as if it had happened long ago. */
  without<T>(run: () => T): T;
  now(): number;
}

export function makeLag(clock: Clock, random: Random, options: LagOptions = { ms: 0 }): Lag {
  let { ms, sight } = checked(options);
  const settled = (writtenAt: number): boolean => ms === 0 || clock.now() - writtenAt >= ms;
  return {
    settled,
    sees: (writtenAt) => settled(writtenAt) || random() < sight,
    set: (next) => {
      ({ ms, sight } = checked(next));
    },
    without: (run) => {
      const before = ms;
      ms = 0;
      try {
        return run();
      } finally {
        ms = before;
      }
    },
    now: () => clock.now(),
  };
}

function checked({ ms, sight = 0 }: LagOptions): Required<LagOptions> {
  if (!(ms >= 0) || !(sight >= 0 && sight <= 1))
    throw new RangeError('lag: ms must be 0 or more and sight between 0 and 1');
  return { ms, sight };
}
