import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { startSandbox } from '../../sandbox/index.ts';
import { recorder } from '../../scripts/demo/recorder.ts';
import { until } from '../support/until.ts';

test('without a folder for records nothing is recorded', async () => {
  const { SETPOINT_RECORDS: before } = process.env;
  delete process.env['SETPOINT_RECORDS'];
  try {
    assert.equal(await recorder('gcp'), undefined);
  } finally {
    if (before !== undefined) process.env['SETPOINT_RECORDS'] = before;
  }
});

test('what a client asks through the proxy is written down, and answered', async (t) => {
  const { SETPOINT_GATES: gates } = process.env;
  if (gates === undefined) return t.skip('SETPOINT_GATES names no folder of outside checks');
  const folder = await mkdtemp(join(tmpdir(), 'setpoint-records-'));
  const { SETPOINT_RECORDS: before } = process.env;
  process.env['SETPOINT_RECORDS'] = folder;
  const record = await recorder('azure');
  assert.ok(record);
  const sandbox = await startSandbox({ port: record.port, publicUrl: record.url });
  try {
    const answer = await fetch(`${record.url}/subscriptions/none?api-version=2025-04-01`);
    assert.ok(answer.status >= 400);
    const written = async (): Promise<string> => {
      const [file] = await readdir(folder);
      return file === undefined ? '' : readFile(join(folder, file), 'utf8');
    };
    await until('the exchange is written down', async () => (await written()).endsWith('\n'));
    const line: unknown = JSON.parse(await written());
    assert.ok(typeof line === 'object' && line !== null && 'status' in line);
    assert.equal(line.status, answer.status);
  } finally {
    await record.end();
    await sandbox.close();
    await rm(folder, { recursive: true });
    if (before === undefined) delete process.env['SETPOINT_RECORDS'];
    else process.env['SETPOINT_RECORDS'] = before;
  }
});
