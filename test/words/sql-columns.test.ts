import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type pg from 'pg';
import { openStore } from '../../src/store/open-store.ts';
import { oldDatabase, urlOf } from '../store/old-database.ts';
import { ownStore } from '../store/own-store.ts';
import { virtualClock } from '../support/virtual-clock.ts';
import renamed from './renamed.json' with { type: 'json' };

const renames = Object.entries(renamed.sqlColumns);

/** Words of version 0.1 that no column of a view may have, in any view. */
const retired = /^(pass|began|ended|changed_.*|touched.*|held|lasts|who|by|why|moment|look|line|row|wish|away)$/;

/** The columns of the views that people read, as `drift.withheld`, in the order of each view. */
async function columnsOf(client: pg.Client): Promise<readonly string[]> {
  const { rows } = await client.query(
    `SELECT table_name || '.' || column_name AS name FROM information_schema.columns
     WHERE table_schema = 'setpoint_read' ORDER BY table_name, ordinal_position`,
  );
  return rows.map(({ name }) => name);
}

const clock = virtualClock();
const { folder, admin } = await ownStore(clock);

test('no SQL view has a retired column name, and each has its new one', async () => {
  const columns = await columnsOf(admin);
  assert.deepEqual(
    columns.filter((name) => retired.test(name.split('.')[1] ?? '')),
    [],
  );
  for (const [before, after] of renames) {
    assert.ok(!columns.includes(before), before);
    assert.ok(columns.includes(after), after);
  }
});

test('an upgrade of version 0.1 renames its columns, and keeps the rights on its views', async () => {
  const old = await oldDatabase(folder, 31);
  const before = await columnsOf(old);
  assert.deepEqual(
    renames.map(([name]) => name).filter((name) => !before.includes(name)),
    [],
  );
  await old.query(`CREATE ROLE analyst; GRANT USAGE ON SCHEMA setpoint_read TO analyst;
    GRANT SELECT ON setpoint_read.inventory, setpoint_read.inventory_history, setpoint_read.ledger TO analyst;
    GRANT EXECUTE ON FUNCTION setpoint_read.inventory_at TO analyst`);
  const upgraded = await openStore({ folder: join(folder, 'upgraded'), databaseUrl: urlOf(old), clock, create: true });
  await upgraded.close();

  const words = new Map(renames);
  assert.deepEqual(
    await columnsOf(old),
    before.map((name) => words.get(name) ?? name),
  );
  assert.deepEqual(await columnsOf(old), await columnsOf(admin));
  assert.deepEqual(await definitionsOf(old), await definitionsOf(admin));
  await old.query('SET ROLE analyst');
  const read = 'SELECT withheld FROM setpoint_read.inventory UNION SELECT reconcile FROM setpoint_read.ledger';
  assert.equal((await old.query(read)).rowCount, 0);
  const then = await old.query('SELECT started_at, ended_at FROM setpoint_read.inventory_at(now())');
  assert.equal(then.rowCount, 0);
});

/** Views and functions, as PostgreSQL writes them. */
async function definitionsOf(client: pg.Client): Promise<readonly unknown[]> {
  const { rows } = await client.query(
    `SELECT relname::text AS name, pg_get_viewdef(oid) AS text FROM pg_class
     WHERE relnamespace = 'setpoint_read'::regnamespace AND relkind = 'v'
     UNION SELECT proname::text, pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'setpoint_read'::regnamespace
     ORDER BY 1`,
  );
  return rows;
}
