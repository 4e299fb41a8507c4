import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { commandLine } from './support/in-process.ts';
import { sandboxed } from './support/sandboxed.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const { specs } = await sandboxed();
const run = commandLine();
const here = ['--specs', specs, '--allow-endpoint', '--dir', temporaryFolder()];
before(async () => {
  const applied = await run(['apply', specs, '--allow-endpoint', ...here.slice(3), '--yes']);
  assert.equal(applied.code, 0, applied.stderr);
});

test('yes: with the rules that allow it, their documents, and the assumptions', async () => {
  const { code, stdout } = await run(['reach', 'core.web', 'core.db', '5432', ...here]);
  assert.equal(code, 0);
  const [verdict, scope, ...rest] = stdout.split('\n');
  assert.equal(verdict, 'Yes: core.web → core.db on 5432');
  assert.equal(scope, 'aws/111122223333/eu-west-1');
  const text = rest.join('\n');
  assert.match(text, /^ {2}yes {2}web-0.* → db-0 {2}5432\/tcp\n/);
  assert.match(text, /\n {6}ingress of db-0 from web-0 is allowed by core\.db\.\S+ {2}\S+network\.yaml:\d+\n/);
  assert.doesNotMatch(text, /Assumed/);
});

test('no: with the end that lacks a rule, and exit code 2', async () => {
  const { code, stdout } = await run(['reach', 'db-0', 'web-0', '5432', ...here]);
  assert.equal(code, 2);
  assert.match(stdout, /^No: db-0 → web-0 on 5432\n/);
  assert.match(stdout, /\n {6}no ingress rule of web-0 allows it from db-0\n/);
});

test('in part: what the world may not, one block may', async () => {
  const { code, stdout } = await run(['reach', 'internet', 'web-0', '22', ...here]);
  assert.equal(code, 0);
  assert.match(stdout, /^Yes, in part: internet → web-0 on 22\n/);
  assert.match(stdout, /\n {2}yes {2}203\.0\.113\.0\/24 → web-0 {2}22\/tcp\n/);
  assert.match(stdout, /\n {2}no {2}internet → web-0\n/);
});

test('--json has each way with its steps and rules; without a port all that is open', async () => {
  const { code, stdout } = await run(['reach', 'web-0', 'db-0', '--json', ...here]);
  assert.equal(code, 0);
  const { answer, scopes } = JSON.parse(stdout);
  assert.equal(answer, 'yes');
  const [way] = scopes[0].ways;
  assert.deepEqual([way.from, way.to, way.open], [['web-0'], ['db-0'], [{ protocol: 'tcp', ports: '5432' }]]);
  assert.deepEqual(
    way.steps.map(({ by, answer: step, rules }: { by: string; answer: string; rules: { document: object }[] }) => [
      ...[by, step, Object.keys(rules[0]?.document ?? {})],
    ]),
    [
      ['egress', 'yes', ['file', 'line']],
      ['ingress', 'yes', ['file', 'line']],
    ],
  );
});

for (const [name, args, says] of [
  ['an end that is not there', ['nobody', 'web-0'], /Nothing here is called "nobody"[\s\S]*an instance such as web-0/],
  ['a port that is none', ['web-0', 'db-0', 'ssh'], /"ssh" is no port[\s\S]*53\/udp/],
  ['two ends outside', ['internet', '198.51.100.7'], /One end must be an instance/],
] as const)
  test(`${name} is refused, with what to do`, async () => {
    const { code, stdout, stderr } = await run(['reach', ...args, ...here]);
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, says);
  });

test('an unlisted scope shows beside those that answer', async () => {
  const own = commandLine();
  const { sandbox, specs: others } = await sandboxed();
  const endpoint = `endpoint: ${sandbox.url}`;
  const south = `apiVersion: setpoint.dev/v1\nkind: Target\nmetadata: { name: south }\nspec: { provider: aws, account: "111122223333", region: eu-central-1, ${endpoint} }`;
  writeFileSync(join(others, 'south.yaml'), south);
  for (const file of ['network.yaml', 'instances.yaml']) {
    const path = join(others, file);
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll('targets: [aws-prod]', 'targets: [aws-prod, south]'));
  }
  const store = ['--allow-endpoint', '--dir', temporaryFolder()];
  const applied = await own(['apply', others, ...store, '--yes']);
  assert.equal(applied.code, 0, applied.stderr + applied.stdout);
  const match = { action: 'DescribeInstances', region: 'eu-west-1' };
  sandbox.control.faults.add({ match, effect: { kind: 'access-denied' } });
  const { code, stdout } = await own(['reach', 'web-0', 'db-0', '5432', '--specs', others, ...store]);
  assert.equal(code, 0);
  assert.match(stdout, /^Yes, in part: web-0 → db-0 on 5432\n/);
  assert.match(stdout, /aws\/111122223333\/eu-west-1\n {2}instance was not listed completely: /);
});
