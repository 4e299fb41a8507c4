import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';

interface Means {
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

const restMs = 5_000;
const sayEveryMs = 60_000;
/** Longer than an attempt to reach a database that is away takes to fail: what lasts so long is at work. */
const sureMs = 15_000;

/**
 * A duty that fails, as while the database is away, begins anew, until `signal` aborts. It is said when it fails first, then once
 * a minute, and when it is at work again. `of`: which one, for people.
 */
export async function lasting(of: string, duty: () => Promise<void>, { clock, log, signal }: Means): Promise<void> {
  let failing: { readonly since: number; saidAt: number } | undefined;
  const back = (): void => {
    if (failing !== undefined && !signal.aborted)
      log.info('a duty of this worker is at work again', { of, forMs: clock.now() - failing.since });
    failing = undefined;
  };
  const failed = (error: unknown): void => {
    const now = clock.now();
    if (failing !== undefined && now - failing.saidAt < sayEveryMs) return;
    log.warn('a duty of this worker failed; it is taken up again', { of, why: String(error) });
    failing = { since: failing?.since ?? now, saidAt: now };
  };
  while (!signal.aborted) {
    const attempt = new AbortController();
    if (failing !== undefined) void clock.sleep(sureMs, attempt.signal).then(back, () => {});
    try {
      await duty();
      back();
    } catch (error) {
      if (!signal.aborted) failed(error);
    } finally {
      attempt.abort();
    }
    await clock.sleep(restMs, signal).catch(() => {});
  }
}
