import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type pg from 'pg';
import type { Observed } from '../../src/core/observed.ts';
import { BeforeHistory } from '../../src/ports/inventory-rows.ts';
import type { Store } from '../../src/ports/store.ts';
import { openStore } from '../../src/store/open-store.ts';
import { storableJson, storableText } from '../../src/store/statements.ts';
import { virtualClock } from '../support/virtual-clock.ts';
import { addressOf, everything, lookOf, namesOf, observedOf, of, rowOf, scope, start } from './fixtures.ts';
import { owner } from './owner.ts';
import { removeFolder, temporaryFolder } from './temporary-folder.ts';

const day = 86_400_000;
const folder = await temporaryFolder();
const clock = virtualClock();
let store: Store;
let admin: pg.Client;
before(async () => {
  store = await openStore({ folder, clock, databaseClock: clock, create: true, historyMs: 30 * day });
  admin = await owner(folder);
});
after(async () => {
  await admin.end();
  await store.close();
  await removeFolder(folder);
});

const count = async (text: string, values: readonly unknown[] = []): Promise<number> =>
  Number((await admin.query(text, [...values])).rows[0].n);

test('what was is kept for as long as asked, what is now for ever', async () => {
  const where = { estate: 'pruned', scope };
  const at = (after: number, status: 'InSync' | 'Drifted') => lookOf(after, [rowOf('a', { status }), rowOf('still')]);
  await store.rows.keep(where, at(1 * day, 'InSync'));
  await store.rows.keep(where, at(2 * day, 'Drifted'));
  await store.rows.keep(where, at(20 * day, 'InSync'));
  const froms = async () =>
    (await store.rows.history({ seen: everything, estate: 'pruned', scope, key: addressOf('a'), limit: 9 })).map(
      ({ from }) => (from - start) / day,
    );
  await clock.advance(31 * day);
  await store.rows.keep(where, at(31 * day, 'InSync'));
  assert.deepEqual(await froms(), [20, 2, 1]);
  await clock.advance(day + 1);
  await store.rows.keep(where, at(32 * day, 'InSync'));
  assert.deepEqual(await froms(), [20, 2]);
  await clock.advance(100 * day);
  await store.rows.keep(where, lookOf(132 * day, [rowOf('still')]));
  assert.deepEqual(await froms(), [20]);
  assert.deepEqual(await namesOf(store.rows, of('pruned')), ['still']);
  await clock.advance(31 * day);
  await store.rows.keep(where, lookOf(163 * day + 2, [rowOf('still')]));
  assert.deepEqual(await froms(), []);
});

test('a time before what is kept is refused, and it is said since when it is', async () => {
  const now = clock.now();
  const asked = { seen: everything, estate: 'pruned', limit: 9 };
  const ask = (asOf: number) => [
    () => store.rows.page(of('pruned', { asOf })),
    () => store.rows.find({ ...asked, of: 'vpc-still', asOf }),
    () => store.rows.history({ ...asked, scope, key: addressOf('still'), asOf }),
  ];
  const since = new Date(now - 30 * day).toISOString();
  for (const question of ask(now - 30 * day - 1))
    await assert.rejects(question, (error) => {
      assert.ok(error instanceof BeforeHistory);
      assert.match(error.message, new RegExp(`kept since ${since}`));
      return true;
    });
  for (const question of ask(now - 30 * day)) await question();
});

test('as many old versions go at once as the look itself ended, and a thousand', async () => {
  const names = Array.from({ length: 700 }, (_, i) => `n${i}`);
  const where = { estate: 'many', scope };
  const look = (after: number, reason: string) =>
    lookOf(
      after,
      names.map((name) => rowOf(name, { reason })),
    );
  const left = () => count("SELECT count(*) AS n FROM setpoint.versions_past WHERE estate = 'many'");
  const began = clock.now() - start;
  for (const round of [1, 2, 3]) await store.rows.keep(where, look(began + round, `round ${round}`));
  assert.equal(await left(), 1400);
  await clock.advance(60 * day);
  await store.rows.keep(where, look(began + 60 * day, 'round 3'));
  assert.equal(await left(), 400);
});

test('sightings go by age; when something appeared is known until it has vanished for as long', async () => {
  const estate = 'sightings';
  const at = clock.now();
  const see = (after: number, resources: readonly Observed[]) =>
    store.inventory.record(estate, { scope, at: at + after, resources, gaps: [], pending: [], calls: 1 });
  await see(0, [observedOf('a'), observedOf('b')]);
  await see(day, [observedOf('a', { tier: 'web' }), observedOf('b')]);
  await see(2 * day, [observedOf('a', { tier: 'web' })]);
  const changes = async (id: string) => (await store.inventory.history(estate, id)).map(({ change }) => change);
  const keep = () => store.rows.keep({ estate, scope }, lookOf(clock.now() - start, []));
  await keep();
  assert.deepEqual(
    [await changes('vpc-a'), await changes('vpc-b')],
    [
      ['changed', 'appeared'],
      ['vanished', 'appeared'],
    ],
  );
  await clock.advance(31 * day + 1);
  await keep();
  assert.deepEqual([await changes('vpc-a'), await changes('vpc-b')], [['appeared'], ['vanished', 'appeared']]);
  await clock.advance(day);
  await keep();
  assert.deepEqual([await changes('vpc-a'), await changes('vpc-b')], [['appeared'], []]);
});

test('an equal look touches no line, however many there are', async () => {
  const where = { estate: 'equal', scope };
  const at = clock.now() - start;
  const look = (after: number, generation: number) => {
    const rows = Array.from({ length: 500 }, (_, i) => rowOf(`n${i}`));
    return lookOf(
      at + after,
      rows.map((row) => ({ ...row, state: { ...row.state, generation } })),
    );
  };
  await store.rows.keep(where, look(0, 1));
  const place = await store.events.newest();
  const lines =
    "SELECT md5(string_agg(ctid::text || xmin::text, key)) AS n FROM setpoint.versions_now WHERE estate = 'equal'";
  const before = (await admin.query(lines)).rows;
  await store.rows.keep(where, look(1, 1));
  await store.rows.keep(where, look(2, 2));
  assert.deepEqual((await admin.query(lines)).rows, before);
  assert.deepEqual((await store.events.after(place, 10)).events, []);
  const [row] = await store.rows.find({ seen: everything, estate: 'equal', of: 'vpc-n7' });
  assert.deepEqual([row?.observed.at, row?.state.generation], [start + at + 2, 2]);
});

test('a first look at more than a thousand lines is told in one word for each owner and targets', async () => {
  const rows = Array.from({ length: 1001 }, (_, i) => rowOf(`n${i}`, { whose: { owner: `team-${i % 2}` } }));
  const place = await store.events.newest();
  const elsewhere = 'aws/111122223333/eu-west-2';
  await store.rows.keep({ estate: 'crowd', scope: elsewhere }, lookOf(clock.now() - start, rows));
  const { events } = await store.events.after(place, 100);
  assert.deepEqual(
    events.map(({ type, targets, owner, about }) => [type, targets, owner, about]),
    [
      ['resource', ['prod'], 'team-0', { scope: elsewhere, changed: 501 }],
      ['resource', ['prod'], 'team-1', { scope: elsewhere, changed: 500 }],
    ],
  );
});

test('two looks at one scope at once: the newer one is what is kept, and nothing twice', async () => {
  const where = { estate: 'race', scope };
  const at = clock.now() - start;
  const looks = Array.from({ length: 12 }, (_, i) =>
    lookOf(at + ((i * 5) % 12), [rowOf('a', { reason: `look ${(i * 5) % 12}` })]),
  );
  await Promise.all(looks.map((look) => store.rows.keep(where, look)));
  const history = await store.rows.history({ seen: everything, estate: 'race', scope, key: addressOf('a'), limit: 99 });
  assert.equal(history[0]?.state.reason, 'look 11');
  assert.deepEqual(history.map(({ until }) => until).slice(1), history.map(({ from }) => from).slice(0, -1));
});

test('a question of people takes 5 s at most', async () => {
  const blocker = await owner(folder);
  await blocker.query('BEGIN');
  await blocker.query('LOCK TABLE setpoint.versions, setpoint.ledger, setpoint.passes IN ACCESS EXCLUSIVE MODE');
  const seen = everything;
  const questions = [
    store.rows.page(of('race')),
    store.figures.scopes('race', seen),
    store.figures.objectives({ estate: 'race', seen, since: 0, now: clock.now() }),
    store.figures.seen('race', ['a'], seen),
    store.entryPages.page({ estate: 'race', filter: {}, newestFirst: true, limit: 1 }),
    store.entryPages.count('race'),
    store.reconciles.page({ seen, filter: {}, limit: 1 }),
    store.reconciles.scopes('race'),
  ];
  // why: without its limit none of them would ever be answered, so nothing needs to be timed.
  await Promise.all(questions.map((one) => assert.rejects(one, { name: 'Declined', because: 'too-many' })));
  await blocker.query('ROLLBACK');
  await blocker.end();
});

test('without trigrams a text is found all the same', async () => {
  await store.rows.keep({ estate: 'words', scope }, lookOf(clock.now() - start, [rowOf('needle'), rowOf('hay')]));
  const found = () => namesOf(store.rows, of('words', { filter: { text: 'EEDL' } }));
  assert.deepEqual(await found(), ['needle']);
  await admin.query('DROP EXTENSION pg_trgm CASCADE');
  assert.deepEqual(await found(), ['needle']);
  const index =
    "SELECT count(*) AS n FROM pg_indexes WHERE schemaname = 'setpoint' AND indexname = 'versions_by_words'";
  assert.equal(await count(index), 0);
});

const texts: readonly (readonly [string, string])[] = [
  ['plain', 'plain'],
  ['a\u0000b', 'a\ufffdb'],
  ['\ud800', '\ufffd'],
  ['\udc00\u0000', '\ufffd\ufffd'],
  ['\u{1f512}', '\u{1f512}'],
  ['\\u0000', '\\u0000'],
  ['\\\u0000', '\\\ufffd'],
  ['\\\\ud800\ud800', '\\\\ud800\ufffd'],
  ['\u0001', '\u0001'],
];
for (const [text, want] of texts)
  test(`storable: ${JSON.stringify(text)}`, () => {
    assert.equal(storableText(text), want);
    assert.deepEqual(JSON.parse(storableJson(JSON.stringify({ [text]: [text] }))), { [want]: [want] });
  });

test('a code that version 0.1 stored is read by its name since', async () => {
  const where = { estate: 'codes', scope };
  await store.rows.keep(where, lookOf(1 * day, [rowOf('a', { status: 'Blocked' })]));
  const codes = { 'failed-births': 'failed-launches', 'claimed-twice': 'duplicate-claim', quota: 'quota' };
  for (const [stored, now] of Object.entries(codes)) {
    const body = "jsonb_set(body::jsonb, '{state,code}', to_jsonb($1::text))";
    await admin.query(`UPDATE setpoint.versions SET body = ${body} WHERE estate = 'codes'`, [stored]);
    const { rows } = await store.rows.page(of('codes'));
    assert.deepEqual(
      rows.map(({ state }) => state.code),
      [now],
    );
  }
});
