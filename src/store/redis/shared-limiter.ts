import type { RateLimitOptions } from '../../engine/rate-limit.ts';
import type { Budget } from '../../ports/actuator.ts';
import type { Clock } from '../../ports/clock.ts';
import type { SharedLimiter } from '../../ports/limiter.ts';
import type { Answer, Question } from './lanes.ts';
import { linkTo } from './link.ts';
import { Moved, rowsAt } from './rows.ts';

export interface SharedLimiterOptions {
  readonly url: string;
  readonly clock: Clock;
  /** This worker's own name in the fleet. */
  readonly worker: string;
  /**
   * The caller's word that this fleet never ran before: its lanes begin full where Redis knows nothing of it. Default
   * false: they begin empty, as nobody can tell what was spent right before.
   */
  readonly fresh?: boolean;
  readonly budgets?: Pick<RateLimitOptions, 'reserve' | 'lateMs'>;
  readonly kept?: KeptLanes;
  readonly events?: LimiterEvents;
}

/** The lanes that a database keeps too: those begin full where Redis lost its memory, unless fleets of other databases use the same Redis. */
export interface KeptLanes {
  isKept(budget: Budget): boolean;
  /** The database's own id. */
  readonly store: string;
  /** Ids of other databases whose fleets were seen on this Redis. */
  readonly neighbours: readonly string[];
  /** Told of each again and again. */
  met(neighbour: string): void;
}

export interface LimiterEvents {
  /** A lane was slowed down, on this worker's word. */
  readonly slowed?: (laneKey: string) => void;
  /** Redis does not answer: this worker keeps to its part, one of `workers`. */
  readonly away?: (workers: number, why: string) => void;
  readonly back?: () => void;
}

/**
 * The budgets of a fleet: every worker's requests spend from the same lanes in Redis, all lanes of one at once or none.
 * Ranks, shares and slow-downs are the whole fleet's, and Redis' clock is the only one. Whoever waits is told when to come
 * again, and asks for all who wait in its row. Rejects where Redis does not answer within 10 s.
 *
 * What is lost with Redis' memory (a flush, a restart, another server) was, at worst, spent right before: a lane without a
 * state begins empty as of when the memory began, and one not used for longer than it takes to fill is full. Only a fleet
 * that never ran (`fresh`), and of which no living worker remembers another memory, begins full.
 *
 * While Redis is away each worker keeps to one of N parts, N being the workers seen last, beginning with nothing; back
 * again it says what it spent. Requests reach the cloud later than they were let go, and not all by as much: the budgets
 * hold back what that can make (`lateMs`, default one second).
 */
export async function openSharedLimiter(options: SharedLimiterOptions): Promise<SharedLimiter> {
  const { clock, events = {} } = options;
  const link = await linkTo(options);
  const rows = rowsAt({ worker: options.worker, clock, link });
  const tell = async (laneKey: string, question: Question): Promise<Answer | undefined> => {
    const lane = link.book.find(laneKey);
    return lane && link.ask(question, [lane]);
  };
  return {
    take: async (need, signal) => {
      for (const came = clock.now(); ; ) {
        try {
          return await (link.part()?.take(need, signal) ?? rows.take(need, signal, came));
        } catch (reason) {
          if (!(reason instanceof Moved)) throw reason;
          signal.throwIfAborted();
        }
      }
    },
    slow: (laneKey, refusal) => {
      tell(laneKey, { verb: 'slow', ...refusal }).then(
        (answer) => (answer?.slowed ? events.slowed?.(laneKey) : undefined),
        () => link.part()?.slow(laneKey, refusal),
      );
    },
    learn: (laneKey, remaining) => {
      const ours = link.book.lowered(laneKey, remaining);
      if (ours === undefined) return;
      tell(laneKey, { verb: 'lower', amounts: [ours] }).catch(() => link.part()?.learn(laneKey, remaining));
    },
    lanes: async () => {
      const all = link.book.all();
      const answer = await link.ask({ verb: 'here' }, all).catch(() => undefined);
      if (answer === undefined) return (await link.part()?.lanes()) ?? [];
      return all.flatMap(({ key, shape }, i) => {
        const { left = 0, ...slowed } = answer.lanes[i] ?? {};
        return { key, level: left / shape.capacity, ...slowed };
      });
    },
    close: link.close,
  };
}
