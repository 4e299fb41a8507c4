import type { DoneVerb, Finding } from '../core/action.ts';
import type { Failure } from '../core/failure.ts';
import type { Address, Kind } from '../core/resource.ts';
import type { Clock } from '../ports/clock-and-log.ts';
import { type Lease, LeaseLost } from '../ports/leases.ts';
import type { CallRecord } from '../ports/ledger.ts';

/** The caller's control over a running reconcile. */
export interface ReconcileControl {
  /** Aborting ends every wait within a second and sends nothing more; a request on its way is awaited. */
  readonly signal: AbortSignal;
  /** Asked at least every 15 s, and every second while something waits: `stop` ends the reconcile as an abort does. */
  readonly poll?: () => Promise<'go' | 'stop'>;
  readonly notify?: (progress: Progress) => void;
}

/** The progress of a reconcile, for people who watch. Never needed for correctness. */
export type Progress =
  /** `seen` objects of `kind` so far; `complete` when its listing has ended. */
  | { readonly at: 'observing'; readonly kind: Kind; readonly seen: number; readonly complete: boolean }
  | { readonly at: 'planned'; readonly round: number; readonly actions: number; readonly findings: number }
  | { readonly at: 'acting'; readonly kind: Kind; readonly verb: DoneVerb; readonly addresses: readonly Address[] }
  | {
      readonly at: 'settled';
      readonly kind: Kind;
      readonly verb: DoneVerb;
      readonly address: Address;
      /** Absent: it went well. */
      readonly failure?: Failure;
    }
  | { readonly at: 'withheld'; readonly finding: Finding }
  /** `forMs`: how long at least; `atMostMs`: until it is given up; where they are known. */
  | {
      readonly at: 'waiting';
      readonly why: Waiting;
      readonly detail: string;
      readonly forMs?: number;
      readonly atMostMs?: number;
    }
  /** A wait has ended; it may not have been reported before. `forMs`: its real length. */
  | { readonly at: 'waited'; readonly why: Waiting; readonly detail: string; readonly forMs: number }
  | ({ readonly at: 'called' } & Called);

/** A request to the cloud, answered or given up. `rate limits`: keys of the budgets that it spent. `code`: of its failure. */
interface Called extends CallRecord {
  readonly mutating: boolean;
  readonly lanes: readonly string[];
}

/**
 * `budget`: a rate limit is empty; `backoff`: the cloud failed; `ready`: a machine comes up; `gone`: a resource goes; `visible`: a write
 * does not show in listings yet.
 */
export type Waiting = 'budget' | 'backoff' | 'ready' | 'gone' | 'visible';

/** When a reconcile must end. Both signals abort with `Stopped`. */
export interface Cancellation {
  /** Ends every wait at once, and nothing more is sent. */
  readonly waits: AbortSignal;
  /** Cuts requests that are on their way: a moment later, so that most of them still get their answer. */
  readonly requests: AbortSignal;
  /** Something inside found that the reconcile must end. */
  stop(why: string): void;
  /** Stops watching; the reconcile is over. */
  end(): void;
}

/** The reason that everything ends with when a reconcile must stop. */
export class Cancelled extends Error {
  constructor(why: string, options?: ErrorOptions) {
    super(`stopped: ${why}`, options);
    this.name = 'Cancelled';
  }
}

/** True where an error only means that the reconcile ends. */
export const isCancellation = (error: unknown, waits: AbortSignal): boolean =>
  error instanceof Cancelled || waits.aborted;

/** The time that a running request still has: every wait ends within a second. */
const graceMs = 900;
const pollEveryMs = 1000;

/** Watches the caller, its `poll` and the lease. */
export function cancellationOn({ signal, poll }: ReconcileControl, clock: Clock, lease?: Lease): Cancellation {
  const waits = new AbortController();
  const requests = new AbortController();
  const watch = new AbortController();
  const stop = (why: string, cause?: unknown): void => {
    if (waits.signal.aborted) return;
    const reason = new Cancelled(why, { cause });
    waits.abort(reason);
    clock.sleep(graceMs, watch.signal).then(
      () => requests.abort(reason),
      () => undefined,
    );
  };
  const asked = (): void => stop('by the caller', signal.reason);
  const lost = (): void => {
    const reason = new Cancelled('the lease was lost', { cause: lease?.signal.reason });
    waits.abort(reason);
    requests.abort(reason);
  };
  if (signal.aborted) asked();
  if (lease?.signal.aborted) lost();
  signal.addEventListener('abort', asked, { once: true });
  lease?.signal.addEventListener('abort', lost, { once: true });
  if (poll)
    ask(poll, clock, watch.signal).then(
      () => stop('something more urgent came'),
      () => undefined,
    );
  return {
    waits: waits.signal,
    requests: requests.signal,
    stop,
    end: () => {
      watch.abort();
      signal.removeEventListener('abort', asked);
      lease?.signal.removeEventListener('abort', lost);
    },
  };
}

/**
 * Returns when `poll` answers stop; rejects when watching ends. A failing `poll` answers nothing: the reconcile itself meets a
 * lost store.
 */
async function ask(poll: () => Promise<'go' | 'stop'>, clock: Clock, watch: AbortSignal): Promise<void> {
  while ((await poll().catch(() => 'go')) !== 'stop') await clock.sleep(pollEveryMs, watch);
}

type Awaited = Omit<Extract<Progress, { at: 'waiting' }>, 'at'> & { readonly forMs: number };

interface Waiter {
  readonly clock: Clock;
  readonly waits: AbortSignal;
  readonly notify: ReconcileControl['notify'];
}

/** Reports the wait, sleeps, and reports its length; rejects when the reconcile must stop. */
export async function wait(awaited: Awaited, waiter: Waiter): Promise<void> {
  waiter.notify?.({ at: 'waiting', ...awaited });
  await sleepFor(awaited, waiter);
}

/** The same for waits that nobody needs to see before. */
export async function sleepFor({ why, detail, forMs }: Awaited, { clock, waits, notify }: Waiter): Promise<void> {
  const from = clock.now();
  try {
    await clock.sleep(forMs, waits);
  } finally {
    notify?.({ at: 'waited', why, detail, forMs: clock.now() - from });
  }
}

/** A ledger that no longer knows our lease ends the reconcile: whoever holds it now settles what we leave open by what he sees. */
export async function unlessLeaseLost<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (error instanceof LeaseLost) throw new Cancelled('the lease was lost', { cause: error });
    throw error;
  }
}
