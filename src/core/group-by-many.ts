/** As `Map.groupBy`, for things that are of several groups. A thing stands once in each. */
export function groupByMany<T, K>(all: readonly T[], keysOf: (one: T) => readonly K[]): ReadonlyMap<K, readonly T[]> {
  const groups = new Map<K, T[]>();
  for (const one of all) {
    for (const key of new Set(keysOf(one))) {
      const known = groups.get(key);
      if (known === undefined) groups.set(key, [one]);
      else known.push(one);
    }
  }
  return groups;
}
