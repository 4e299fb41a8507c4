import assert from 'node:assert/strict';
import { chmodSync } from 'node:fs';
import { test } from 'node:test';
import { until } from '../support/until.ts';
import { runCli, startCli } from './support/run-cli.ts';
import { sandboxed } from './support/sandboxed.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

/** Long for a busy machine, and far less than the minutes for which a run has patience with a cloud. */
const soonMs = 60_000;

test('Ctrl-C in an apply: it ends soon, says what was done, lets go of the lease, and the next one goes on', async () => {
  const { specs, sandbox } = await sandboxed();
  const { log, faults } = sandbox.control;
  const cwd = temporaryFolder();
  chmodSync(cwd, 0o711);
  const fault = faults.add({ match: { action: 'CreateSubnet' }, effect: { kind: 'throttle' } });
  const { child, ended } = startCli(['apply', specs, '--allow-endpoint', '--yes'], cwd);
  await until('a subnet is asked for', () => log.entries({ action: 'CreateSubnet' }).length > 0);
  const stoppedAt = performance.now();
  child.kill('SIGINT');
  const { code, stdout, stderr } = await ended;
  const took = performance.now() - stoppedAt;
  assert.equal(code, 4, stderr);
  assert.match(stdout, /^Applied: \d+ added[^\n]* not done · stopped/);
  assert.match(stdout, /done {6}\+ aws\/\S+\/network\/core/);
  assert.ok(took < soonMs, `it took ${took} ms`);
  faults.remove(fault);
  const again = await runCli(['apply', specs, '--allow-endpoint', '--yes', '--json'], cwd);
  assert.equal(again.code, 0, `${again.stdout}${again.stderr}`);
  assert.equal(log.entries({ action: 'CreateVpc' }).length, 1);
  const { done, exitCode } = JSON.parse(again.stdout);
  assert.deepEqual([done.length > 5, exitCode], [true, 0]);
  assert.match((await runCli(['ledger', 'verify'], cwd)).stdout, /^Ledger: whole/);
});
