/** Items with equal keys together, in the order of their first. */
export function groupBy<T>(items: readonly T[], key: (item: T) => string): readonly (readonly T[])[] {
  return [...Map.groupBy(items, key).values()];
}
