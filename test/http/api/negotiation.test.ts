import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { route } from '../../../src/http/api/route.ts';
import { defaultCallerLimit } from '../../../src/http/limits.ts';
import { httpApp } from '../../../src/http/server.ts';
import { silent } from '../../support/fleet-world.ts';
import { memoryDatabase } from '../../support/memory-store.ts';
import { virtualClock } from '../../support/virtual-clock.ts';
import { apiWorld, callerOf } from './support/api-world.ts';

const operation = (id: string) => ({ id, tag: 'Things', summary: 'Things' });
const words = z.object({ words: z.string() });
let made = 0;

const read = route({
  method: 'GET',
  path: '/v1/words',
  operation: {
    ...operation('readWords'),
    responses: {
      200: { description: 'Words', schema: words, also: { 'text/csv': { schema: z.string(), example: 'a\r\n' } } },
    },
  },
  permission: 'read',
  request: { query: z.strictObject({ count: z.coerce.number().default(0), as: z.enum(['csv']).optional() }) },
  handle: async ({ query: { count, as } }) =>
    as === 'csv'
      ? { status: 200, chunks: lines(count), headers: { 'content-type': 'text/csv; charset=utf-8' } }
      : { status: 200, body: { words: 'a'.repeat(count) } },
});

async function* lines(count: number): AsyncGenerator<string> {
  for (let n = 0; n < count; n += 1) yield 'a,b,c\r\n';
}

const watch = route({
  method: 'GET',
  path: '/v1/watch',
  operation: { ...operation('watch'), responses: { 200: { description: 'Events', type: 'text/event-stream' } } },
  permission: 'read',
  request: {},
  handle: async () => ({ status: 200, chunks: lines(2_000) }),
});

const make = route({
  method: 'POST',
  path: '/v1/words',
  operation: { ...operation('make'), responses: { 201: { description: 'A secret', schema: words, once: true } } },
  permission: 'read',
  request: {},
  handle: async () => {
    made += 1;
    return { status: 201, body: { words: 's'.repeat(5_000) } };
  },
});

const remove = route({
  method: 'DELETE',
  path: '/v1/words',
  operation: { ...operation('remove'), responses: { 204: { description: 'Gone' } } },
  permission: 'read',
  request: {},
  handle: async () => ({ status: 204, body: undefined }),
});

const routes = [read, watch, make, remove];
const encoded = (header: string) => ({ headers: { 'accept-encoding': header } });

describe('compressed answers', () => {
  for (const [asked, encoding] of [
    ['gzip', 'gzip'],
    ['gzip, br', 'br'],
    ['identity', undefined],
    ['gzip;q=0', undefined],
  ] as const)
    it(`come as Accept-Encoding "${asked}" asks, whole and in a stream`, async () => {
      const api = apiWorld({ routes });
      const whole = await api.ask('viewer', 'GET /v1/words?count=5000', encoded(asked));
      assert.deepEqual(whole.body, { words: 'a'.repeat(5_000) });
      const csv = await api.ask('viewer', 'GET /v1/words?count=5000&as=csv', encoded(asked));
      assert.equal(csv.text, 'a,b,c\r\n'.repeat(5_000));
      for (const { headers } of [whole, csv])
        assert.deepEqual([headers['content-encoding'], headers['vary']], [encoding, 'accept-encoding']);
      assert.equal((await api.ask('viewer', 'HEAD /v1/words?count=5000', encoded(asked))).status, 200);
      await api.close();
    });

  it('are smaller, and have the ETag of the same answer as it is', async () => {
    const api = apiWorld({ routes });
    const [short, long] = [
      await api.ask('viewer', 'GET /v1/words?count=5000', encoded('gzip')),
      await api.ask('viewer', 'GET /v1/words?count=5000'),
    ];
    assert.ok(Number(short.headers['content-length']) < 200, String(short.headers['content-length']));
    assert.equal(short.headers['etag'], long.headers['etag']);
    const again = { headers: { 'accept-encoding': 'gzip', 'if-none-match': String(short.headers['etag']) } };
    assert.equal((await api.ask('viewer', 'GET /v1/words?count=5000', again)).status, 304);
    await api.close();
  });

  it('are none of those that are short, have a secret, or are events', async () => {
    const api = apiWorld({ routes });
    for (const what of ['GET /v1/words?count=900', 'POST /v1/words', 'GET /v1/watch']) {
      const answer = await api.ask('viewer', what, encoded('gzip, br'));
      assert.equal(answer.headers['content-encoding'], undefined, what);
    }
    const document = await api.ask('', 'GET /openapi.json', encoded('gzip'));
    assert.equal(document.headers['content-encoding'], 'gzip');
    await api.close();
  });
});

describe('an answer that another page may have caused', () => {
  const site = (name: string) => ({ 'sec-fetch-site': name });
  for (const [name, headers, encoding] of [
    [
      'with the cookie of a session, by a page of another port',
      { cookie: 'setpoint=x', ...site('same-site') },
      undefined,
    ],
    ['with the cookie, by a sibling subdomain', { cookie: 'a=b; __Host-setpoint=x', ...site('same-site') }, undefined],
    ['with the cookie, by another site', { cookie: 'setpoint=x', ...site('cross-site') }, undefined],
    ['with the cookie, by an address that was typed', { cookie: 'setpoint=x', ...site('none') }, undefined],
    ['with the cookie, by a browser that reports no site', { cookie: 'setpoint=x' }, undefined],
    ['with the cookie twice', { cookie: 'setpoint=x; setpoint=y' }, undefined],
    ['with the cookie, by a page of this server', { cookie: 'setpoint=x', ...site('same-origin') }, 'gzip'],
    ['with other cookies only', { cookie: 'theme=setpoint=x', ...site('same-site') }, 'gzip'],
    ['without a cookie', site('cross-site'), 'gzip'],
  ] as const)
    it(`${name}: ${encoding ?? 'as it is'}, whole and in a stream`, async () => {
      const api = apiWorld({ routes });
      for (const what of ['GET /v1/words?count=5000', 'GET /v1/words?count=5000&as=csv']) {
        const answer = await api.ask('viewer', what, { headers: { 'accept-encoding': 'gzip', ...headers } });
        assert.deepEqual([answer.status, answer.headers['content-encoding']], [200, encoding], what);
        assert.equal(answer.headers['vary'], 'accept-encoding');
      }
      await api.close();
    });
});

describe('Accept', () => {
  it('that an address cannot meet is refused before anything is done', async () => {
    const api = apiWorld({ routes });
    const before = made;
    for (const what of ['GET /v1/words', 'POST /v1/words', 'GET /v1/watch']) {
      const { status, body } = await api.ask('viewer', what, { headers: { accept: 'image/png' } });
      assert.equal(status, 406, what);
      assert.match(String(Reflect.get(Object(body), 'detail')), /answers with (application\/json|text\/event-stream)/);
    }
    assert.equal(made, before);
    assert.equal((await api.ask('', 'GET /v1/words', { headers: { accept: 'image/png' } })).status, 401);
    await api.close();
  });

  it('that one of its types meets is served, and so is an answer without content', async () => {
    const api = apiWorld({ routes });
    const csv = await api.ask('viewer', 'GET /v1/words?as=csv', { headers: { accept: 'text/csv' } });
    assert.equal(csv.status, 200);
    assert.equal((await api.ask('viewer', 'DELETE /v1/words', { headers: { accept: 'image/png' } })).status, 204);
    await api.close();
  });
});

describe('RateLimit', () => {
  it('tells the burst, how many are left and when all are there again', async () => {
    const api = apiWorld({ routes });
    const { burst, perSecond } = defaultCallerLimit;
    const first = await api.ask('viewer', 'GET /v1/words');
    assert.deepEqual(
      [first.headers['ratelimit-policy'], first.headers['ratelimit']],
      [`"caller";q=${burst};w=${burst / perSecond}`, `"caller";r=${burst - 1};t=1`],
    );
    for (let n = 2; n <= burst; n += 1) await api.ask('viewer', 'GET /v1/words');
    const refused = await api.ask('viewer', 'GET /v1/words');
    assert.deepEqual(
      [refused.status, refused.headers['ratelimit'], refused.headers['retry-after']],
      [429, `"caller";r=0;t=${burst / perSecond}`, '1'],
    );
    const other = await api.ask('operator', 'GET /v1/words');
    assert.equal(other.headers['ratelimit'], `"caller";r=${burst - 1};t=1`, 'each caller has their own');
    await api.clock.advance(1_000);
    const later = await api.ask('viewer', 'GET /v1/words');
    assert.equal(later.headers['ratelimit'], `"caller";r=${perSecond - 1};t=2`);
    await api.close();
  });
});

describe('a limit of callers that somebody chose', () => {
  it('holds, and the headers and the refusal tell it', async () => {
    const api = apiWorld({ routes, callerLimit: { perSecond: 2, burst: 5 } });
    const first = await api.ask('viewer', 'GET /v1/words');
    assert.deepEqual(
      [first.headers['ratelimit-policy'], first.headers['ratelimit']],
      ['"caller";q=5;w=3', '"caller";r=4;t=1'],
      'the seconds are whole',
    );
    for (let n = 2; n <= 5; n += 1) assert.equal((await api.ask('viewer', 'GET /v1/words')).status, 200);
    const refused = await api.ask('viewer', 'GET /v1/words');
    assert.deepEqual([refused.status, refused.headers['ratelimit']], [429, '"caller";r=0;t=3']);
    assert.match(String(Reflect.get(Object(refused.body), 'detail')), /send 2 requests a second, and 5 at once/);
    await api.clock.advance(1_000);
    for (const status of [200, 200, 429]) assert.equal((await api.ask('viewer', 'GET /v1/words')).status, status);
    await api.close();
  });
});

describe('a server that stops', () => {
  it('refuses further requests with a problem', async (t) => {
    const clock = virtualClock();
    const begun = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    const slow = route({
      method: 'GET',
      path: '/v1/slow',
      operation: { ...operation('slow'), responses: { 200: { description: 'It', schema: words } } },
      permission: 'read',
      request: {},
      handle: async () => {
        begun.resolve();
        await go.promise;
        return { status: 200, body: { words: 'a' } };
      },
    });
    const { idempotentResponses } = memoryDatabase(clock).connect();
    const { log } = silent(() => {});
    const api = { routes: [slow], authenticate: async () => callerOf('viewer'), idempotentResponses };
    const app = httpApp({ api, clock, log });
    t.after(() => {
      go.resolve();
      app.server.closeAllConnections();
      return app.close();
    });
    const closing = Promise.withResolvers<void>();
    app.addHook('preClose', async () => closing.resolve());
    const port = Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port);
    const request = 'GET /v1/slow HTTP/1.1\r\nhost: a\r\nauthorization: Bearer a\r\n\r\n';
    const [first, second] = [await asking(port, request), await asking(port, request.slice(0, 20))];
    await begun.promise;
    const closed = app.close();
    await closing.promise;
    second.socket.write(request.slice(20));
    assert.match(await second.answer, /^HTTP\/1\.1 503/);
    go.resolve();
    assert.match(await first.answer, /^HTTP\/1\.1 200/);
    await closed;
    const answer = await second.answer;
    assert.match(answer, /content-type: application\/problem\+json/i);
    assert.match(answer, /retry-after: 1/i);
    assert.match(answer, /connection: close/i);
    assert.match(answer, /"status":503,"title":"Service Unavailable","detail":/);
  });
});

/** Sends this; `answer`: all that comes until the connection ends. */
async function asking(port: number, text: string) {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(text);
  const answer = (async () => {
    const pieces: Buffer[] = [];
    for await (const piece of socket) pieces.push(piece);
    return Buffer.concat(pieces).toString();
  })();
  return { socket, answer };
}
