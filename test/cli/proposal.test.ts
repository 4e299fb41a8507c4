import assert from 'node:assert/strict';
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { loopbackCanary } from './support/canary.ts';
import { commandLine } from './support/in-process.ts';
import { edit, sandboxed } from './support/sandboxed.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const { specs, sandbox } = await sandboxed();
const canary = await loopbackCanary();
const run = commandLine();
const applied = await run(['apply', specs, '--allow-endpoint', '--yes']);
assert.equal(applied.code, 0, applied.stderr);
const written = sandbox.control.log.entries({ mutating: true }).length;

/** A proposal: the active specs, in a folder of their own. */
function proposal(): string {
  const folder = temporaryFolder();
  cpSync(specs, folder, { recursive: true });
  return folder;
}

test('without a store there is nothing in force to compare with', async () => {
  const { code, stdout, stderr } = await commandLine()(['plan', proposal(), '--proposal', '--allow-endpoint']);
  assert.deepEqual([code, stdout], [1, '']);
  assert.match(stderr, /There is no store/);
});

test('what is proposed is planned from what is in force, and nothing is written', async () => {
  const dir = proposal();
  edit(dir, 'instances.yaml', 'replicas: 3', 'replicas: 4');
  const { code, stdout, stderr } = await run(['plan', dir, '--proposal', '--allow-endpoint', '--json']);
  assert.equal(code, 0, stderr);
  const plan = JSON.parse(stdout);
  assert.deepEqual(
    plan.actions.map(({ verb, address }: { verb: string; address: string }) => `${verb} ${address.split('/').pop()}`),
    ['create web-3'],
  );
  assert.equal(plan.generation, 2);
  assert.equal(sandbox.control.log.entries({ mutating: true }).length, written);
  assert.equal((await run.database.connect().generations.current('acme'))?.number, 1);
});

test('user data is hashed: a change replaces, and its text is nowhere', async () => {
  const dir = proposal();
  writeFileSync(join(dir, 'web.sh'), '#!/bin/sh\necho kanarienvogel\n');
  const { stdout, stderr } = await run(['plan', dir, '--proposal', '--allow-endpoint', '--json']);
  assert.equal(JSON.parse(stdout).summary.replace, 3);
  assert.ok(!(stdout + stderr).includes('kanarienvogel'));
});

test('where to call and as whom is refused, with its place, before anybody is asked', async () => {
  const dir = proposal();
  edit(dir, 'estate.yaml', sandbox.url, `${canary.url}\n  credentials: { env: SETPOINT_SECRET_OTHER }`);
  const asked = sandbox.control.log.entries().length;
  const { code, stdout, stderr } = await run(['plan', dir, '--proposal', '--allow-endpoint']);
  assert.deepEqual([code, stdout], [3, '']);
  assert.match(
    stderr,
    /estate\.yaml:\d+:\d+: error: a proposal may not change `spec\.endpoint` of the Target aws-prod/,
  );
  assert.match(stderr, /may not change `spec\.credentials` of the Target aws-prod/);
  assert.deepEqual([canary.connections(), sandbox.control.log.entries().length], [0, asked]);
});

test('specs that are not sound are told as such, and nothing is asked', async () => {
  const dir = proposal();
  rmSync(join(dir, 'network.yaml'));
  const { code, stderr } = await run(['plan', dir, '--proposal', '--allow-endpoint']);
  assert.equal(code, 1);
  assert.match(stderr, /there is no Network named `core`/);
});

const refused: readonly (readonly [name: string, args: readonly string[], code: number, says: RegExp])[] = [
  ['to keep the plan', ['--out', '/nowhere/x'], 1, /cannot be saved[\s\S]*merged, plan again/],
  ['another overlay', ['--overlay', 'prod'], 3, /overlay prod[\s\S]*The active specs have no overlay/],
  ['another estate', ['--estate', 'other'], 1, /There is no estate other[\s\S]*--estate acme/],
  ['what is in force', ['--active'], 1, /The active specs cannot be a proposal/],
  ['what is in force of an estate', ['--active-of', 'acme'], 1, /The active specs cannot be a proposal/],
];
for (const [name, args, want, says] of refused)
  test(`${name} is refused, with what to do`, async () => {
    const { code, stdout, stderr } = await run(['plan', proposal(), '--proposal', '--allow-endpoint', ...args]);
    assert.deepEqual([code, stdout], [want, ''], stderr);
    assert.match(stderr, says);
  });

for (const [option, value] of [
  ['--repo', 'https://git.example/infra.git'],
  ['--team', 'web'],
  ['--estate', 'acme'],
] as const)
  test(`${option} without --proposal is refused: with trust nothing of the kind is planned`, async () => {
    const { code, stdout, stderr } = await run(['plan', specs, '--allow-endpoint', option, value]);
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /needs --proposal\.[\s\S]*Add --proposal/);
  });
