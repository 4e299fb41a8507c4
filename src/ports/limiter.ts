import type { Samples } from './telemetry.ts';

/** The rate budgets. One rate limit is one budget, shared by all who use it. */
export interface Limiter {
  /**
   * Resolves when all costs were taken at once, with when that was, in ms of the limiter's own time: give it back to `slow`.
   * Rejects with the signal's reason when aborted. On a rate limit that cannot serve all, ranks go in order, and within a rank
   * the shares get about as much each; nobody waits for ever.
   */
  take(need: Need, signal: AbortSignal): Promise<number>;
  /**
   * The cloud refused: the whole rate limit slows down, at most once a round trip. A refusal of a request from before the last
   * slow-down is that same refusal. Full speed is back within a minute.
   *
   *   rate limit of    | what the request took | what is left of the rate limit
   *   -----------+-----------------------+-------------------------------------------------------------------
   *   requests   | stays spent           | nothing
   *   resources  | is given back         | all, as clouds do not say which bucket refused; nothing where the
   *              |                       | first request after a slow-down is refused too
   *
   * Nothing is given back for requests from before the last correction of the rate limit (emptied, or set to the reported rest).
   */
  slow(rateLimitKey: string, refusal: Refusal): void;
  /** The cloud's own word for how much is left: only ever lowers what the rate limit believes it has. */
  learn(rateLimitKey: string, remaining: number): void;
}

/** One worker's way to the budgets that a fleet shares. */
export interface SharedLimiter extends Limiter, Pick<Samples, 'rateLimits'> {
  /** Gives back what it holds. */
  close(): Promise<void>;
}

export interface Need {
  readonly costs: readonly Cost[];
  readonly rank: Rank;
  /** In whose name; the estate. */
  readonly share: string;
}

/** In order of service: deletes, which free quota; other writes; reads. */
export type Rank = 'frees' | 'writes' | 'reads';

export interface Refusal {
  /** The time that `take` resolved with. */
  readonly sentAt: number;
  /** The cloud's Retry-After; 0 where it gave none. Nothing goes before it is over. */
  readonly retryAfterMs: number;
  /** The amount that the refused request took from this rate limit. */
  readonly amount: number;
}

/** `action`: the API's own name, `AuthorizeSecurityGroupIngress`. `costs`: what it takes from which rate limits (a launch takes from two). */
export interface Request {
  readonly action: string;
  readonly mutating: boolean;
  readonly costs: readonly Cost[];
}

export interface Cost {
  readonly rateLimit: RateLimit;
  readonly amount: number;
}

/** One budget: what the cloud counts together. `key` names it fleet-wide: `aws/1111/eu-west-1/RunInstances`. */
export interface RateLimit {
  readonly key: string;
  readonly budget: Budget;
}

/**
 * Published figures, with the cloud's own page. Tokens and tokens per second, or calls per fixed window. `counts`: what one
 * token is for, where it is not a request: one of the things that a request is about.
 */
export type Budget =
  | {
      readonly shape: 'bucket';
      readonly capacity: number;
      readonly perSecond: number;
      readonly source: string;
      readonly counts?: 'resources';
    }
  | { readonly shape: 'window'; readonly calls: number; readonly windowMs: number; readonly source: string };
