/**
 * As `Promise.all`, but it ends when the last of them has: of a step that fails no request goes on, uncounted, behind the
 * back of who asked. Of several failures the first in order is thrown.
 */
export async function awaitAll<T extends readonly unknown[]>(
  all: readonly [...T],
): Promise<{ readonly [I in keyof T]: Awaited<T[I]> }> {
  await Promise.allSettled(all);
  return Promise.all(all);
}
