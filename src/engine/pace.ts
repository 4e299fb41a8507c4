import type { Refusal } from '../ports/limiter.ts';

/** Half a minute from the half speed back to the whole one; 58 s from the slowest. */
export const recoveryPerMs = 0.5 / 30_000;
export const slowest = 1 / 32;

/** Which refusal it is: the one that was heard before, another, or that of the very first that went after a slow-down. */
export type Slowing = 'same' | 'other' | 'again';

/** As JSON; `since`: null where it was never slowed. */
export interface KeptPace {
  readonly factor: number;
  readonly since: number | null;
  readonly until: number;
  readonly firstSince: number | null;
}

/** How much of its speed a lane dares: halved by a refusal, regained in even steps. Times are ms since the epoch. */
export class Pace {
  #factor = 1;
  #since = Number.NEGATIVE_INFINITY;
  #until = 0;
  #firstSince: number | undefined;

  constructor(kept?: KeptPace) {
    if (kept === undefined) return;
    this.#factor = kept.factor;
    this.#since = kept.since ?? Number.NEGATIVE_INFINITY;
    this.#until = kept.until;
    this.#firstSince = kept.firstSince ?? undefined;
  }

  kept(): KeptPace {
    const since = this.#since === Number.NEGATIVE_INFINITY ? null : this.#since;
    return { factor: this.#factor, since, until: this.#until, firstSince: this.#firstSince ?? null };
  }

  /** The part of the whole speed, up to 1. */
  at(now: number): number {
    return Math.min(1, this.#factor + Math.max(0, now - this.#since) * recoveryPerMs);
  }

  pausedUntil(): number {
    return this.#until;
  }

  /** Until it may go at its whole speed again; absent where it may. */
  slowed(now: number): { readonly slowedUntil?: number } {
    const slowedUntil = Math.max(this.#until, this.#since + (1 - this.#factor) / recoveryPerMs);
    return slowedUntil > now ? { slowedUntil } : {};
  }

  /** Something was let go. */
  went(now: number): void {
    if (now > this.#since) this.#firstSince ??= now;
  }

  slow({ sentAt, retryAfterMs }: Pick<Refusal, 'sentAt' | 'retryAfterMs'>, now: number): Slowing {
    this.#until = Math.max(this.#until, now + retryAfterMs);
    if (sentAt <= this.#since) return 'same';
    const again = this.#firstSince !== undefined && sentAt <= this.#firstSince && this.at(sentAt) < 1;
    this.#factor = Math.max(slowest, this.at(now) / 2);
    this.#since = now;
    this.#firstSince = undefined;
    return again ? 'again' : 'other';
  }
}
