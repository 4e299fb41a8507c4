import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkNode } from '../../src/cli/local/doctor.ts';
import { commandLine } from './support/in-process.ts';
import { edit, sandboxed } from './support/sandboxed.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

for (const [version, state] of [
  ['20.11.1', 'bad'],
  ['24.0.0', 'good'],
  ['26.1.0', 'good'],
] as const)
  test(`Node ${version} is ${state}`, () => assert.equal(checkNode(version).state, state));

test('all is well: exit 0, a line for each thing', async () => {
  const { specs } = await sandboxed();
  const { code, stdout } = await commandLine()(['doctor', specs, '--allow-endpoint']);
  assert.equal(code, 0);
  assert.match(stdout, /^Doctor: no problems\n/);
  assert.match(stdout, /note {2}Store: none in \.setpoint yet/);
  assert.match(stdout, /ok {4}Target aws-prod: the credentials belong to 111122223333/);
});

test('credentials of another account: what to do, exit 1', async () => {
  const { specs } = await sandboxed();
  edit(specs, 'estate.yaml', '"111122223333"', '"999900001111"');
  const { code, stdout } = await commandLine()(['doctor', specs, '--allow-endpoint', '--json']);
  const { healthy, checks } = JSON.parse(stdout);
  const target = checks.find(({ name }: { name: string }) => name === 'Target aws-prod');
  assert.deepEqual([code, healthy, target.state], [1, false, 'bad']);
  assert.match(target.detail, /belong to 111122223333, but the target is 999900001111/);
});

test('credentials that have expired: log in again', async () => {
  const { sandbox, specs } = await sandboxed();
  const effect = {
    kind: 'error',
    code: 'ExpiredToken',
    status: 403,
    message: 'The security token is expired',
  } as const;
  sandbox.control.faults.add({ match: { action: 'GetCallerIdentity' }, effect });
  const { stdout } = await commandLine()(['doctor', specs, '--allow-endpoint']);
  assert.match(stdout, /BAD {3}Target aws-prod: ExpiredToken: .*\n.*have expired: log in to the cloud again/);
});

test('a cloud that does not know the account: what to do', async () => {
  const { sandbox } = await sandboxed();
  const spec = { provider: 'gcp', account: 'no-such-one', region: 'europe-west1', endpoint: sandbox.url };
  const head = { apiVersion: 'setpoint.dev/v1', kind: 'Target', metadata: { name: 'elsewhere' } };
  const estate = { ...head, kind: 'Estate', metadata: { name: 'acme' }, spec: {} };
  const specs = temporaryFolder({
    'estate.json': JSON.stringify(estate),
    'target.json': JSON.stringify({ ...head, spec }),
  });
  const { code, stdout } = await commandLine()(['doctor', specs, '--allow-endpoint']);
  assert.equal(code, 1);
  assert.match(stdout, /BAD {3}Target elsewhere: .*not found\n.*Check that `account:` should be no-such-one/);
});

test('an endpoint where nothing answers: what to do', async () => {
  const { sandbox, specs } = await sandboxed();
  edit(specs, 'estate.yaml', sandbox.url, 'http://127.0.0.1:1');
  const { stdout } = await commandLine()(['doctor', specs, '--allow-endpoint']);
  assert.match(
    stdout,
    /BAD {3}Target aws-prod: .*\n.*Check that a server answers at http:\/\/127\.0\.0\.1:1\..*AWS_ACCESS_KEY_ID=test is enough/,
  );
});

test('broken specs are named, and the rest is checked all the same', async () => {
  const { specs } = await sandboxed();
  edit(specs, 'estate.yaml', 'region:', 'regoin:');
  const { code, stdout } = await commandLine()(['doctor', specs]);
  assert.equal(code, 1);
  assert.match(stdout, /^Doctor: 1 problem\n/);
  assert.match(stdout, /BAD {3}Specs: .*error/);
  assert.match(stdout, /Store: none/);
});
