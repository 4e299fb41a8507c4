import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { served } from './server/support/served.ts';
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

  const unasked = await run(['plan', specs, '--allow-endpoint']);
  assert.match(unasked.stdout, /- instance web-2 {2}scaled-down; deleted now\n {6}! the data on its disks is LOST\.\n/);

  const begun = await run(['apply', specs, ...go, '--grace']);
  assert.match(begun.stderr, /- instance web-2 {2}scaled-down; deleted after a grace of 1 h/);
  assert.doesNotMatch(begun.stderr, /LOST|deleted now|setpoint apply --grace/);
  assert.match(begun.stdout, /^Applied: .* 0 deleted · 1 to be deleted after their grace · generation 2/, begun.stderr);
  assert.deepEqual([begun.code, writes()], [0, []]);

  const status = await run(['status', specs]);
  assert.match(status.stdout, / · 1 resource in its grace/);
  assert.match(status.stdout, /In their grace\n {2}\S+\/instance\/web-2 \(i-\w+\) until .* UTC, in \d+ min/);
  assert.doesNotMatch(status.stdout, /withheld/i, 'it is told once');
  const { scopes } = JSON.parse((await run(['status', specs, '--json'])).stdout);
  assert.deepEqual(
    scopes.flatMap(({ inGrace }: { inGrace: { kind: string }[] }) => inGrace.map(({ kind }) => kind)),
    ['instance'],
  );

  const { url } = await served(run.database);
  const heldFor = async (who: string) => {
    const answer = await fetch(`${url}/v1/targets/aws-prod`, { headers: { authorization: `Bearer ${who}` } });
    return JSON.parse(await answer.text()).held;
  };
  const { inGrace, withheldChanges } = await heldFor('viewer');
  assert.deepEqual(
    inGrace.map(({ address, kind, until }: Readonly<Record<string, string>>) => [
      ...[address, kind, Date.parse(until ?? '') > Date.now()],
    ]),
    [['aws/111122223333/eu-west-1/instance/web-2', 'instance', true]],
  );
  assert.equal(withheldChanges[0].code, 'grace');
  assert.equal(await heldFor('web'), undefined, 'who sees some owners sees nothing of the whole target');

  const planned = [
    await run(['plan', specs, '--allow-endpoint', '--grace']),
    await run(['plan', specs, '--allow-endpoint']),
  ];
  assert.match(
    planned[0]?.stdout ?? '',
    /^Plan: 0 to add, 0 to change, 0 to replace, 0 to delete[\s\S]*web-2 withheld {2}its grace ends/,
  );
  assert.match(
    planned[1]?.stdout ?? '',
    /- instance web-2 {2}scaled-down; deleted now, in its grace until .* UTC\n {6}! the data on its disks is LOST\.\n {6}i-/,
  );
  assert.match(
    planned[1]?.stdout ?? '',
    /deletes 1 machine now, without the grace of workers\. .*: setpoint apply --grace/,
  );
  assert.doesNotMatch(planned[0]?.stdout ?? '', /LOST|deleted now|apply --grace/);
  const explained = await run(['explain', 'web-2', '--specs', specs, '--allow-endpoint']);
  assert.match(explained.stdout, /its grace ends/, 'as workers plan');
  const approved = await run(['approve', specs, ...go, '--reason', 'fewer']);
  assert.match(approved.stdout, /^Approved: nothing/, 'workers wait for its end, so nobody approves it');

  const again = await run(['apply', specs, ...go, '--grace', '--json']);
  assert.deepEqual([again.code, writes()], [0, []]);
  const refused = await run(['apply', specs, '--allow-endpoint'], 'no\n');
  assert.match(refused.stderr, /Apply these changes to acme, and delete 1 machine now\?/);
  const now = await run(['apply', specs, ...go]);
  assert.match(now.stderr, /- instance web-2 {2}scaled-down; deleted now, in its grace until .* UTC\n .*LOST/);
  assert.match(now.stdout, /^Applied: .* 1 deleted/);
  assert.deepEqual(writes(), ['TerminateInstances']);
  assert.doesNotMatch((await run(['status', specs])).stdout, /grace/);
});

test('a local approval shows the grace of workers, and a plan saved with the grace is applied with it', async () => {
  const { specs, sandbox } = await sandboxed();
  const run = commandLine();
  assert.equal((await run(['apply', specs, ...go])).code, 0);
  edit(specs, 'instances.yaml', 'replicas: 3', 'replicas: 2');
  sandbox.control.log.clear();

  const approved = await run(['approve', specs, ...go, '--reason', 'fewer']);
  assert.match(approved.stderr, /- instance web-2 {2}scaled-down; deleted after a grace of 1 h/);
  const file = join(specs, '..', 'next.plan');
  assert.equal((await run(['plan', specs, '--allow-endpoint', '--grace', '--out', file])).code, 0);
  const applied = await run(['apply', specs, '--allow-endpoint', '--plan', file]);
  assert.match(applied.stdout, /^Applied: .* 0 deleted · 1 to be deleted after their grace/, applied.stderr);
  assert.deepEqual(sandbox.control.log.entries({ mutating: true }), []);
});

test('apply --grace stops a machine for its grace, at once or as an approved change of its own', async () => {
  const { specs, sandbox } = await sandboxed();
  const run = commandLine();
  edit(specs, 'instances.yaml', 'replicas: 3', 'replicas: 3\n  beforeDelete: stop');
  assert.equal((await run(['apply', specs, ...go])).code, 0);
  edit(specs, 'instances.yaml', 'replicas: 3', 'replicas: 2');
  sandbox.control.faults.add({ match: { action: 'StopInstances' }, effect: { kind: 'access-denied' } });
  const refused = await run(['apply', specs, ...go, '--grace']);
  assert.match(refused.stdout, /failed {4}update \S+web-2: UnauthorizedOperation/);
  sandbox.control.faults.clear();
  sandbox.control.log.clear();
  const stopped = await run(['apply', specs, ...go, '--grace']);
  assert.match(stopped.stderr, /~ instance web-2 .*stops the machine for its grace/s);
  const writes = sandbox.control.log.entries({ mutating: true }).map(({ action }) => action);
  assert.deepEqual([stopped.code, writes], [0, ['StopInstances']], stopped.stderr);
});
