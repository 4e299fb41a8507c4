import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import {
  fadeMs,
  patienceMs,
  type RateLimitOptions,
  recoveryPerMs,
  slowest,
  type UsableBudget,
  usableBudgetOf,
} from '../../engine/rate-limit.ts';
import type { Budget, Cost } from '../../ports/limiter.ts';

/** The rate limits of a fleet, in Redis: what `rate-limits.lua` answers. Every call rejects where Redis does not answer in time. */
export interface RateLimits {
  ask(question: Question, rateLimits: readonly NamedShape[]): Promise<Answer>;
  close(): Promise<void>;
}

/** `kept`: the database keeps the rate limit too, see `keptLimiter`. */
export interface NamedShape {
  readonly key: string;
  readonly shape: UsableBudget;
  readonly kept?: boolean;
}

export type Question =
  | {
      readonly verb: 'take';
      readonly row: string;
      readonly rank: number;
      readonly share: string;
      /** The time that the first of them waits unserved, ms. */
      readonly waited: number;
      /** The amounts that each takes from each rate limit, in order of arrival. */
      readonly needs: readonly (readonly number[])[];
      /** The sum that all of them take from each rate limit. */
      readonly totals: readonly number[];
    }
  | { readonly verb: 'slow'; readonly sentAt: number; readonly retryAfterMs: number; readonly amount: number }
  | { readonly verb: 'lower' | 'repay'; readonly amounts: readonly number[] }
  | { readonly verb: 'here' | 'leave' };

export interface Answer {
  /** Redis' time, ms since the epoch. */
  readonly now: number;
  /** Workers that were there in the last seconds, this one too. */
  readonly workers: number;
  /** Ids of other databases whose fleets use this Redis. */
  readonly neighbours: readonly string[];
  readonly rateLimits: readonly RateLimitNow[];
  /** The number of needs that were granted, and the ms until the next try for the rest. */
  readonly granted: number;
  readonly wait: number;
  readonly slowed: boolean;
}

/** `slowedUntil`: Redis' time; absent where it goes at full speed. */
interface RateLimitNow {
  readonly left: number;
  readonly slowedUntil?: number;
}

interface RateLimitsOptions {
  readonly url: string;
  /** This worker's own name in the fleet. */
  readonly worker: string;
  /** Fleets that share a Redis are kept apart by it. */
  readonly name: string;
  readonly fresh: boolean;
  /** The id of its database, and whether no other fleet is known to use this Redis. */
  readonly store: string;
  readonly alone: () => boolean;
}

/** `fresh`: see `openSharedLimiter`. Connects on its own, again and again. */
export function connectRateLimits({ url, worker, name, fresh, store, alone }: RateLimitsOptions): RateLimits {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: answerMs,
    commandTimeout: answerMs,
    retryStrategy: () => retryMs,
  });
  // why: an error nobody listens to ends the process; every call that fails says so itself
  redis.on('error', () => {});
  let epoch = '';
  return {
    ask: async (question, rateLimits) => {
      const keys = rateLimits.flatMap(({ key }) => ['lane', 'spent', 'rows'].map((what) => `{${name}}:${what}:${key}`));
      const all = [`{${name}}:fleet`, `{${name}}:workers`, ...keys];
      const shapes = rateLimits.map(({ kept, shape: { capacity, perMs, windowMs, counts } }) => ({
        capacity,
        perMs,
        windowMs,
        counts,
        kept,
      }));
      const about = { worker, store, alone: alone(), epoch, fresh, law, rateLimits: shapes };
      const asked = JSON.stringify({ ...question, ...about });
      const answer = read(await run(redis, [all.length, ...all, asked]));
      epoch = answer.epoch;
      return answer;
    },
    close: async () => redis.disconnect(),
  };
}

/** By its hash, unless Redis has forgotten it. */
async function run(redis: Redis, args: readonly [number, ...string[]]): Promise<unknown> {
  try {
    return await redis.evalsha(sha, ...args);
  } catch (error) {
    if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
    return redis.eval(script, ...args);
  }
}

const script = readFileSync(join(import.meta.dirname, 'rate-limits.lua'), 'utf8');
const sha = hash('sha1', script);

/** A Redis that takes longer counts as unavailable. */
const answerMs = 1000;
const retryMs = 200;

const law = {
  recoveryPerMs,
  slowest,
  patienceMs,
  fadeMs,
  /** A worker that comes later than its time by this much is skipped until it comes. */
  graceMs: 400,
  /** A waiting caller comes again after this long: at least, and at most. */
  leastMs: 10,
  mostMs: 1000,
  /** A full rate limit that the workers in turn leave unused for this long is free for any. */
  unusedMs: 1500,
  workerMs: 10_000,
  /** All that somebody spent who was not there for so long is in the rate limits again. */
  neighbourMs: 3_600_000,
};

function read(text: unknown): Answer & { readonly epoch: string } {
  // why: our own script wrote it
  const answer = JSON.parse(String(text)) as Partial<Answer> & { readonly now: string; readonly epoch: string };
  const { granted = 0, wait = 0, slowed = false, workers = 1, neighbours = [], epoch } = answer;
  const rateLimits = Array.isArray(answer.rateLimits) ? answer.rateLimits : [];
  return { now: Number(answer.now), epoch, workers, neighbours, rateLimits, granted, wait, slowed };
}

/** The rate limits that this worker took from, and what Redis said last is left in each. */
export interface RateLimitBook {
  shapesOf(costs: readonly Cost[]): readonly NamedShape[];
  /** Undefined for one that was never taken from. */
  find(rateLimitKey: string): NamedShape | undefined;
  all(): readonly NamedShape[];
  note(rateLimits: readonly NamedShape[], now: readonly RateLimitNow[]): void;
  /** Our part of the cloud's `remaining`, where that is less than our count; the count continues from there. */
  lowered(rateLimitKey: string, remaining: number): number | undefined;
}

/** `isKept`: the database keeps the rate limit too. */
export function rateLimitBook(budgets: RateLimitOptions, isKept: (budget: Budget) => boolean): RateLimitBook {
  const known = new Map<string, NamedShape>();
  const believed = new Map<string, number>();
  return {
    shapesOf: (costs) =>
      costs.map(({ rateLimit: { key, budget } }) => {
        const shape = known.get(key) ?? {
          key,
          shape: usableBudgetOf(budget, budgets),
          ...(isKept(budget) && { kept: true }),
        };
        known.set(key, shape);
        return shape;
      }),
    find: (rateLimitKey) => known.get(rateLimitKey),
    all: () => [...known.values()],
    note: (rateLimits, now) => {
      for (const [i, { key }] of rateLimits.entries()) believed.set(key, now[i]?.left ?? 0);
    },
    lowered: (rateLimitKey, remaining) => {
      const ours = Math.max(0, remaining - (known.get(rateLimitKey)?.shape.reserved ?? 0));
      if (ours >= (believed.get(rateLimitKey) ?? 0)) return undefined;
      believed.set(rateLimitKey, ours);
      return ours;
    },
  };
}
