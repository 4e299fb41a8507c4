import btree from 'sorted-btree';

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
