import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { after, afterEach, describe, test } from 'node:test';
import { CreateSubnetCommand, CreateVpcCommand, EC2Client } from '@aws-sdk/client-ec2';
import { startSandbox } from '../../sandbox/index.ts';
import { commandLine } from './support/in-process.ts';
import { edit } from './support/sandboxed.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const secret = 'wJalrXUtnFEMI-not-a-real-secret';
const variables = [
  'AWS_REGION',
  'AWS_DEFAULT_REGION',
  'AWS_ENDPOINT_URL',
  'GOOGLE_CLOUD_PROJECT',
  'AZURE_SUBSCRIPTION_ID',
];

const forgetVariables = (): void => {
  for (const name of variables) delete process.env[name];
};

forgetVariables();
afterEach(forgetVariables);
process.env['AWS_ACCESS_KEY_ID'] = 'test';
process.env['AWS_SECRET_ACCESS_KEY'] = secret;

const sandbox = await startSandbox({ budgets: false, clock: { rate: 1000 } });
after(() => sandbox.close());
const here = ['--sandbox', sandbox.url];

/** `setpoint init` in a folder that does not exist yet. */
function fresh() {
  const root = temporaryFolder();
  const dir = join(root, 'specs');
  const run = commandLine();
  return {
    ...{ root, dir, run },
    init: (args: readonly string[], says?: string) => run(['init', dir, ...args], says),
    text: () => readFileSync(join(dir, 'estate.yaml'), 'utf8'),
  };
}

/** The file for a target of this sandbox, without its comments. */
const written = (text: string): string =>
  text
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n');

const estateOn = (name: string, target: string, lines: readonly string[]): string => `apiVersion: setpoint.dev/v1
kind: Estate
metadata: { name: ${name} }
spec:
  mode: plan
---
apiVersion: setpoint.dev/v1
kind: Target
metadata: { name: ${target} }
spec:
${lines.map((line) => `  ${line}\n`).join('')}  mode: observe
`;

describe('init by flags', () => {
  const azure = '11112222-3333-4444-8555-666677778888';
  const clouds: readonly (readonly [cloud: string, args: readonly string[], lines: readonly string[]])[] = [
    ['aws', ['--account', '111122223333', '--region', 'eu-west-1'], ['account: "111122223333"', 'region: eu-west-1']],
    [
      'gcp',
      ['--account', 'acme-prod', '--region', 'europe-west1', '--zone', 'europe-west1-c'],
      ['account: acme-prod', 'region: europe-west1', 'zone: europe-west1-c'],
    ],
    [
      'azure',
      ['--account', azure, '--region', 'westeurope', '--resource-group', 'acme'],
      [`account: ${azure}`, 'region: westeurope', 'resourceGroup: acme'],
    ],
  ];
  for (const [cloud, args, lines] of clouds)
    test(`writes a target of ${cloud} in mode observe, and checks it`, async () => {
      const { dir, init, text } = fresh();
      const { code, stdout, stderr } = await init([
        ...here,
        '--cloud',
        cloud,
        ...args,
        '--name',
        'acme',
        '--target',
        'prod',
      ]);
      assert.equal(code, 0, stdout + stderr);
      const place = [`provider: ${cloud}`, ...lines, `endpoint: ${sandbox.url}`];
      assert.equal(written(text()), estateOn('acme', 'prod', place));
      assert.match(text(), /^# To allow `setpoint apply`, change the mode to plan\./m);
      assert.match(stdout, /^Wrote .*estate\.yaml: the estate acme with the target prod\n/);
      assert.match(stdout, /ok {4}Target prod: the credentials belong to/);
      assert.ok(
        stdout.endsWith(
          `Next:\n  setpoint import --all ${dir} --allow-endpoint\n  setpoint plan ${dir} --allow-endpoint\n`,
        ),
        stdout,
      );
    });

  test('--sandbox --yes is enough, and names the estate after the folder', async () => {
    const { root, init, text } = fresh();
    const { code, stdout } = await init([...here, '--yes', '--json']);
    const { estate, target, healthy, next } = JSON.parse(stdout);
    assert.deepEqual([code, estate, target, healthy, next.length], [0, basename(root), 'aws-eu-west-1', true, 2]);
    assert.match(text(), /^ {2}account: "111122223333"\n {2}region: eu-west-1$/m);
  });

  test('--yes takes the region of the environment and the account of the credentials', async () => {
    process.env['AWS_ENDPOINT_URL'] = sandbox.url;
    process.env['AWS_REGION'] = 'eu-central-1';
    const { dir, init, text } = fresh();
    const { code, stdout, stderr } = await init(['--cloud', 'aws', '--yes']);
    assert.equal(code, 0, stdout + stderr);
    assert.match(text(), /^ {2}account: "111122223333"\n {2}region: eu-central-1\n {2}mode: observe$/m);
    assert.ok(stdout.endsWith(`Next:\n  setpoint import --all ${dir}\n  setpoint plan ${dir}\n`), stdout);
  });

  test('a failed check is printed, and the exit code is 1', async () => {
    const { init, text } = fresh();
    const args = ['--cloud', 'aws', '--account', '999900001111', '--region', 'eu-west-1'];
    const { code, stdout } = await init([...here, ...args]);
    assert.equal(code, 1);
    assert.match(stdout, /BAD {3}Target aws-eu-west-1: .*but the target is 999900001111/);
    assert.match(stdout, /\nFix 1 problem, and check again with: setpoint doctor .*--allow-endpoint\. Then:\n/);
    assert.match(text(), /999900001111/);
  });
});

describe('init on a terminal', () => {
  test('asks for each missing value, on stderr, and proposes those at hand', async () => {
    process.env['AWS_ENDPOINT_URL'] = sandbox.url;
    process.env['AWS_DEFAULT_REGION'] = 'eu-west-1';
    const { root, init, text } = fresh();
    const { stdout, stderr } = await init(['--json'], 'aws\neu-central-1\n\nfirst\n\n');
    const name = basename(root);
    assert.equal(
      stderr,
      `Cloud: aws, gcp, azure: Region [eu-west-1]: AWS account [111122223333]: Name of the target [aws-eu-central-1]: Name of the estate [${name}]: `,
    );
    const place = ['provider: aws', 'account: "111122223333"', 'region: eu-central-1'];
    assert.equal(written(text()), estateOn(name, 'first', place));
    assert.equal(JSON.parse(stdout).target, 'first', 'stdout is data');
  });

  for (const [cloud, variable, asked] of [
    ['gcp', 'GOOGLE_CLOUD_PROJECT', 'Google Cloud project [acme-prod]: Region: Zone of the instances: '],
    ['azure', 'AZURE_SUBSCRIPTION_ID', 'Azure subscription [acme-prod]: Location: Resource group: '],
  ] as const)
    test(`proposes the account of ${variable}`, async () => {
      process.env[variable] = 'acme-prod';
      const { init } = fresh();
      // why: an invalid region ends the run before it calls a cloud
      const { code, stderr } = await init(['--cloud', cloud], '\n-\nx\n\n\n');
      assert.equal(code, 1);
      assert.ok(stderr.startsWith(asked), stderr);
      assert.match(stderr, /`spec\.region` is "-"/);
    });

  test('asks for nothing that a flag gives', async () => {
    const { init } = fresh();
    const { code, stderr } = await init(
      [...here, '--cloud', 'aws', '--name', 'a', '--target', 't'],
      '\n111122223333\n',
    );
    assert.deepEqual([code, stderr], [0, 'Region [eu-west-1]: AWS account [111122223333]: ']);
  });

  test('an input that ends names each flag without an answer', async () => {
    const { dir, init } = fresh();
    const { code, stderr } = await init(['--cloud', 'azure'], 'westeurope');
    assert.equal(code, 1);
    assert.match(stderr, /A new estate needs --region, --resource-group\./);
    assert.equal(existsSync(dir), false);
  });

  test('an unknown cloud is refused at once', async () => {
    const { init } = fresh();
    const { code, stderr } = await init([], 'ibm\n');
    assert.equal(code, 1);
    assert.match(stderr, /There is no cloud "ibm"\.\n {2}next: {2}Name one of aws, gcp, azure/);
  });
});

describe('init refuses', () => {
  const aws = ['--cloud', 'aws', '--account', '111122223333', '--region', 'eu-west-1'];
  const refused: readonly (readonly [name: string, args: readonly string[], says: readonly RegExp[]])[] = [
    ['all missing flags, without a terminal', [], [/needs --cloud, --region, --account\./, /Add --cloud, .*--yes/]],
    ['a missing zone', ['--cloud', 'gcp', '--account', 'acme-prod', '--region', 'us-east1'], [/needs --zone\./]],
    ['--yes without any value', ['--cloud', 'azure', '--yes'], [/needs --account, --region, --resource-group\./]],
    [
      'a wrong account, as validate does',
      ['--cloud', 'aws', '--account', '12', '--region', 'eu-west-1'],
      [
        /estate\.yaml:15:12: error: `spec\.account` is "12"/,
        /expected: an AWS account: 12 digits/,
        /Correct --account\./,
      ],
    ],
    [
      'a wrong region',
      ['--cloud', 'aws', '--account', '111122223333', '--region', 'Europe'],
      [/error: `spec\.region` is "Europe"/, /Correct --region\./],
    ],
    ['a zone outside of the region', ['--zone', 'us-east-1a', ...aws], [/is not in eu-west-1/, /Correct --zone\./]],
    [
      'a field of another cloud',
      ['--resource-group', 'acme', ...aws],
      [/no effect on aws/, /Correct --resource-group\./],
    ],
    ['a wrong name', ['--name', 'a b', ...aws], [/`metadata\.name` is "a b"/, /Correct --name\./]],
    ['a wrong target', ['--target', 'a.b', ...aws], [/`metadata\.name` is "a\.b"/, /Correct --target\./]],
    [
      'an endpoint elsewhere, before any call',
      ['--sandbox', 'http://elsewhere.example', '--yes'],
      [/expected: a loopback address/, /Correct --sandbox\./],
    ],
  ];
  for (const [name, args, says] of refused)
    test(name, async () => {
      const { dir, init } = fresh();
      const { code, stderr } = await init(args);
      assert.equal(code, 1);
      for (const part of says) assert.match(stderr, part);
      assert.equal(existsSync(dir), false, 'nothing is written');
    });

  for (const [name, files] of [
    ['a folder with specs', { 'specs/net.yaml': 'kind: Network\n' }],
    ['a folder with overlays alone', { 'specs/overlays/prod/estate.yaml': 'kind: Estate\n' }],
  ] as const)
    test(`${name}, and prints the target to add by hand`, async () => {
      const root = temporaryFolder(files);
      const dir = join(root, 'specs');
      const before = readdirSync(dir);
      const { code, stderr } = await commandLine()(['init', dir, ...aws, '--target', 'prod']);
      assert.equal(code, 1);
      assert.match(stderr, /has specs already, so no file is written\.\n {2}where: .*specs\/(?:net\.yaml|overlays)/);
      assert.match(stderr, /next: {2}.*by hand:\n +---\n(?: +#.*\n)+ +apiVersion: .*\n +kind: Target\n.*name: prod/);
      assert.match(stderr, /account: "111122223333"\n +region: eu-west-1\n +mode: observe/);
      assert.deepEqual(readdirSync(dir), before);
    });

  test('a file in the place of the folder', async () => {
    const root = temporaryFolder({ specs: 'a file' });
    const { code, stderr } = await commandLine()(['init', join(root, 'specs'), ...aws]);
    assert.equal(code, 1);
    assert.match(stderr, /was not written\.\n {2}why: /);
    assert.equal(readFileSync(join(root, 'specs'), 'utf8'), 'a file');
  });

  test('a link in the place of the file, and follows it nowhere', async () => {
    const root = temporaryFolder({ 'specs/README.md': 'ours' });
    symlinkSync(join(root, 'elsewhere.yaml'), join(root, 'specs', 'estate.yaml'));
    const { code, stderr } = await commandLine()(['init', join(root, 'specs'), ...aws]);
    assert.equal(code, 1);
    assert.match(stderr, /was not written\.\n {2}why: .*EEXIST/);
    assert.deepEqual(readdirSync(root), ['specs']);
    assert.deepEqual(readdirSync(join(root, 'specs')), ['README.md', 'estate.yaml']);
  });
});

test('prints no secret of the credentials', async () => {
  const { init, text } = fresh();
  const good = await init([...here, '--yes']);
  const bad = await fresh().init(['--sandbox', 'http://127.0.0.1:1', '--yes']);
  assert.deepEqual([good.code, bad.code], [0, 1]);
  for (const part of [good.stdout, good.stderr, bad.stdout, bad.stderr, text()])
    assert.ok(!part.includes(secret), part);
});

async function makeByHand(): Promise<void> {
  const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'not-a-secret' };
  const client = new EC2Client({ endpoint: sandbox.url, region: 'eu-west-1', credentials, maxAttempts: 1 });
  const TagSpecifications = [{ ResourceType: 'vpc' as const, Tags: [{ Key: 'Name', Value: 'shop' }] }];
  const { Vpc } = await client.send(new CreateVpcCommand({ CidrBlock: '10.20.0.0/16', TagSpecifications }));
  await client.send(new CreateSubnetCommand({ VpcId: Vpc?.VpcId, CidrBlock: '10.20.1.0/24' }));
  client.destroy();
}

test('init, import and plan lead to the first inventory; an apply adopts once the mode is raised', async () => {
  await makeByHand();
  const { dir, run, init } = fresh();
  assert.equal((await init([...here, '--yes'])).code, 0);
  const first = await run(['plan', dir, '--allow-endpoint']);
  assert.match(first.stderr, /^No document manages an object of these targets yet: 0 of \d+ objects \(0%\)\.$/m);
  assert.ok(
    first.stderr.includes(`\nWrite documents with: setpoint import --all ${dir} --allow-endpoint\n`),
    first.stderr,
  );
  const seen = await run(['inventory', dir, '--refresh', '--unmanaged', '--allow-endpoint']);
  assert.match(seen.stdout, /\nCoverage: 0 of \d+ objects are managed \(0%\)\n/);
  const imported = await run(['import', '--all', dir, '--allow-endpoint']);
  assert.equal(imported.code, 0, imported.stderr);
  const plan = async () => JSON.parse((await run(['plan', dir, '--allow-endpoint', '--json'])).stdout);
  const observed = await plan();
  const withheld = observed.findings.filter(({ type }: { readonly type: string }) => type === 'withheld');
  assert.deepEqual(observed.actions, []);
  assert.ok(withheld.length > 0);
  for (const { action, reason } of withheld)
    assert.deepEqual([action, reason], ['adopt', 'its mode is observe: read only.']);
  const { stdout, stderr } = await run(['plan', dir, '--allow-endpoint']);
  assert.doesNotMatch(stderr, /No document manages/);
  // why: a rule of a group that a document adopts has a document already
  const covered = await run(['inventory', dir, '--refresh', '--unmanaged', '--allow-endpoint']);
  assert.match(covered.stdout, /^Inventory: 0 objects[\s\S]*\nCoverage: (\d+) of \1 objects are managed \(100%\)\n/);
  assert.match(stdout, new RegExp(`^Plan: 0 to add, .* ${withheld.length} withheld`), stdout);
  edit(dir, 'estate.yaml', '  mode: observe', '  mode: plan');
  const raised = await plan();
  assert.equal(raised.actions.length, withheld.length);
  const applied = await run(['apply', dir, '--allow-endpoint', '--yes']);
  assert.equal(applied.code, 0, applied.stdout + applied.stderr);
  assert.match(applied.stdout, new RegExp(`0 added, 0 changed, 0 replaced, 0 deleted, ${withheld.length} adopted`));
});
