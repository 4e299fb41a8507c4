import { neverHappened } from '../core/never-happened.ts';
import type { Clock } from '../ports/clock.ts';
import type { Settlement } from '../ports/ledger.ts';
import { apartMs } from './absence.ts';

/**
 * Keeps back the verdict that a creation never happened until a second look, some time after the first, says so too: one
 * flickering listing must not lead to a second machine. Lives as long as one convergence.
 */
export function secondLook(clock: Clock): (settlements: readonly Settlement[]) => readonly Settlement[] {
  const missed = new Map<string, number>();
  return (settlements) => {
    const now = clock.now();
    const gone = settlements.filter(isNeverHappened);
    for (const intent of [...missed.keys()]) {
      // why: seen in between, or no longer to be told: only looks in a row count
      if (!gone.some((one) => one.intent === intent)) missed.delete(intent);
    }
    for (const { intent } of gone) if (!missed.has(intent)) missed.set(intent, now);
    return settlements.filter((one) => !isNeverHappened(one) || now - (missed.get(one.intent) ?? now) >= apartMs);
  };
}

const isNeverHappened = ({ outcome }: Settlement): boolean => !outcome.ok && outcome.failure.code === neverHappened;
