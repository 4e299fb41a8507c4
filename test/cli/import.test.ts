import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { after, describe, test } from 'node:test';
import {
  AuthorizeSecurityGroupIngressCommand,
  CreateSecurityGroupCommand,
  CreateSubnetCommand,
  CreateVpcCommand,
  EC2Client,
  type IpPermission,
  RevokeSecurityGroupEgressCommand,
  RunInstancesCommand,
} from '@aws-sdk/client-ec2';
import { startSandbox } from '../../sandbox/index.ts';
import { estateOn } from './support/estate-on.ts';
import { commandLine, type Run } from './support/in-process.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const program = join(import.meta.dirname, '../../src/bootstrap/cli.ts');
const allow = '--allow-endpoint';
const region = 'eu-west-1';

const estate = (url: string): string => estateOn(url, ['aws-prod']);

const tcp = (port: number, to: Partial<IpPermission>): IpPermission => ({
  IpProtocol: 'tcp',
  FromPort: port,
  ToPort: port,
  ...to,
});

/** Two networks by hand: `shop vpc` with groups, machines and a Kubernetes node, and `lab` with a group that lets nothing out. */
async function makeByHand(endpoint: string) {
  const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'not-a-secret' };
  const client = new EC2Client({ endpoint, region, credentials, maxAttempts: 1 });
  const tagged = <T extends 'vpc' | 'subnet' | 'instance' | 'security-group'>(
    ResourceType: T,
    tags: Readonly<Record<string, string>>,
  ) => [{ ResourceType, Tags: Object.entries(tags).map(([Key, Value]) => ({ Key, Value })) }];
  const vpcOf = async (Name: string): Promise<string> => {
    const tags = tagged('vpc', { Name, team: 'net' });
    const made = await client.send(new CreateVpcCommand({ CidrBlock: '10.20.0.0/16', TagSpecifications: tags }));
    return made.Vpc?.VpcId ?? '';
  };
  const subnetIn = async (VpcId: string): Promise<string> => {
    const TagSpecifications = tagged('subnet', { Name: 'app', team: 'net' });
    const made = await client.send(new CreateSubnetCommand({ VpcId, CidrBlock: '10.20.1.0/24', TagSpecifications }));
    return made.Subnet?.SubnetId ?? '';
  };
  const groupIn = async (VpcId: string, GroupName: string, tags: Readonly<Record<string, string>> = {}) => {
    const TagSpecifications = Object.keys(tags).length === 0 ? [] : tagged('security-group', tags);
    const asked = { VpcId, GroupName, Description: 'by hand', TagSpecifications };
    return (await client.send(new CreateSecurityGroupCommand(asked))).GroupId ?? '';
  };
  const open = (GroupId: string, ...IpPermissions: IpPermission[]) =>
    client.send(new AuthorizeSecurityGroupIngressCommand({ GroupId, IpPermissions }));
  const launch = async (Name: string, SubnetId: string, group: string): Promise<string> => {
    const made = await client.send(
      new RunInstancesCommand({
        ...{ ImageId: 'ami-0abc0abc0abc0abc0', InstanceType: 't3.small', MinCount: 1, MaxCount: 1 },
        ...{ SubnetId, SecurityGroupIds: [group], TagSpecifications: tagged('instance', { Name, tier: Name }) },
      }),
    );
    return made.Instances?.[0]?.InstanceId ?? '';
  };
  const [shop, lab] = [await vpcOf('shop vpc'), await vpcOf('lab')];
  const [subnet, labSubnet] = [await subnetIn(shop), await subnetIn(lab)];
  const [web, db, node] = [
    await groupIn(shop, 'web servers', { team: 'net' }),
    await groupIn(shop, 'db', { team: 'net' }),
    await groupIn(shop, 'node', { 'kubernetes.io/cluster/blue': 'owned' }),
  ];
  const inLab = await groupIn(lab, 'web');
  const everyone = { IpRanges: [{ CidrIp: '0.0.0.0/0', Description: 'site' }] };
  await open(web, tcp(443, everyone), tcp(80, everyone), tcp(81, everyone));
  await open(db, tcp(5432, { UserIdGroupPairs: [{ GroupId: web }] }));
  await open(inLab, tcp(443, everyone));
  const all = [{ IpProtocol: '-1', IpRanges: [{ CidrIp: '0.0.0.0/0' }] }];
  await client.send(new RevokeSecurityGroupEgressCommand({ GroupId: inLab, IpPermissions: all }));
  const machines = [
    await launch('web-0', subnet, web),
    await launch('db', subnet, db),
    await launch('db', subnet, db),
    await launch('kubelet', subnet, node),
    await launch('lab', labSubnet, inLab),
  ];
  const colleague = async (): Promise<void> => {
    await open(db, tcp(6379, everyone));
    await launch('late', subnet, db);
    await client.send(new CreateSubnetCommand({ VpcId: shop, CidrBlock: '10.20.9.0/24' }));
  };
  after(() => client.destroy());
  return { shop, lab, subnet, web, db, node, inLab, machines, colleague };
}

interface Imported {
  readonly files: readonly { readonly path: string; readonly written: boolean; readonly text?: string }[];
  readonly coverage: Readonly<Record<string, { readonly covered: number; readonly uncovered: number }>>;
  readonly uncovered: readonly { readonly kind: string; readonly id: string; readonly reason: string }[];
  readonly plan: { readonly adopt: number };
}

interface World {
  readonly url: string;
  readonly ids: Awaited<ReturnType<typeof makeByHand>>;
  /** `setpoint import` in a new folder of specs. */
  readonly fresh: (more?: Readonly<Record<string, string>>) => {
    readonly dir: string;
    readonly run: Run;
    readonly imported: (...args: readonly string[]) => Promise<Imported>;
  };
}

async function world(): Promise<World> {
  process.env['AWS_ACCESS_KEY_ID'] = 'test';
  process.env['AWS_SECRET_ACCESS_KEY'] = 'test';
  const sandbox = await startSandbox({ budgets: false, clock: { rate: 1000 } });
  after(() => sandbox.close());
  const ids = await makeByHand(sandbox.url);
  return {
    url: sandbox.url,
    ids,
    fresh: (more = {}) => {
      const dir = temporaryFolder({ 'estate.yaml': estate(sandbox.url), ...more });
      const run = commandLine();
      const imported = async (...args: readonly string[]): Promise<Imported> => {
        const { code, stdout, stderr } = await run(['import', dir, allow, '--json', ...args]);
        assert.equal(code, 0, stderr);
        return JSON.parse(stdout);
      };
      return { dir, run, imported };
    },
  };
}

const planOf = async (run: Run, dir: string) => {
  const { stdout } = await run(['plan', dir, allow, '--json']);
  const plan: {
    readonly actions: readonly { readonly verb: string; readonly changes?: readonly { readonly field: string }[] }[];
    readonly findings: readonly { readonly type: string }[];
  } = JSON.parse(stdout);
  return plan;
};

const { fresh, ids } = await world();

describe('import', () => {
  test('writes few documents for many rules, with labels of machines and comments', async () => {
    const { dir, imported } = fresh();
    await imported('--network', 'shop vpc');
    const text = readFileSync(join(dir, 'imported', 'shop-vpc.yaml'), 'utf8');
    const has = (part: RegExp): void => assert.match(text, part);
    has(/^metadata: \{ name: shop-vpc, adopt: \{ aws-prod: vpc-\w+ \} \}$/m);
    has(/^ {2}ports: \[80, 443\]$/m);
    has(/^ {2}ports: \[81\]$/m);
    has(/^ {2}peers: \{ groups: \[web-servers\] \}$/m);
    has(/^metadata: \{ name: db, labels: \{ tier: db \}, adopt: \{ aws-prod: \[i-\w+, i-\w+\] \} \}$/m);
    has(/^ {2}replicas: 2$/m);
    has(/^metadata: \{ name: web, labels: \{ tier: web-0 \}, adopt: \{ aws-prod: i-\w+ \} \}$/m);
    has(/^# default \(sg-\w+\): default security group of vpc-\w+$/m);
    assert.doesNotMatch(text, /egress/, 'every group there allows all egress');
    assert.deepEqual(readdirSync(join(dir, 'imported')), ['shop-vpc.yaml'], 'the other network was not chosen');
  });

  test('a network whose groups differ in egress says deny, and its rules one by one', async () => {
    const { dir, imported } = fresh();
    await imported('--network', ids.lab);
    const text = readFileSync(join(dir, 'imported', 'lab.yaml'), 'utf8');
    assert.match(text, /^ {2}default: \{ ingress: deny, egress: deny \}$/m);
    assert.match(text, /^metadata: \{ name: default-to-all \}$/m);
  });
});

describe('the choice of import', () => {
  const choices: readonly (readonly [name: string, args: readonly string[], covered: readonly number[]])[] = [
    ['one machine brings its subnet, groups, their rules and its network', ['--id', 'i-0'], [1, 1, 1, 4, 1]],
    ['a label', ['--label', 'tier=db', '--kind', 'instance'], [1, 1, 2, 6, 2]],
    ['a kind', ['--kind', 'network'], [2, 0, 0, 0, 0]],
    ['a label that only networks have', ['--label', 'team', '--kind', 'subnet'], [2, 2, 0, 0, 0]],
  ];
  for (const [name, args, covered] of choices)
    test(`chooses by ${name}`, async () => {
      const { imported } = fresh();
      const { coverage } = await imported(
        '--dry-run',
        ...args.map((arg) => (arg === 'i-0' ? (ids.machines[0] ?? '') : arg)),
      );
      assert.deepEqual(
        ['network', 'subnet', 'group', 'firewall-rule', 'instance'].map((kind) => coverage[kind]?.covered),
        covered,
      );
    });

  test('--dry-run writes no file and shows each', async () => {
    const { dir, run, imported } = fresh();
    const [file] = (await imported('--network', 'lab', '--dry-run')).files;
    assert.deepEqual([file?.written, file?.text?.includes('name: lab')], [false, true]);
    const { stdout } = await run(['import', dir, allow, '--network', 'lab', '--dry-run']);
    assert.match(stdout, /would write .*lab\.yaml/);
    assert.match(stdout, /^# imported\/lab\.yaml\n# default .*\napiVersion: setpoint.dev\/v1$/m);
    assert.deepEqual(readdirSync(dir), ['estate.yaml']);
  });

  test('overwrites no file, and gives no name twice', async () => {
    const taken = `apiVersion: setpoint.dev/v1
kind: Network
metadata: { name: lab }
spec: { targets: [aws-prod], cidr: 10.99.0.0/16, allGroup: false }
`;
    const { dir, imported } = fresh({ 'imported/lab-2.yaml': taken });
    const { files } = await imported('--network', 'lab');
    assert.deepEqual(
      files.map(({ path }) => path.slice(dir.length)),
      ['/imported/lab-2-2.yaml'],
    );
    assert.equal(readFileSync(join(dir, 'imported', 'lab-2.yaml'), 'utf8'), taken);
    assert.match(readFileSync(join(dir, 'imported', 'lab-2-2.yaml'), 'utf8'), /name: lab-2,/);
  });

  test('a folder that differs in case only is used as it is', async () => {
    const network = 'kind: Network\nmetadata: { name: own }\nspec: { targets: [aws-prod], cidr: 10.99.0.0/16 }\n';
    const { dir, run, imported } = fresh({ 'Imported/lab.yaml': `apiVersion: setpoint.dev/v1\n${network}` });
    const { files } = await imported('--network', 'lab');
    assert.deepEqual(
      files.map(({ path }) => path.slice(dir.length)),
      ['/Imported/lab-2.yaml'],
    );
    assert.equal((await run(['validate', dir])).code, 0);
  });

  test('a file that appears meanwhile stays, and the run leaves nothing behind', async () => {
    const { dir, run } = fresh();
    // why: a folder by that name is no spec file, so that only the write meets it
    mkdirSync(join(dir, 'imported', 'shop-vpc.yaml'), { recursive: true });
    const { code, stderr } = await run(['import', dir, allow, '--all']);
    assert.equal(code, 1);
    assert.match(stderr, /The documents were not written\.\n {2}why: .*removed the files of this run\.\n {2}next: /);
    assert.deepEqual(readdirSync(join(dir, 'imported')), ['shop-vpc.yaml']);
  });
});

test('a file that could be written in part only is removed, too', async () => {
  const { dir } = fresh();
  // why: a file of two blocks holds no whole network, as on a full disk
  const limited = 'trap "" XFSZ; ulimit -f 2; exec "$0" "$@"';
  const child = spawn('sh', ['-c', limited, process.execPath, program, 'import', dir, allow, '--all'], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, NODE_V8_COVERAGE: undefined },
  });
  const [stderr] = await Promise.all([textOf(child.stderr), once(child, 'close')]);
  assert.match(stderr, /The documents were not written\.\n {2}why: {3}EFBIG/);
  assert.deepEqual(readdirSync(join(dir, 'imported')), []);
});

describe('import refuses', () => {
  const refused: readonly (readonly [name: string, args: readonly string[], says: RegExp])[] = [
    ['no choice', [], /Choose the objects to import\.\n.*--all/],
    ['a choice beside --all', ['--all', '--kind', 'network'], /exclude each other/],
    ['an unknown kind', ['--kind', 'vpc'], /network, subnet, group/],
    ['a label without a key', ['--label', '=x'], /Write a key/],
    ['a folder outside the specs', ['--all', '--out', '/tmp'], /outside the specs\.\n.*\n {2}next: .*imported/],
    ['specs that are in no folder', ['--all', '--active'], /import writes into a folder\.\n {2}next: .*--active/],
    ['nothing that matches', ['--network', 'nowhere'], /No object matches.*\n.*\n {2}next: .*--claim unmanaged/],
  ];
  for (const [name, args, says] of refused)
    test(name, async () => {
      const { dir, run } = fresh();
      const { code, stderr } = await run(['import', dir, allow, ...args]);
      assert.deepEqual([code, says.test(stderr)], [1, true], stderr);
      assert.deepEqual(readdirSync(dir), ['estate.yaml']);
    });

  for (const out of ['.hidden', 'a/.hidden', 'a/node_modules', '-a', 'overlays/a', '@aws'])
    test(`a folder that is not read as one of the base: ${out}`, async () => {
      const { dir, run } = fresh();
      const { code, stderr } = await run(['import', dir, allow, '--all', `--out=${join(dir, out)}`]);
      assert.equal(code, 1);
      assert.match(stderr, /is no place for these documents\.\n {2}why: .*\n {2}next: .*imported/);
      assert.deepEqual(readdirSync(dir), ['estate.yaml']);
    });

  for (const mode of ['observe', 'plan'])
    test(`the next commands have the endpoint, and name a target in observe: ${mode}`, async () => {
      const { dir, run } = fresh();
      const file = join(dir, 'estate.yaml');
      writeFileSync(file, readFileSync(file, 'utf8').replace('provider: aws', `mode: ${mode}, provider: aws`));
      const { stdout } = await run(['import', dir, allow, '--network', 'lab']);
      const change = mode === 'observe' ? 'change the mode of aws-prod from observe to plan or enforce, ' : '';
      const next = `Next: read the documents, then setpoint plan ${dir} ${allow}, then ${change}setpoint apply ${dir} ${allow}.`;
      assert.ok(stdout.includes(next), stdout);
    });

  test('broken specs are refused before any cloud is asked', async () => {
    const { dir, run } = fresh();
    writeFileSync(join(dir, 'x.yaml'), 'kind: Nothing\n');
    const { code, stderr } = await run(['import', dir, allow, '--all']);
    assert.equal(code, 1);
    assert.match(stderr, /x\.yaml:1/);
  });
});

test('writes documents that a plan adopts, and that an apply marks and nothing else', async () => {
  // why: a world of its own, as its objects are ours afterwards
  const { fresh } = await world();
  const { dir, run, imported } = fresh();
  const { coverage, uncovered, plan, files } = await imported('--all');
  assert.deepEqual(coverage, {
    network: { covered: 2, uncovered: 0 },
    subnet: { covered: 2, uncovered: 0 },
    group: { covered: 5, uncovered: 1 },
    'firewall-rule': { covered: 11, uncovered: 1 },
    instance: { covered: 4, uncovered: 1 },
  });
  assert.deepEqual(uncovered.map(({ kind, reason }) => `${kind}: ${reason.replaceAll(/sg-\w+/g, 'sg')}`).toSorted(), [
    'firewall-rule: A service owns it: belongs to Kubernetes cluster blue.',
    'group: A service owns it: belongs to Kubernetes cluster blue.',
    'instance: Its group sg has no document.',
  ]);
  assert.deepEqual(files.map(({ path, written }) => [path.slice(dir.length), written]).toSorted(), [
    ['/imported/lab.yaml', true],
    ['/imported/shop-vpc.yaml', true],
  ]);
  const { actions, findings } = await planOf(run, dir);
  assert.equal(actions.length, plan.adopt);
  for (const { verb, changes = [] } of actions)
    assert.deepEqual([verb, changes.filter(({ field }) => field !== 'mark')], ['adopt', []]);
  assert.deepEqual(
    findings.filter(({ type }) => type === 'blocked'),
    [],
  );
  const applied = await run(['apply', dir, allow, '--yes']);
  assert.equal(applied.code, 0, applied.stdout + applied.stderr);
  assert.match(applied.stdout, new RegExp(`0 added, 0 changed, 0 replaced, 0 deleted, ${plan.adopt} adopted`));
  assert.deepEqual((await planOf(run, dir)).actions, []);
  const again = await run(['import', dir, allow, '--all']);
  assert.match(again.stdout, /group node .*A service owns it/, 'the rest, and nothing twice');
  assert.match(again.stdout, /\n\nThere is no new document\./);
  assert.doesNotMatch(again.stdout, /\n\n\n|Next: /, 'no step that has nothing to do');
  assert.deepEqual(readdirSync(join(dir, 'imported')).length, 2);
});

test('a rule that a colleague adds after the adoption is unmanaged, and the next import says it', async () => {
  const { fresh, ids, url } = await world();
  const { dir, run, imported } = fresh();
  await imported('--network', 'shop vpc');
  assert.equal((await run(['apply', dir, allow, '--yes'])).code, 0);
  const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'not-a-secret' };
  const client = new EC2Client({ endpoint: url, region, credentials, maxAttempts: 1 });
  const IpPermissions = [tcp(8443, { IpRanges: [{ CidrIp: '10.0.0.0/8' }] })];
  await client.send(new AuthorizeSecurityGroupIngressCommand({ GroupId: ids.web, IpPermissions }));
  client.destroy();
  const seen = await run([
    'inventory',
    dir,
    allow,
    '--refresh',
    '--claim',
    'unmanaged',
    '--kind',
    'firewall-rule',
    '--json',
  ]);
  assert.match(seen.stdout, /tcp\/8443/, 'not ours, although it is in a group of ours');
  const { coverage, files } = await imported('--network', 'shop vpc');
  assert.deepEqual([coverage['firewall-rule']?.covered, files.length], [1, 1]);
  const text = readFileSync(join(dir, 'imported', 'shop-vpc-2.yaml'), 'utf8');
  assert.match(text, /^metadata: \{ name: web-servers-tcp-8443 \}$/m);
  assert.deepEqual((await planOf(run, dir)).actions, []);
});

test('a second import brings what a colleague added in a network of ours: a machine and a rule', async () => {
  const { fresh, ids } = await world();
  const { dir, run, imported } = fresh();
  await imported('--all');
  assert.equal((await run(['apply', dir, allow, '--yes'])).code, 0);
  await ids.colleague();
  const { files, uncovered } = await imported('--all');
  assert.deepEqual(
    files.map(({ path }) => path.slice(dir.length)),
    ['/imported/shop-vpc-2.yaml'],
  );
  const text = readFileSync(join(dir, 'imported', 'shop-vpc-2.yaml'), 'utf8');
  assert.match(text, /name: db-redis.*network: shop-vpc.*ports: \[6379\]\n {2}group: db\n/s);
  assert.match(
    text,
    /kind: Instance\nmetadata: \{ name: late,.*network: shop-vpc\n {2}subnet: app\n {2}groups: \[db\]\n/s,
  );
  assert.match(
    uncovered.find(({ kind }) => kind === 'subnet')?.reason ?? '',
    /Its network has the document shop-vpc\./,
  );
  assert.deepEqual(
    (await planOf(run, dir)).actions.map(({ verb }) => verb),
    ['adopt'],
  );
  assert.equal((await run(['apply', dir, allow, '--yes'])).code, 0);
  assert.deepEqual((await planOf(run, dir)).actions, []);
});
