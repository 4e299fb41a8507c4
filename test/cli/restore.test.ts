import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Clock } from '../../src/ports/clock-and-log.ts';
import { gitPerson } from '../support/git-person.ts';
import { commandLine, movableClock } from './support/in-process.ts';
import { edit, sandboxed } from './support/sandboxed.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const go = ['--allow-endpoint', '--yes'];

/** As a person types it: in whole seconds. */
const timestampOf = ({ now }: Clock): string => new Date(now()).toISOString().replace(/\.\d+Z$/, 'Z');

test('restore shows and writes the specs as they were, whole or of one scope, also where the folder is gone', async () => {
  const { specs } = await sandboxed();
  const clock = movableClock();
  const run = commandLine({ clock });
  assert.equal((await run(['apply', specs, ...go])).code, 0);
  const before = readFileSync(join(specs, 'instances.yaml'), 'utf8');
  clock.forward(2_000);
  const at = timestampOf(clock);
  clock.forward(2_000);
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

test('restore leaves a script that stands as it was, and overwrites none that differs', async () => {
  const { specs } = await sandboxed();
  const clock = movableClock();
  const run = commandLine({ clock });
  assert.equal((await run(['apply', specs, ...go])).code, 0);
  clock.forward(2_000);
  const restore = ['restore', specs, '--as-of', timestampOf(clock), '--yes'];
  const [file, script] = [join(specs, 'instances.yaml'), join(specs, 'web.sh')];
  const [instances, text] = [readFileSync(file, 'utf8'), readFileSync(script, 'utf8')];
  const remote = temporaryFolder({});
  const git = (...args: readonly string[]): string =>
    execFileSync('git', args, { cwd: specs, env: gitPerson }).toString().trimEnd();
  git('init', '--quiet', '--initial-branch=main');
  git('config', 'user.name', 'Ada');
  git('config', 'user.email', 'ada@acme.example');
  git('init', '--quiet', '--bare', remote);
  git('remote', 'add', 'origin', remote);
  git('add', '-A');
  git('commit', '--quiet', '-m', 'all');
  git('rm', '--quiet', 'instances.yaml');

  const early = await run(restore);
  assert.match(early.stderr, /instances\.yaml is committed, and is missing in the folder/);
  const way = /Restore it with: git checkout HEAD -- '(:\/instances\.yaml)'/.exec(early.stderr)?.[1] ?? '';
  git('checkout', 'HEAD', '--', way);
  assert.equal(readFileSync(file, 'utf8'), instances);
  git('rm', '--quiet', 'instances.yaml');

  const written = await run([...restore, '--write']);
  assert.equal(written.code, 0, written.stderr);
  assert.match(written.stdout, /: 1 file\n[\s\S]*\nStays: web\.sh\n/);
  assert.deepEqual([readFileSync(file, 'utf8'), readFileSync(script, 'utf8')], [instances, text]);

  rmSync(file);
  git('commit', '--quiet', '-am', 'no instances');
  const pushed = await run(restore);
  assert.equal(pushed.code, 0, pushed.stderr);
  const branch = /pushed (\S+)/.exec(pushed.stdout)?.[1] ?? '';
  assert.equal(git('diff', '--name-status', 'HEAD', branch), 'A\tinstances.yaml');
  git('rm', '--quiet', '--cached', 'web.sh');
  git('commit', '--quiet', '-m', 'no script');
  const both = /pushed (\S+)/.exec((await run(restore)).stdout)?.[1] ?? '';
  assert.equal(git('diff', '--name-status', 'HEAD', both), 'A\tinstances.yaml\nA\tweb.sh');

  writeFileSync(script, 'another');
  for (const [more, next] of [
    [['--write'], /Move it away, and run/],
    [[], /Move it away with git mv, commit, and run/],
  ] as const) {
    const differs = await run([...restore, ...more]);
    assert.equal(differs.code, 3);
    assert.match(differs.stderr, /web\.sh exists, and differs from the file of /);
    assert.match(differs.stderr, next);
  }
  assert.equal(readFileSync(script, 'utf8'), 'another');
});

test('restore names the guards that it loosens, refuses the future, and does not ask under --json', async () => {
  const { specs } = await sandboxed();
  const clock = movableClock();
  const run = commandLine({ clock });
  edit(specs, 'instances.yaml', '  protect: true ', '  # protect: true ');
  edit(specs, 'estate.yaml', 'replaces: 5', 'replaces: 50');
  assert.equal((await run(['apply', specs, ...go])).code, 0);
  clock.forward(2_000);
  const at = timestampOf(clock);
  const future = await run(['restore', specs, '--as-of', timestampOf({ ...clock, now: () => clock.now() + 60_000 })]);
  assert.equal(future.code, 1);
  assert.match(future.stderr, /UTC is in the future\./);
  clock.forward(2_000);
  edit(specs, 'instances.yaml', '  # protect: true ', '  protect: true ');
  edit(specs, 'estate.yaml', 'replaces: 50', 'replaces: 5');
  assert.equal((await run(['apply', specs, ...go])).code, 0);

  const restore = ['restore', specs, '--as-of', at];
  const shown = await run([...restore, '--dry-run']);
  assert.match(
    shown.stdout,
    /\nLoosens guards: limits\.replaces 5 → 50; protect of instance db\.\nLooser guards count from the next generation on/,
  );
  const scoped = await run([...restore, '--dry-run', '--scope', 'aws/111122223333/eu-west-1']);
  assert.match(scoped.stdout, /\nLoosens guards: protect of instance db\.\n/);
  const asked = await run([...restore, '--json'], 'yes\n');
  assert.equal(asked.code, 1);
  assert.match(asked.stderr, /With --json this command cannot ask\.[\s\S]*--dry-run, then add --yes/);
  assert.deepEqual(JSON.parse((await run([...restore, '--json', '--dry-run'])).stdout).loosened, [
    'limits.replaces 5 → 50',
    'protect of instance db',
  ]);
});

test('restore shows no patch: its values are none of the specs', async () => {
  const { specs } = await sandboxed();
  const clock = movableClock();
  const run = commandLine({ clock });
  assert.equal((await run(['apply', specs, ...go])).code, 0);
  const patched = await run(['patch', 'db', 'size=m7g.large', '--for', '4h', '--reason', 'load', '--yes']);
  assert.equal(patched.code, 0, patched.stderr);
  clock.forward(2_000);
  const at = timestampOf(clock);
  clock.forward(2_000);
  edit(specs, 'instances.yaml', 'tier: web', 'tier: front');
  const shown = await run(['restore', specs, '--as-of', at, '--dry-run']);
  assert.match(shown.stdout, /\nChanges back: Instance web\n/, shown.stderr);
  assert.match(shown.stderr, /Not restored: patch #1\. Setpoint ends each patch at its own time, and restores none\./);
});

test('restore compares the specs with the overlay that they had, in a store of several estates', async () => {
  const head = 'apiVersion: setpoint.dev/v1\n';
  const specs = temporaryFolder({
    'all.yaml': [
      `${head}kind: Target\nmetadata: { name: here }\nspec: { provider: memory, account: restored, region: r }\n`,
      `${head}kind: Network\nmetadata: { name: core }\nspec: { targets: [here], cidr: 10.0.0.0/16 }\n`,
    ].join('---\n'),
    'overlays/prod/estate.yaml': `${head}kind: Estate\nmetadata: { name: acme-prod }\nspec: {}\n`,
    'overlays/prod/net.yaml': 'kind: Network\nmetadata: { name: core }\nspec: { cidr: 10.0.0.0/20 }\n',
    'overlays/test/estate.yaml': `${head}kind: Estate\nmetadata: { name: acme-test }\nspec: {}\n`,
  });
  const clock = movableClock();
  const run = commandLine({ clock });
  assert.equal((await run(['apply', specs, '--overlay', 'prod', '--yes'])).code, 0);
  await run(['apply', specs, '--overlay', 'test', '--yes', '--allow-shared-scopes']);
  clock.forward(2_000);
  const restore = ['restore', specs, '--as-of', timestampOf(clock)];
  clock.forward(2_000);
  edit(specs, 'overlays/prod/net.yaml', '10.0.0.0/20', '10.0.0.0/21');

  const shown = await run([...restore, '--overlay', 'prod', '--dry-run']);
  assert.equal(shown.code, 0, shown.stderr);
  assert.match(shown.stdout, /^Restore: acme-prod as of .*: 1 file\n[\s\S]*\nChanges back: Network core\n/);
  const named = await run([...restore, '--estate', 'acme-prod', '--write', '--yes']);
  assert.equal(named.code, 0, named.stderr);
  assert.match(readFileSync(join(specs, 'overlays/prod/net.yaml'), 'utf8'), /10\.0\.0\.0\/20/);

  const other = await run([...restore, '--estate', 'acme-prod', '--overlay', 'test']);
  assert.equal(other.code, 1);
  assert.match(other.stderr, /cannot be restored with the overlay test\.[\s\S]*had the overlay prod\./);
  assert.match((await run(restore)).stderr, /There are 2 estates in this store\./);
});
