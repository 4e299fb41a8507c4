import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { Redis } from 'ioredis';
import { redisProbe, refuseUnfitRedis } from '../../src/queue/redis-checks.ts';
import { redisMissing, startRedis } from '../support/redis.ts';
import { until } from '../support/until.ts';

describe('a Redis that is asked whether it takes writes', { skip: redisMissing() ?? false }, () => {
  const trials = [
    { name: 'has room: it does', set: [], want: undefined },
    {
      name: 'throws away what it took when it is full: told, with what to set',
      set: [['maxmemory-policy', 'allkeys-lru']],
      want: /maxmemory-policy is allkeys-lru.*set noeviction/,
    },
    { name: 'is full: told in its own words', set: [['maxmemory', '1']], want: /OOM command not allowed/ },
  ] as const;
  for (const { name, set, want } of trials)
    it(name, async (t) => {
      const server = await startRedis({ args: ['--maxmemory-policy', 'noeviction'] });
      const redis = new Redis(server.url);
      const { probe, end } = redisProbe(server.url, 'a:probe');
      t.after(async () => {
        redis.disconnect();
        end();
        await server.stop();
      });
      await probe();
      assert.ok((await redis.pttl('a:probe')) > 0, 'what it writes ends by itself');
      for (const [key, value] of set) await redis.config('SET', key, value);
      if (want === undefined) await probe();
      else await assert.rejects(probe(), want);
      await redis.config('SET', 'maxmemory-policy', 'noeviction');
      await redis.config('SET', 'maxmemory', '0');
      await probe();
    });

  it('is not there: told, and found again', async (t) => {
    const server = await startRedis();
    const { probe, end } = redisProbe(server.url, 'a:probe');
    t.after(end);
    await probe();
    await server.stop();
    await assert.rejects(probe());
    const again = await startRedis({ port: server.port, args: ['--maxmemory-policy', 'noeviction'] });
    t.after(again.stop);
    await until('it is found again', () =>
      probe().then(
        () => true,
        () => false,
      ),
    );
  });
});

const options = { skip: redisMissing() ?? false };

test('a Redis that never evicts is taken', options, async () => {
  const server = await startRedis();
  await refuseUnfitRedis(server.url);
  await server.stop();
});

test('a Redis that may evict is refused, with the line that mends it', options, async () => {
  const server = await startRedis({ args: ['--maxmemory-policy', 'allkeys-lru'] });
  await assert.rejects(refuseUnfitRedis(server.url), (error: Error) => {
    assert.match(error.message, /^Redis at 127\.0\.0\.1:\d+ has maxmemory-policy allkeys-lru: /);
    assert.match(error.message, /redis-cli config set maxmemory-policy noeviction/);
    return true;
  });
  await server.stop();
});

test('a Redis that is not there is refused, without the password', options, async () => {
  const server = await startRedis();
  await server.stop();
  await assert.rejects(refuseUnfitRedis(`redis://me:hunter2@127.0.0.1:${server.port}`), (error: Error) => {
    assert.match(error.message, /^no connection to Redis at 127\.0\.0\.1:\d+: connect ECONNREFUSED/);
    assert.match(error.message, /Is REDIS_URL right/);
    assert.doesNotMatch(error.message, /hunter2/);
    return true;
  });
});

test('a password that is wrong is what the refusal says', options, async () => {
  const server = await startRedis({ args: ['--requirepass', 'right'] });
  await assert.rejects(
    refuseUnfitRedis(`redis://:wrong@127.0.0.1:${server.port}`),
    /no connection to Redis .*WRONGPASS/,
  );
  await refuseUnfitRedis(`redis://:right@127.0.0.1:${server.port}`);
  await server.stop();
});

test('what is no URL is refused', async () => {
  await assert.rejects(refuseUnfitRedis('localhost'), /REDIS_URL is not a URL/);
});
