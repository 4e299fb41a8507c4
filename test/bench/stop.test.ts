import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { stop } from '../../bench/processes/measured.ts';

const program =
  "process.on('SIGTERM', () => { process.stdout.write('last words'); clearInterval(on) }); const on = setInterval(() => {}, 1000); console.log('up')";

test('stop: asks politely, waits for the last words, and a second time for nothing', { timeout: 60_000 }, async () => {
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.on('data', (piece) => {
    said += String(piece);
  });
  await once(child.stdout, 'data');
  await stop(child);
  assert.equal(child.exitCode, 0);
  assert.match(said, /last words$/);
  await stop(child);
});

test('stop: what a signal ended has ended', { timeout: 60_000 }, async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  child.kill('SIGKILL');
  await once(child, 'exit');
  await stop(child);
  assert.equal(child.signalCode, 'SIGKILL');
});
