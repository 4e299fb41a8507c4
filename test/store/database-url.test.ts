import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import pg from 'pg';
import { poolsOf, prepareQueueSchema } from '../../src/queue/connection.ts';
import { connect, fromDatabaseUrl } from '../../src/store/connection.ts';
import { type DatabaseServer, openStore } from '../../src/store/open-store.ts';
import { virtualClock } from '../support/virtual-clock.ts';
import { ownStore } from './own-store.ts';
import { portOf } from './owner.ts';
import { removeFolder, temporaryFolder } from './temporary-folder.ts';

const clock = virtualClock();
const { folder, admin } = await ownStore(clock);

/** All that pg makes of how to connect, the password too. */
function madeOf(config: pg.ClientConfig): unknown {
  const { connectionParameters: made } = new pg.Client(config) as unknown as Inside; // why: its types leave this out
  return { ...made, password: made.password, ssl: typeof made.ssl === 'object' ? { ...made.ssl } : made.ssl };
}

interface Inside {
  readonly connectionParameters: { readonly password: unknown; readonly ssl: unknown };
}

const urls = [
  'postgres://house:x@db.example.com:6543/house',
  'postgresql://house:p%40ss%2Fword@[::1]/house',
  'postgres://db.example.com',
  'postgres:///house?host=/var/run/postgresql&user=house',
  '/var/run/postgresql house',
  'socket:/var/run/postgresql?db=house&encoding=utf8',
  'postgres://h:x@a/b?sslmode=require&channel_binding=require',
  'postgres://h:x@a/b?sslmode=no-verify',
  'postgres://h:x@a/b?sslmode=disable',
  ...['true', '1', '0', 'no-verify'].map((ssl) => `postgres://h:x@a/b?ssl=${ssl}`),
  'postgres://h:x@a/b?options=-c%20geqo%3Doff&application_name=mine&fallback_application_name=other',
  'postgres://h:x@a/b?statement_timeout=1&lock_timeout=2&idle_in_transaction_session_timeout=3&query_timeout=4',
];
for (const url of urls)
  test(`it is read as pg reads it: ${url}`, () =>
    assert.deepEqual(madeOf(fromDatabaseUrl(url)), madeOf({ connectionString: url })));

test('TLS that pg would begin for whatever text is begun', () =>
  assert.equal(fromDatabaseUrl('postgres://h:x@a/b?ssl=require').ssl, true));

test('what is for no connection says nothing to a pool', () => {
  const { max, log } = Object(fromDatabaseUrl('postgres://h:x@a/b?max=1&log=x'));
  assert.deepEqual([max, log], [undefined, undefined]);
});

test('one that cannot be read is told of, with what it should look like and without the password', () =>
  assert.throws(() => fromDatabaseUrl('postgres://house:secret@db:port/house'), {
    message: /^DATABASE_URL cannot be read: (?!.*secret).*postgres:\/\/user:password@host:5432\/database/,
  }));

test('its options and time limits stand beside ours, and replace none of them', async () => {
  await admin.query("CREATE ROLE house LOGIN PASSWORD 'x' CREATEROLE");
  await admin.query('GRANT setpoint_app TO house WITH ADMIN OPTION');
  await admin.query('CREATE DATABASE house OWNER house');
  const asked = `options=${encodeURIComponent('-c geqo=off -c search_path=nowhere')}&idle_in_transaction_session_timeout=0&lock_timeout=9000`;
  const databaseUrl = `postgres://house:x@127.0.0.1:${await portOf(folder)}/house?${asked}`;
  const elsewhere = await temporaryFolder();
  const servers: DatabaseServer[] = [];
  const store = await openStore({
    ...{ folder: elsewhere, databaseUrl, clock, create: true },
    onServer: async (reached) => void servers.push(reached),
  });
  const [server] = servers;
  assert.ok(server);
  await store.ledger.note('acme', { n: 1 });
  await prepareQueueSchema({ owner: server.owner });
  const pools = poolsOf(server.work.config);
  const { rows: queue } = await pools.one().query(settings);
  assert.deepEqual(queue, [{ path: '"bullmq"', geqo: 'off', lock: '9s', idle: '0' }]);
  await pools.end();
  const db = connect(server.work, 7000);
  const { rows: own } = await sql.raw(settings).execute(db);
  assert.deepEqual(own, [{ path: 'nowhere', geqo: 'off', lock: '9s', idle: '7s' }]);
  await db.destroy();
  await store.close();
  await removeFolder(elsewhere);
});

const settings = `
  SELECT current_setting('search_path') AS path, current_setting('geqo') AS geqo, current_setting('lock_timeout') AS lock,
    current_setting('idle_in_transaction_session_timeout') AS idle`;

test('the database that Setpoint brings along is reached, whatever the environment says of TLS to others', async (t) => {
  const { PGSSLMODE: before } = process.env;
  t.after(() => {
    if (before === undefined) delete process.env['PGSSLMODE'];
    else process.env['PGSSLMODE'] = before;
  });
  process.env['PGSSLMODE'] = 'require';
  const again = await openStore({ folder, clock, create: true });
  await again.ledger.note('acme', { n: 2 });
  await again.close();
});

for (const url of [
  'nonsense',
  'secret',
  'mysql://house:secret@db/house',
  'db.example.com:5432/house',
  'http://db/house',
])
  test(`it is refused before any host is asked, and not shown: ${url.replace('secret', '…')}`, () =>
    assert.throws(
      () => fromDatabaseUrl(url),
      (error: Error) =>
        /^DATABASE_URL cannot be read: it does not begin with postgres:\/\/\. It has the form /.test(error.message) &&
        !error.message.includes(url) &&
        !error.message.includes('secret'),
    ));
