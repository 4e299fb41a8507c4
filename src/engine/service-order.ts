import type { Rank } from '../ports/limiter.ts';
import { SortedList } from './sorted-list.ts';
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

/** The rows that wait for one rate limit, those first whom `leftTo` lets go first. Each change costs log n comparisons. */
export class ServiceOrder<T extends Entry> {
  readonly #standing: (share: string) => number;
  readonly #bySince = new SortedList<T>(compareSince);
  readonly #parties = new SortedList<Party<T>>(compareParties);
  readonly #known = new Map<string, Party<T>>();

  /** `standing`: how the shares compare by what they have had. */
  constructor(standing: (share: string) => number) {
    this.#standing = standing;
  }

  add(entry: T): void {
    const party = this.#partyOf(entry);
    this.#change(party, () => party.entries.add(entry));
    this.#bySince.add(entry);
  }

  remove(entry: T): void {
    const party = this.#partyOf(entry);
    this.#change(party, () => party.entries.remove(entry));
    this.#bySince.remove(entry);
  }

  /** What this share has had is more than it was. */
  served(share: string): void {
    for (const rank of ranks) {
      const party = this.#known.get(keyOf(rank, share));
      if (party !== undefined) this.#change(party, () => undefined);
    }
  }

  /**
   * Begins at once and is meant to be left early. Where two shares have had the same, all rows of one come before those of the
   * other, the one that waits longest first; `leftTo` says exactly how much is due between any two.
   */
  *inOrder(now: number): Generator<T> {
    const overdue = now - patienceMs;
    for (const entry of this.#bySince) {
      if (entry.since > overdue) break;
      yield entry;
    }
    for (const party of this.#parties) for (const entry of party.entries) if (entry.since > overdue) yield entry;
  }

  #change(party: Party<T>, work: () => void): void {
    if (party.entries.first() !== undefined) this.#parties.remove(party);
    work();
    const first = party.entries.first();
    if (first === undefined) {
      this.#known.delete(keyOf(party.rank, party.share));
      return;
    }
    party.standing = this.#standing(party.share);
    party.since = first.since;
    this.#parties.add(party);
  }

  #partyOf({ rank, share }: T): Party<T> {
    const key = keyOf(order[rank], share);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const party = { rank: order[rank], share, entries: new SortedList<T>(compareSince), standing: 0, since: 0 };
    this.#known.set(key, party);
    return party;
  }
}

const ranks = Object.values(order);
const keyOf = (rank: number, share: string): string => `${rank} ${share}`;

function compareSince(one: Entry, other: Entry): number {
  return one.since - other.since || one.number - other.number;
}

function compareParties<T>(one: Party<T>, other: Party<T>): number {
  return (
    one.rank - other.rank ||
    compareNumbers(one.standing, other.standing) ||
    one.since - other.since ||
    (one.share < other.share ? -1 : Number(one.share > other.share))
  );
}

/** Also of infinities, whose difference is none. */
const compareNumbers = (one: number, other: number): number => (one < other ? -1 : Number(one > other));
