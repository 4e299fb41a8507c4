import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { Caller } from '../../../src/http/api/route.ts';
import { sessionRoutes } from '../../../src/http/api/routes/session.ts';
import { tokensRoutes } from '../../../src/http/api/routes/tokens.ts';
import { whoamiRoutes } from '../../../src/http/api/routes/whoami.ts';
import { sessionCookie } from '../../../src/http/auth/session-cookie.ts';
import { memoryDatabase } from '../../support/memory-store.ts';
import { virtualClock } from '../../support/virtual-clock.ts';
import { type Answer, apiWorld, callerOf } from '../api/support/api-world.ts';

const clock = virtualClock();
const store = memoryDatabase(clock).connect();
/** Of the rows of repeated requests. */
const begun: string[] = [];
const expiresAt = clock.now() + 3_600_000;
const callers: Readonly<Record<string, Caller>> = {
  'k-5f1e07': callerOf('admin', { id: 'kim', person: 'kim', expiresAt }),
  'l-90c2aa': callerOf('admin', { id: 'lea', person: 'lea' }),
};
const [kimToken = '', leaToken = ''] = Object.keys(callers);
const cookie = sessionCookie(false);
const authenticate = async (authorization = '') => callers[authorization.replace('Bearer ', '')];
const estates = async () => ['acme'];
const routes = [
  ...sessionRoutes({ authenticate, cookie, estates }),
  ...whoamiRoutes({ estates }),
  ...tokensRoutes(store.tokens),
];
const world = apiWorld({
  routes,
  callers,
  clock,
  idempotentResponses: (responses) => ({
    ...responses,
    begin: (named, abandonedMs) => {
      begun.push(named.name);
      return responses.begin(named, abandonedMs);
    },
  }),
});
after(world.close);

const signIn = (token: string, headers = {}): Promise<Answer> =>
  world.ask('', 'POST /v1/session', { body: { token }, headers });
const withCookie = (what: string, value: string, headers = {}): Promise<Answer> =>
  world.ask('', what, { headers: { cookie: value, ...headers } });
const actorIn = ({ body }: Pick<Answer, 'body'>): unknown => (body as { actor?: unknown }).actor; // why: its schema was just checked

describe('a browser signs in', () => {
  it('with a token: scripts never see the cookie, and it ends with the token', async () => {
    const { status, headers, body } = await signIn(kimToken);
    assert.equal(status, 200);
    assert.equal(
      headers['set-cookie'],
      `setpoint=${kimToken}; Path=/v1; HttpOnly; SameSite=Strict; Expires=${new Date(expiresAt).toUTCString()}`,
    );
    assert.match(String(headers['cache-control']), /no-store/);
    assert.equal(actorIn({ body }), 'kim');
    assert.deepEqual((body as { estates?: unknown }).estates, ['acme']); // why: its schema was just checked
    assert.equal(JSON.stringify(body).includes(kimToken), false);
    const { headers: lasting } = await signIn(leaToken);
    assert.equal(lasting['set-cookie'], `setpoint=${leaToken}; Path=/v1; HttpOnly; SameSite=Strict`);
  });

  it('behind TLS with a cookie that no other host can set', () =>
    assert.deepEqual(sessionCookie(true), {
      name: '__Host-setpoint',
      attributes: 'Path=/; Secure; HttpOnly; SameSite=Strict',
    }));

  it('with a token that nobody has, which is refused, and sets nothing', async () => {
    const { status, headers } = await signIn('stranger');
    assert.deepEqual([status, headers['set-cookie']], [401, undefined]);
  });

  for (const token of ['kim; Path=/', 'a b', 'ä', '', 'x'.repeat(3801)])
    it(`with no token at all: ${token.slice(0, 12)}`, async () => assert.equal((await signIn(token)).status, 400));

  it('from a page of another site, which is refused', async () => {
    assert.equal((await signIn(kimToken, { 'sec-fetch-site': 'cross-site' })).status, 403);
    assert.equal((await signIn(kimToken, { 'sec-fetch-site': 'same-origin' })).status, 200);
  });

  it('and no line of the log holds the token', async () => {
    const before = world.lines.length;
    for (const [token, status] of [
      [kimToken, 200],
      ['stranger-and-more', 401],
    ] as const) {
      assert.equal((await signIn(token)).status, status);
      assert.equal((await withCookie('GET /v1/whoami', `setpoint=${token}`)).status, status);
      assert.deepEqual(
        world.lines.filter((line) => line.includes(token)),
        [],
      );
    }
    assert.ok(world.lines.length > before, 'the log has lines of these requests');
  });

  it('each time anew: strangers share no Idempotency-Key, and fill no table', async () => {
    const key = { 'idempotency-key': 'k-1' };
    for (const [token, actor] of [
      [kimToken, 'kim'],
      [kimToken, 'kim'],
      [leaToken, 'lea'],
    ] as const) {
      const { status, headers, body } = await signIn(token, key);
      assert.deepEqual([status, actorIn({ body })], [200, actor]);
      assert.match(String(headers['set-cookie']), new RegExp(`^setpoint=${token};`));
    }
    const out = await world.ask('', 'DELETE /v1/session', { headers: { 'idempotency-key': 'a key of no form' } });
    assert.deepEqual([out.status, begun], [204, []]);
  });

  it('and out', async () => {
    const { status, headers } = await withCookie('DELETE /v1/session', `setpoint=${kimToken}`);
    assert.deepEqual(
      [status, headers['set-cookie']],
      [204, 'setpoint=; Path=/v1; HttpOnly; SameSite=Strict; Max-Age=0'],
    );
  });
});

describe('the cookie of a session', () => {
  it('stands for the header', async () =>
    assert.equal(actorIn(await withCookie('GET /v1/whoami', `theme=dark; setpoint=${kimToken}`)), 'kim'));

  it('does not count beside a header', async () => {
    const headers = { authorization: `Bearer ${leaToken}` };
    assert.equal(actorIn(await withCookie('GET /v1/whoami', `setpoint=${kimToken}`, headers)), 'lea');
  });

  for (const [name, value] of [
    ['of nobody', 'setpoint=stranger'],
    ['that is empty', 'setpoint='],
    ['of another name', `setpoint2=${kimToken}; xsetpoint=${kimToken}`],
    ['that came twice', `setpoint=${kimToken}; setpoint=${leaToken}`],
    ['without a value', 'setpoint'],
  ] as const)
    it(`${name} proves nothing`, async () => assert.equal((await withCookie('GET /v1/whoami', value)).status, 401));

  const body = { name: 'ci', grants: [{ role: 'viewer', estates: ['acme'] }] };
  const make = (headers: Readonly<Record<string, string>>): Promise<Answer> =>
    world.ask('', 'POST /v1/tokens', {
      body,
      headers: { cookie: `setpoint=${kimToken}`, host: 'here:7420', ...headers },
    });
  for (const [name, headers, status] of [
    ['a page of this server', { 'sec-fetch-site': 'same-origin' }, 201],
    ['a page of this server, told by its origin alone', { origin: 'http://here:7420' }, 201],
    ['another site', { 'sec-fetch-site': 'cross-site', origin: 'http://here:7420' }, 403],
    ['another port of this machine', { 'sec-fetch-site': 'same-site' }, 403],
    ['another port, told by its origin alone', { origin: 'http://here:8080' }, 403],
    ['an address that was typed', { 'sec-fetch-site': 'none' }, 403],
    ['nobody knows where', {}, 403],
    ['a page without an origin', { origin: 'null' }, 403],
  ] as const)
    it(`changes something for ${name}: ${status}`, async () => assert.equal((await make(headers)).status, status));

  it('costs the address of a page of another site, so that refusals run out, too', async () => {
    const narrow = apiWorld({ routes, callers, clock, callerLimit: { perSecond: 1, burst: 2 } });
    const headers = { cookie: `setpoint=${kimToken}`, 'sec-fetch-site': 'cross-site' };
    for (const status of [403, 403, 429])
      assert.equal((await narrow.ask('', 'POST /v1/tokens', { body, headers })).status, status);
    const own = await narrow.ask('', 'POST /v1/tokens', {
      body,
      headers: { ...headers, 'sec-fetch-site': 'same-origin' },
    });
    assert.equal(own.status, 201, 'the caller has lost nothing by it');
    await narrow.close();
  });
});
