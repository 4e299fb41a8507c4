import type { Action } from '../action.ts';
import { isDestructive } from './destructive-drift.ts';
import type { Policy } from './plan-input.ts';

/** All that a plan wanted to do before anything was withheld: a finding tells only that something was. */
export interface Noting {
  /** Lets everything pass, and remembers it. */
  readonly policy: Policy;
  /** Each once, however often it was planned. */
  planned(): readonly Action[];
}

export function noting(): Noting {
  const planned = new Map<string, Action>();
  return {
    policy: (action) => {
      planned.set(`${action.verb} ${action.address} ${idOf(action)} ${isDestructive(action)}`, action);
      return undefined;
    },
    planned: () => [...planned.values()],
  };
}

function idOf(action: Action): string {
  if (action.verb === 'create') return '';
  return action.verb === 'forget' ? action.id : action.observed.id;
}
