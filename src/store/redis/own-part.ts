import { inProcessLimiter } from '../../engine/limiter.ts';
import type { RateLimitOptions } from '../../engine/rate-limit.ts';
import type { Cost } from '../../ports/actuator.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Limiter } from '../../ports/limiter.ts';
import type { Samples } from '../../ports/telemetry.ts';
import { Moved } from './rows.ts';

/** One worker's part of every budget, while there is no Redis to share them in. */
export interface OwnPart extends Limiter, Pick<Samples, 'lanes'> {
  /** What was spent here and not told yet, by lane; `told` is what of it is known elsewhere now. */
  unpaid(): readonly Cost[];
  paid(told: readonly Cost[]): void;
  /** Sends away with `Moved` who waits here. */
  end(): void;
}

export interface PartOptions {
  readonly clock: Clock;
  readonly workers: number;
  readonly budgets: { readonly reserve: number; readonly lateMs: number };
  readonly slowed?: (laneKey: string) => void;
}

/** Begins with nothing: what is left when Redis goes away may be spent by others right now. */
export function ownPart({ clock, workers, budgets, slowed }: PartOptions): OwnPart {
  const options: RateLimitOptions = {
    reserve: 1 - (1 - budgets.reserve) / Math.max(1, workers),
    lateMs: budgets.lateMs,
    empty: true,
  };
  const limiter = inProcessLimiter({ clock, ...options, ...(slowed ? { slowed } : {}) });
  const spent = new Map<string, Cost>();
  const gone = new AbortController();
  const add = ({ lane, amount }: Cost): void => {
    spent.set(lane.key, { lane, amount: (spent.get(lane.key)?.amount ?? 0) + amount });
  };
  return {
    take: async (need, signal) => {
      const at = await limiter.take(need, AbortSignal.any([signal, gone.signal]));
      need.costs.forEach(add);
      return at;
    },
    slow: limiter.slow,
    learn: limiter.learn,
    lanes: limiter.lanes,
    unpaid: () => [...spent.values()].filter(({ amount }) => amount > 0),
    paid: (told) => {
      for (const { lane, amount } of told) add({ lane, amount: -amount });
    },
    end: () => gone.abort(new Moved('Redis is back')),
  };
}
