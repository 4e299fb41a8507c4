import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { openEventStreams } from '../../../../src/http/api/events/streams.ts';
import type { Caller } from '../../../../src/http/api/route.ts';
import { eventRoutes } from '../../../../src/http/api/routes/events.ts';
import { eventLimits } from '../../../../src/http/limits.ts';
import { createLog } from '../../../../src/telemetry/log.ts';
import { guardsOf } from '../../../store/fixtures.ts';
import { memoryDatabase } from '../../../support/memory-store.ts';
import { virtualClock } from '../../../support/virtual-clock.ts';
import { apiWorld, callerOf } from '../support/api-world.ts';
import { openReading } from './support/reading.ts';

const minute = 60_000;

/** The API with its events alone; streams end when a minute has gone by. */
function world(callers: Readonly<Record<string, Caller>> = {}) {
  const clock = virtualClock();
  const store = memoryDatabase(clock).connect();
  const events = openEventStreams({
    events: store.events,
    authenticate: async (authorization = '') => callers[authorization.slice(7)] ?? callerOf('viewer'),
    clock,
    log: createLog({ write: () => {} }, { form: 'json', level: 'debug' }),
    limits: { ...eventLimits, times: { ...eventLimits.times, longest: minute } },
  });
  const api = apiWorld({ routes: eventRoutes(events), callers, clock });
  let generation = 0;
  return {
    ...api,
    accept: (estate = 'acme') =>
      store.generations.accept(estate, `r${++generation}`, guardsOf({ deletes: 5, replaces: 5 })),
    newest: () => store.events.newest(),
    /** The text sent within a minute, while `work` goes on. */
    follow: async (what: string, work: () => Promise<unknown>, headers: Readonly<Record<string, string>> = {}) => {
      const asked = api.ask('viewer', what, { headers });
      for (let n = 0; n < 20; n++) await turn();
      await work();
      await clock.advance(minute + 1000);
      const answer = await asked;
      const reading = openReading();
      reading.feed(answer.text);
      return { ...answer, reading, numbers: reading.events.map(({ data }) => JSON.parse(data).about?.number) };
    },
  };
}

test('GET /v1/events is a stream of Server-Sent Events that nobody keeps', async () => {
  const { follow, accept, close } = world();
  const { status, headers, reading } = await follow('GET /v1/events', () => accept());
  assert.equal(status, 200);
  assert.deepEqual(
    [headers['content-type'], headers['cache-control'], headers['x-accel-buffering']],
    ['text/event-stream', 'no-store', 'no'],
  );
  const [{ type, data } = { type: '', data: '{}' }, ...more] = reading.events;
  assert.deepEqual(more, []);
  const { at: _, ...told } = JSON.parse(data);
  assert.deepEqual(
    [type, told],
    ['generation', { estate: 'acme', type: 'generation', about: { number: 1, revision: 'r1' } }],
  );
  await close();
});

test('GET /v1/events goes on where Last-Event-ID says, and before that where `after` says', async () => {
  const { follow, accept, newest, close } = world();
  const first = await newest();
  await accept();
  const second = await newest();
  await accept();
  assert.deepEqual((await follow(`GET /v1/events?after=${first}`, accept)).numbers, [1, 2, 3]);
  const headers = { 'last-event-id': second };
  assert.deepEqual((await follow(`GET /v1/events?after=${first}`, accept, headers)).numbers, [2, 3, 4]);
  const stale = await follow('GET /v1/events', async () => {}, { 'last-event-id': 'of an earlier server' });
  assert.deepEqual(
    stale.reading.events.map(({ type }) => type),
    ['reset'],
  );
  await close();
});

test('GET /v1/events tells only of the types and the estate that were asked for', async () => {
  const { follow, accept, close } = world();
  const some = async () => {
    await accept('other');
    await accept();
  };
  assert.deepEqual((await follow('GET /v1/events?type=audit,reconcile', some)).numbers, []);
  assert.deepEqual((await follow('GET /v1/events?type=audit,generation&estate=acme', some)).numbers, [2]);
  await close();
});

const refused: readonly [what: string, who: string, status: number, part: string][] = [
  ['GET /v1/events', '', 401, ''],
  ['GET /v1/events', 'nobody', 403, '"permission":"read"'],
  ['GET /v1/events?estate=other', 'viewer', 404, 'does not exist, or your grants do not cover it'],
  ['GET /v1/events?estate=missing', 'viewer', 404, 'does not exist, or your grants do not cover it'],
  ['GET /v1/events?after=xyzzy', 'viewer', 400, '"at":"after"'],
  ['GET /v1/events?type=xyzzy', 'viewer', 400, '"at":"type'],
  ['GET /v1/events?type=', 'viewer', 400, '"at":"type'],
  ['GET /v1/events?limit=3', 'viewer', 400, '"at":"limit"'],
];
for (const [what, who, status, part] of refused)
  test(`${what} of ${who || 'nobody'} is refused with ${status}`, async () => {
    const { ask, close } = world({ nobody: callerOf('viewer', { id: 'nobody', grants: [] }) });
    const answer = await ask(who, what);
    assert.equal(answer.status, status);
    assert.ok(answer.text.includes(part) && !answer.text.includes('xyzzy'), answer.text);
    await close();
  });

test('HEAD /v1/events takes no seat for longer than its answer', async () => {
  const { ask, clock, close } = world();
  for (let n = 0; n < 60; n++) assert.equal((await ask('viewer', 'HEAD /v1/events')).status, 200);
  await clock.advance(1000);
  assert.equal(clock.sleepers(), 0);
  await close();
});
