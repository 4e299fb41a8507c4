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
  await upgrade(old);

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
  const named = await old.query('SELECT started_at FROM setpoint_read.inventory_at(at_time => now())');
  assert.equal(named.rowCount, 0);
});

test('an upgrade renames the parameters of SQL functions, and keeps exactly their grants', async () => {
  const before = await oldDatabase(folder, 32, 'grants');
  assert.deepEqual(await parametersOf(before), Object.keys(renamed.sqlParameters));
  await before.query(`CREATE ROLE "Head of audit"; CREATE ROLE outsider;
    GRANT USAGE ON SCHEMA setpoint_read TO "Head of audit", outsider;
    GRANT EXECUTE ON FUNCTION setpoint_read.inventory_at TO "Head of audit" WITH GRANT OPTION`);
  const rights = await rightsOf(before);
  await upgrade(before);
  assert.deepEqual(await parametersOf(before), Object.values(renamed.sqlParameters));
  const now = await rightsOf(before);
  assert.deepEqual(
    rights.filter((right) => !now.includes(right)),
    [],
  );
  assert.ok(now.includes('"Head of audit" true'));
  assert.ok(now.every((right) => !/^(-|outsider) /.test(right)));
});

test('an upgrade leaves inventory_at alone where a view of somebody else uses it', async () => {
  const used = await oldDatabase(folder, 32, 'used');
  await used.query(`CREATE VIEW public.last_week AS
    SELECT name FROM setpoint_read.inventory_at(moment => now() - interval '7 days')`);
  await upgrade(used);
  assert.deepEqual(await parametersOf(used), Object.keys(renamed.sqlParameters));
  assert.equal((await used.query('SELECT name FROM public.last_week')).rowCount, 0);
});

async function upgrade(database: pg.Client): Promise<void> {
  const place = join(folder, `upgraded-${database.database}`);
  const store = await openStore({ folder: place, databaseUrl: urlOf(database), clock, create: true });
  await store.close();
}

/** The parameters of the functions that people call, as `inventory_at.at_time`. */
async function parametersOf(client: pg.Client): Promise<readonly string[]> {
  const { rows } = await client.query(
    `SELECT proname || '.' || proargnames[1] AS name FROM pg_proc WHERE pronamespace = 'setpoint_read'::regnamespace`,
  );
  return rows.map(({ name }) => name);
}

/** Each grant on `inventory_at`, as `analyst false`: the role, and whether it may grant the right to others. */
async function rightsOf(client: pg.Client): Promise<readonly string[]> {
  const { rows } = await client.query(
    `SELECT grantee::regrole || ' ' || is_grantable AS text FROM pg_proc, aclexplode(proacl)
     WHERE oid = 'setpoint_read.inventory_at'::regproc ORDER BY 1`,
  );
  return rows.map(({ text }) => text);
}

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
