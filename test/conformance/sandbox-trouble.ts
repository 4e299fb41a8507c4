import type { Effect, Faults } from '../../sandbox/faults.ts';
import type { Trouble, TroubleKind } from './harness.ts';

/** The cloud's actions that read and those that write, under the sandbox's names. */
interface Actions {
  readonly reads: readonly string[];
  readonly writes: readonly string[];
}

/** Trouble as the sandbox makes it on the wire. `passing`: the cloud's code for a failure that passes. */
export function sandboxTrouble(faults: Faults, { reads, writes }: Actions, passing: string): Trouble {
  const effects = effectsWith(passing);
  return {
    strike: (on, trouble, nth) => {
      const action = on === 'reads' ? reads : writes;
      faults.add({ match: { action, ...(nth !== undefined && { nth }) }, effect: effects[trouble] });
    },
    calm: () => faults.clear(),
  };
}

const effectsWith = (passing: string): Readonly<Record<TroubleKind, Effect>> => ({
  throttle: { kind: 'throttle' },
  fail: { kind: 'error', code: passing, status: 503 },
  refuse: { kind: 'access-denied' },
  'lost-before': { kind: 'reset-before' },
  'lost-after': { kind: 'reset-after' },
  'short-page': { kind: 'short-page', items: 1 },
  delay: { kind: 'delay', ms: 3_600_000 },
});
