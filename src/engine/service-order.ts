import btree from 'sorted-btree';
import type { Rank } from '../ports/limiter.ts';
import { order, patienceMs } from './rate-limit.ts';

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
  /** Its use so far, comparable at any time: see `RateLimitState.usage`. */
  usage: number;
  /** The first of its entries, as it was when the party was put in its place. */
  since: number;
}

/**
 * The rows that wait for one rate limit, those first whom `leftTo` lets go first. They are sorted once somebody asks for the order of
 * several: a rate limit of one row has none, and one that has enough for all is never asked. From then on each change costs log n
 * comparisons.
 */
export class ServiceOrder<T extends Entry> {
  readonly #usage: (share: string) => number;
  #rows: Set<T> | SortedRows<T> = new Set();

  /** `usage`: how the shares compare by what they have had. */
  constructor(usage: (share: string) => number) {
    this.#usage = usage;
  }

  add(entry: T): void {
    this.#rows.add(entry);
  }

  remove(entry: T): void {
    this.#rows.delete(entry);
    if (this.#rows.size === 0 && this.#rows instanceof SortedRows) this.#rows = new Set();
  }

  /** The use of this share has risen. */
  served(share: string): void {
    if (this.#rows instanceof SortedRows) this.#rows.served(share);
  }

  /**
   * Visits the rows in order, up to the first for which `found` holds; whether there is one. Where two shares have had the same, all
   * rows of one come before those of the other, the one that waits longest first; `leftTo` says exactly how much is due between any two.
   */
  some(now: number, found: (entry: T) => boolean): boolean {
    if (this.#rows instanceof SortedRows) return this.#rows.some(now, found);
    if (this.#rows.size > 1) {
      this.#rows = new SortedRows(this.#rows, this.#usage);
      return this.#rows.some(now, found);
    }
    for (const row of this.#rows) return found(row);
    return false;
  }
}

class SortedRows<T extends Entry> {
  readonly #usage: (share: string) => number;
  readonly #bySince = new SortedList<T>(compareSince);
  readonly #parties = new SortedList<Party<T>>(compareParties);
  readonly #known = new Map<string, Party<T>>();

  constructor(entries: Iterable<T>, usage: (share: string) => number) {
    this.#usage = usage;
    for (const entry of entries) this.add(entry);
  }

  get size(): number {
    return this.#bySince.size;
  }

  add(entry: T): void {
    const party = this.#partyOf(entry);
    this.#change(party, () => party.entries.add(entry));
    this.#bySince.add(entry);
  }

  delete(entry: T): void {
    const party = this.#partyOf(entry);
    this.#change(party, () => party.entries.remove(entry));
    this.#bySince.remove(entry);
  }

  served(share: string): void {
    for (const rank of ranks) {
      const party = this.#known.get(keyOf(rank, share));
      if (party !== undefined) this.#change(party, () => undefined);
    }
  }

  some(now: number, found: (entry: T) => boolean): boolean {
    const overdue = now - patienceMs;
    let isFound = false;
    this.#bySince.some((entry) => {
      if (entry.since > overdue) return true;
      isFound = found(entry);
      return isFound;
    });
    return (
      isFound || this.#parties.some((party) => party.entries.some((entry) => entry.since > overdue && found(entry)))
    );
  }

  #change(party: Party<T>, work: () => void): void {
    if (party.entries.size > 0) this.#parties.remove(party);
    work();
    const first = party.entries.first();
    if (first === undefined) {
      this.#known.delete(keyOf(party.rank, party.share));
      return;
    }
    party.usage = this.#usage(party.share);
    party.since = first.since;
    this.#parties.add(party);
  }

  #partyOf({ rank, share }: T): Party<T> {
    const key = keyOf(order[rank], share);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const party = { rank: order[rank], share, entries: new SortedList<T>(compareSince), usage: 0, since: 0 };
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
    compareNumbers(one.usage, other.usage) ||
    one.since - other.since ||
    (one.share < other.share ? -1 : Number(one.share > other.share))
  );
}

/** Also of infinities, whose difference is none. */
const compareNumbers = (one: number, other: number): number => (one < other ? -1 : Number(one > other));

/**
 * Items in a stated order; each change costs log n comparisons. A short list is an array, as most lists of a limiter never hold
 * more than an item or two, and a tree takes ten times the memory.
 */
export class SortedList<T> {
  readonly #compare: (one: T, other: T) => number;
  #items: readonly T[] = [];
  #tree: btree.default<T, undefined> | undefined;

  /** `compare` must tell any two items apart. */
  constructor(compare: (one: T, other: T) => number) {
    this.#compare = compare;
  }

  add(item: T): void {
    if (this.#items.length === longestArray) this.#grow();
    // why: each list is made anew, as an array that grows reserves room for 17
    if (this.#tree === undefined) this.#items = this.#items.toSpliced(this.#placeOf(item), 0, item);
    else this.#tree.set(item, undefined);
  }

  /** Its place must be as it was when it was added: change what orders it only while it is out. */
  remove(item: T): void {
    if (this.#tree === undefined) {
      const place = this.#placeOf(item);
      if (this.#items[place] !== item) throw moved();
      this.#items = this.#items.toSpliced(place, 1);
    } else if (!this.#tree.delete(item)) throw moved();
  }

  get size(): number {
    return this.#tree === undefined ? this.#items.length : this.#tree.size;
  }

  first(): T | undefined {
    return this.#tree === undefined ? this.#items[0] : this.#tree.minKey();
  }

  /** Visits the items in order, up to the first for which `found` holds; whether there is one. */
  some(found: (item: T) => boolean): boolean {
    if (this.#tree === undefined) return this.#items.some(found);
    return this.#tree.forEachPair((item) => (found(item) ? { break: true } : undefined)) === true;
  }

  #grow(): void {
    this.#tree = new btree.default(undefined, this.#compare);
    for (const item of this.#items) this.#tree.set(item, undefined);
    this.#items = [];
  }

  /** Of the first item that does not come before this one. */
  #placeOf(item: T): number {
    let low = 0;
    let high = this.#items.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const one = this.#items[middle];
      if (one !== undefined && this.#compare(one, item) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

const longestArray = 32;
const moved = (): Error => new Error('an item was moved while it was in a sorted list');
