import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import pg from 'pg';
import { declinedProblem } from '../../src/http/problem.ts';
import { Declined } from '../../src/ports/queries.ts';
import { connect, prepared } from '../../src/store/connection.ts';
import { isUnavailable as isAway } from '../../src/store/health.ts';
import type { Database } from '../../src/store/tables.ts';
import { virtualClock } from '../support/virtual-clock.ts';
import { ownStore } from './own-store.ts';

test('a database that nobody is at is told of as away, without where it is: 503, and when to ask again', async () => {
  const db = connect({ config: { host: '127.0.0.1', port: 1, user: 'u', database: 'd' } }, 1000);
  const error: unknown = await sql`SELECT 1`.execute(db).catch((thrown: unknown) => thrown);
  await db.destroy();
  assert.ok(error instanceof Declined, String(error));
  const { status, headers, detail } = declinedProblem(error);
  assert.deepEqual([status, headers], [503, { 'retry-after': '2' }]);
  assert.match(detail, /^Setpoint cannot reach its database \(ECONNREFUSED\), so the request failed\./);
  assert.doesNotMatch(detail, /127/);
});

const coded = (code: string): Error => Object.assign(new pg.DatabaseError('said so', 7, 'error'), { code });

test('away is what connections fail with, and no answer of a server that is there', () => {
  for (const code of ['57P01', '57P03', '53300', '08006', '25P03']) assert.ok(isAway(coded(code)), code);
  assert.ok(isAway(new Error('timeout exceeded when trying to connect')));
  assert.ok(isAway(new Error('Client has encountered a connection error and is not queryable')));
  for (const code of ['57014', '23505', '28P01', '40001', '25P02']) assert.ok(!isAway(coded(code)), code);
  assert.ok(!isAway(new Error('other')));
});

const { admin } = await ownStore(virtualClock());

/** One after the other they take the same connection. */
async function withDatabase(work: (db: Database) => Promise<void>): Promise<void> {
  const { host, port, user, password, database } = admin;
  const db = connect({ config: { host, port, user, password: String(password), database } }, 10_000);
  try {
    await work(db);
  } finally {
    await db.destroy();
  }
}

const kept = async (db: Database): Promise<number> =>
  Number((await sql<{ n: string }>`SELECT count(*) AS n FROM pg_prepared_statements`.execute(db)).rows[0]?.n);

test('what is marked is planned once for a connection, whatever its values; the rest every time', () =>
  withDatabase(async (db) => {
    for (const n of [1, 2, 3]) {
      const { rows } = await sql<{ n: number }>`${prepared} SELECT ${n}::int + 1 AS n`.execute(db);
      assert.deepEqual(rows, [{ n: n + 1 }]);
      await sql`SELECT ${n}::int`.execute(db);
    }
    assert.equal(await kept(db), 1);
  }));

test('no connection keeps ever more', () =>
  withDatabase(async (db) => {
    for (let n = 0; n < 250; n += 1) {
      const { rows } = await sql<{ n: number }>`${prepared} SELECT ${sql.raw(String(n))} AS n`.execute(db);
      assert.deepEqual(rows, [{ n }]);
    }
    assert.ok((await kept(db)) <= 200);
  }));
