import assert from 'node:assert/strict';
import { get, type IncomingMessage } from 'node:http';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openEventStreams } from '../../src/http/api/events/streams.ts';
import { eventRoutes } from '../../src/http/api/routes/events.ts';
import { authenticator } from '../../src/http/auth/authenticator.ts';
import { eventLimits } from '../../src/http/limits.ts';
import { type HttpServer, startHttp } from '../../src/http/server.ts';
import type { Clock } from '../../src/ports/clock-and-log.ts';
import type { MadeToken } from '../../src/ports/tokens.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { openReading, type Reading } from '../http/api/events/support/reading.ts';
import { guardsOf } from '../store/fixtures.ts';
import { ownStore } from '../store/own-store.ts';
import { until } from '../support/until.ts';

const clock: Clock = { now: Date.now, sleep: (ms, signal) => sleep(ms, undefined, signal && { signal }) };
const log = createLog({ write: () => {} }, { form: 'json', level: 'debug' });
const { store, admin } = await ownStore(clock);

/**
 * Credentials are looked at every 100 ms, not every 10 s. A quiet stream says only after an hour that it still is there: one
 * that ends before then was told to.
 */
async function serve(t: TestContext): Promise<HttpServer> {
  const authenticate = authenticator({ apiTokens: { tokens: store.tokens, clock } });
  const limits = { ...eventLimits, times: { ...eventLimits.times, recheck: 100, heartbeat: 3_600_000 } };
  const events = openEventStreams({ events: store.events, authenticate, clock, log, limits });
  const api = { routes: eventRoutes(events), authenticate, idempotentResponses: store.idempotentResponses };
  const http = await startHttp({ port: 0, api, clock, log });
  t.after(() => http.close());
  return http;
}

const tokenOf = (): Promise<MadeToken> =>
  store.tokens.make({
    name: 'test',
    grants: [{ role: 'viewer' }],
    maker: { person: 'kim', identities: [] },
    expiresAt: clock.now() + 3_600_000,
  });

interface Client extends Reading {
  readonly answer: IncomingMessage;
  readonly end: Promise<'clean' | 'cut'>;
}

async function follow({ url }: HttpServer, { text }: MadeToken): Promise<Client> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    get(new URL('/v1/events', url), { headers: { authorization: `Bearer ${text}` }, agent: false }, resolve).once(
      'error',
      reject,
    );
  });
  assert.equal(answer.statusCode, 200);
  const reading = openReading();
  answer
    .setEncoding('utf8')
    .on('data', reading.feed)
    .on('error', () => {});
  const end = new Promise<'clean' | 'cut'>((resolve) => {
    answer.once('close', () => resolve(answer.complete ? 'clean' : 'cut'));
  });
  await until('the place where it begins', () => reading.lastId() !== undefined);
  return { ...reading, answer, end };
}

let accepted = 0;
const accept = () => store.generations.accept('acme', `r${++accepted}`, guardsOf({ deletes: 5, replaces: 5 }));

/** Each broken connection of the pool fails its next user, once. */
const acceptAtLast = async (): Promise<unknown> => accept().catch(acceptAtLast);

const generations = ({ events }: Reading) =>
  events.flatMap(({ type, data }) => (type === 'generation' ? [JSON.parse(data).about.number] : []));

test('a server that stops ends its streams at once, and cleanly', async (t) => {
  const http = await serve(t);
  const token = await tokenOf();
  const clients = [await follow(http, token), await follow(http, token)];
  await http.close();
  assert.deepEqual(await Promise.all(clients.map(({ end }) => end)), ['clean', 'clean']);
});

test('streams outlive the connections to the database, and miss nothing', async (t) => {
  const http = await serve(t);
  const client = await follow(http, await tokenOf());
  const { number } = await accept();
  await until('what was accepted', () => generations(client).length === 1);
  await admin.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'setpoint' AND pid <> pg_backend_pid()",
  );
  await acceptAtLast();
  await accept();
  await until('what was accepted', () => generations(client).length >= 3);
  assert.deepEqual(generations(client), [number, number + 1, number + 2]);
  assert.ok(!client.answer.complete);
});

test('a token that is revoked ends its streams, and no other', async (t) => {
  const http = await serve(t);
  const [bad, good] = [await tokenOf(), await tokenOf()];
  const [revoked, other] = [await follow(http, bad), await follow(http, good)];
  await store.tokens.revoke(bad.token.id, 'kim');
  assert.equal(await revoked.end, 'clean');
  await accept();
  await until('what was accepted', () => generations(other).length === 1);
  assert.deepEqual(generations(revoked), []);
});

test('a client that stops reading is held up by itself alone, and goes on where it stopped', async (t) => {
  const http = await serve(t);
  const token = await tokenOf();
  const [slow, fast] = [await follow(http, token), await follow(http, token)];
  slow.answer.pause();
  const insert = `INSERT INTO setpoint.happenings (at, estate, type, about)
    SELECT 0, 'acme', 'pass', json_build_object('n', n, 'text', repeat('x', 2000)) FROM generate_series(1, 4000) AS n`;
  await admin.query(insert);
  const numbers = ({ events }: Reading) =>
    events.flatMap(({ type, data }) => (type === 'reconcile' ? [JSON.parse(data).about.n] : []));
  await until('all that was told', () => numbers(fast).length === 4000);
  assert.ok(numbers(slow).length < 4000, 'it really was slow');
  slow.answer.resume();
  await until('all that was told', () => numbers(slow).length >= 4000);
  assert.deepEqual(numbers(slow), numbers(fast));
  assert.deepEqual(
    numbers(fast),
    Array.from({ length: 4000 }, (_, index) => index + 1),
  );
});
