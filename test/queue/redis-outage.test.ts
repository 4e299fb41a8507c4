import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Redis } from 'ioredis';
import { openQueue } from '../../src/queue/queue.ts';
import { JobLost } from '../../src/queue/worker-pool.ts';
import { redisMissing, startRedis } from '../support/redis.ts';
import { until } from '../support/until.ts';
import { quickPace, quickTries } from './support/harness.ts';
import { at, quiet, shop, working } from './support/shop.ts';

const options = { skip: redisMissing() ?? false, timeout: 300_000 };

const open = (url: string) => openQueue({ redisUrl: url }, { clouds: ['aws'], pace: quickPace, tries: quickTries });

const reconciles = [
  { ...at('a'), everyMs: 200 },
  { ...at('b'), everyMs: 200 },
];

test(
  'what FLUSHALL took comes back with the next schedule, and a reconcile that ran is told to end',
  options,
  async () => {
    const server = await startRedis();
    const queue = await open(server.url);
    const endless = (signal: AbortSignal) =>
      new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const seen = shop({
      atOnce: 4,
      by: async ({ scope }, signal) => (scope === at('endless').scope ? endless(signal) : 'done'),
    });
    try {
      await queue.schedule(reconciles);
      await queue.request(at('endless'), 'now');
      await working(queue, seen, async () => {
        await until('all came', () => new Set(seen.begun).size === 3);
        assert.deepEqual(seen.aborted, []);
        await flush(server.url);
        await until('it is told to end', () => seen.aborted.some((why) => why instanceof JobLost));
        // why: a reconcile that was due in that moment may have been handed on already
        await until('nothing is scheduled', async () => {
          const { length } = seen.begun;
          await quiet(600);
          return seen.begun.length === length;
        });
        seen.begun.length = 0;
        await queue.schedule(reconciles);
        await until('passes come again', () => new Set(seen.begun).size === 2);
      });
    } finally {
      await queue.close();
      await server.stop();
    }
  },
);

test('a Redis that starts again, and empty, is worked with again once passes are scheduled', options, async () => {
  let server = await startRedis();
  const { port } = server;
  const queue = await open(server.url);
  const seen = shop({ atOnce: 4, by: async () => 'done' });
  try {
    await working(queue, seen, async () => {
      for (let times = 0; times < 3; times++) {
        await server.stop();
        seen.begun.length = 0;
        server = await startRedis({ port });
        await queue.schedule(reconciles);
        await until('all come', () => new Set(seen.begun).size === 2);
      }
    });
  } finally {
    await queue.close();
    await server.stop();
  }
});

test('a reconcile whose Redis is out of reach is told to end, and its crew stops', options, async () => {
  const server = await startRedis();
  const queue = await open(server.url);
  const seen = shop();
  const crew = await queue.work(seen.shift);
  await queue.request(at('a'), 'now');
  await until('it began', () => seen.begun.length === 1);
  await server.stop();
  await until('it is told', () => seen.aborted.some((why) => why instanceof JobLost));
  // why: by itself BullMQ waits for ever for a server that is away, and these would never return.
  await crew.stop();
  await queue.close();
});

test('a request that Redis does not answer fails, and says so', options, async () => {
  const server = await startRedis();
  const queue = await open(server.url);
  await server.stop();
  await assert.rejects(
    queue.request(at('a'), 'now'),
    /^Error: a reconcile of shop\/aws\/1\/a was not queued: the queue's server did not answer within 10 s$/,
  );
  await queue.close();
});

async function flush(url: string): Promise<void> {
  const redis = new Redis(url);
  await redis.flushall();
  redis.disconnect();
}
