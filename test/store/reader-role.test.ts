import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import pg from 'pg';
import type { Row } from '../../src/core/inventory/row.ts';
import type { Store } from '../../src/ports/store.ts';
import { openStore } from '../../src/store/open-store.ts';
import { readerRole } from '../../src/store/roles.ts';
import { virtualClock } from '../support/virtual-clock.ts';
import { apply, draftOf, gapOf, lookOf, rowOf, scope, start, workerOf } from './fixtures.ts';
import { owner, portOf, reader } from './owner.ts';
import { removeFolder, temporaryFolder } from './temporary-folder.ts';

const folder = await temporaryFolder();
const clock = virtualClock();
const estate = 'acme';
let store: Store;
let admin: pg.Client;
let person: pg.Client;
before(async () => {
  store = await openStore({ folder, clock, create: true });
  admin = await owner(folder);
  person = await reader(folder);
  const by = { who: 'bob@example.com', action: 'ModifyVpc', event: 'e', at: start + 1500, from: '203.0.113.9' };
  const drifted: Row = {
    ...rowOf('a', { whose: { owner: 'team-a' }, called: { labels: { odd: 'a\u0000\ud800', tier: 'web' } } }),
    state: { status: 'Drifted', reason: 'cidr differs', generation: 3, by },
    sides: {
      diff: [{ field: 'cidr', from: '10.1.0.0/16', to: '10.0.0.0/16' }],
      next: { verb: 'update', cause: 'drift', held: 'paused' },
    },
  };
  await store.rows.keep({ estate, scope }, lookOf(1000, [rowOf('a'), rowOf('b')]));
  await store.rows.keep({ estate, scope }, lookOf(2000, [drifted, rowOf('b')], [gapOf('group')]));
  await apply(await workerOf(store, estate), draftOf('create', 'a', { details: { by, name: 'a\u0000\ud800\\u0000' } }));
});
after(async () => {
  await person.end();
  await admin.end();
  await store.close();
  await removeFolder(folder);
});

const first = async (text: string) => (await person.query(text)).rows[0];

test('what differs, since when, why and who changed it, in one request', async () => {
  const { rows } = await person.query(
    `SELECT name, status, reason, since, last_modified_by, last_modified_with, last_modified_at, diff, next, withheld, owner, complete
     FROM drift WHERE estate = 'acme'`,
  );
  assert.deepEqual(rows, [
    {
      ...{ name: 'a', status: 'Drifted', reason: 'cidr differs', since: new Date(start + 2000), owner: 'team-a' },
      ...{
        last_modified_by: 'bob@example.com',
        last_modified_with: 'ModifyVpc',
        last_modified_at: new Date(start + 1500),
      },
      diff: [{ field: 'cidr', from: '10.1.0.0/16', to: '10.0.0.0/16' }],
      ...{ next: 'update', withheld: 'paused', complete: true },
    },
  ]);
});

test('what exists, and as it was', async () => {
  const now = await person.query(
    'SELECT name, status, labels, generation, observed_at, age > duration AS odd FROM inventory ORDER BY name',
  );
  assert.deepEqual(now.rows, [
    {
      ...{ name: 'a', status: 'Drifted', labels: { odd: 'a\ufffd\ufffd', tier: 'web' }, generation: 3 },
      ...{ observed_at: new Date(start + 2000), odd: false },
    },
    { name: 'b', status: 'InSync', labels: {}, generation: 1, observed_at: new Date(start + 2000), odd: false },
  ]);
  const then = await person.query('SELECT name, status FROM inventory_at(to_timestamp($1)) ORDER BY name', [
    (start + 1999) / 1000,
  ]);
  assert.deepEqual(then.rows, [
    { name: 'a', status: 'InSync' },
    { name: 'b', status: 'InSync' },
  ]);
  const history = await person.query(
    "SELECT status, ended_at FROM inventory_history WHERE name = 'a' ORDER BY started_at",
  );
  assert.deepEqual(history.rows, [
    { status: 'InSync', ended_at: new Date(start + 2000) },
    { status: 'Drifted', ended_at: null },
  ]);
});

test('the ledger, flat; what jsonb cannot hold spoils nothing', async () => {
  const { rows } = await person.query(
    `SELECT seq::int, type, verb, kind, address, outcome, generation, revision, approver, last_modified_by, details ->> 'name' AS name, calls
     FROM ledger ORDER BY seq`,
  );
  const about = {
    verb: 'create',
    kind: 'network',
    address: `${scope}/network/a`,
    generation: 1,
    revision: 'abc',
    approver: 'ops',
  };
  assert.deepEqual(rows, [
    {
      seq: 1,
      type: 'intent',
      ...about,
      outcome: null,
      last_modified_by: 'bob@example.com',
      name: 'a\ufffd\ufffd\\u0000',
      calls: null,
    },
    { seq: 2, type: 'settlement', ...about, outcome: 'ok', last_modified_by: null, name: null, calls: [] },
  ]);
});

test('a session of the role reads only, and no statement runs on for ever', async () => {
  assert.deepEqual(await first('SHOW default_transaction_read_only'), { default_transaction_read_only: 'on' });
  assert.deepEqual(await first('SHOW statement_timeout'), { statement_timeout: '30s' });
  assert.deepEqual(await first('SHOW search_path'), { search_path: 'setpoint_read' });
});

const views = ['drift', 'inventory', 'inventory_history', 'ledger'];

test('the role may read these views and call this function, of all that is not PostgreSQL itself', async () => {
  await admin.query('CREATE TABLE IF NOT EXISTS public.of_others (n int)');
  await admin.query('CREATE OR REPLACE FUNCTION public.of_others() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$');
  const relations = await admin.query(
    `SELECT relname::text, array_remove(array_agg(privilege ORDER BY privilege), NULL) AS may
     FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
     CROSS JOIN unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER']) AS privilege
     WHERE nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast') AND relkind IN ('r', 'p', 'v', 'm', 'f')
       AND has_table_privilege($1, pg_class.oid, privilege)
     GROUP BY relname ORDER BY relname`,
    [readerRole],
  );
  assert.deepEqual(
    relations.rows,
    views.map((relname) => ({ relname, may: ['SELECT'] })),
  );
  const functions = await admin.query(
    `SELECT proname::text FROM pg_proc JOIN pg_namespace ON pg_namespace.oid = pronamespace
     WHERE nspname NOT IN ('pg_catalog', 'information_schema') AND has_schema_privilege($1, pronamespace, 'USAGE')
       AND has_function_privilege($1, pg_proc.oid, 'EXECUTE')`,
    [readerRole],
  );
  assert.deepEqual(functions.rows, [{ proname: 'inventory_at' }]);
});

const refused = [
  'SELECT * FROM setpoint.ledger',
  'SELECT * FROM setpoint.versions',
  'SELECT * FROM setpoint.versions_now',
  'SELECT * FROM setpoint.tokens',
  "SELECT nextval('setpoint.version_numbers')",
  'SELECT * FROM public.of_others',
  'SELECT public.of_others()',
  'SELECT * FROM pg_authid',
  'CREATE TABLE setpoint_read.mine (n int)',
  'CREATE TABLE public.mine (n int)',
  'CREATE TEMP TABLE mine (n int)',
  'CREATE SCHEMA mine',
  'CREATE DATABASE mine',
  'SELECT lo_create(0)',
  "SELECT lo_from_bytea(0, 'x')",
  'SELECT pg_advisory_lock(7383768)',
  'SELECT pg_current_xact_id()',
  'SELECT txid_current()',
  "SELECT pg_logical_emit_message(false, 'x', 'y')",
  "SELECT pg_logical_emit_message(false, 'x', 'y'::bytea)",
  'SET temp_file_limit = -1',
  'RESET temp_file_limit',
  "SELECT pg_read_file('PG_VERSION')",
  "COPY (SELECT 1) TO PROGRAM 'true'",
  'SET ROLE setpoint_app',
  'SET ROLE setpoint_owner',
  `ALTER ROLE ${readerRole} SUPERUSER`,
];
for (const statement of refused)
  test(`the role is refused: ${statement}`, async () => {
    await person.query('SET default_transaction_read_only = off');
    await assert.rejects(person.query(statement), { code: '42501' });
  });

for (const statement of [
  "INSERT INTO drift (name) VALUES ('x')",
  "UPDATE inventory SET name = 'x'",
  'DELETE FROM ledger',
])
  test(`a view takes no writes, whoever asks: ${statement}`, async () => {
    await assert.rejects(person.query(statement), { code: '55000' });
    await assert.rejects(admin.query(`SET search_path = setpoint_read; ${statement}`), { code: '55000' });
  });

test('no other database of the server opens to it', async () => {
  await assert.rejects(reader(folder, 'template1'), /permission denied for database/);
});

test('what the role may not do is taken from it in a store that was made before', async (t) => {
  const elsewhere = await temporaryFolder();
  const ends: (() => Promise<unknown>)[] = [() => removeFolder(elsewhere)];
  t.after(async () => {
    for (const end of ends.reverse()) await end();
  });
  const older = await openStore({ folder: elsewhere, clock, create: true });
  ends.push(older.close);
  const client = await owner(elsewhere);
  await client.query(`
    REVOKE ${readerRole} FROM setpoint_app;
    ALTER ROLE ${readerRole} RESET temp_file_limit;
    GRANT EXECUTE ON FUNCTION pg_current_xact_id(), pg_logical_emit_message(bool, text, text, bool) TO PUBLIC;
    REVOKE EXECUTE ON FUNCTION pg_current_xact_id() FROM setpoint_app`);
  await client.end();
  const again = await openStore({ folder: elsewhere, clock, create: true });
  ends.push(again.close);
  const login = await reader(elsewhere);
  ends.push(() => login.end());
  for (const statement of ['SELECT pg_current_xact_id()', "SELECT pg_logical_emit_message(false, 'x', 'y')"])
    await assert.rejects(login.query(statement), { code: '42501' });
  assert.equal((await login.query('SHOW temp_file_limit')).rows[0]?.temp_file_limit, '1GB');
  await again.ledger.note('acme', { n: 1 });
});

test('a store whose passwords are older gains one for the role; until then a user who may not make roles is told', async () => {
  const elsewhere = await temporaryFolder();
  const before = await openStore({ folder: elsewhere, clock, create: true });
  const client = await owner(elsewhere);
  await client.query(`DROP OWNED BY ${readerRole}; DROP ROLE ${readerRole}`);
  assert.match(await saidTo(client, elsewhere), /may not make roles: nobody can be given setpoint_reader/);
  await client.end();
  await before.close();
  const file = join(elsewhere, '.setpoint', 'passwords.json');
  const { reader: lost, ...older } = JSON.parse(await readFile(file, 'utf8'));
  await writeFile(file, JSON.stringify(older));
  const again = await openStore({ folder: elsewhere, clock, create: true });
  const { reader: made, ...kept } = JSON.parse(await readFile(file, 'utf8'));
  assert.deepEqual(kept, older);
  assert.ok(made.length > 30 && made !== lost);
  const login = await reader(elsewhere);
  assert.equal((await login.query('SELECT * FROM drift')).rowCount, 0);
  await login.end();
  await again.close();
  await removeFolder(elsewhere);
});

/** The error for a user with a database of his own on the server, where his store has its views all the same. */
async function saidTo(client: pg.Client, on: string): Promise<string> {
  await client.query("CREATE ROLE plain LOGIN PASSWORD 'x' NOCREATEROLE");
  await client.query('CREATE DATABASE plain OWNER plain');
  const databaseUrl = `postgres://plain:x@127.0.0.1:${await portOf(on)}/plain`;
  const said: string[] = [];
  const elsewhere = await temporaryFolder();
  const own = await openStore({ folder: elsewhere, databaseUrl, clock, create: true, onProgress: (m) => said.push(m) });
  const plain = new pg.Client({ connectionString: databaseUrl });
  await plain.connect();
  assert.equal((await plain.query('SELECT * FROM setpoint_read.drift')).rowCount, 0);
  await plain.end();
  await own.close();
  await removeFolder(elsewhere);
  return said.join();
}

test('DATABASE_URL: a person who is given the role reads the views, and nothing else', async () => {
  await admin.query("CREATE ROLE house LOGIN PASSWORD 'x' CREATEROLE");
  await admin.query('CREATE DATABASE house OWNER house');
  const databaseUrl = `postgres://house:x@127.0.0.1:${await portOf(folder)}/house`;
  const elsewhere = await temporaryFolder();
  await (await openStore({ folder: elsewhere, databaseUrl, clock, create: true })).close();
  await admin.query("CREATE ROLE ann LOGIN PASSWORD 'x' IN ROLE setpoint_reader");
  const ann = new pg.Client({ connectionString: databaseUrl.replace('house:x', 'ann:x') });
  await ann.connect();
  assert.equal((await ann.query('SELECT * FROM setpoint_read.inventory')).rowCount, 0);
  await assert.rejects(ann.query('SELECT * FROM setpoint.ledger'), { code: '42501' });
  await ann.end();
  await removeFolder(elsewhere);
});
