import type { Clock } from '../../ports/clock-and-log.ts';

/** A look-up that takes longer has failed: those who wait behind it must not wait for a connection that is dead. */
const patienceMs = 5_000;

/**
 * Looks things up by id. Those who ask while a look-up runs share the next one: however many ask, whatever they ask for, one
 * statement runs at a time, and each answer is of a moment after its question. Rejects where that cannot be found out in time.
 */
export function sharedLookups<T extends { readonly id: string }>(
  find: (ids: readonly string[]) => Promise<readonly T[]>,
  clock: Pick<Clock, 'sleep'>,
): (id: string) => Promise<T | undefined> {
  let running: Promise<unknown> = Promise.resolve();
  let next: { readonly ids: Set<string>; readonly found: Promise<ReadonlyMap<string, T>> } | undefined;
  const begin = () => {
    const ids = new Set<string>();
    const found = running.then(async () => {
      next = undefined;
      return new Map((await inTime(find([...ids]), clock)).map((one) => [one.id, one]));
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

async function inTime<T>(work: Promise<T>, clock: Pick<Clock, 'sleep'>): Promise<T> {
  const done = new AbortController();
  const late = clock.sleep(patienceMs, done.signal).then(
    () => Promise.reject(new Error('the look-up took too long')),
    // why: a clock that is told to stop waiting rejects, and by then the work has ended
    () => work,
  );
  try {
    return await Promise.race([work, late]);
  } finally {
    done.abort();
    late.catch(() => {});
  }
}
