import type { RateLimitOptions } from '../../../src/engine/rate-limit.ts';
import type { Clock } from '../../../src/ports/clock-and-log.ts';
import type { Shares } from '../../../src/store/budgets/leased-limiter.ts';
import { leaseShare, levelOf, type SharedLane } from '../../../src/store/budgets/shares.ts';

export interface MemoryShares extends Shares {
  /** The next questions get no answer, though the shares are leased. */
  loseAnswers(times: number): void;
  /** The number of questions so far. */
  asked(): number;
}

/** Shares of lanes in memory, on a clock that is the store's. */
export function memoryShares(clock: Pick<Clock, 'now'>, budgets: RateLimitOptions = {}): MemoryShares {
  const lanes = new Map<string, SharedLane>();
  let [lost, asked] = [0, 0];
  return {
    lease: async (worker, asks) => {
      asked += 1;
      const given = asks.map((ask) => {
        const { lane, share } = leaseShare(lanes.get(ask.lane.key), ask, { worker, budgets, now: clock.now() });
        // why: a lane that JSON changes would be another one in a database
        lanes.set(ask.lane.key, JSON.parse(JSON.stringify(lane)) as SharedLane);
        return share;
      });
      if (lost === 0) return given;
      lost -= 1;
      throw new Error('the connection was lost');
    },
    levels: async (about) => about.map((lane) => levelOf(lanes.get(lane.key), { lane }, { budgets, now: clock.now() })),
    loseAnswers: (times) => {
      lost = times;
    },
    asked: () => asked,
  };
}
