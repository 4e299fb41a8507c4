import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandLine } from './support/in-process.ts';
import { sandboxed } from './support/sandboxed.ts';

test('apply, then a plan with nothing to do, then an apply that makes no call', async () => {
  const { specs, sandbox } = await sandboxed();
  const run = commandLine();
  const first = await run(['apply', specs, '--allow-endpoint', '--yes']);
  assert.match(
    first.stdout,
    /^Applied: 13 added, 0 changed, 0 replaced, 0 deleted · generation 1 · \d+ calls\n$/,
    first.stderr,
  );
  assert.equal(first.code, 0);
  const second = await run(['plan', specs, '--allow-endpoint', '--json', '--detailed-exitcode']);
  assert.deepEqual([second.code, JSON.parse(second.stdout).actions], [0, []]);
  sandbox.control.log.clear();
  const third = await run(['apply', specs, '--allow-endpoint']);
  assert.match(third.stdout, /^Applied: 0 added/);
  assert.deepEqual([third.code, sandbox.control.log.entries({ mutating: true })], [0, []]);
});
