import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandLine } from './support/in-process.ts';
import { edit, sandboxed } from './support/sandboxed.ts';

const go = ['--allow-endpoint', '--yes'];

test('apply --grace begins the grace of a removed replica, status lists it, and apply deletes it at once', async () => {
  const { specs, sandbox } = await sandboxed();
  const run = commandLine();
  assert.equal((await run(['apply', specs, ...go])).code, 0);
  edit(specs, 'instances.yaml', 'replicas: 3', 'replicas: 2');
  sandbox.control.log.clear();
  const writes = () => sandbox.control.log.entries({ mutating: true }).map(({ action }) => action);

  const begun = await run(['apply', specs, ...go, '--grace']);
  assert.match(begun.stderr, /- instance web-2 {2}scaled-down; deleted after a grace of 1 h/);
  assert.match(begun.stdout, /^Applied: .* 0 deleted · 1 to be deleted after their grace · generation 2/, begun.stderr);
  assert.deepEqual([begun.code, writes()], [0, []]);

  const status = await run(['status', specs]);
  assert.match(status.stdout, / · 1 resource in its grace/);
  assert.match(status.stdout, /In their grace\n {2}\S+\/instance\/web-2 \(i-\w+\) until .* UTC, in \d+ min/);
  const { scopes } = JSON.parse((await run(['status', specs, '--json'])).stdout);
  assert.deepEqual(
    scopes.flatMap(({ inGrace }: { inGrace: { kind: string }[] }) => inGrace.map(({ kind }) => kind)),
    ['instance'],
  );

  const again = await run(['apply', specs, ...go, '--grace', '--json']);
  assert.deepEqual([again.code, writes()], [0, []]);
  const now = await run(['apply', specs, ...go]);
  assert.match(now.stderr, /- instance web-2 {2}scaled-down; grace until .* UTC/);
  assert.match(now.stdout, /^Applied: .* 1 deleted/);
  assert.deepEqual(writes(), ['TerminateInstances']);
  assert.doesNotMatch((await run(['status', specs])).stdout, /grace/);
});
