import type { Rank } from '../ports/limiter.ts';
import { type SortedList, sortedList } from './sorted-list.ts';
import { order, patienceMs } from './turn.ts';

/** Those who ask the same in one name, with what puts them into the order of service. */
export interface Entry {
  readonly rank: Rank;
  readonly share: string;
  /** Unique, rising: decides between those who are equal in all else. */
  readonly number: number;
  /** Since when its first one waits and nobody of it was served, ms. Changed only while the entry is in no order. */
  since: number;
}

/** The rows that wait for one rate limit, those first whom `leftTo` lets go first. */
export interface ServiceOrder<T extends Entry> {
  add(entry: T): void;
  remove(entry: T): void;
  /** What this share has had is more than it was. */
  served(share: string): void;
  /**
   * Begins at once and is meant to be left early. Where two shares have had the same, all rows of one come before those of the
   * other, the one that waits longest first; `leftTo` says exactly how much is due between any two.
   */
  inOrder(now: number): Generator<T>;
}

/** All rows of a rank that ask in one name. */
interface Party<T> {
  readonly rank: number;
  readonly share: string;
  readonly entries: SortedList<T>;
  /** How much it has had, comparable at any time: see `LaneState.standing`. */
  standing: number;
  /** The first of its entries, as it was when the party was put in its place. */
  since: number;
}

/** `standing`: how the shares compare by what they have had. Each change costs log n comparisons. */
export function serviceOrder<T extends Entry>(standing: (share: string) => number): ServiceOrder<T> {
  const bySince = sortedList<T>(compareSince);
  const parties = sortedList<Party<T>>(compareParties);
  const known = new Map<string, Party<T>>();

  const change = (party: Party<T>, work: () => void): void => {
    if (party.entries.first() !== undefined) parties.remove(party);
    work();
    const first = party.entries.first();
    if (first === undefined) {
      known.delete(keyOf(party.rank, party.share));
      return;
    }
    party.standing = standing(party.share);
    party.since = first.since;
    parties.add(party);
  };

  const partyOf = ({ rank, share }: T): Party<T> => {
    const key = keyOf(order[rank], share);
    const party = known.get(key) ?? {
      rank: order[rank],
      share,
      entries: sortedList<T>(compareSince),
      standing: 0,
      since: 0,
    };
    known.set(key, party);
    return party;
  };

  return {
    add: (entry) => {
      const party = partyOf(entry);
      change(party, () => party.entries.add(entry));
      bySince.add(entry);
    },
    remove: (entry) => {
      const party = partyOf(entry);
      change(party, () => party.entries.remove(entry));
      bySince.remove(entry);
    },
    served: (share) => {
      for (const rank of Object.values(order)) {
        const party = known.get(keyOf(rank, share));
        if (party !== undefined) change(party, () => undefined);
      }
    },
    *inOrder(now) {
      const overdue = now - patienceMs;
      for (const entry of bySince) {
        if (entry.since > overdue) break;
        yield entry;
      }
      for (const party of parties) for (const entry of party.entries) if (entry.since > overdue) yield entry;
    },
  };
}

const keyOf = (rank: number, share: string): string => `${rank} ${share}`;

function compareSince(one: Entry, other: Entry): number {
  return one.since - other.since || one.number - other.number;
}

function compareParties(one: Party<unknown>, other: Party<unknown>): number {
  return (
    one.rank - other.rank ||
    compareNumbers(one.standing, other.standing) ||
    one.since - other.since ||
    (one.share < other.share ? -1 : Number(one.share > other.share))
  );
}

/** Also of infinities, whose difference is none. */
const compareNumbers = (one: number, other: number): number => (one < other ? -1 : Number(one > other));
