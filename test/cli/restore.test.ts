import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { commandLine } from './support/in-process.ts';
import { edit, sandboxed } from './support/sandboxed.ts';

const go = ['--allow-endpoint', '--yes'];

test('restore shows and writes the specs as they were, whole or of one scope, also where the folder is gone', async () => {
  const { specs } = await sandboxed();
  const run = commandLine();
  assert.equal((await run(['apply', specs, ...go])).code, 0);
  const before = readFileSync(join(specs, 'instances.yaml'), 'utf8');
  await new Promise((resolve) => setTimeout(resolve, 1100));
  const at = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
  await new Promise((resolve) => setTimeout(resolve, 1100));
  edit(specs, 'instances.yaml', 'tier: db', 'tier: data');
  assert.equal((await run(['apply', specs, ...go])).code, 0);

  const early = await run(['restore', specs, '--as-of', '2020-01-01T00:00Z']);
  assert.equal(early.code, 1);
  assert.match(early.stderr, /No specs of acme were active at 2020-01-01 00:00 UTC/);
  const shown = await run(['restore', specs, '--as-of', at, '--dry-run']);
  assert.equal(shown.code, 0, shown.stderr);
  assert.match(shown.stdout, /^Restore: acme as of .* UTC, generation 1 \(.*\): 1 file\n/);
  assert.match(
    shown.stdout,
    /\n-.*tier: data[\s\S]*\n\+.*tier: db[\s\S]*\nChanges back: Instance db\nNothing was written\./,
  );
  const unknown = await run(['restore', specs, '--as-of', at, '--scope', 'aws/1/nowhere', '--dry-run']);
  assert.match(unknown.stderr, /There is no scope aws\/1\/nowhere/);

  const asked = await run(['restore', specs, '--as-of', at, '--write'], 'no\n');
  assert.equal(asked.code, 3);
  const scoped = await run([
    'restore',
    specs,
    '--as-of',
    at,
    '--write',
    '--yes',
    '--scope',
    'aws/111122223333/eu-west-1',
  ]);
  assert.equal(scoped.code, 0, scoped.stderr);
  assert.equal(readFileSync(join(specs, 'instances.yaml'), 'utf8'), before);
  assert.match((await run(['restore', specs, '--as-of', at])).stdout, /The specs are as they were then\./);

  rmSync(specs, { recursive: true });
  const back = await run(['restore', specs, '--as-of', at, '--write', '--yes', '--json']);
  assert.equal(back.code, 0, back.stderr);
  const { generation, files, back: names } = JSON.parse(back.stdout);
  assert.equal(generation, 1);
  assert.ok(files.length > 2 && names.includes('Instance web'));
  assert.equal(readFileSync(join(specs, 'instances.yaml'), 'utf8'), before);
});
