import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { commandLine } from './support/in-process.ts';
import { edit, sandboxed } from './support/sandboxed.ts';

const allow = '--allow-endpoint';
const { specs, sandbox } = await sandboxed();
const run = commandLine();
assert.equal((await run(['apply', specs, allow, '--yes'])).code, 0);
edit(specs, 'instances.yaml', 'protect: true', 'protect: false');
assert.equal((await run(['apply', specs, allow, '--yes'])).code, 0);
edit(
  specs,
  'instances.yaml',
  'groups: [db]\n  image: ami-0abcdef1234567890',
  'groups: [db]\n  image: ami-0abc0abc0abc0abc0',
);
const writes = () => sandbox.control.log.entries({ mutating: true }).map(({ action }) => action);
test.beforeEach(() => sandbox.control.log.clear());

test('apply replaces nothing whose protection was lifted, says who must approve it, and exits 3', async () => {
  const { code, stdout } = await run(['apply', specs, allow, '--yes']);
  assert.equal(code, 3, stdout);
  assert.match(
    stdout,
    /refused +replace \S+\/instance\/db-0: its protection was lifted, and this would replace it: it needs approvals of 2 people\. 0 of 2 so far; 2 people must approve it over the API/,
  );
  assert.deepEqual(writes(), []);
});

test('an approval on the store says that it does not count, and permits nothing', async () => {
  const { code, stdout, stderr } = await run(['approve', specs, allow, '--yes', '--reason', 'mine']);
  assert.equal(code, 0, stderr);
  assert.match(stderr, /1 change needs approvals over the API as well\. Yours on the store does not count there/);
  assert.match(stdout, /Not enough yet: replace instance db-0: .* 0 of 2 so far/);
  assert.equal((await run(['apply', specs, allow, '--yes'])).code, 3);
  assert.deepEqual(writes(), []);
});

test('--without-approvals needs a reason, and passes with an entry of its own, at the top of status', async () => {
  const refused = await run(['apply', specs, allow, '--yes', '--without-approvals']);
  assert.match(refused.stderr, /--without-approvals needs a reason/);
  assert.deepEqual(writes(), []);
  const how = ['--yes', '--without-approvals', '--reason', 'nobody else is here'];
  const { code, stdout, stderr } = await run(['apply', specs, allow, ...how]);
  assert.equal(code, 0, stdout + stderr);
  assert.match(
    stderr,
    /BREAK GLASS: 1 change passes missing approvals: nobody else is here\n {2}1 change its protection was lifted/,
  );
  assert.match(stdout, /BREAK GLASS: no missing approval held 1 change \(ledger entry \d+\): nobody else is here/);
  assert.ok(writes().includes('TerminateInstances'));
  assert.match((await run(['status', specs])).stdout, /\nBREAK GLASS\n {2}.*nobody else is here \(1 change/);
});

for (const isJson of [false, true])
  test(`prune waits for the same approvals, and goes without them by a reason${isJson ? ', in JSON too' : ''}`, async () => {
    const place = await sandboxed();
    const here = commandLine();
    const apply = () => here(['apply', place.specs, allow, '--yes']);
    assert.equal((await apply()).code, 0);
    edit(place.specs, 'instances.yaml', 'protect: true', 'protect: false');
    assert.equal((await apply()).code, 0);
    const path = join(place.specs, 'instances.yaml');
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, text.slice(0, text.lastIndexOf('---')));
    assert.equal((await apply()).code, 0);
    const { log } = place.sandbox.control;
    log.clear();
    const prune = ['prune', 'aws/111122223333/eu-west-1/instance/db-0', '--specs', place.specs, allow, '--yes'];
    assert.match((await here([...prune, '--without-approvals'])).stderr, /--without-approvals needs a reason/);
    const refused = await here(prune);
    assert.equal(refused.code, 3, refused.stdout);
    assert.match(refused.stdout, /refused +delete \S+\/instance\/db-0: its protection was lifted/);
    assert.equal('breakGlass' in JSON.parse((await here([...prune, '--json'])).stdout), false);
    assert.deepEqual(log.entries({ mutating: true }), []);

    const without = [...prune, '--without-approvals', '--reason', 'it is paid for'];
    const { code, stdout, stderr } = await (isJson ? here([...without, '--json']) : here(without));
    assert.equal(code, 0, stdout + stderr);
    assert.match(stderr, /BREAK GLASS: 1 change passes missing approvals: it is paid for\n/);
    if (isJson) {
      const { seq, ...entry } = JSON.parse(stdout).breakGlass;
      assert.deepEqual([typeof seq, entry], ['number', { changes: 1, reason: 'it is paid for' }]);
    } else assert.match(stdout, /^Applied: .* 1 deleted[\s\S]* {2}BREAK GLASS: no missing approval held 1 change/);
    assert.deepEqual(
      log.entries({ mutating: true }).map(({ action }) => action),
      ['TerminateInstances'],
    );
  });
