import type { Cost } from './actuator.ts';

/** The rate budgets. One lane is one budget, shared by all who use it. */
export interface Limiter {
  /** Resolves when all costs may be spent at once; rejects with the signal's reason when aborted. Fair: first come, first served per lane. */
  take(costs: readonly Cost[], signal: AbortSignal): Promise<void>;
  /** The cloud refused: slow the whole lane, once per refusal however many callers saw it; it recovers slowly. */
  slow(laneKey: string, forMs: number): void;
}
