import type { ActionName } from '../../providers/memory/cloud/calls.ts';
import type { MemoryCloud } from '../../providers/memory/cloud.ts';
import type { Clock } from '../../src/ports/clock-and-log.ts';
import type { Ledger } from '../../src/ports/ledger.ts';
import type { MemoryStore } from '../support/memory-store.ts';

/** The fate of a process, at its `step`-th call of the cloud or the ledger. */
export type Fate =
  | { readonly kind: 'lives' }
  /** It dies: before the dealing, or after it and before it hears the answer. */
  | { readonly kind: 'crashes'; readonly step: number; readonly when: 'before' | 'after' }
  /** It stands still, as by SIGSTOP, and then goes on as if nothing had been. */
  | { readonly kind: 'pauses'; readonly step: number; readonly ms: number }
  /** The same, at its first request of this name. The request leaves after the lease has ended: it was checked before. */
  | { readonly kind: 'lingers'; readonly before: ActionName; readonly ms: number };

export interface Life {
  cloud(cloud: MemoryCloud): MemoryCloud;
  store(store: MemoryStore): Pick<MemoryStore, 'ledger' | 'inventory'>;
  isDead(): boolean;
}

class Crashed extends Error {}

interface Body {
  readonly clock: Clock;
  /** The process no longer renews its lease. */
  stall(): void;
}

/** Every dealing of a process with the world goes through its fate. */
export function fated(fate: Fate, { clock, stall }: Body): Life {
  let steps = 0;
  let dead = false;
  let asleep: Promise<void> | undefined;

  const die = (): never => {
    if (!dead) stall();
    dead = true;
    throw new Crashed('the process died');
  };
  const before = async (action?: ActionName): Promise<boolean> => {
    steps += 1;
    const due = 'step' in fate ? steps === fate.step : 'before' in fate && !asleep && action === fate.before;
    if (dead || (due && fate.kind === 'crashes' && fate.when === 'before')) die();
    if (due && 'ms' in fate) {
      stall();
      asleep = clock.sleep(fate.ms);
    }
    await asleep;
    return due && fate.kind === 'crashes';
  };
  const deal = async <T>(dealing: () => Promise<T>, action?: ActionName): Promise<T> => {
    const fatal = await before(action);
    const answer = await dealing();
    if (fatal || dead) die();
    return answer;
  };

  return {
    isDead: () => dead,
    cloud: (cloud) => ({
      ...cloud,
      serve: (caller, action, input) => {
        const signal = 'before' in fate && fate.before === action ? new AbortController().signal : caller.signal;
        return deal(() => cloud.serve({ ...caller, signal }, action, input), action);
      },
    }),
    store: ({ ledger, inventory }) => ({ ledger: mortal(ledger, deal), inventory }),
  };
}

const mortal = (ledger: Ledger, deal: <T>(dealing: () => Promise<T>) => Promise<T>): Ledger => ({
  ...ledger,
  intend: (reconcile, drafts) => deal(() => ledger.intend(reconcile, drafts)),
  settle: (reconcile, settlements) => deal(() => ledger.settle(reconcile, settlements)),
});
