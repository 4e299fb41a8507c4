/**
 * Looks things up by id. Those who ask while a look-up runs share the next one: however many ask, whatever they ask for, one
 * statement runs at a time, and each answer is of a moment after its question.
 */
export function sharedLookups<T extends { readonly id: string }>(
  find: (ids: readonly string[]) => Promise<readonly T[]>,
): (id: string) => Promise<T | undefined> {
  let running: Promise<unknown> = Promise.resolve();
  let next: { readonly ids: Set<string>; readonly found: Promise<ReadonlyMap<string, T>> } | undefined;
  const begin = () => {
    const ids = new Set<string>();
    const found = running.then(async () => {
      next = undefined;
      return new Map((await find([...ids])).map((one) => [one.id, one]));
    });
    running = found.catch(() => {});
    return { ids, found };
  };
  return async (id) => {
    next ??= begin();
    next.ids.add(id);
    return (await next.found).get(id);
  };
}
