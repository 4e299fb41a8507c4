import type { Clock } from '../../ports/clock-and-log.ts';
import type { Where } from '../../ports/queue.ts';

/**
 * A pass that runs ends at once for whoever asks for one now. Where others change a scope all the time, or the events of our own
 * calls cannot be told from theirs, it would never come to its end: for events it does so once in this time, and what is told in
 * between is looked at after it.
 */
const everyMs = 60_000;

/** Says whether a pass may be ended for an event now, and remembers that it was. */
export function interruptions(clock: Clock): (where: Where) => boolean {
  const lately = new Map<string, number>();
  return ({ estate, scope }) => {
    const now = clock.now();
    for (const [key, at] of lately) if (now - at >= everyMs) lately.delete(key);
    const key = `${estate} ${scope}`;
    if (lately.has(key)) return false;
    lately.set(key, now);
    return true;
  };
}
