import assert from 'node:assert/strict';
import { test } from 'node:test';
import type pg from 'pg';
import type { StoredEvent } from '../../src/ports/events.ts';
import { until } from '../support/until.ts';
import { virtualClock } from '../support/virtual-clock.ts';
import { guardsOf } from './fixtures.ts';
import { ownStore } from './own-store.ts';
import { application, reader } from './owner.ts';

const clock = virtualClock();
const { folder, store, admin } = await ownStore(clock);

const insert =
  "INSERT INTO setpoint.happenings (at, estate, type, about) VALUES ($2, 'acme', 'pass', json_build_object('n', $1::text))";

const tell = (client: pg.Client, n: string) => client.query(insert, [n, clock.now()]);

/** The events for a reader who goes by numbers alone. */
async function byNumber(last: number): Promise<{ readonly told: readonly string[]; readonly last: number }> {
  const { rows } = await admin.query(
    "SELECT number, about->>'n' AS n FROM setpoint.happenings WHERE number > $1 ORDER BY number",
    [last],
  );
  return { told: rows.map(({ n }) => n), last: Number(rows.at(-1)?.number ?? last) };
}

const names = (events: readonly StoredEvent[]) => events.map(({ about }) => about['n']);

test('a transaction that ends late is told of all the same, once, and whoever goes by numbers misses it', async () => {
  const [slow, fast] = [await application(folder), await application(folder)];
  let place = await store.events.newest();
  const told: unknown[] = [];
  const read = async (): Promise<readonly unknown[]> => {
    const page = await store.events.after(place, 100);
    assert.equal(page.gone, false);
    place = page.place;
    told.push(...names(page.events));
    return names(page.events);
  };
  const { last } = await byNumber(0);
  await slow.query('BEGIN');
  await tell(slow, 'slow-1');
  await tell(fast, 'fast-1');
  const plain = await byNumber(last);
  assert.deepEqual(plain.told, ['fast-1']);
  assert.deepEqual(await read(), [], 'one that began earlier still runs');
  await fast.query('BEGIN');
  await tell(fast, 'fast-2');
  await tell(slow, 'slow-2');
  await slow.query('COMMIT');
  assert.deepEqual(await read(), ['slow-1', 'slow-2', 'fast-1']);
  await fast.query('COMMIT');
  assert.deepEqual(await read(), ['fast-2']);
  assert.deepEqual(told, ['slow-1', 'slow-2', 'fast-1', 'fast-2'], 'all of one transaction stand together');
  assert.deepEqual([...plain.told, ...(await byNumber(plain.last)).told], ['fast-1', 'fast-2', 'slow-2']);
  await Promise.all([slow.end(), fast.end()]);
});

test('who began to watch while a transaction ran is told of it when it ends', async () => {
  const slow = await application(folder);
  await slow.query('BEGIN');
  await tell(slow, 'slow');
  const place = await store.events.newest();
  await slow.query('COMMIT');
  assert.deepEqual(names((await store.events.after(place, 10)).events), ['slow']);
  await slow.end();
});

/** Two ways to a number of a transaction that nobody can be refused. */
const numbering = [
  "ALTER ROLE CURRENT_USER SET work_mem = '1MB'",
  'ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO PUBLIC',
];

test('a person with psql holds up what happens for 5 s and no longer', async () => {
  const [bystander, ...people] = [await reader(folder), await reader(folder), await reader(folder)];
  const place = await store.events.newest();
  const lost = new Set<pg.Client>();
  for (const [n, client] of people.entries()) {
    client.on('error', () => lost.add(client));
    await client.query('SET default_transaction_read_only = off; SET idle_in_transaction_session_timeout = 0');
    await client.query(`BEGIN; ${numbering[n]}`);
  }
  await bystander.query('BEGIN; SELECT * FROM drift');
  await accept();
  const told = async () => names((await store.events.after(place, 10)).events).length;
  assert.equal(await told(), 0);
  assert.equal((await store.events.after(place, 10)).waits, true);
  await clock.advance(4000);
  assert.equal(await told(), 0);
  assert.equal(lost.size, 0);
  await clock.advance(1000);
  await until('the events are told', async () => (await told()) === 1);
  await until('both of their sessions have ended', () => lost.size === people.length);
  assert.equal((await store.events.after(place, 10)).waits, false);
  await bystander.query('COMMIT');
  await bystander.end();
});

test('what the application does is waited for, however long that takes', async () => {
  const slow = await application(folder);
  const place = await store.events.newest();
  await slow.query('BEGIN');
  await tell(slow, 'slow');
  await accept();
  for (let n = 0; n < 3; n++) {
    const { events, waits } = await store.events.after(place, 10);
    assert.deepEqual([events, waits], [[], true]);
    await clock.advance(6000);
  }
  await slow.query('COMMIT');
  assert.equal((await store.events.after(place, 10)).events.length, 2);
  await slow.end();
});

test('what was rolled back is told to nobody', async () => {
  const client = await application(folder);
  const place = await store.events.newest();
  await client.query('BEGIN');
  await tell(client, 'never');
  await client.query('ROLLBACK');
  await tell(client, 'then');
  assert.deepEqual(names((await store.events.after(place, 10)).events), ['then']);
  await client.end();
});

/** So many rows of that age, so that the next number is a whole hundred. */
async function fill(rows: number, at: number): Promise<void> {
  await admin.query(
    "INSERT INTO setpoint.happenings (at, estate, type, about) SELECT $2, 'acme', 'pass', '{}' FROM generate_series(1, $1)",
    [rows, at],
  );
  const { rows: next } = await admin.query('SELECT max(number) AS number FROM setpoint.happenings');
  const whole = Math.ceil((Number(next[0].number) + 1) / 100) * 100;
  await admin.query("SELECT setval(pg_get_serial_sequence('setpoint.happenings', 'number'), $1)", [whole - 1]);
}

let accepted = 0;
const accept = () => store.generations.accept('acme', `r${++accepted}`, guardsOf({ deletes: 5, replaces: 5 }));

const count = async (): Promise<number> =>
  (await admin.query('SELECT count(*)::int AS n FROM setpoint.happenings')).rows[0].n;

test('they are kept for three days, and who comes back from before is told that he missed something', async () => {
  const day = 86_400_000;
  const first = await store.events.newest();
  await fill(1200, clock.now());
  const middle = (await store.events.after(first, 700)).place;
  const last = await store.events.newest();
  await clock.advance(3 * day - 1000);
  await fill(0, clock.now());
  await accept();
  assert.equal((await store.events.after(first, 10)).gone, false, 'one second before');
  await clock.advance(2000);
  await fill(0, clock.now());
  const before = await count();
  await accept();
  assert.equal(await count(), before - 999, 'a thousand at once');
  assert.equal((await store.events.after(first, 10)).gone, true);
  assert.equal((await store.events.after(middle, 10)).gone, true);
  assert.equal((await store.events.after(last, 10)).gone, false);
  await fill(0, clock.now());
  await accept();
  assert.deepEqual(
    (await store.events.after(last, 10)).events.map(({ type }) => type),
    ['generation', 'generation', 'generation'],
  );
});

test('at most so many are kept, and never one that somebody may not have been told of', async () => {
  const slow = await application(folder);
  await slow.query('BEGIN');
  await tell(slow, 'slow');
  const place = await store.events.newest();
  await fill(200_500, clock.now());
  await accept();
  assert.ok((await count()) > 200_500, 'the slow one is not told of yet, nor what came after it');
  await slow.query('COMMIT');
  await fill(0, clock.now());
  await accept();
  const page = await store.events.after(place, 10);
  assert.equal(page.gone, true);
  assert.ok((await count()) < 200_500, 'the oldest thousand went');
  await slow.end();
});

test('an event is told while another process forgets the oldest', async () => {
  const other = await application(folder);
  await other.query('BEGIN');
  await other.query('SELECT FROM setpoint.forgotten_happenings FOR UPDATE');
  await fill(0, clock.now());
  const place = await store.events.newest();
  await accept();
  await other.query('ROLLBACK');
  assert.equal((await store.events.after(place, 10)).events.length, 1);
  await other.end();
});

test('what is too large is told of without what it is about', async () => {
  const place = await store.events.newest();
  const scopes = Array.from({ length: 500 }, (_, n) => `scope-${n}`);
  await store.ledger.note('acme', { pause: { person: 'kim', of: scopes } });
  const [told] = (await store.events.after(place, 10)).events;
  assert.deepEqual([told?.type, told?.about], ['word', { omitted: true }]);
});
