import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { type Reply, type Route, route } from '../../../src/http/api/route.ts';
import { apiWorld, callerOf } from './support/api-world.ts';

/** GET and POST of one path, which both answer with `reply`. */
const both = (reply: () => Promise<Reply>, once = false): readonly Route[] => {
  const responses = {
    200: { description: 'It', schema: z.object({ ageSeconds: z.number(), name: z.string() }), once },
  };
  const operation = (id: string) => ({ id, tag: 'Things', summary: id, responses });
  return [
    route({
      method: 'GET',
      path: '/v1/thing',
      operation: operation('readThing'),
      permission: 'read',
      request: {},
      handle: reply,
    }),
    route({
      method: 'POST',
      path: '/v1/thing',
      operation: operation('makeThing'),
      permission: 'operate',
      request: { body: z.strictObject({ name: z.string() }) },
      handle: reply,
    }),
  ];
};

const fine = (ageSeconds = 1, name = 'a') => ({ status: 200, body: { ageSeconds, name } }) as const;

describe('an answer that is asked for again', () => {
  it('is not sent again where it says the same, however old what it rests on has become', async () => {
    let [age, name] = [1, 'a'];
    const api = apiWorld({ routes: both(async () => fine(age, name)) });
    const first = await api.ask('viewer', 'GET /v1/thing');
    const etag = String(first.headers['etag']);
    assert.match(etag, /^W\/"[\w-]{22}"$/);
    assert.equal(first.headers['cache-control'], 'private, no-cache');
    age = 60;
    const again = await api.ask('viewer', 'GET /v1/thing', { headers: { 'if-none-match': `W/"x", ${etag}` } });
    assert.deepEqual([again.status, again.text, again.headers['etag']], [304, '', etag]);
    name = '"ageSeconds":7';
    const other = await api.ask('viewer', 'GET /v1/thing', { headers: { 'if-none-match': etag } });
    assert.deepEqual([other.status, other.body], [200, { ageSeconds: 60, name }]);
    name = '"ageSeconds":8';
    const third = await api.ask('viewer', 'GET /v1/thing', {
      headers: { 'if-none-match': String(other.headers['etag']) },
    });
    assert.equal(third.status, 200, 'what looks like an age within a text counts');
    await api.close();
  });
});

const post = { body: { name: 'a' }, headers: { 'idempotency-key': 'k-1' } };

describe('what is done under an Idempotency-Key', () => {
  it('is done once, and answered again', async () => {
    let times = 0;
    const api = apiWorld({ routes: both(async () => fine(++times)) });
    const [first, again] = [
      await api.ask('operator', 'POST /v1/thing', post),
      await api.ask('operator', 'POST /v1/thing', post),
    ];
    assert.deepEqual([first.status, first.text, first.headers['idempotency-replayed']], [200, again.text, undefined]);
    assert.deepEqual([again.status, again.headers['idempotency-replayed'], times], [200, 'true', 1]);
    assert.equal(again.headers['content-type'], first.headers['content-type']);
    await api.clock.advance(86_400_001);
    await api.ask('operator', 'POST /v1/thing', post);
    assert.equal(times, 2, 'after a day it is a new one');
    await api.close();
  });

  it('is another one for another caller, and without a key', async () => {
    let times = 0;
    const api = apiWorld({
      routes: both(async () => fine(++times)),
      callers: { other: callerOf('operator', { id: 'other' }) },
    });
    for (const who of ['operator', 'other']) await api.ask(who, 'POST /v1/thing', post);
    await api.ask('operator', 'POST /v1/thing', { body: post.body });
    assert.equal(times, 3);
    await api.close();
  });

  it('is told again to nobody whose rights have changed, and not done again', async () => {
    let times = 0;
    const grants = [{ role: 'viewer' as const }, { role: 'operator' as const, estates: ['acme'] }];
    const api = apiWorld({
      routes: both(async () => fine(++times)),
      callers: {
        before: callerOf('operator', { id: 'ann', grants }),
        sorted: callerOf('operator', { id: 'ann', grants: grants.toReversed() }),
        after: callerOf('operator', {
          id: 'ann',
          grants: [{ role: 'operator', estates: ['acme'], targets: ['north'] }],
        }),
      },
    });
    await api.ask('before', 'POST /v1/thing', post);
    const { status, text } = await api.ask('after', 'POST /v1/thing', post);
    assert.equal(status, 422, text);
    assert.match(text, /other rights/);
    assert.equal((await api.ask('sorted', 'POST /v1/thing', post)).status, 200);
    assert.equal(times, 1);
    await api.close();
  });

  it('is refused where the key stands for something else, is no key, or while it is being done', async () => {
    let go = (): void => {};
    const waited = new Promise<void>((resolve) => {
      go = resolve;
    });
    const api = apiWorld({ routes: both(async () => waited.then(() => fine())) });
    const first = api.ask('operator', 'POST /v1/thing', post);
    await new Promise(setImmediate);
    const meanwhile = await api.ask('operator', 'POST /v1/thing', post);
    assert.deepEqual([meanwhile.status, meanwhile.headers['retry-after']], [409, '1']);
    go();
    assert.equal((await first).status, 200);
    assert.equal((await api.ask('operator', 'POST /v1/thing', { ...post, body: { name: 'b' } })).status, 422);
    const bad = await api.ask('operator', 'POST /v1/thing', { ...post, headers: { 'idempotency-key': 'a b' } });
    assert.equal(bad.status, 400);
    assert.ok(!bad.text.includes('a b'));
    await api.close();
  });
});

describe('an Idempotency-Key', () => {
  it('may be tried again where it came to nothing', async () => {
    let times = 0;
    const api = apiWorld({
      routes: both(async () => {
        if (++times === 1) throw new Error('no');
        return fine();
      }),
    });
    assert.equal((await api.ask('operator', 'POST /v1/thing', post)).status, 500);
    assert.equal((await api.ask('operator', 'POST /v1/thing', post)).status, 200);
    await api.close();
  });

  it('tells a secret once', async () => {
    let times = 0;
    const api = apiWorld({ routes: both(async () => fine(++times), true) });
    assert.equal((await api.ask('operator', 'POST /v1/thing', post)).status, 200);
    const again = await api.ask('operator', 'POST /v1/thing', post);
    assert.deepEqual([again.status, times], [409, 1]);
    assert.match(again.text, /had a secret/);
    await api.close();
  });
});

describe('what everybody gets', () => {
  it('is an id, that the log has too, and headers that let nothing be done with the answer', async () => {
    const api = apiWorld({ routes: both(async () => fine()) });
    const { headers } = await api.ask('operator', 'POST /v1/thing', { body: { name: 'k4narie' } });
    assert.match(String(headers['x-request-id']), /^[0-9a-f-]{36}$/);
    assert.deepEqual(
      ['content-security-policy', 'x-content-type-options', 'referrer-policy', 'cache-control'].map(
        (name) => headers[name],
      ),
      ["default-src 'none'; frame-ancestors 'none'", 'nosniff', 'no-referrer', 'no-store'],
    );
    const line: unknown = JSON.parse(api.lines.at(-1) ?? '');
    assert.ok(typeof line === 'object' && line !== null);
    const { time: _, durationMs, caller, ...rest } = { durationMs: undefined, caller: '', time: '', ...line };
    assert.deepEqual(rest, {
      level: 'info',
      message: 'request',
      route: 'POST /v1/thing',
      code: 200,
      requestId: headers['x-request-id'],
    });
    assert.equal(typeof durationMs, 'number');
    assert.match(caller, /^[0-9a-f]{12}$/);
    await api.close();
  });

  it('is so many requests a second, each by themselves', async () => {
    const api = apiWorld({ routes: both(async () => fine()) });
    const statuses: number[] = [];
    for (let index = 0; index < 201; index += 1) statuses.push((await api.ask('viewer', 'GET /v1/thing')).status);
    assert.deepEqual([statuses.indexOf(429), statuses.length], [200, 201]);
    const refused = await api.ask('viewer', 'GET /v1/thing');
    assert.deepEqual([refused.status, refused.headers['retry-after']], [429, '1']);
    assert.equal((await api.ask('operator', 'GET /v1/thing')).status, 200);
    await api.clock.advance(1_000);
    assert.equal((await api.ask('viewer', 'GET /v1/thing')).status, 200);
    assert.equal((await api.ask('viewer', `GET /v1/thing?a=${'x'.repeat(8_192)}`)).status, 414);
    await api.close();
  });

  it('is cut where it is long and what makes it fails, and the log says which without why', async () => {
    const long = route({
      method: 'GET',
      path: '/v1/long',
      operation: {
        id: 'readLong',
        tag: 'Things',
        summary: 'Long',
        responses: { 200: { description: 'It', type: 'text/csv' } },
      },
      permission: 'read',
      request: {},
      handle: async () => ({
        status: 200,
        chunks: (async function* () {
          yield 'a,b\n';
          throw new Error('k4narie');
        })(),
      }),
    });
    const api = apiWorld({ routes: [long] });
    await assert.rejects(api.ask('viewer', 'GET /v1/long'));
    assert.match(api.lines.join(''), /\/v1\/long.*response stream interrupted/);
    assert.ok(!api.lines.join('').includes('k4narie'));
    assert.equal((await api.ask('viewer', 'HEAD /v1/long')).status, 200);
    await api.close();
  });
});

describe('what was done under an Idempotency-Key', () => {
  it('is answered where that cannot be noted, and not done again', async () => {
    let times = 0;
    const failing = { end: () => Promise.reject(new Error('the store is away')) };
    const api = apiWorld({
      routes: both(async () => fine(++times)),
      idempotentResponses: (responses) => ({ ...responses, ...failing }),
    });
    const statuses: number[] = [];
    for (let i = 0; i < 2; i += 1) statuses.push((await api.ask('operator', 'POST /v1/thing', post)).status);
    assert.deepEqual([statuses, times], [[200, 409], 1]);
    await api.close();
  });
});
