import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { commandLine } from './support/in-process.ts';
import { sandboxed } from './support/sandboxed.ts';

const { specs, sandbox } = await sandboxed();

test('without a store: all is to add, told as text, and nothing is changed', async () => {
  const { code, stdout, stderr } = await commandLine()(['plan', specs, '--allow-endpoint']);
  assert.equal(code, 0);
  assert.match(
    stdout,
    /^Plan: 13 to add, 0 to change, 0 to replace, 0 to delete · 0 drifted · 0 unmanaged · folder \w{7} · \d+ calls\n/,
  );
  assert.ok(stdout.includes(`+ network core  ${join(specs, 'network.yaml')}:4`), 'documents by their path from here');
  assert.match(stderr, /There is no store/);
  assert.deepEqual(sandbox.control.log.entries({ mutating: true }), []);
});

test('--json is one object, with a digest an action; --detailed-exitcode is 2', async () => {
  const { code, stdout } = await commandLine()(['plan', specs, '--allow-endpoint', '--json', '--detailed-exitcode']);
  const plan = JSON.parse(stdout);
  assert.equal(code, 2);
  assert.deepEqual([plan.estate, plan.summary.create, plan.actions.length], ['acme', 13, 13]);
  assert.ok(plan.actions.every(({ digest }: { digest: string }) => /^[0-9a-f]{64}$/.test(digest)));
  assert.equal('serial' in plan, false);
});

const refused: readonly (readonly [name: string, args: readonly string[], says: RegExp])[] = [
  ['an endpoint that nobody allowed', [], /its own endpoint[\s\S]*--allow-endpoint/],
  ['a target that is not there', ['--allow-endpoint', '--target', 'nope'], /no target nope[\s\S]*--target aws-prod/],
  ['keeping a plan without a store', ['--allow-endpoint', '--out', '/nowhere/x'], /Saving a plan needs a store/],
];

for (const [name, args, says] of refused)
  test(`${name} is refused, with what to do`, async () => {
    const { code, stdout, stderr } = await commandLine()(['plan', specs, ...args]);
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, says);
  });
