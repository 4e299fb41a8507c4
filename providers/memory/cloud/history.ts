import { type ActionName, reads } from './calls.ts';
import type { Refusal } from './refusal.ts';
import type { Change } from './tables.ts';

/** Everything that was asked of the cloud and everything that changed in it, in order, for tests to judge. */
export interface History {
  readonly calls: readonly CallEntry[];
  readonly changes: readonly ChangeEntry[];
}

/** `outcome`: the refusal's code; `lost`: no answer was given, though the write may stand: see the changes with this `seq`. */
export interface CallEntry {
  readonly seq: number;
  readonly at: number;
  readonly caller: string;
  readonly action: ActionName;
  readonly mutating: boolean;
  readonly answer: { readonly outcome: 'ok' | 'lost' | Refusal['code']; readonly dryRateLimit?: string };
}

/** `seq`: the call that did it. `caller`: who sent that. */
export interface ChangeEntry extends Change {
  readonly seq: number;
  readonly at: number;
  readonly caller: string;
}

export interface HistoryRecorder extends History {
  /** Begins a call: changes from now to the next one are its doing. */
  begin(caller: string, action: ActionName): { end(answer: CallEntry['answer']): void; readonly seq: number };
  changed(change: Change): void;
}

export function makeHistory(now: () => number): HistoryRecorder {
  const calls: CallEntry[] = [];
  const changes: ChangeEntry[] = [];
  let current = { seq: 0, caller: 'outside' };
  let last = 0;
  return {
    calls,
    changes,
    begin: (caller, action) => {
      const seq = ++last;
      current = { seq, caller };
      const end = (answer: CallEntry['answer']): void => {
        calls.push({ seq, at: now(), caller, action, mutating: !reads(action), answer });
      };
      return { seq, end };
    },
    changed: (change) => void changes.push({ ...current, at: now(), ...change }),
  };
}
