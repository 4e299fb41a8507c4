import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openStore } from '../../src/store/open-store.ts';
import { virtualClock } from '../support/virtual-clock.ts';
import { ownStore } from './own-store.ts';
import { application, owner, portOf } from './owner.ts';
import { removeFolder, temporaryFolder } from './temporary-folder.ts';

const clock = virtualClock();
const { folder, store, admin } = await ownStore(clock);
await store.ledger.note('acme', { n: 1 });

const denied = { code: '42501' };
const changes = [
  'UPDATE setpoint.ledger SET at = 0',
  'DELETE FROM setpoint.ledger',
  'TRUNCATE setpoint.ledger',
  'ALTER TABLE setpoint.ledger DISABLE TRIGGER ALL',
  'DROP TRIGGER append_only ON setpoint.ledger',
  "UPDATE setpoint.store SET id = '00000000-0000-4000-8000-000000000000'",
  'DELETE FROM setpoint.generations',
  "UPDATE setpoint.trees SET tree = '{}'",
  'DELETE FROM setpoint.approvals',
  'UPDATE setpoint.refusals SET at = 0',
  'DELETE FROM setpoint.pauses',
  'DELETE FROM setpoint.accepted_histories',
  "UPDATE setpoint.accepted_histories SET head = ''",
  'DELETE FROM setpoint.tokens',
  "UPDATE setpoint.tokens SET body = '{}'",
  'UPDATE setpoint.tokens SET expires_at = 0',
  "UPDATE setpoint.tokens SET hash = ''",
  'SET ROLE setpoint_owner',
];
for (const change of changes)
  test(`guard: the application may not ${change}`, async () => {
    const client = await application(folder);
    await assert.rejects(client.query(change), denied);
    await client.end();
  });

for (const change of changes.slice(0, 3))
  test(`guard: the owner is refused, too: ${change}`, () =>
    assert.rejects(admin.query(change), /append-only: .* is refused/));

/** A database of the user's own on the same server, and how to reach it as `user`. */
async function ownDatabase(name: string, role: string): Promise<string> {
  await admin.query(`CREATE ROLE ${name} LOGIN PASSWORD 'x' ${role}`);
  await admin.query(`CREATE DATABASE ${name} OWNER ${name}`);
  return `postgres://${name}:x@127.0.0.1:${await portOf(folder)}/${name}`;
}

test('DATABASE_URL: looking makes nothing, and a user who may make roles works as the application', async () => {
  const databaseUrl = await ownDatabase('maker', 'CREATEROLE');
  await admin.query('GRANT setpoint_app TO maker WITH ADMIN OPTION');
  const elsewhere = await temporaryFolder();
  assert.equal(await openStore({ folder: elsewhere, databaseUrl, clock, create: false }), undefined);
  const said: string[] = [];
  const made = await openStore({
    folder: elsewhere,
    databaseUrl,
    clock,
    create: true,
    onProgress: (m) => said.push(m),
  });
  assert.deepEqual(said, []);
  assert.equal(await made.ledger.note('acme', {}), 1);
  const found = await openStore({ folder: elsewhere, databaseUrl, clock, create: false });
  assert.equal(found?.estates.store, made.estates.store);
  assert.notEqual(made.estates.store, store.estates.store);
  const using = await admin.query("SELECT count(*)::int AS n FROM pg_stat_activity WHERE usename = 'maker'");
  assert.ok(using.rows[0].n > 0);
  await found?.close();
  await made.close();
  assert.equal(
    (await openStore({ folder: elsewhere, databaseUrl, clock, create: true })).estates.store,
    made.estates.store,
  );
  await removeFolder(elsewhere);
});

test('DATABASE_URL: where roles cannot be made it says so, and the triggers still refuse', async () => {
  const databaseUrl = await ownDatabase('plain', 'NOCREATEROLE');
  const elsewhere = await temporaryFolder();
  const said: string[] = [];
  const made = await openStore({
    folder: elsewhere,
    databaseUrl,
    clock,
    create: true,
    onProgress: (m) => said.push(m),
  });
  assert.match(said.join(), /guarded by its triggers alone/);
  assert.equal(await made.ledger.note('acme', {}), 1);
  assert.equal((await made.audit.verify('acme')).ok, true);
  const client = await owner(folder, 'plain');
  for (const change of changes.slice(0, 3)) await assert.rejects(client.query(change), /append-only/);
  await client.end();
  await made.close();
  await removeFolder(elsewhere);
});

test('DATABASE_URL: a user who may not make what is missing is told who can; with the role alone it works', async () => {
  const databaseUrl = await ownDatabase('keeper', 'CREATEROLE');
  await admin.query('GRANT setpoint_app TO keeper WITH ADMIN OPTION');
  await admin.query("CREATE ROLE guest LOGIN PASSWORD 'x'");
  const elsewhere = await temporaryFolder();
  const guest = (said: string[] = []) =>
    openStore({
      folder: elsewhere,
      databaseUrl: databaseUrl.replace('keeper:x', 'guest:x'),
      clock,
      create: true,
      onProgress: (message) => said.push(message),
    });
  const refused =
    /database keeper is not brought up to \d{4}-\S+\.sql, and the user guest may not do it: .*DATABASE_URL naming the user who owns.*GRANT setpoint_app TO guest/;
  await assert.rejects(guest(), refused);
  await (await openStore({ folder: elsewhere, databaseUrl, clock, create: true })).close();
  await assert.rejects(guest(), refused);
  await admin.query('GRANT setpoint_app TO guest');
  const said: string[] = [];
  const theirs = await guest(said);
  assert.deepEqual(said, []);
  assert.equal(await theirs.ledger.note('acme', {}), 1);
  await theirs.fleet.requests.ask({ estate: 'acme', scope: 's' }, 'now');
  await theirs.close();
  const client = await owner(folder, 'keeper');
  await client.query('DELETE FROM setpoint.migrations WHERE number = (SELECT max(number) FROM setpoint.migrations)');
  await assert.rejects(guest(), refused);
  await client.end();
  await removeFolder(elsewhere);
});

test('DATABASE_URL: where nobody answers the error says where, and keeps the password', async () => {
  const databaseUrl = 'postgres://me:hunter2@127.0.0.1:1/mine';
  await assert.rejects(openStore({ folder, databaseUrl, clock, create: false }), (error: Error) => {
    assert.match(error.message, /no connection to the database mine at 127\.0\.0\.1:1: .*ECONNREFUSED.*DATABASE_URL/);
    assert.ok(!error.message.includes('hunter2'));
    return true;
  });
});

test('migrations: a database of a newer program is refused, and so is one made by other migrations', async () => {
  const again = () => openStore({ folder, clock, create: true });
  await admin.query("INSERT INTO setpoint.migrations (number, name, checksum) VALUES (99, '0099-later.sql', 'x')");
  await assert.rejects(
    again(),
    /newer than this program: it has 0099-later\.sql, we know up to \d{4}-.*Update setpoint/,
  );
  await admin.query('DELETE FROM setpoint.migrations WHERE number = 99');
  await admin.query("UPDATE setpoint.migrations SET checksum = 'x' || checksum WHERE number = 1");
  await assert.rejects(again(), /made by another 0001-store\.sql/);
  await admin.query('UPDATE setpoint.migrations SET checksum = substr(checksum, 2) WHERE number = 1');
  await (await again()).close();
});

test('the application is a role of its own', async () => {
  // a connection that idles for 10 s is closed, and on a busy machine none would be left to look at
  await store.ledger.note('acme', { n: 2 });
  const { rows } = await admin.query(
    "SELECT DISTINCT usename FROM pg_stat_activity WHERE application_name = 'setpoint' AND datname = 'postgres'",
  );
  assert.deepEqual(rows, [{ usename: 'setpoint_app' }]);
});
