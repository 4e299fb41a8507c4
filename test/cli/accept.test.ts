import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import {
  AuthorizeSecurityGroupIngressCommand,
  CreateTagsCommand,
  DeleteTagsCommand,
  DescribeInstancesCommand,
  DescribeSecurityGroupsCommand,
  DescribeSubnetsCommand,
  DescribeVpcsCommand,
  EC2Client,
  ModifyInstanceAttributeCommand,
  RevokeSecurityGroupIngressCommand,
  StopInstancesCommand,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import type { Sandbox } from '../../sandbox/index.ts';
import { visibilityMs } from '../../src/engine/absence.ts';
import { memoryDatabase } from '../support/memory-store.ts';
import { until } from '../support/until.ts';
import { commandLine, type Run, realClock } from './support/in-process.ts';
import { edit, sandboxed } from './support/sandboxed.ts';
import { inGit } from './support/work-tree.ts';

const allow = '--allow-endpoint';

interface World {
  readonly specs: string;
  readonly run: ReturnType<typeof commandLine>;
  readonly client: EC2Client;
  readonly sandbox: Sandbox;
  /** The id of a machine by its name. */
  readonly machine: (name: string) => string;
  /** The id of a security group of the network core. */
  readonly group: (name: string) => Promise<string>;
  readonly read: (file: string) => string;
  readonly accept: (args: readonly string[], says?: string) => ReturnType<Run>;
  readonly drift: (...args: readonly string[]) => Promise<string>;
}

/** The example estate, applied. `change`: of its specs before that. */
async function applied(
  t: TestContext,
  change: (specs: string) => void = () => undefined,
  ...more: readonly string[]
): Promise<World> {
  const { specs, sandbox } = await sandboxed();
  change(specs);
  let aheadMs = 0;
  const clock = { ...realClock, now: () => Date.now() + aheadMs };
  const run = commandLine({ database: memoryDatabase(clock) });
  const client = new EC2Client({ endpoint: sandbox.url, region: 'eu-west-1' });
  t.after(() => client.destroy());
  const { code, stderr } = await run(['apply', specs, allow, '--yes', ...more]);
  assert.equal(code, 0, stderr);
  // why: until then a listing may miss what was written, and two reads must agree
  aheadMs = visibilityMs;
  const { Reservations: found = [] } = await client.send(new DescribeInstancesCommand({}));
  const ids = new Map(
    found.flatMap(({ Instances = [] }) =>
      Instances.map(({ InstanceId = '', Tags = [] }) => [Tags.find(({ Key }) => Key === 'Name')?.Value, InstanceId]),
    ),
  );
  return {
    specs,
    run,
    client,
    sandbox,
    machine: (name) => ids.get(name) ?? name,
    group: async (name) => {
      const { SecurityGroups = [] } = await client.send(new DescribeSecurityGroupsCommand({}));
      return SecurityGroups.find(({ GroupName }) => GroupName === `core-${name}`)?.GroupId ?? '';
    },
    read: (file) => readFileSync(join(specs, file), 'utf8'),
    accept: (args, says) => run(['accept', ...args, '--specs', specs, allow, ...more], says),
    drift: async (...args) => /^Drift: .*/m.exec((await run(['drift', specs, allow, ...args])).stdout)?.[0] ?? '',
  };
}

/** Stops machines, gives them another size, and leaves them stopped. */
async function resize({ client }: World, ids: readonly string[], size: string): Promise<void> {
  const areIn = (state: string) => async (): Promise<boolean> => {
    const { Reservations = [] } = await client.send(new DescribeInstancesCommand({ InstanceIds: [...ids] }));
    return Reservations.flatMap(({ Instances = [] }) => Instances).every(({ State }) => State?.Name === state);
  };
  await until('the machines run', areIn('running'));
  await client.send(new StopInstancesCommand({ InstanceIds: [...ids] }));
  await until('the machines stand still', areIn('stopped'));
  for (const InstanceId of ids)
    await client.send(new ModifyInstanceAttributeCommand({ InstanceId, InstanceType: { Value: size } }));
}

const tag = ({ client }: World, ids: readonly string[], Key: string, Value: string) =>
  client.send(new CreateTagsCommand({ Resources: [...ids], Tags: [{ Key, Value }] }));

const untag = ({ client }: World, ids: readonly string[], Key: string) =>
  client.send(new DeleteTagsCommand({ Resources: [...ids], Tags: [{ Key }] }));

const webs = ({ machine }: World): readonly string[] => ['web-0', 'web-1', 'web-2'].map(machine);

test('size, power and a label of all machines go into their document, and nothing else of the file', async (t) => {
  const world = await applied(t);
  const { accept, read, drift, run, specs } = world;
  await resize(world, webs(world), 't3.large');
  await tag(world, webs(world), 'tier', '42');
  assert.equal(await drift(), 'Drift: 3 changes');
  const before = read('instances.yaml');
  const { code, stdout, stderr } = await accept(['instance/web', '--yes']);
  assert.equal(code, 0, stderr);
  const edited = before
    .replace('t3.small', 't3.large')
    .replace('{ tier: web }', '{ tier: "42" }')
    .replace('  publicIp: true\n', '  publicIp: true\n  power: stopped\n');
  assert.equal(read('instances.yaml'), edited);
  assert.match(stdout, /^Accept: 9 differences of 3 resources into 1 file$/m);
  assert.match(stdout, /^-metadata: \{ name: web, owner: team-web, labels: \{ tier: web \} \}$/m);
  assert.match(stdout, /^\+ {2}power: stopped$/m);
  assert.match(stdout, /wrote .*instances\.yaml\nNext: review .* then setpoint apply \S+ --allow-endpoint$/m);
  const plan = await run(['plan', specs, allow, '--detailed-exitcode']);
  assert.equal(plan.code, 0, plan.stdout);
  assert.equal(await drift(), 'Drift: none');
});

test('accepted drift is what the specs say once they are applied: the next change of it is drift again', async (t) => {
  const world = await applied(t);
  const { accept, drift, machine, run, sandbox, specs } = world;
  await tag(world, [machine('db-0')], 'tier', 'second');
  assert.equal((await accept(['db-0', '--yes'])).code, 0);
  sandbox.control.log.clear();
  const { stdout, code, stderr } = await run(['apply', specs, allow, '--yes']);
  assert.match(stdout, /^Applied: 0 added, 0 changed, 0 replaced, 0 deleted · generation 2 · 0 calls$/m, stderr);
  assert.equal(code, 0);
  const listed = sandbox.control.log.entries().filter(({ action }) => action === 'DescribeInstances');
  assert.equal(listed.length, 1, 'no second look');
  await tag(world, [machine('db-0')], 'tier', 'third');
  assert.equal(await drift(), 'Drift: 1 change');
  assert.equal((await accept(['db-0', '--yes'])).code, 0);
  const held = await run.database.connect().leases.acquire('acme', 'aws/111122223333/eu-west-1', 'worker-1@host');
  assert.ok(held.ok);
  assert.equal((await run(['apply', specs, allow, '--yes'])).code, 0, 'the worker notes it itself');
});

test('one field of one machine, by its id: the rest stays drift', async (t) => {
  const world = await applied(t);
  const { accept, read, drift, machine } = world;
  await resize(world, [machine('db-0')], 't3.large');
  const before = read('instances.yaml');
  const { code, stdout, stderr } = await accept([machine('db-0'), '--field', 'size', '--yes', '--json']);
  assert.equal(code, 0, stderr);
  assert.equal(read('instances.yaml'), before.replace('t3.medium', 't3.large'));
  const { accepted, files, others, left } = JSON.parse(stdout);
  const line = before.slice(0, before.indexOf('t3.medium')).split('\n').length;
  const file = join(world.specs, 'instances.yaml');
  const address = 'aws/111122223333/eu-west-1/instance/db-0';
  assert.deepEqual(accepted, [{ address, field: 'size', from: 't3.medium', to: 't3.large', file, line }]);
  assert.deepEqual([files.length, files[0].path, files[0].written, others, left], [1, file, true, [], []]);
  assert.equal(await drift(), 'Drift: 1 change');
  const wrong = await accept(['db-0', '--field', 'image', '--yes']);
  assert.equal(wrong.code, 3);
  assert.match(wrong.stderr, /image has not drifted\.[\s\S]*Drifted: power\./);
});

test('machines of one document that drifted apart are refused, and named', async (t) => {
  const world = await applied(t);
  const { accept, read, machine, run, specs } = world;
  await resize(world, [machine('web-0')], 't3.large');
  const before = read('instances.yaml');
  const { code, stdout, stderr } = await accept(['web-0', '--yes', '--field', 'size']);
  assert.deepEqual([code, stdout], [3, '']);
  assert.match(stderr, /would change more than this drift[\s\S]*instances\.yaml:14/);
  for (const other of ['web-1', 'web-2'])
    assert.match(
      stderr,
      new RegExp(`size of \\S+/${other}: the edited line states it too, and the cloud has "t3.small"`),
    );
  await resize(world, [machine('web-1')], 't3.xlarge');
  const both = await accept(['web-0', 'web-1', '--yes', '--field', 'size']);
  assert.equal(both.code, 3);
  assert.match(
    both.stderr,
    /one line states it for \S+web-0 and \S+web-1, and the cloud has "t3.large" and "t3.xlarge"/,
  );
  assert.equal(read('instances.yaml'), before);
  // A changed document is no drift of the cloud.
  edit(specs, 'instances.yaml', 't3.medium', 't3.xlarge');
  const rollout = await accept(['db-0', '--yes']);
  assert.deepEqual([rollout.code, rollout.stdout.split('\n')[0]], [0, 'Accept: no drift']);
  assert.match(
    rollout.stdout,
    /Not accepted: size of \S+db-0, as a document changed there\. To make the cloud so: setpoint apply \S+ --allow-endpoint/,
  );
  await tag(world, [machine('db-0')], 'tier', 'other');
  const beside = await accept(['db-0', '--dry-run']);
  assert.match(beside.stdout, /^Accept: 1 difference[\s\S]*^Not accepted: size of \S+db-0, as a document/m);
  const unknown = await run(['accept', 'web-9', '--specs', specs, allow]);
  assert.equal(unknown.code, 1);
  assert.match(unknown.stderr, /Nothing here has the address "web-9"/);
});

test('a label of a network is that of its subnets and groups: all of them, or none', async (t) => {
  const world = await applied(t);
  const { accept, read, client, drift } = world;
  const { Vpcs = [] } = await client.send(new DescribeVpcsCommand({}));
  const vpc =
    Vpcs.find(({ Tags = [] }) => Tags.some(({ Key, Value }) => Key === 'env' && Value === 'prod'))?.VpcId ?? '';
  await untag(world, [vpc], 'env');
  const before = read('network.yaml');
  const { code, stderr } = await accept(['network/core', '--yes']);
  assert.equal(code, 3);
  assert.match(stderr, /labels\.env of \S+subnet\/core\.app: the edited line states it too|core\.app/);
  assert.equal(read('network.yaml'), before);
  const { Subnets = [] } = await client.send(new DescribeSubnetsCommand({}));
  const groups = await Promise.all(['all', 'web', 'db'].map(world.group));
  await untag(world, [...Subnets.map(({ SubnetId = '' }) => SubnetId), ...groups], 'env');
  const whole = await accept(['network/core', '--yes']);
  assert.equal(whole.code, 0, whole.stderr);
  assert.equal(read('network.yaml'), before.replace(', labels: { env: prod }', ''));
  assert.match(whole.stdout, /The same lines settle the drift of .*group\/core\.all/);
  assert.equal(await drift(), 'Drift: none');
});

const twoPorts = (specs: string): void => {
  edit(specs, 'network.yaml', 'ports: [443]', 'ports: [443, 8443]');
  edit(specs, 'network.yaml', 'cidrs: [0.0.0.0/0] }    #', 'cidrs: [10.0.0.0/8, 192.0.2.0/24] } #');
};

async function closePort(
  { client, group }: World,
  name: string,
  port: number,
  ...cidrs: readonly string[]
): Promise<void> {
  const GroupId = await group(name);
  const IpRanges = cidrs.map((CidrIp) => ({ CidrIp }));
  const IpPermissions = [{ IpProtocol: 'tcp', FromPort: port, ToPort: port, IpRanges }];
  await client.send(new RevokeSecurityGroupIngressCommand({ GroupId, IpPermissions }));
}

test('rules that a colleague closed leave the documents, where that is exact', async (t) => {
  const world = await applied(t, twoPorts);
  const { accept, read, client, group, drift, run, specs } = world;
  await closePort(world, 'web', 8443, '10.0.0.0/8');
  await closePort(world, 'all', 22, '203.0.113.0/24');
  const before = read('network.yaml');
  const part = await accept(['core.web-https', '--yes']);
  assert.equal(part.code, 3, part.stdout);
  assert.match(part.stderr, /network\.yaml:\d+: \S+8443\S+: no list of ports and peers states the rest/);
  await closePort(world, 'web', 8443, '192.0.2.0/24');
  const { code, stdout, stderr } = await accept(['core.web-https', 'core.office-ssh', '--yes']);
  assert.equal(code, 0, stderr);
  const kept = before.split('---\n').filter((text) => !text.includes('office-ssh'));
  assert.equal(read('network.yaml'), kept.join('---\n').replace('[443, 8443]', '[443]'));
  assert.match(stdout, /22\S+ {2}gone from the cloud/);
  assert.equal(await drift(), 'Drift: none');
  const IpPermissions = [{ IpProtocol: 'tcp', FromPort: 25, ToPort: 25, IpRanges: [{ CidrIp: '192.0.2.1/32' }] }];
  await client.send(new AuthorizeSecurityGroupIngressCommand({ GroupId: await group('web'), IpPermissions }));
  const { actions } = JSON.parse((await run(['drift', specs, allow, '--json'])).stdout);
  const refused = await accept([actions[0].address, '--yes']);
  assert.equal(refused.code, 3);
  assert.match(
    refused.stderr,
    /no document states this rule[\s\S]*Write a document for it: setpoint import --id sg-\S+\/ingress\/tcp\/25/,
  );
  const [, id = ''] = /import --id (\S+)/.exec(refused.stderr) ?? [];
  const others = await run(['import', specs, '--all', allow, '--json']);
  assert.doesNotMatch(others.stdout, /tcp-25/, 'only a person who names it keeps it');
  const ofGroup = await run(['import', specs, '--id', await group('web'), allow, '--json']);
  assert.doesNotMatch(ofGroup.stdout, /tcp-25/, 'nor does a person who names its group');
  const imported = await run(['import', specs, '--id', id, allow]);
  assert.equal(imported.code, 0, imported.stderr);
  assert.match(read('imported/core.yaml'), /protocol: tcp\n {2}ports: \[\s*25\s*\]\n {2}group: web\n/);
  assert.equal(await drift(), 'Drift: none');
});

test('a machine that is gone is for a person to judge', async (t) => {
  const world = await applied(t);
  const { accept, client, machine } = world;
  await client.send(new TerminateInstancesCommand({ InstanceIds: [machine('db-0')] }));
  const { code, stderr } = await accept(['db-0', '--yes']);
  assert.equal(code, 3);
  assert.match(stderr, /instances\.yaml:19: .*db-0: the instance db-0 is gone on the cloud[\s\S]*Lower `replicas`/);
});

test('nothing is written without a yes', async (t) => {
  const world = await applied(t);
  const { accept, read, machine } = world;
  await tag(world, [machine('db-0')], 'tier', 'x');
  const before = read('instances.yaml');
  const dry = await accept(['db-0', '--dry-run']);
  assert.match(dry.stdout, /^\+metadata: .*tier: x[\s\S]*Nothing was written\.\n$/m);
  assert.equal(dry.code, 0);
  const mute = await accept(['db-0']);
  assert.equal(mute.code, 1);
  assert.match(mute.stdout, /^\+metadata: .*tier: x/m);
  assert.match(mute.stderr, /Add --yes/);
  const no = await accept(['db-0'], 'no\n');
  assert.deepEqual([no.code, read('instances.yaml')], [3, before]);
  const yes = await accept(['db-0'], 'yes\n');
  assert.equal(yes.code, 0, yes.stderr);
  assert.notEqual(read('instances.yaml'), before);
});

test('line ends, byte order mark and mode of a file stay', async (t) => {
  const world = await applied(t, (specs) => {
    const file = join(specs, 'instances.yaml');
    writeFileSync(file, `\ufeff${readFileSync(file, 'utf8').replaceAll('\n', '\r\n')}`);
    chmodSync(file, 0o640);
  });
  const { accept, read, machine, specs } = world;
  await tag(world, [machine('db-0')], 'tier', 'x');
  const before = read('instances.yaml');
  const { code, stderr } = await accept(['db-0', '--yes']);
  assert.equal(code, 0, stderr);
  assert.equal(read('instances.yaml'), before.replace('{ tier: db }', '{ tier: x }'));
  assert.equal(statSync(join(specs, 'instances.yaml')).mode & 0o777, 0o640);
});

test('the overlay that states a field is edited, and overlays beside it are named', async (t) => {
  const overlay = 'overlays/prod/db.yaml';
  const world = await applied(
    t,
    (specs) => {
      for (const name of ['prod', 'test']) mkdirSync(join(specs, 'overlays', name), { recursive: true });
      writeFileSync(join(specs, overlay), 'kind: Instance\nmetadata: { name: db }\nspec: { size: t3.large } # more\n');
    },
    '--overlay=prod',
  );
  const { accept, read, machine, drift } = world;
  await resize(world, [machine('db-0')], 't3.xlarge');
  const { code, stdout, stderr } = await accept(['db-0', '--yes']);
  assert.equal(code, 0, stderr);
  assert.equal(read(overlay), 'kind: Instance\nmetadata: { name: db }\nspec: { size: t3.xlarge } # more\n');
  assert.match(read('instances.yaml'), /power: stopped/);
  assert.match(stdout, /were not planned: setpoint plan \S+ --allow-endpoint --overlay test$/m);
  assert.equal(await drift('--overlay=prod'), 'Drift: none');
});

test('--propose pushes a branch with that line alone, and leaves the folder as it is', async (t) => {
  const world = await applied(t);
  const { specs, accept, read, machine, run } = world;
  await tag(world, [machine('db-0')], 'tier', 'x');
  const none = await accept(['db-0', '--propose', '--yes']);
  assert.equal(none.code, 1);
  assert.match(none.stderr, /was not proposed[\s\S]*lies in no work tree of git/);
  const { git, remote } = inGit(specs);
  git('config', 'user.name', 'Ada');
  git('config', 'user.email', 'ada@acme.example');
  const before = read('instances.yaml');
  const no = await accept(['db-0', '--propose', '--remote=upstream'], 'no\n');
  assert.equal(no.code, 3);
  const { code, stdout, stderr } = await accept(['db-0', '--propose', '--remote=upstream', '--yes']);
  assert.equal(code, 0, stderr);
  const branch = /pushed (setpoint\/accept-[0-9a-f]{12}) \(commit /.exec(stdout)?.[1] ?? '';
  assert.match(stdout, /It brings along 1 commit of yours[\s\S]*Next: open a pull request of the branch/);
  assert.deepEqual([read('instances.yaml'), git('status', '--porcelain')], [before, '']);
  const proposed = git('--git-dir', remote, 'show', `${branch}:instances.yaml`);
  assert.equal(proposed, before.replace('{ tier: db }', '{ tier: x }'));
  assert.match(git('--git-dir', remote, 'log', '-1', '--format=%B', branch), /- \S+db-0 {2}labels\.tier db → x\n/);
  const again = JSON.parse((await accept(['db-0', '--propose', '--remote=upstream', '--yes', '--json'])).stdout);
  assert.deepEqual([again.proposed.branch, again.files[0].written], [branch, false]);
  // The proposal, checked out, plans to nothing.
  git('checkout', '--quiet', branch);
  assert.equal((await run(['plan', specs, allow, '--detailed-exitcode'])).code, 0);
  assert.equal((await accept(['db-0', '--remote=upstream'])).code, 1);
});
