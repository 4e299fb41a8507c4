import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import { after, describe, test } from 'node:test';
import { startSandbox } from '../../sandbox/index.ts';
import type { UserError } from '../../src/cli/errors.ts';
import { readTerraformState } from '../../src/cli/local/terraform-state.ts';
import { account, estateOn } from './support/estate-on.ts';
import { commandLine } from './support/in-process.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const program = join(import.meta.dirname, '../../src/bootstrap/cli.ts');
const allow = '--allow-endpoint';
const region = 'eu-west-1';

const specs = (url: string): string => estateOn(url, ['aws-prod', 'gcp-prod']);

/** Ids of one length, so that each is told by its last letters. */
const id = (prefix: string, end: string): string => `${prefix}-${end.padStart(17, '0')}`;

const peers = ['10.0.0.0/8'];
const machine = (end: string, size: string, name: string): object => ({
  id: id('i', end),
  subnet: 'a',
  groups: ['web'],
  size,
  ...(name === '' ? {} : { tags: { Name: name } }),
});

/** Objects that Terraform made, and a network of somebody else. */
const estate = [
  {
    regions: [
      {
        account,
        region,
        vpcs: [
          {
            key: 'net',
            id: id('vpc', 'a1'),
            cidr: '10.0.0.0/16',
            tags: { Name: 'Terraform made this' },
            subnets: [
              { key: 'a', id: id('subnet', 'a1'), cidr: '10.0.1.0/24' },
              { key: 'b', id: id('subnet', 'b1'), cidr: '10.0.2.0/24' },
            ],
            groups: [
              { key: 'web', id: id('sg', 'a1'), name: 'web', ingress: [{ protocol: 'tcp', ports: '443', peers }] },
            ],
          },
          { key: 'other', id: id('vpc', 'f1'), cidr: '10.9.0.0/16', tags: { Name: 'other' } },
        ],
        instances: [
          ...['1', '2', '3'].map((end) => machine(`a${end}`, 't3.small', '')),
          machine('b1', 't3.large', 'db'),
        ],
      },
    ],
  },
];

const managed = (type: string, name: string, instances: readonly object[], more: object = {}): object => ({
  mode: 'managed',
  type,
  name,
  provider: 'provider["registry.terraform.io/hashicorp/aws"]',
  instances,
  ...more,
});

const held = (ending: string, more: object = {}, attributes: object = {}): object => ({
  schema_version: 1,
  attributes: { id: ending, ...attributes },
  ...more,
});

const resources: readonly object[] = [
  managed('aws_vpc', 'main', [held(id('vpc', 'a1'))], { module: 'module.net' }),
  managed(
    'aws_subnet',
    'app',
    [held(id('subnet', 'a1'), { index_key: 'a' }), held(id('subnet', 'b1'), { index_key: 'b' })],
    { module: 'module.net' },
  ),
  managed('aws_security_group', 'web', [held(id('sg', 'a1'))]),
  managed('aws_security_group_rule', 'https', [
    held(
      'sgrule-1',
      {},
      {
        ...{ type: 'ingress', protocol: 'tcp', from_port: 443, to_port: 443, cidr_blocks: peers },
        security_group_id: id('sg', 'a1'),
      },
    ),
  ]),
  managed(
    'aws_instance',
    'web',
    ['2', '3', '1'].map((end, key) => held(id('i', `a${end}`), { index_key: key })),
  ),
  managed('aws_instance', 'db', [held(id('i', 'b1'))]),
  managed('aws_db_instance', 'db', [held('db-1')]),
];

const stateOf = (all: readonly object[], more: object = {}): string =>
  JSON.stringify({
    version: 4,
    terraform_version: '1.11.4',
    serial: 3,
    lineage: 'x',
    outputs: {},
    resources: all,
    ...more,
  });

process.env['AWS_ACCESS_KEY_ID'] = 'test';
process.env['AWS_SECRET_ACCESS_KEY'] = 'test';
const sandbox = await startSandbox({ budgets: false, clock: { rate: 1000 }, estate });
after(() => sandbox.close());

interface Imported {
  readonly files: readonly { readonly path: string }[];
  readonly coverage: Readonly<Record<string, { readonly covered: number; readonly uncovered: number }>>;
  readonly uncovered: readonly { readonly id: string; readonly reason: string; readonly terraform?: string }[];
  readonly plan: { readonly adopt: number };
  readonly terraform: {
    readonly instances: { readonly covered: number; readonly known: number };
    readonly missing: readonly { readonly address: string; readonly id?: string; readonly reason: string }[];
    readonly staysWithTerraform: readonly object[];
    readonly broughtAlong: readonly { readonly kind: string; readonly id: string }[];
    readonly removed?: { readonly path: string; readonly written: boolean; readonly resources: readonly string[] };
    readonly stateRm: readonly string[];
  };
}

/** A new folder of specs beside a state. Files go there, and no file into the folder that tests run in. */
function fresh(state: string, url = sandbox.url) {
  const dir = temporaryFolder({ 'specs/estate.yaml': specs(url), 'terraform.tfstate': state });
  const run = commandLine();
  const removed = join(dir, 'removed.tf');
  const args = [
    'import',
    join(dir, 'specs'),
    allow,
    '--from-terraform',
    join(dir, 'terraform.tfstate'),
    '--removed',
    removed,
  ];
  const imported = async (...more: readonly string[]): Promise<Imported> => {
    const { code, stdout, stderr } = await run([...args, '--json', ...more]);
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout);
  };
  const read = (path: string): string => readFileSync(join(dir, path), 'utf8');
  return { dir, specs: join(dir, 'specs'), run, args, imported, removed, read };
}

describe('import --from-terraform', () => {
  test('chooses the objects of the state, and names documents by addresses', async () => {
    const { imported, specs: folder, read, run } = fresh(stateOf(resources));
    const { coverage, uncovered, terraform, plan, files } = await imported();
    assert.deepEqual(
      Object.values(coverage).map(({ covered }) => covered),
      [1, 2, 1, 2, 4],
    );
    assert.deepEqual(uncovered, []);
    assert.deepEqual(
      files.map(({ path }) => path.slice(folder.length)),
      ['/imported/net-main.yaml'],
    );
    assert.deepEqual(terraform.instances, { covered: 9, known: 9 });
    assert.deepEqual(terraform.staysWithTerraform, [{ type: 'aws_db_instance', count: 1 }]);
    const text = read('specs/imported/net-main.yaml');
    assert.match(text, /^metadata: \{ name: net-main, .*adopt: \{ aws-prod: vpc-\w+a1 \} \}$/m);
    assert.match(text, /name: net-app-a,[\s\S]*name: net-app-b,/);
    assert.match(text, /^metadata: \{ name: web, adopt: \{ aws-prod: \[i-0+a2, i-0+a3, i-0+a1\] \} \}$/m);
    assert.match(text, /^metadata: \{ name: db, adopt: \{ aws-prod: i-0+b1 \} \}$/m);
    const planned = JSON.parse((await run(['plan', folder, allow, '--json'])).stdout);
    assert.deepEqual(
      planned.actions.map(({ verb }: { readonly verb: string }) => verb),
      Array(plan.adopt).fill('adopt'),
    );
  });

  test('writes removed blocks for whole resources, and nothing in the specs for Terraform', async () => {
    const { imported, removed, read, specs: folder } = fresh(stateOf(resources));
    const { terraform } = await imported();
    assert.deepEqual(terraform.removed, {
      path: removed,
      written: true,
      resources: [
        'module.net.aws_vpc.main',
        'module.net.aws_subnet.app',
        'aws_security_group.web',
        'aws_security_group_rule.https',
        'aws_instance.web',
        'aws_instance.db',
      ],
    });
    const from = [...read('removed.tf').matchAll(/^ {2}from = (.*)$/gm)].map(([, address]) => address);
    assert.deepEqual(from, terraform.removed?.resources);
    assert.deepEqual(readdirSync(folder), ['estate.yaml', 'imported']);
  });

  test('of a resource that is covered in part, it names the instances one by one', async () => {
    const { imported, args, run, read } = fresh(
      stateOf([
        ...resources.slice(0, 1),
        managed('aws_subnet', 'app', [
          held(id('subnet', 'a1'), { index_key: 'a' }),
          held(id('subnet', 'dead'), { index_key: 'c' }, { arn: `arn:aws:ec2:${region}:${account}:subnet/x` }),
        ]),
      ]),
    );
    const { stdout } = await run([...args, '--dry-run']);
    assert.match(
      stdout,
      /^Not found:\n {2}aws_subnet\.app\["c"\] \(subnet-0+dead\): The account 111122223333 does not hold it/m,
    );
    assert.match(stdout, /^ {2}terraform state rm 'aws_subnet\.app\["a"\]'$/m);
    const { terraform } = await imported();
    assert.deepEqual(
      [terraform.removed?.resources, terraform.stateRm],
      [['module.net.aws_vpc.main'], ['aws_subnet.app["a"]']],
    );
    assert.match(read('removed.tf'), /^# {3}terraform state rm 'aws_subnet\.app\["a"\]'$/m);
  });

  test('tells people the next steps, and the tags of the overlap', async () => {
    const { run, args, removed } = fresh(stateOf(resources));
    const { code, stdout } = await run(args);
    assert.equal(code, 0);
    assert.match(stdout, /^Import: 10 of 10 objects in documents \(100%\)\n/);
    assert.match(stdout, /^Terraform: 9 of 9 resource instances that Setpoint knows have documents$/m);
    assert.match(stdout, /^Stays with Terraform: 1 aws_db_instance$/m);
    assert.ok(stdout.includes(`wrote ${removed}: removed blocks for 6 resources\n`));
    assert.match(
      stdout,
      /to adopt, no other change\.\nNext: .*\nAfter the apply, put .*removed\.tf beside .*\n.*\n.*ignore_tags \{ key_prefixes = \["setpoint:"\] \}/,
    );
  });
});

describe('import --from-terraform in parts', () => {
  test('the options of a choice narrow it', async () => {
    const { imported } = fresh(stateOf(resources));
    const { coverage, terraform } = await imported('--kind', 'subnet');
    assert.deepEqual(
      [coverage['subnet']?.covered, coverage['network']?.covered, coverage['instance']?.covered],
      [2, 1, 0],
    );
    assert.deepEqual(terraform.removed?.resources, ['module.net.aws_vpc.main', 'module.net.aws_subnet.app']);
  });

  test('objects that the state does not name, and that its objects need, are listed', async () => {
    const { imported, run, args } = fresh(stateOf([managed('aws_instance', 'db', [held(id('i', 'b1'))])]));
    const { stdout } = await run([...args, '--dry-run']);
    assert.match(
      stdout,
      /^Not in the state, and needed by its objects:\n(?: {2}.*\n)* {2}network Terraform made this \(vpc-0+a1\)\n/m,
    );
    const { terraform } = await imported();
    assert.deepEqual(terraform.broughtAlong.map(({ kind }) => kind).toSorted(), ['group', 'network', 'subnet']);
    assert.deepEqual(terraform.removed?.resources, ['aws_instance.db']);
  });

  test('--dry-run writes no file, and shows both', async () => {
    const { run, args, dir, specs: folder } = fresh(stateOf(resources));
    const { stdout } = await run([...args, '--dry-run']);
    assert.match(stdout, /^would write .*removed\.tf: /m);
    assert.match(stdout, /^# .*removed\.tf\n# Written by setpoint import/m);
    assert.deepEqual(
      [readdirSync(dir).toSorted(), readdirSync(folder)],
      [['specs', 'terraform.tfstate'], ['estate.yaml']],
    );
  });

  test('reads what show -json prints, from stdin', async () => {
    const { dir, specs: folder } = fresh('');
    const shown = {
      format_version: '1.0',
      values: {
        root_module: {
          child_modules: [
            {
              address: 'module.net',
              resources: [{ mode: 'managed', type: 'aws_vpc', name: 'main', values: { id: id('vpc', 'a1') } }],
            },
          ],
        },
      },
    };
    const child = spawn(process.execPath, [program, 'import', folder, allow, '--from-terraform', '-'], { cwd: dir });
    child.stdin.end(JSON.stringify(shown));
    const [stdout, [code]] = await Promise.all([textOf(child.stdout), once(child, 'close')]);
    assert.equal(code, 0);
    assert.match(stdout, /^wrote setpoint-removed\.tf: removed blocks for 1 resource$/m);
    assert.match(readFileSync(join(dir, 'setpoint-removed.tf'), 'utf8'), /from = module\.net\.aws_vpc\.main/);
  });
});

test('after the apply the same import has nothing to write, and the file of removed blocks stays', async () => {
  // why: a world of its own, as its objects are ours afterwards
  const own = await startSandbox({ budgets: false, clock: { rate: 1000 }, estate });
  after(() => own.close());
  const { run, args, imported, removed, specs: folder, read } = fresh(stateOf(resources), own.url);
  await imported();
  const before = read('removed.tf');
  const applied = await run(['apply', folder, allow, '--yes']);
  assert.match(applied.stdout, /0 added, 0 changed, 0 replaced, 0 deleted/);
  const { code, stdout, stderr } = await run(args);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^Import: these objects have documents already\n/);
  assert.match(stdout, /^Terraform: 9 of 9 resource instances/m);
  assert.ok(stdout.includes(`kept ${removed}: removed blocks for 6 resources\n`));
  assert.equal(read('removed.tf'), before);
  assert.deepEqual(readdirSync(join(folder, 'imported')), ['net-main.yaml']);
});

describe('import --from-terraform refuses', () => {
  const rows: readonly (readonly [name: string, state: string, args: readonly string[], says: RegExp])[] = [
    ['--all beside it', stateOf(resources), ['--all'], /exclude each other\.\n {2}why: .*narrow/],
    ['version 3', '{"version": 3}', [], /why: {3}It has version 3/],
    [
      'a state that is cut',
      stateOf(resources).slice(0, 200),
      [],
      /where: .*terraform\.tfstate:1:201\n {2}why: .*ends in the middle/,
    ],
    [
      'nothing that it knows',
      stateOf([managed('aws_eip', 'a', [held('e')])]),
      [],
      /is one that Setpoint knows\.\n {2}why: {3}It has 1 aws_eip\./,
    ],
    ['no resource', stateOf([]), [], /why: {3}It has no managed resource/],
    [
      'a state of another account',
      stateOf([
        managed(
          'aws_vpc',
          'main',
          ['d1', 'd2', 'd3', 'd4', 'd5', 'd6', 'd7'].map((end) =>
            held(
              id('vpc', end),
              { index_key: Number(end[1]) - 1 },
              { arn: 'arn:aws:ec2:us-east-1:999900001111:vpc/x' },
            ),
          ),
        ),
      ]),
      [],
      /hold no resource of the state\.\n {2}where: \n +aws_vpc\.main\[0\] \(vpc-0+d1\): No target of the specs is for 999900001111 us-east-1\.\n(?:.*\n){4} +and 2 more: No target/,
    ],
    ['a choice that leaves none', stateOf(resources), ['--network', 'nowhere'], /No object matches/],
  ];
  for (const [name, state, more, says] of rows)
    test(name, async () => {
      const { run, args, removed, specs: folder } = fresh(state);
      const { code, stderr, stdout } = await run([...args, ...more]);
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(stderr, says);
      assert.match(stderr, /^ {2}next: /m);
      assert.deepEqual([readdirSync(folder), existsSync(removed)], [['estate.yaml'], false]);
    });

  test('a file of removed blocks with another text, before anything is written', async () => {
    const { run, args, removed, specs: folder } = fresh(stateOf(resources));
    writeFileSync(removed, 'removed {}\n');
    const { code, stderr } = await run(args);
    assert.equal(code, 1);
    assert.match(stderr, /is there already\.\n {2}why: .*overwrites no file\.\n {2}next: .*--removed FILE/);
    assert.deepEqual([readdirSync(folder), readFileSync(removed, 'utf8')], [['estate.yaml'], 'removed {}\n']);
  });

  test('a state that is not there, a text that is not UTF-8, and --removed without a state', async () => {
    const { run, specs: folder, dir } = fresh('');
    const missing = await run(['import', folder, allow, '--from-terraform', join(dir, 'none')]);
    assert.match(missing.stderr, /cannot read the state .*none\.\n {2}why: {3}ENOENT/);
    writeFileSync(join(dir, 'utf16'), Buffer.from(`\uFEFF${stateOf(resources)}`, 'utf16le'));
    const utf16 = await run(['import', folder, allow, '--from-terraform', join(dir, 'utf16')]);
    assert.match(utf16.stderr, /why: {3}It is not UTF-8\.\n {2}next: .*Out-File -Encoding utf8/);
    const alone = await run(['import', folder, allow, '--all', '--removed', 'x.tf']);
    assert.match(alone.stderr, /--removed is for objects of a state.*\n {2}next: .*--from-terraform/);
    assert.deepEqual([missing.code, utf16.code, alone.code], [1, 1, 1]);
  });

  test('a state on stdin that nobody pipes in, and one without end', async () => {
    const terminal = Object.assign(Readable.from([]), { isTTY: true });
    await assert.rejects(readTerraformState('-', terminal), /Nothing is piped in/);
    const endless = Readable.from(
      (function* () {
        for (const chunk = Buffer.alloc(8 * 1024 * 1024, ' '); ; ) yield chunk;
      })(),
    );
    await assert.rejects(
      readTerraformState('-', endless),
      (error: UserError) => error.details.why === 'It is larger than 256 MiB.',
    );
    assert.ok(endless.destroyed);
  });
});
