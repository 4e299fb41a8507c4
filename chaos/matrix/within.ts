import { setTimeout as sleep } from 'node:timers/promises';

/** Rejects where it takes longer, and says what did. */
export async function within<T>(ms: number, work: Promise<T>, what: () => string): Promise<T> {
  const timer = new AbortController();
  const late = sleep(ms, undefined, { signal: timer.signal }).then(() => {
    throw new Error(`${what()} in ${ms / 1000} s`);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    timer.abort();
    late.catch(() => {});
  }
}
