import btree from 'sorted-btree';

/** Items in a stated order; each change costs log n comparisons. */
export interface SortedList<T> extends Iterable<T> {
  add(item: T): void;
  /** Its place must be as it was when it was added: change what orders it only while it is out. */
  remove(item: T): void;
  first(): T | undefined;
}

/** `compare` must tell any two items apart. */
export function sortedList<T>(compare: (one: T, other: T) => number): SortedList<T> {
  const items = new btree.default<T, undefined>(undefined, compare);
  return {
    add: (item) => {
      items.set(item, undefined);
    },
    remove: (item) => {
      if (!items.delete(item)) throw new Error('an item was moved while it was in a sorted list');
    },
    first: () => items.minKey(),
    [Symbol.iterator]: () => items.keys(),
  };
}
