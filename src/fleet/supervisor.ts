import type { Clock, Log } from '../ports/clock-and-log.ts';
import type { Where } from '../ports/queue.ts';
import type { WorkerContext } from './worker-context.ts';

interface Means {
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

const restMs = 5_000;
const sayEveryMs = 60_000;
/** Longer than a failing attempt to reach an unavailable database takes: a task that runs this long works. */
const sureMs = 15_000;

/**
 * Restarts a background task that fails, as while the database is unavailable, until `signal` aborts. It logs the first
 * failure, then one a minute, and the recovery. `of`: the task's name, for people.
 */
export async function supervise(of: string, duty: () => Promise<void>, { clock, log, signal }: Means): Promise<void> {
  let failing: { readonly since: number; saidAt: number } | undefined;
  const back = (): void => {
    if (failing !== undefined && !signal.aborted)
      log.info('background task recovered', { task: of, forMs: clock.now() - failing.since });
    failing = undefined;
  };
  const failed = (error: unknown): void => {
    const now = clock.now();
    if (failing !== undefined && now - failing.saidAt < sayEveryMs) return;
    log.warn('background task failed; retrying', { task: of, reason: String(error) });
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

/** Interval at which a worker that does not lead asks for the lease again. */
const askEveryMs = 2_000;

type Around = Pick<WorkerContext, 'store' | 'clock' | 'outside'> & { readonly patienceMs?: number };

/**
 * Does what one worker of all must do, while it holds the lease of it; waits for its turn before. Returns when the work has
 * ended, the lease was lost, `signal` aborts, or its turn did not come within `patienceMs`.
 */
export async function asLeader(
  { estate, scope }: Where,
  { store, clock, outside, patienceMs = Number.POSITIVE_INFINITY }: Around,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const until = clock.now() + patienceMs;
  while (!signal.aborted) {
    const acquired = await store.leases.acquire(estate, scope, outside.holder);
    if (!acquired.ok) {
      if (clock.now() >= until) return;
      await clock.sleep(askEveryMs, signal).catch(() => {});
      continue;
    }
    const { lease } = acquired;
    const lead = AbortSignal.any([signal, lease.signal]);
    try {
      return await work(lead);
    } catch (error) {
      if (!lead.aborted) throw error;
      return;
    } finally {
      await lease.release();
    }
  }
}
