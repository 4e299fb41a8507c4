import { Redis } from 'ioredis';

/** All that a Redis holds, keys and values of every type, as one text. */
export async function redisWords(url: string): Promise<string> {
  const redis = new Redis(url);
  try {
    const keys = await redis.keys('*');
    const said = await Promise.all(keys.map(async (key) => `${key} ${JSON.stringify(await contentOf(redis, key))}`));
    return said.join('\n');
  } finally {
    redis.disconnect();
  }
}

async function contentOf(redis: Redis, key: string): Promise<unknown> {
  const type = await redis.type(key);
  switch (type) {
    case 'string':
      return redis.get(key);
    case 'hash':
      return redis.hgetall(key);
    case 'list':
      return redis.lrange(key, 0, -1);
    case 'set':
      return redis.smembers(key);
    case 'zset':
      return redis.zrange(key, '0', '-1');
    case 'stream':
      return redis.xrange(key, '-', '+');
    default:
      throw new Error(`${key} is of the type ${type}, which nobody looks into`);
  }
}
