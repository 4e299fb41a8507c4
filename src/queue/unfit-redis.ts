import { Redis } from 'ioredis';

/**
 * Throws where the Redis at `url` cannot be reached or may throw jobs away when it is full, with what to do about it. The
 * policy is read from INFO, which managed servers allow where they forbid CONFIG. Never shows the password.
 */
export async function refuseUnfitRedis(url: string): Promise<void> {
  const where = placeOf(url);
  const policy = /^maxmemory_policy:(\S+)/m.exec(await memoryOf(url, where))?.[1];
  if (policy === 'noeviction') return;
  throw new Error(
    `Redis at ${where} has maxmemory-policy ${policy ?? 'unknown'}: when it is full it would throw away jobs and locks. ` +
      'Set "maxmemory-policy noeviction" in its configuration ' +
      '("redis-cli config set maxmemory-policy noeviction" until its next start), or point REDIS_URL at another one.',
  );
}

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
    const why = causes[0]?.message ?? (error instanceof Error ? error.message : String(error));
    throw new Error(
      `no connection to Redis at ${where}: ${why}. Is REDIS_URL right (redis://user:password@host:6379), ` +
        'and does the server run? Without Redis, "setpoint serve" runs everything in one process.',
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
