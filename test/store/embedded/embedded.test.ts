import assert from 'node:assert/strict';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, afterEach, beforeEach, test } from 'node:test';
import type { Store } from '../../../src/ports/store.ts';
import { commandLine } from '../../../src/store/embedded/server.ts';
import { openStore } from '../../../src/store/open-store.ts';
import { until } from '../../support/until.ts';
import { virtualClock } from '../../support/virtual-clock.ts';
import { owner } from '../owner.ts';
import { removeFolder, temporaryFolder } from '../temporary-folder.ts';
import { type OtherProcess, otherProcess } from './other-process.ts';

/** One folder, as a user has; every test leaves it without a running server. */
const folder = await temporaryFolder();
let others: OtherProcess[] = [];
let stores: Store[] = [];
let estates = 0;
let acme = '';
beforeEach(() => {
  others = [];
  stores = [];
  acme = `acme-${++estates}`;
});
afterEach(async () => {
  for (const store of stores) await store.close();
  for (const other of others) await other.kill();
  await open().then((store) => store.close());
});
after(() => removeFolder(folder));

async function open(onProgress: (message: string) => void = () => {}): Promise<Store> {
  const store = await openStore({ folder, clock: virtualClock(), create: true, onProgress });
  stores.push(store);
  return store;
}

async function start(): Promise<OtherProcess> {
  const other = await otherProcess(folder);
  others.push(other);
  return other;
}

const inside = (...path: string[]): string => join(folder, '.setpoint', ...path);

/** The server's process id; undefined where none runs. */
async function serverPid(): Promise<number | undefined> {
  const text = await readFile(inside('data', 'postmaster.pid'), 'utf8').catch(() => '');
  const pid = Number.parseInt(text, 10);
  return commandLine(pid).includes(inside('data')) ? pid : undefined;
}

test('embedded: where there is no store, looking for one makes nothing; making one says so, once', async () => {
  const looking = { folder, clock: virtualClock(), create: false };
  assert.equal(await openStore(looking), undefined);
  assert.deepEqual(await readdir(folder), []);
  const said: string[] = [];
  const made = await open((message) => said.push(message));
  // In a checkout that the database's account cannot reach, its programs are copied first.
  assert.deepEqual(
    said.filter((message) => !message.startsWith('copying PostgreSQL')),
    [`creating a database in ${inside()}`],
  );
  await made.close();
  assert.equal(await serverPid(), undefined);
  const before = said.length;
  const found = await openStore({ ...looking, onProgress: (message) => said.push(message) });
  assert.equal(found?.estates.store, made.estates.store);
  assert.deepEqual(said.slice(before), [], 'the second time there is nothing to tell');
  await found?.close();
});

test('embedded: listens on this machine only, on a socket that is ours alone, and keeps its secrets to us', async () => {
  const store = await open();
  await store.ledger.note(acme, { hello: 1 });
  await store.audit.checkpoint(acme);
  const client = await owner(folder);
  const { rows } = await client.query(
    "SELECT current_setting('listen_addresses') AS addresses, current_setting('unix_socket_directories') AS sockets",
  );
  const from = await client.query(
    "SELECT DISTINCT client_addr FROM pg_stat_activity WHERE application_name = 'setpoint'",
  );
  assert.deepEqual(from.rows, [{ client_addr: null }], 'the store takes the socket');
  await client.end();
  assert.deepEqual(rows, [{ addresses: '127.0.0.1', sockets: '.' }]);
  const modes = {
    'passwords.json': 0o600,
    'keys/checkpoint.key': 0o600,
    keys: 0o700,
    data: 0o700,
    'checkpoints.jsonl': 0o600,
  };
  for (const [name, mode] of Object.entries(modes)) assert.equal((await stat(inside(name))).mode & 0o777, mode, name);
  assert.equal((await stat(inside())).mode & 0o066, 0);
});

test('embedded: a second process joins, and the last one out stops the server', async () => {
  const first = await start();
  const pid = await serverPid();
  assert.ok(pid);
  const second = await start();
  const third = await open();
  assert.equal(await serverPid(), pid);
  await first.close();
  assert.equal(await second.ask(`note ${acme}`), 1);
  assert.equal(await third.ledger.note(acme, {}), 2);
  await second.close();
  assert.equal(await third.ledger.note(acme, {}), 3);
  assert.equal(await serverPid(), pid);
  await third.close();
  assert.equal(await serverPid(), undefined);
});

test('embedded: processes that start at the same moment share one server', async () => {
  const all = await Promise.all([start(), start(), open()]);
  const [first, second, third] = all;
  const seqs = await Promise.all([first.ask(`note ${acme}`), second.ask(`note ${acme}`), third.ledger.note(acme, {})]);
  assert.deepEqual(seqs.map(Number).sort(), [1, 2, 3]);
});

test('embedded: the server outlives the kill of the process that started it, for the others', async () => {
  const starter = await start();
  const other = await start();
  const pid = await serverPid();
  await starter.kill();
  assert.equal(await other.ask(`note ${acme}`), 1);
  assert.equal(await serverPid(), pid);
  await other.close();
  assert.equal(await serverPid(), undefined);
});

test('embedded: a server whose only user was killed is joined by the next one, and not stranded', async () => {
  const only = await start();
  const pid = await serverPid();
  await only.kill();
  assert.equal(await serverPid(), pid);
  const next = await open();
  assert.equal(await serverPid(), pid);
  await next.close();
  assert.equal(await serverPid(), undefined);
});

test('embedded: a process that exits without closing stops the server all the same', async () => {
  const hasty = await start();
  assert.ok(await serverPid());
  await hasty.exit();
  await until('the server has stopped', async () => (await serverPid()) === undefined);
});

test('embedded: a server that was killed itself is started again, with all that was committed', async () => {
  const first = await open();
  await first.ledger.note(acme, { n: 1 });
  const pid = await serverPid();
  assert.ok(pid);
  process.kill(pid, 'SIGKILL');
  // why: who is told to die lives on for a moment, and still takes connections
  await until('the server is dead', () => commandLine(pid) === '');
  const second = await open();
  // why: PostgreSQL takes numbers of a sequence from its log in advance, and a crash loses those
  assert.ok((await second.ledger.note(acme, { n: 2 })) > 1);
  assert.equal((await second.audit.verify(acme)).ok, true);
  assert.notEqual(await serverPid(), pid);
  const sockets = (await readdir(inside('data'))).filter((name) => name.startsWith('.s.PGSQL.'));
  assert.equal(sockets.length, 2, `the socket of the new one, and its lock: ${sockets}`);
});

test('embedded: a pid file whose process id belongs to somebody else by now is no server', async () => {
  await (await open()).close();
  await writeFile(
    inside('data', 'postmaster.pid'),
    `${process.pid}\n${inside('data')}\n1\n1\n\n127.0.0.1\n\nready   \n`,
  );
  const store = await open();
  assert.equal(await store.ledger.note(acme, {}), 1);
  assert.notEqual(await serverPid(), process.pid);
});

test('embedded: a lease of a killed process is held until it runs out, then another one takes it', async () => {
  const holder = await start();
  const scope = 'aws/1/eu-west-1';
  assert.ok(await holder.ask(`acquire ${acme} ${scope}`));
  const store = await open();
  await holder.kill();
  const refused = await store.leases.acquire(acme, scope, 'me');
  assert.ok(!refused.ok && /^test \d+$/.test(refused.heldBy) && Math.abs(refused.since - Date.now()) < 60_000);
  const client = await owner(folder);
  await client.query("UPDATE setpoint.leases SET expires_at = now() - interval '1 second'");
  await client.end();
  const taken = await store.leases.acquire(acme, scope, 'me');
  assert.ok(taken.ok && taken.lease.epoch === 2);
});
