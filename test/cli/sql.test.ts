import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { cliDependencies } from '../../src/bootstrap/cli-dependencies.ts';
import type { SqlSession } from '../../src/cli/context.ts';
import { runCli } from '../../src/cli/program.ts';
import { openStore } from '../../src/store/open-store.ts';
import { removeFolder, temporaryFolder as storePlace } from '../store/temporary-folder.ts';
import { fakeTerminal } from './support/fake-terminal.ts';
import { clockOfWaits, realClock } from './support/in-process.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const folder = await storePlace();
let close: () => Promise<void>;
before(async () => {
  const store = await openStore({ folder, clock: realClock, create: true });
  await store.ledger.note('acme', { n: 1 });
  close = store.close;
});
after(async () => {
  await close();
  await removeFolder(folder);
});

async function said(args: readonly string[], reading?: SqlSession) {
  const terminal = fakeTerminal();
  const own = cliDependencies(realClock, undefined);
  const dependencies = reading === undefined ? own : { ...own, openSqlSession: async () => reading };
  const signal = new AbortController().signal;
  const code = await runCli(['sql', ...args], { terminal, dependencies, clock: clockOfWaits(), signal }, '0.0.0-test');
  return { code, stdout: terminal.stdout(), stderr: terminal.stderr() };
}

test('--url: a login that reads the views, while others keep the database up', async () => {
  const { code, stdout, stderr } = await said(['--dir', folder, '--url']);
  assert.deepEqual([code, stderr], [0, '']);
  assert.match(stdout, /^postgres:\/\/setpoint_reader:[\w-]{32}@127\.0\.0\.1:\d+\/postgres\n$/);
  const client = new pg.Client({ connectionString: stdout.trim() });
  await client.connect();
  const { rows } = await client.query('SELECT estate, seq::int, note FROM ledger');
  assert.deepEqual(rows, [{ estate: 'acme', seq: 1, note: { n: 1 } }]);
  await client.end();
});

test('--url says where nobody else keeps the database up', async () => {
  const login = { user: 'setpoint_reader', password: 'p', port: 5, shared: false };
  const { code, stdout, stderr } = await said(['--url'], { login, close: async () => {} });
  assert.deepEqual([code, stdout], [0, 'postgres://setpoint_reader:p@127.0.0.1:5/postgres\n']);
  assert.match(stderr, /it stops now\. Run `setpoint serve`/);
});

test('on a server of the user\u2019s own it says how the role is given', async () => {
  const { code, stderr } = await said([], { close: async () => {} });
  assert.equal(code, 1);
  assert.match(stderr, /DATABASE_URL[\s\S]*CREATE ROLE ann LOGIN PASSWORD '…' IN ROLE setpoint_reader/);
});

test('where there is no store it says so', async () => {
  const { code, stderr } = await said(['--dir', temporaryFolder({})]);
  assert.equal(code, 1);
  assert.match(stderr, /There is no store/);
});

/** The command line with nothing on the search path but, perhaps, a psql that tells how it was called. */
function withPsql(
  script?: string,
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const path = temporaryFolder({});
  if (script !== undefined) writeFileSync(join(path, 'psql'), script, { mode: 0o755 });
  const cli = new URL('../../src/bootstrap/cli.ts', import.meta.url).pathname;
  const { DATABASE_URL: _, ...env } = process.env;
  return new Promise((resolve) => {
    const args = [cli, 'sql', '--dir', folder, '-c', 'SELECT 1 FROM drift'];
    execFile(
      process.execPath,
      args,
      { env: { ...env, PGSSLMODE: 'require', PATH: `${path}:/usr/sbin:/sbin` } },
      (error, stdout, stderr) => resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr }),
    );
  });
}

test('a question is handed to psql, the password by the environment alone, and its exit code is ours', async () => {
  const { code, stdout } = await withPsql('#!/bin/sh\necho "$@"; echo "$PGSSLMODE $PGPASSWORD"; exit 3\n');
  assert.match(
    stdout,
    /^--host=127\.0\.0\.1 --port=\d+ --username=setpoint_reader --dbname=postgres --command SELECT 1 FROM drift\ndisable [\w-]{32}\n$/,
  );
  assert.equal(code, 1);
});

test('without psql it says how to get one', async () => {
  const { code, stderr } = await withPsql();
  assert.equal(code, 1);
  assert.match(stderr, /There is no psql on the search path\.[\s\S]*postgresql-client/);
});
