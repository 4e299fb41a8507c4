import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Bounds } from '../../../../src/core/access/grant.ts';
import { openEventStreams } from '../../../../src/http/api/events/streams.ts';
import { eventRoutes } from '../../../../src/http/api/routes/events.ts';
import { eventLimits } from '../../../../src/http/limits.ts';
import type { ResourceOwners } from '../../../../src/ports/events.ts';
import { createLog } from '../../../../src/telemetry/log.ts';
import { lookOf, rowOf, scope } from '../../../store/fixtures.ts';
import { memoryDatabase } from '../../../support/memory-store.ts';
import { virtualClock } from '../../../support/virtual-clock.ts';
import { apiWorld, callerOf } from '../support/api-world.ts';
import { openReading } from './support/reading.ts';

const times = { ...eventLimits.times, longest: 60_000 };

/** The events for a viewer within these bounds between two observations. The second finds other owners or targets, in turns. */
async function told(bounds: readonly Bounds[], [before, ...after]: Moves, count = 1) {
  const clock = virtualClock();
  const store = memoryDatabase(clock).connect();
  const viewer = callerOf('viewer', { grants: bounds.map((one) => ({ role: 'viewer', ...one })) });
  const log = createLog({ write: () => {} }, { form: 'json', level: 'debug' });
  const limits = { ...eventLimits, times };
  const events = openEventStreams({
    events: store.events,
    authenticate: async () => viewer,
    clock,
    log,
    limits,
  });
  const api = apiWorld({ routes: eventRoutes(events), callers: { viewer }, clock });
  const rowsOf = (turns: readonly ResourceOwners[], reason: string) =>
    Array.from({ length: count }, (_, i) => row(`n${i}`, turns[i % turns.length] ?? before, reason));
  await store.rows.keep({ estate: 'acme', scope }, lookOf(1000, rowsOf([before], 'as it was')));
  const from = await store.events.newest();
  await store.rows.keep({ estate: 'acme', scope }, lookOf(2000, rowsOf(after, 'of the new one')));
  const answer = await clock.run(() => api.ask('viewer', `GET /v1/events?after=${from}`));
  await api.close();
  const reading = openReading();
  reading.feed(answer.text);
  return reading.events.map(({ data }) => JSON.parse(data));
}

type Moves = readonly [before: ResourceOwners, ...after: ResourceOwners[]];

const row = (name: string, { owner, targets }: ResourceOwners, reason: string) =>
  rowOf(name, { whose: { owner }, place: { targets }, reason });

const web: ResourceOwners = { owner: 'team-web', targets: ['prod'] };
const ops: ResourceOwners = { owner: 'team-ops', targets: ['prod'] };
const lab: ResourceOwners = { owner: 'team-web', targets: ['lab'] };
const both: ResourceOwners = { owner: 'team-web', targets: ['lab', 'prod'] };

const cases: readonly [name: string, bounds: readonly Bounds[], moves: Moves, told: string[]][] = [
  ['who sees the former owner’s alone', [{ owners: ['team-web'] }], [web, ops], ['gone']],
  ['who sees the new owner’s alone', [{ owners: ['team-ops'] }], [web, ops], ['changed']],
  ['who sees both owners’', [{ owners: ['team-web', 'team-ops'] }], [web, ops], ['changed']],
  ['who sees both by two grants', [{ owners: ['team-web'] }, { owners: ['team-ops'] }], [web, ops], ['changed']],
  ['who sees everything', [{}], [web, ops], ['changed']],
  ['who sees neither', [{ owners: ['team-data'] }], [web, ops], []],
  ['who sees the former target’s alone', [{ targets: ['prod'] }], [web, lab], ['gone']],
  ['who sees a target that it left', [{ targets: ['lab'] }], [both, web], ['gone']],
  ['who sees a target that it stays in', [{ targets: ['prod'] }], [both, web], ['changed']],
  ['who sees a target that it comes into as well', [{ targets: ['prod'] }], [web, both], ['changed']],
];
for (const [name, bounds, moves, want] of cases)
  test(`a line that comes to be of others: ${name}`, async () => {
    const events = await told(bounds, moves);
    assert.deepEqual(
      events.map(({ about }) => (about.gone ? 'gone' : 'changed')),
      want,
    );
  });

test('who may not see a line any more is told nothing of whose it is now', async () => {
  const [event, ...more] = await told([{ owners: ['team-web'] }], [web, ops]);
  assert.deepEqual(more, []);
  const { at: _, ...rest } = event;
  const { key } = row('n0', web, '');
  const about = { scope, key, address: key, id: 'vpc-n0', kind: 'network', was: 'InSync', gone: true };
  assert.deepEqual(rest, { estate: 'acme', type: 'resource', targets: ['prod'], owner: 'team-web', about });
});

test('of a great many at once each is told how many: who sees both sides once', async () => {
  const countsOf = async (...owners: readonly string[]) =>
    (await told([{ owners }], [web, web, ops], 1200)).map(({ owner, about }) => [owner, about]);
  const [stayed, left, came] = ['team-web', 'team-web', 'team-ops'].map((owner) => [owner, { scope, changed: 600 }]);
  assert.deepEqual(await countsOf('team-web'), [stayed, left]);
  assert.deepEqual(await countsOf('team-ops'), [came]);
  assert.deepEqual(await countsOf('team-web', 'team-ops'), [stayed, came]);
});
