import type { PassEntry } from '../ports/pass-entry.ts';
import type { PassAccount, PassCounts } from '../ports/passes.ts';

/** What a pass has done so far: the first lines of it, and how many there were of each sort beyond. */
export interface Timeline {
  add(entry: PassEntry): void;
  account(): PassAccount;
  /** Nothing was sent, and nothing went wrong. */
  isQuiet(): boolean;
}

/** Of a pass that did something, and of one that only looked. */
export interface TimelineLimits {
  readonly most: number;
  readonly mostQuiet: number;
}

export function timelineOf({ most, mostQuiet }: TimelineLimits = { most: 2000, mostQuiet: 60 }): Timeline {
  const kept: PassEntry[] = [];
  const beyond = new Map<PassEntry['what'], number>();
  const counts: Counting = { reads: 0, writes: 0, settled: 0, failed: 0, withheld: 0, waitedMs: 0 };
  const isQuiet = (): boolean => counts.writes + counts.settled + counts.failed === 0;
  return {
    add: (entry) => {
      count(counts, entry);
      if (kept.length < most) kept.push(entry);
      else beyond.set(entry.what, (beyond.get(entry.what) ?? 0) + 1);
    },
    account: () => {
      const shown = isQuiet() ? kept.slice(0, mostQuiet) : [...kept];
      const rest = new Map(beyond);
      for (const { what } of kept.slice(shown.length)) rest.set(what, (rest.get(what) ?? 0) + 1);
      // why: calls are told when they end, and stand where they began
      const timeline = shown.toSorted((a, b) => a.at - b.at);
      return { counts: { ...counts }, timeline, rest: Object.fromEntries(rest) };
    },
    isQuiet,
  };
}

type Counting = { -readonly [Key in keyof PassCounts]: number };

function count(counts: Counting, entry: PassEntry): void {
  switch (entry.what) {
    case 'call':
      counts[entry.mutating ? 'writes' : 'reads'] += 1;
      break;
    case 'wait':
      counts.waitedMs += entry.durationMs;
      break;
    case 'settled':
      counts[entry.code === undefined ? 'settled' : 'failed'] += 1;
      break;
    case 'withheld':
      counts.withheld += 1;
      break;
    case 'listed':
    case 'planned':
    case 'sent':
      break;
  }
}
