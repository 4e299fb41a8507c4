import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { claimsAt, goodHead, type HostileWorld, hostileWorld, jwt } from '../../../bench/hostile-tokens/world.ts';
import { rows } from '../../../bench/hostile-tokens.ts';
import type { Route } from '../../../src/http/api/route.ts';
import { serveRoutes } from '../../../src/http/api/serve-routes.ts';
import { openApp } from '../../../src/http/server.ts';
import { createLog } from '../../../src/telemetry/log.ts';
import { memoryDatabase } from '../../support/memory-store.ts';
import { sameForAll } from '../support/same-for-all.ts';

const route: Route = {
  method: 'POST',
  path: '/v1/things',
  operation: { id: 'makeThing', tag: 'Things', summary: 'Makes one', responses: { 204: { description: 'Made' } } },
  permission: 'administer',
  request: {},
  handle: async () => ({ status: 204, body: undefined }),
};

const lines: string[] = [];
let world: HostileWorld;
let app: ReturnType<typeof openApp>;
before(async () => {
  world = await hostileWorld();
  app = openApp(createLog({ write: (line) => void lines.push(line) }, { form: 'json', level: 'debug' }));
  const { idempotentResponses } = memoryDatabase(world.clock).connect();
  const log = createLog({ write: (line) => void lines.push(line) }, { form: 'json', level: 'debug' });
  // why: this test is not about limits of requests
  const clock = { ...world.clock, now: () => world.clock.now() + 1_000 * asked++ };
  serveRoutes(app, { routes: [route], authenticate: world.front(), idempotentResponses, clock, log });
});
after(() => app.close());
let asked = 0;

async function ask(headers: Readonly<Record<string, string>>, query = '') {
  const answer = await app.inject({ method: 'POST', url: `/v1/things${query}`, headers });
  return sameForAll({ status: answer.statusCode, text: answer.payload, headers: answer.headers });
}

/** Over a connection, with headers as they stand here. */
async function statusOf(url: string, headers: readonly string[]): Promise<number | undefined> {
  const sending = request(`${url}/v1/things`, {
    method: 'POST',
    headers: ['Host', 'setpoint', 'Content-Length', '0', ...headers],
  }).end();
  const [answer] = await once(sending, 'response');
  answer.resume();
  return answer.statusCode;
}

describe('over HTTP', () => {
  it('what is genuine is let in, by a token of ours and of an issuer', async () => {
    assert.equal((await ask({ authorization: `Bearer ${world.tokens.good.text}` })).status, 204);
    assert.equal((await ask({ authorization: `Bearer ${jwt(goodHead, claimsAt(world.now))}` })).status, 204);
  });

  it('every bad credential is answered as none at all, to the letter, and nothing of it is logged', async () => {
    const none = await ask({});
    assert.equal(none.status, 401);
    lines.length = 0;
    for (const { header, of, what } of rows) {
      const authorization = header(world);
      assert.deepEqual(await ask({ authorization }), none, `${of}: ${what}`);
      const parts = authorization.split(/[ .]/).filter((part) => part.length > 20);
      assert.ok(!parts.some((part) => lines.join('\n').includes(part)), `${of}: ${what} is in the log`);
    }
    assert.ok(lines.length >= rows.length);
  });

  it('two credentials are none, though both are good', async () => {
    const url = await app.listen({ port: 0, host: '127.0.0.1' });
    const one = ['Authorization', `Bearer ${world.tokens.good.text}`];
    assert.equal(await statusOf(url, one), 204);
    assert.equal(await statusOf(url, [...one, ...one]), 401);
    assert.equal(await statusOf(url, [...one, 'authorization', 'Bearer x']), 401);
  });

  it('a good token in the address is none', async () => {
    for (const name of ['token', 'access_token', 'authorization'])
      assert.equal((await ask({}, `?${name}=${world.tokens.good.text}`)).status, 401);
  });
});
