import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { connect, prepared } from '../../src/store/connection.ts';
import type { Database } from '../../src/store/tables.ts';
import { virtualClock } from '../support/virtual-clock.ts';
import { ownStore } from './own-store.ts';

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
