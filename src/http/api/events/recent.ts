import type { Happening } from '../../../ports/events.ts';
import { type Told, tellable } from './event-text.ts';

/** The newest happenings, in memory, for all clients alike. */
export interface Recent {
  /** Up to where it has been read. */
  place(): string;
  /** What came after a place; undefined where that is not held any more. */
  since(place: string): Portion | undefined;
  /** What was read next, and up to where. */
  add(happenings: readonly Happening[], place: string): void;
}

/** As much as one client takes at once. `place`: where to go on from. `more`: the rest is there already. */
export interface Portion {
  readonly told: readonly Told[];
  readonly place: string;
  readonly more: boolean;
}

/** In characters: so much at most waits for each client that reads slowly. */
const mostText = 32 * 1024;

/** Holds the newest `most`, of those after `from`. */
export function recentFrom(from: string, most: number, skipped?: (one: Happening) => void): Recent {
  const told: Told[] = [];
  let first = from;
  let last = from;
  return {
    place: () => last,
    // why: another process may have read further, so a client that comes from there can stand ahead of what is held here
    since: (place) => (place < first ? undefined : upTo(told, firstAfter(told, place), place > last ? place : last)),
    add: (happenings, place) => {
      told.push(...tellable(happenings, skipped));
      const dropped = told.splice(0, Math.max(0, told.length - most)).at(-1);
      if (dropped) first = dropped.happening.place;
      last = place;
    },
  };
}

/** Those from `start` on whose texts are not too long together, one at least; `end`: the place behind all of them. */
export function upTo(all: readonly Told[], start: number, end: string): Portion {
  let length = 0;
  let stop = start;
  for (; stop < all.length; stop++) {
    length += all[stop]?.text.length ?? 0;
    if (length > mostText && stop > start) break;
  }
  const told = all.slice(start, stop);
  const more = stop < all.length;
  return { told, more, place: (more ? told.at(-1)?.happening.place : undefined) ?? end };
}

function firstAfter(told: readonly Told[], place: string): number {
  let [low, high] = [0, told.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((told[middle]?.happening.place ?? '') > place) high = middle;
    else low = middle + 1;
  }
  return low;
}
