import { Redis } from 'ioredis';
import { messageOf } from '../core/text.ts';

/**
 * Throws where the Redis at `url` cannot be reached or may throw jobs away when it is full, with what to do about it. The
 * policy is read from INFO, which managed servers allow where they forbid CONFIG. Never shows the password.
 */
export async function refuseUnfitRedis(url: string): Promise<void> {
  const where = placeOf(url);
  const policy = policyIn(await memoryOf(url, where));
  if (policy === 'noeviction') return;
  throw new Error(
    `Redis at ${where} has maxmemory-policy ${policy}: when it is full it would throw away jobs and locks. ` +
      'Set "maxmemory-policy noeviction" in its configuration ' +
      '("redis-cli config set maxmemory-policy noeviction" until its next start), or point REDIS_URL at another one.',
  );
}

/** Asks again and again, over a connection of its own, whether a Redis takes writes and keeps them. */
interface RedisProbe {
  probe(): Promise<void>;
  end(): void;
}

/** The key ends by itself a minute after the last probe. Connects with the first. */
export function redisProbe(url: string, key: string): RedisProbe {
  let redis: Redis | undefined;
  const opened = (): Redis => {
    redis ??= new Redis(url, {
      connectTimeout: 3000,
      commandTimeout: 3000,
      maxRetriesPerRequest: 0,
      retryStrategy: () => 1000,
    });
    // why: an error nobody listens to ends the process; each probe says so itself
    redis.on('error', () => {});
    return redis;
  };
  return {
    probe: async () => {
      const server = opened();
      const policy = policyIn(await server.info('memory'));
      if (policy !== 'noeviction')
        throw new Error(`maxmemory-policy is ${policy}: a full Redis would throw away jobs and locks; set noeviction`);
      // why: a full Redis refuses it with OOM: https://redis.io/docs/latest/develop/reference/eviction/
      await server.set(key, '1', 'PX', 60_000);
    },
    end: () => redis?.disconnect(),
  };
}

const policyIn = (info: string): string => /^maxmemory_policy:(\S+)/m.exec(info)?.[1] ?? 'unknown';

async function memoryOf(url: string, where: string): Promise<string> {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: 10_000,
    commandTimeout: 10_000,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  // why: the first error says why a connection failed; `connect` itself only says that it is closed.
  const causes: Error[] = [];
  redis.on('error', (error) => causes.push(error));
  try {
    await redis.connect();
    return await redis.info('memory');
  } catch (error) {
    const why = causes[0]?.message ?? messageOf(error);
    throw new Error(
      `no connection to Redis at ${where}: ${why}. Is REDIS_URL right (redis://user:password@host:6379), ` +
        'and does the server run? Without REDIS_URL, all workers of a database share jobs and budgets in PostgreSQL.',
      { cause: error },
    );
  } finally {
    redis.disconnect();
  }
}

function placeOf(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null) throw new Error('REDIS_URL is not a URL. It looks like redis://user:password@host:6379');
  return parsed.host;
}
