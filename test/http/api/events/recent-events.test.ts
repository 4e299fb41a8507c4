import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recentEvents } from '../../../../src/http/api/events/recent-events.ts';
import type { StoredEvent } from '../../../../src/ports/events.ts';

const placeOf = (n: number): string => `x-${String(n).padStart(4, '0')}`;

const event = (n: number): StoredEvent => ({
  place: placeOf(n),
  at: 0,
  estate: 'acme',
  type: 'pass',
  about: { n },
});

const upTo = (last: number) => Array.from({ length: last }, (_, index) => event(index + 1));

/** Ten held, of a hundred; read up to 105, where there was nothing more. */
const cases: readonly [name: string, after: number, told: readonly number[] | undefined, place: number][] = [
  ['from the beginning', 0, undefined, 0],
  ['right before what is not held any more', 89, undefined, 0],
  ['right after it', 90, [91, 92, 93, 94, 95, 96, 97, 98, 99, 100], 105],
  ['in between', 98, [99, 100], 105],
  ['at the newest', 100, [], 105],
  ['where it has been read to', 105, [], 105],
  ['further than it has been read', 107, [], 107],
];
for (const [name, after, told, place] of cases)
  test(`recent events, ${name}`, () => {
    const recent = recentEvents(placeOf(0), 10);
    for (let n = 0; n < 100; n += 7) recent.add(upTo(Math.min(n + 7, 100)).slice(n), placeOf(n + 7));
    const since = recent.since(placeOf(after));
    assert.deepEqual(
      since?.texts.map(({ event }) => event.about['n']),
      told,
    );
    if (since) assert.equal(since.place, placeOf(place));
  });

test('recent events: before anything was read, a client is told of nothing', () => {
  const recent = recentEvents(placeOf(5), 10);
  assert.equal(recent.since(placeOf(4)), undefined);
  assert.deepEqual(recent.since(placeOf(5)), { texts: [], more: false, place: placeOf(5) });
});
