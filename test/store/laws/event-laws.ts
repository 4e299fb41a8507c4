import assert from 'node:assert/strict';
import type { EventPage, StoredEvent } from '../../../src/ports/events.ts';
import type { Store } from '../../../src/ports/store.ts';
import { guardsOf } from '../fixtures.ts';
import type { Laws } from './bench.ts';

const hour = 3_600_000;
const limits = { deletes: 5, replaces: 5 };

/** Laws of the events for watchers. */
export const eventLaws: Laws = {
  'an accepted generation is told of, once': async ({ store, other, estate }) => {
    const from = await other.events.newest();
    const { number, revision } = await store.generations.accept(estate, 'r1', guardsOf(limits));
    await store.generations.accept(estate, 'r1', guardsOf(limits));
    const told = await toldOf(other, estate, from);
    assert.deepEqual(told.map(said), [{ estate, type: 'generation', about: { number, revision } }]);
  },

  'a word of a person is told of, with its number in the ledger': async (bench) => {
    const { store, other, estate } = bench;
    const from = await store.events.newest();
    const { person, reason } = by;
    const until = bench.now() + hour;
    for (const subject of [
      { by: 'estate' },
      { by: 'target', name: 'prod' },
      { by: 'owner', name: 'team-web' },
    ] as const)
      await store.fleet.pauses.begin(estate, { what: 'all', of: subject, person, reason, until });
    await store.fleet.pauses.end(estate, { what: 'all', of: { by: 'estate' } }, by);
    await store.sources.pins.pin(estate, 'abc', by);
    await store.sources.histories.accept(estate, { head: 'h1', after: 'h0' }, by);
    const word = { estate, type: 'word' };
    const about = { person, reason };
    const paused = { word: 'pause', ...about, what: 'all' };
    assert.deepEqual((await toldOf(other, estate, from)).map(said), [
      { ...word, about: { ...paused, seq: 1, of: { by: 'estate' } } },
      { ...word, targets: ['prod'], about: { ...paused, seq: 2, of: { by: 'target', name: 'prod' } } },
      { ...word, owner: 'team-web', about: { ...paused, seq: 3, of: { by: 'owner', name: 'team-web' } } },
      { ...word, about: { word: 'resume', ...about, seq: 4, what: 'all', of: { by: 'estate' } } },
      { ...word, about: { word: 'pin', ...about, seq: 5, revision: 'abc' } },
      { ...word, about: { word: 'acceptHistory', ...about, seq: 6 } },
    ]);
  },

  "a note that names nobody is nobody's word": async ({ store, estate }) => {
    const from = await store.events.newest();
    await store.ledger.note(estate, { n: 1 });
    assert.deepEqual(await toldOf(store, estate, from), []);
  },

  'a long reason is told in part, and stands whole in the ledger': async ({ store, other, estate }) => {
    const from = await store.events.newest();
    await store.sources.pins.pin(estate, 'abc', { person: 'kim', reason: 'x'.repeat(10_000) });
    const [pin] = await toldOf(other, estate, from);
    assert.equal(pin?.about['reason'], 'x'.repeat(300));
  },

  'who reads on by places is told of everything once and in order, page by page': async ({ store, other, estate }) => {
    let place = await other.events.newest();
    const numbers: unknown[] = [];
    for (let n = 0; n < 5; n++) await store.generations.accept(estate, `r${n}`, guardsOf(limits));
    for (let more = true; more; ) {
      const page = await other.events.after(place, 2);
      assert.ok(page.events.length <= 2 && !page.gone);
      assert.ok(page.events.every((one) => one.place > place));
      numbers.push(...page.events.flatMap((one) => (one.estate === estate ? [one.about['number']] : [])));
      ({ place, more } = page);
    }
    assert.deepEqual(numbers, [1, 2, 3, 4, 5]);
    const end = await other.events.after(place, 2);
    assert.deepEqual(told(end), { events: [], more: false, gone: false });
    assert.ok(end.place >= place);
  },

  'a place of one event leads to the next': async ({ store, estate }) => {
    const from = await store.events.newest();
    for (let n = 0; n < 3; n++) await store.generations.accept(estate, `r${n}`, guardsOf(limits));
    const [first, ...rest] = await toldOf(store, estate, from);
    assert.deepEqual(await toldOf(store, estate, first?.place ?? ''), rest);
  },

  'what is no place of this database is gone, and the way on is told': async ({ store, estate }) => {
    await store.generations.accept(estate, 'r1', guardsOf(limits));
    const newest = await store.events.newest();
    const later = newest.replace(/-./, '-f');
    const foreign = newest.replace(/^[^-]*/, 'ffffffffffff');
    const overfull = newest.replace(/.{16}$/, 'f'.repeat(16));
    for (const place of ['', 'x', '-', later, `${newest}0`, foreign, overfull]) {
      const page = await store.events.after(place, 10);
      assert.deepEqual(told(page), { events: [], more: false, gone: true }, place);
      assert.ok(page.place >= newest);
    }
  },
};

/** A page without its position. Waiting is left out too, because it depends on every user of the server. */
const told = ({ events, more, gone }: EventPage) => ({ events, more, gone });

const by = { person: 'kim', reason: 'checked "it"\u0000' };

const said = ({ place: _, at, ...rest }: StoredEvent) => {
  assert.ok(at > 0);
  return rest;
};

async function toldOf({ events }: Store, estate: string, from: string): Promise<readonly StoredEvent[]> {
  const page = await events.after(from, 1000);
  assert.equal(page.gone, false);
  return page.events.filter((one) => one.estate === estate);
}
