/** How long a call to the queue's server may take: both clients wait for a lost server for ever. */
const patienceMs = 10_000;

/** What `work` comes to, or an error after 10 s. It may still come about later. */
export async function deadline<T>(work: Promise<T>, what: string): Promise<T> {
  const over = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => over.reject(new Error(`${what}: the queue's server did not answer within ${patienceMs / 1000} s`)),
    patienceMs,
  );
  try {
    return await Promise.race([work, over.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Returns when `work` is over, however it ended, or after `ms`. */
export async function atMost(work: Promise<unknown>, ms: number): Promise<void> {
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(over.resolve, ms);
  await Promise.race([work.catch(() => {}), over.promise]);
  clearTimeout(timer);
}
