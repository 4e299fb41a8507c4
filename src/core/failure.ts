/** Every way a cloud call can go wrong, as this program sees it. Providers translate into it; nobody else sees SDK errors. */
export type Failure = {
  /** The cloud's own code, for people and metrics; never matched outside providers/. */
  readonly code: string;
  readonly message: string;
  readonly requestId?: string;
  /** Refused for how many there would be: fewer of what was asked for together might fit. */
  readonly quota?: true;
  /** Of a creation that was sent again: the first one made it, and it is there no more. */
  readonly ended?: true;
  /** The cloud has no region of this name. */
  readonly region?: string;
} & (
  | { readonly kind: 'throttled'; readonly retryAfterMs?: number }
  /** `retryAfterMs`: as long as the cloud asks us to wait. */
  | { readonly kind: 'retryable'; readonly retryAfterMs?: number }
  /** A write was sent and no answer came: it may have happened. */
  | { readonly kind: 'ambiguous' }
  /** Our view is stale, or someone else got there first. */
  | { readonly kind: 'conflict' }
  | { readonly kind: 'not-found' }
  /** Denied, invalid, over quota: a person must act. */
  | { readonly kind: 'terminal' }
);

/** Adds the wait that the cloud asks for to a failure that is waited out, and to no other. */
export function withWait(failure: Failure, retryAfterMs: number | undefined): Failure {
  const isWaitedOut = failure.kind === 'throttled' || failure.kind === 'retryable';
  return isWaitedOut && retryAfterMs !== undefined ? { ...failure, retryAfterMs } : failure;
}

export type Result<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: Failure };

/** Our reaction to a failure. */
export type Verdict =
  | { readonly do: 'done' }
  | { readonly do: 'retry'; readonly afterMs: number }
  /** Slow the whole rate limit once; not an attempt. */
  | { readonly do: 'slow-down'; readonly forMs: number }
  /** Look first, then plan again. */
  | { readonly do: 'replan' }
  | { readonly do: 'give-up' };

export const maxAttempts = 6;

/**
 *   failure    | create   | update   | delete
 *   -----------+----------+----------+---------
 *   throttled  | slow the rate limit, then send again: not an attempt
 *   retryable  | retry with full jitter, and not before the wait that the cloud asks for is over, at most 6 attempts, then give up
 *   ambiguous  | replan   | replan   | replan     (it may have happened: observe first)
 *   conflict   | replan   | replan   | replan     (our view is stale)
 *   not-found  | replan   | replan   | done
 *   terminal   | give up; other resources go on
 *
 * `attempt` counts from 1; `jitter` in [0,1) is passed in, so the same failure always gets the same verdict.
 */
export function judge(
  failure: Failure,
  verb: 'create' | 'update' | 'delete',
  attempt: number,
  jitter: number,
): Verdict {
  switch (failure.kind) {
    case 'terminal':
      return { do: 'give-up' };
    case 'conflict':
    case 'ambiguous':
      return { do: 'replan' };
    case 'not-found':
      return verb === 'delete' ? { do: 'done' } : { do: 'replan' };
    case 'throttled':
      return { do: 'slow-down', forMs: failure.retryAfterMs ?? backoff(attempt, jitter) };
    case 'retryable':
      if (attempt >= maxAttempts) return { do: 'give-up' };
      return { do: 'retry', afterMs: Math.max(failure.retryAfterMs ?? 0, backoff(attempt, jitter)) };
  }
}

/** Full jitter in milliseconds: anywhere from nothing to 2^attempt seconds, at most a minute. */
export function backoff(attempt: number, jitter: number): number {
  return Math.floor(jitter * Math.min(60_000, 1000 * 2 ** attempt));
}
