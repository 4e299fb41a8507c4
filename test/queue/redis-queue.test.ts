import { after } from 'node:test';
import { Redis } from 'ioredis';
import { type RedisServer, redisMissing, startRedis } from '../support/redis.ts';
import { queueLaws } from './queue-laws.ts';

let server: RedisServer | undefined;
after(() => server?.stop());

const skip = redisMissing() ?? false;

queueLaws(
  'redis',
  async () => {
    server = await startRedis();
    const { url } = server;
    return {
      backend: { redisUrl: url },
      stealLocks: (name) =>
        asked(url, async (redis) => {
          const locks = await redis.keys(`bull:${name}:*:lock`);
          if (locks.length === 0) throw new Error(`no locks in ${name}`);
          await redis.del(...locks);
        }),
      cut: () =>
        asked(url, async (redis) => {
          await redis.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
        }),
    };
  },
  { skip },
);

async function asked(url: string, work: (redis: Redis) => Promise<void>): Promise<void> {
  const redis = new Redis(url);
  try {
    await work(redis);
  } finally {
    redis.disconnect();
  }
}
