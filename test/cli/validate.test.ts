import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runCli, startCli } from './support/run-cli.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const estate = 'apiVersion: setpoint.dev/v1\nkind: Estate\nmetadata: { name: acme }\nspec: {}\n';
const target =
  '---\napiVersion: setpoint.dev/v1\nkind: Target\nmetadata: { name: aws-prod }\n' +
  'spec: { provider: aws, account: "111122223333", region: eu-west-1 }\n';

const sound = temporaryFolder({ 'specs/a.yaml': estate + target });
const broken = temporaryFolder({
  'specs/a.yaml': `${estate}${target.replace('region', 'regoin')}---\nkind: Nonsense\n`,
});

test('sound specs: the verdict is the first line, exit 0, nothing on stderr', async () => {
  const { code, stdout, stderr } = await runCli(['validate'], sound);
  assert.deepEqual([code, stderr], [0, '']);
  assert.match(stdout, /^Valid: 2 documents of the estate acme\n$/);
});

test('broken specs: every error with its place and what was meant, exit 1', async () => {
  const { code, stdout } = await runCli(['validate'], broken);
  assert.equal(code, 1);
  assert.match(stdout, /^Invalid: \d errors\n/);
  assert.match(stdout, /specs\/a\.yaml:9:\d+: error: unknown field `regoin`/);
  assert.match(stdout, /did you mean: region/);
  assert.match(stdout, /Nonsense/);
});

for (const [name, folder, valid] of [
  ['sound', sound, true],
  ['broken', broken, false],
] as const)
  test(`--json with ${name} specs is one object`, async () => {
    const { code, stdout } = await runCli(['validate', '--json'], folder);
    const answer = JSON.parse(stdout);
    assert.deepEqual([answer.valid, code], [valid, valid ? 0 : 1]);
    assert.equal(answer.problems.length > 0, !valid);
  });

const mistakes: readonly (readonly [name: string, args: readonly string[], says: RegExp])[] = [
  ['a folder that is not there', ['validate', 'nowhere'], /"nowhere" cannot be read[\s\S]*next: /],
  ['a verb that is not there', ['validat'], /unknown command 'validat'[\s\S]*Did you mean validate\?/],
  ['an option that is not there', ['validate', '--jsno'], /unknown option '--jsno'[\s\S]*Did you mean --json\?/],
  ['too many folders', ['validate', 'a', 'b'], /too many arguments/],
];

for (const [name, args, says] of mistakes)
  test(`${name}: exit 1, on stderr only, no stack trace`, async () => {
    const { code, stdout, stderr } = await runCli(args, sound);
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, says);
    assert.doesNotMatch(stderr, /\n\s+at /);
  });

test('with --json a mistake is one object too', async () => {
  const { code, stdout } = await runCli(['validate', 'nowhere', '--json'], sound);
  assert.equal(code, 1);
  assert.match(JSON.parse(stdout).error.next, /name the folder/);
});

test('without arguments it says what there is, in groups', async () => {
  const { code, stdout } = await runCli([], sound);
  assert.equal(code, 0);
  assert.match(stdout, /\nSpecs:\n {2}validate/);
});

test('a pipe gets no colour; FORCE_COLOR colours it; NO_COLOR does not', async () => {
  const coloured = async (env: Record<string, string>) =>
    (await runCli(['validate'], sound, env)).stdout.includes('\x1b[');
  assert.deepEqual(
    [await coloured({}), await coloured({ FORCE_COLOR: '1' }), await coloured({ NO_COLOR: '1' })],
    [false, true, false],
  );
});

test('a reader that goes away is no crash', async () => {
  const { child, ended } = startCli(['schema'], sound);
  child.stdout?.destroy();
  const { code, stderr } = await ended;
  assert.deepEqual([code, stderr], [0, '']);
});
