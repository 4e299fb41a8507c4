import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refuseUnfitRedis } from '../../src/queue/redis-checks.ts';
import { redisMissing, startRedis } from '../support/redis.ts';

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
