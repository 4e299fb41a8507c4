import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { commandLine, type Said } from '../support/in-process.ts';
import { edit, sandboxed } from '../support/sandboxed.ts';
import { served } from './support/served.ts';

const place = await sandboxed();
const here = commandLine();
const there = await served(here.database);
const allow = '--allow-endpoint';
const applied = await here(['apply', place.specs, allow, '--yes']);
assert.equal(applied.code, 0, applied.stderr);

const asked = (args: readonly string[], who = 'planner'): Promise<Said> => there.ask(here, who)(args);

/** A change, planned, and taken back. */
async function withEdit(
  [file, from, to]: readonly [file: string, from: string, to: string],
  work: () => Promise<void>,
): Promise<void> {
  const path = join(place.specs, file);
  const before = readFileSync(path, 'utf8');
  edit(place.specs, file, from, to);
  try {
    await work();
  } finally {
    writeFileSync(path, before);
  }
}

/** Changes of the specs. A plan from here equals the server's plan from the same observation. */
const edits: readonly (readonly [name: string, edit: readonly [file: string, from: string, to: string]])[] = [
  ['nothing', ['network.yaml', 'description: public site', 'description: public site']],
  ['a rule', ['network.yaml', 'description: public site', 'description: our site']],
  ['machines', ['instances.yaml', 'replicas: 3', 'replicas: 5']],
  ['fewer of them', ['instances.yaml', 'replicas: 3', 'replicas: 1']],
  ['a label', ['network.yaml', 'env: prod', 'env: live']],
  ['what is not sound', ['network.yaml', 'cidr: 10.20.0.0/16', 'cidr: 10.20.0.0/99']],
];

describe('a folder is planned by a server as from here', () => {
  for (const [name, change] of edits)
    for (const how of [[], ['--json'], ['--detailed-exitcode', '--most', '1']])
      test(`${name} ${how}`, () =>
        withEdit(change, async () => {
          // why: a server plans for workers, which give machines a grace
          const local = await here(['plan', place.specs, allow, '--grace', ...how]);
          const remote = await asked(['plan', place.specs, ...how]);
          assert.deepEqual([remote.code, remote.stdout], [local.code, local.stdout]);
          assert.equal(remote.stderr, local.stderr);
        }));

  test('a change is a change for a pipeline, and names the line in DIR', () =>
    withEdit(['network.yaml', 'description: public site', 'description: our site'], async () => {
      const { code, stdout } = await asked(['plan', place.specs, '--detailed-exitcode', '--proposal']);
      assert.equal(code, 2);
      assert.ok(stdout.includes(`  ${join(place.specs, 'network.yaml')}:`), stdout);
    }));

  test('the active specs are planned without a folder', async () => {
    const { code, stdout, stderr } = await asked(['plan', '--active', '--detailed-exitcode', '--target', 'aws-prod']);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^Plan: 0 to add, 0 to change/);
  });
});

/** A command line against the server, and the expected text. */
const refused: readonly (readonly [args: readonly string[], code: number, says: RegExp])[] = [
  [['plan', place.specs, '--out', 'x'], 1, /--out cannot be used with a server/],
  [['plan', place.specs, allow], 1, /--allow-endpoint cannot be used with a server/],
  [['plan', place.specs, '--allow-deletes', '3'], 1, /--allow-deletes cannot be used with a server/],
  [['plan', place.specs, '--target', 'aws-prod'], 1, /--target cannot be used when you send specs to a server/],
  [['plan', place.specs, '--active'], 1, /The active specs cannot be combined with a folder/],
  [['plan', '--active', '--target', 'nope'], 1, /has no target nope/],
  [['plan', place.specs, '--estate', 'other'], 1, /no such resource, or you may not see it/],
  [['plan', place.specs, '--overlay', 'prod'], 1, /overlay/],
  [['plan', '/nonexistent'], 1, /cannot be read/],
];

describe('plans that a server refuses', () => {
  for (const [args, code, says] of refused)
    test(args.slice(1).join(' ').replace(place.specs, 'specs'), async () => {
      const said = await asked(args);
      assert.deepEqual([said.code, said.stdout], [code, '']);
      assert.match(said.stderr, says);
    });

  test('a viewer may not, and learns the needed permission', async () => {
    const { code, stderr } = await asked(['plan', place.specs], 'viewer');
    assert.equal(code, 1);
    assert.match(stderr, /does not permit that[\s\S]*the permission plan/);
  });

  test('what reaches for more than is in force is refused where it stands, as by a policy', () =>
    withEdit(['estate.yaml', place.sandbox.url, 'http://127.0.0.1:9'], async () => {
      const { code, stdout, stderr } = await asked(['plan', place.specs]);
      assert.deepEqual([code, stdout], [3, '']);
      assert.match(stderr, /Proposal rejected: it changes trusted fields/);
      assert.match(stderr, new RegExp(`${join(place.specs, 'estate.yaml')}:\\d+:\\d+: error: `));
    }));
});
