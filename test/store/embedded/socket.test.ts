import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { dataOf } from '../../../src/store/embedded/cluster.ts';
import { clearSockets, hostOf } from '../../../src/store/embedded/server.ts';

async function listening<T>(path: string, work: () => Promise<T>): Promise<T> {
  const listener = createServer().listen(path);
  await once(listener, 'listening');
  try {
    return await work();
  } finally {
    listener.close();
  }
}

async function inHome(under: string, work: (home: string) => Promise<void>): Promise<void> {
  const own = await mkdtemp(join(tmpdir(), 'setpoint-socket-'));
  const home = join(own, under);
  await mkdir(dataOf(home), { recursive: true });
  try {
    await work(home);
  } finally {
    await rm(own, { recursive: true });
  }
}

test('the server is reached by its socket, where there is one of its port', () =>
  inHome('.', (home) =>
    listening(join(dataOf(home), '.s.PGSQL.4001'), async () => {
      await writeFile(join(dataOf(home), '.s.PGSQL.4003'), '');
      assert.equal(await hostOf({ home }, 4001), dataOf(home));
      assert.equal(await hostOf({ home }, 4002), '127.0.0.1');
      assert.equal(await hostOf({ home }, 4003), '127.0.0.1', 'a file is no socket');
    }),
  ));

test('a path that is too long for a socket is left alone: by a relative one the server may have it all the same', () =>
  inHome('d'.repeat(90), async (home) => {
    const before = process.cwd();
    process.chdir(dataOf(home));
    try {
      await listening('.s.PGSQL.4001', async () => assert.equal(await hostOf({ home }, 4001), '127.0.0.1'));
    } finally {
      process.chdir(before);
    }
  }));

test('what a dead server left is taken away, and nothing else', () =>
  inHome('.', async (home) => {
    for (const name of ['.s.PGSQL.4001', '.s.PGSQL.4001.lock', 'PG_VERSION'])
      await writeFile(join(dataOf(home), name), '');
    await clearSockets({ home });
    assert.deepEqual(await readdir(dataOf(home)), ['PG_VERSION']);
  }));
