import type { Clock } from '../../../src/ports/clock-and-log.ts';

/** The same stage; `look` is called whenever somebody looks at its clock, or has slept. */
export function watched<S extends { readonly clock: Clock }>(stage: S, look: () => void): S {
  const clock: Clock = {
    now: () => {
      look();
      return stage.clock.now();
    },
    sleep: async (ms, signal) => {
      await stage.clock.sleep(ms, signal);
      look();
    },
  };
  return { ...stage, clock };
}
