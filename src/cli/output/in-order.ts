/**
 * The same data with the keys of all objects in one order, however and wherever it was made: those that say what it is first, all
 * others by the alphabet. So what is printed from here and from a server is the same text.
 */
export function inOrder<T>(value: T): T {
  return ordered(value) as T; // why: only the order of keys changes
}

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : 1))
      .map(([key, one]) => [key, ordered(one)]),
  );
}

const first = ['seq', 'type', 'verb', 'kind', 'address', 'id', 'name', 'claim', 'code', 'why', 'cause', 'because'];

const rank = (key: string): number => {
  const at = first.indexOf(key);
  return at === -1 ? first.length : at;
};
