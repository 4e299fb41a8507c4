import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { runCli } from './support/run-cli.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const program = join(import.meta.dirname, '../../src/bootstrap/cli.ts');

test('it says where it listens, answers there, and ends by SIGINT, whoever is connected', {
  timeout: 300_000,
}, async (t) => {
  const child = spawn(process.execPath, [program, 'sandbox', '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const first = (await lines.next()).value;
  const url = /^Sandbox: (http:\/\/127\.0\.0\.1:\d+)$/.exec(String(first))?.[1] ?? assert.fail(String(first));
  assert.match(String((await lines.next()).value), /AWS_ACCESS_KEY_ID=test/, 'what a newcomer lacks');
  const answer = await fetch(url, { method: 'POST', body: 'Action=GetCallerIdentity&Version=2011-06-15' });
  assert.ok(answer.status >= 400, 'unsigned requests are refused');

  const port = Number(new URL(url).port);
  const clients = await Promise.all(['', 'POST / HTTP/1.1\r\n'].map((begun) => connected(port, begun)));
  child.kill('SIGINT');
  const [code] = await once(child, 'exit');
  assert.equal(code, 0);
  for (const { gone } of clients) await gone;
});

/** A client that sends so much and no more; returns a promise that ends once the server has cut it off. */
async function connected(port: number, begun: string): Promise<{ readonly gone: Promise<unknown> }> {
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  const gone = new Promise((resolve) => socket.once('close', resolve));
  await once(socket, 'connect');
  socket.write(begun);
  return { gone };
}

test('a port that is taken: what to do', async () => {
  const holder = createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  const address = holder.address();
  const port = typeof address === 'object' && address !== null ? address.port : assert.fail();
  const { code, stderr } = await runCli(['sandbox', '--port', String(port)], temporaryFolder());
  holder.close();
  assert.equal(code, 1);
  assert.match(stderr, /Port \d+ is taken[\s\S]*--port 0/);
});

test('a port that is none is refused with what to write', async () => {
  const { code, stderr } = await runCli(['sandbox', '--port', '70000'], temporaryFolder());
  assert.equal(code, 1);
  assert.match(stderr, /whole number from 0 to 65535/);
});

test('events that would leave this machine are refused before it listens', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'events.json');
  writeFileSync(file, JSON.stringify([{ cloud: 'azure', url: 'https://example.com/hook' }]));
  const { code, stderr } = await runCli(['sandbox', '--port', '0', '--events', file], folder);
  assert.equal(code, 1);
  assert.match(stderr, /events\.json\[0\]\.url: expected an http URL on this machine/);
});
