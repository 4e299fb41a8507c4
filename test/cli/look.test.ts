import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  CreateTagsCommand,
  CreateVpcCommand,
  DeleteVpcCommand,
  EC2Client,
  RunInstancesCommand,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import { commandLine } from './support/in-process.ts';
import { edit, sandboxed } from './support/sandboxed.ts';

const allow = '--allow-endpoint';

interface Stood {
  readonly kind: string;
  readonly id: string;
  readonly name: string;
  readonly status: string;
}

const legacy = {
  regions: [
    {
      account: '111122223333',
      region: 'eu-west-1',
      vpcs: [
        { key: 'legacy', cidr: '10.99.0.0/16', tags: { Name: 'legacy', ManagedBy: 'terraform' } },
        { key: 'core', cidr: '10.50.0.0/16', tags: { Name: 'lab' } },
      ],
    },
  ],
};

const run = commandLine();
const place = await sandboxed({ estate: legacy });
const applied = await run(['apply', place.specs, allow, '--yes']);
assert.equal(applied.code, 0, applied.stderr);

test('inventory tells whose each object is and why, from the last look, with its age', async () => {
  const { code, stdout } = await run(['inventory', place.specs]);
  assert.equal(code, 0);
  assert.match(stdout, /^Inventory: \d+ objects in 1 scope · \d+ ours · \d+ unmanaged\n/m);
  assert.match(stdout, /observed [\d.]+ m?s ago · complete/);
  assert.match(
    stdout,
    /network +legacy +Unmanaged +unmanaged +Other-tool: tagged as managed by terraform\. +vpc-\w+\n/,
  );
  assert.match(stdout, /instance +web-0 +(InSync|Settling) +ours +yes +i-\w+\n/);
});

test('inventory by kind and claim, as one object', async () => {
  const { stdout } = await run(['inventory', place.specs, '--kind', 'network', '--claim', 'unmanaged', '--json']);
  const [scope] = JSON.parse(stdout).scopes;
  assert.equal(scope.complete, true);
  assert.deepEqual(scope.objects.map(({ name }: { name: string }) => name).sort(), ['lab', 'legacy']);
});

test('inventory --unmanaged: objects that no document manages, and the share of those that documents do', async () => {
  const { code, stdout } = await run(['inventory', place.specs, '--unmanaged']);
  assert.equal(code, 0);
  const [, managed = '', objects = '', share = ''] =
    /\nCoverage: (\d+) of (\d+) objects are managed \(([\d.]+)%\)\n/.exec(stdout) ?? assert.fail(stdout);
  assert.equal(Number(share), Math.floor((Number(managed) / Number(objects)) * 1000) / 10);
  assert.match(stdout, /^ {2}network {8}1 of 3 \(33\.3%\)$/m);
  assert.match(stdout, /legacy +Unmanaged +unmanaged +Other-tool: tagged as managed by terraform\./);
  assert.doesNotMatch(stdout, / ours /);
  assert.match(stdout, /\n\nTo write documents for unmanaged objects: setpoint import --all --dry-run\n$/);
  const all = JSON.parse((await run(['inventory', place.specs, '--json'])).stdout).scopes[0].objects;
  const { coverage, scopes } = JSON.parse((await run(['inventory', place.specs, '--unmanaged', '--json'])).stdout);
  assert.deepEqual(
    [coverage.objects, coverage.objects - coverage.managed, coverage.percent],
    [all.length, scopes[0].objects.length, Number(share)],
  );
  assert.deepEqual(coverage.kinds.network, { managed: 1, objects: 3, complete: true, percent: 33.3 });
  const legacy = scopes[0].objects.find(({ name }: Stood) => name === 'legacy');
  assert.deepEqual(legacy.origin, {
    reason: 'other-tool',
    detail: 'tagged as managed by terraform',
    maker: 'Terraform',
  });
});

test('inventory --group-by: counts in place of objects, and other words are refused', async () => {
  const { stdout } = await run(['inventory', place.specs, '--unmanaged', '--group-by', 'origin']);
  assert.match(stdout, /\n\nORIGIN +OBJECTS +NETWORK +GROUP +FIREWALL-RULE\n/);
  assert.match(stdout, /^Terraform +1 +1 +0 +0$/m);
  assert.doesNotMatch(stdout, /vpc-\w/);
  const { groupBy, groups } = JSON.parse(
    (await run(['inventory', place.specs, '--unmanaged', '--group-by', 'kind', '--json'])).stdout,
  );
  assert.equal(groupBy, 'kind');
  assert.deepEqual(
    groups.find(({ group }: { readonly group: string }) => group === 'network'),
    { group: 'network', objects: 2, kinds: { network: 2 } },
  );
  const refused = await run(['inventory', place.specs, '--group-by', 'owner']);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /Allowed choices are origin, kind, network, scope/);
});

test('coverage has no percentage where a listing failed, or where a scope was never observed', async () => {
  const other = await sandboxed();
  const mine = commandLine();
  edit(other.specs, 'estate.yaml', '  account: "111122223333"', '  account: "999900001111"');
  const wrong = await mine(['inventory', other.specs, '--refresh', allow, '--unmanaged']);
  assert.match(wrong.stdout, /Coverage: 0 of at least 0 objects are managed\. Not all objects were listed/);
  assert.match(wrong.stdout, /^ {2}network {8}0 of at least 0: not listed completely$/m);
  assert.doesNotMatch(wrong.stdout, /%/);
  writeFileSync(
    join(place.specs, 'second.yaml'),
    `apiVersion: setpoint.dev/v1
kind: Target
metadata: { name: second }
spec: { provider: aws, account: "111122223333", region: eu-west-2, endpoint: "${place.sandbox.url}" }
`,
  );
  const { stdout } = await run(['inventory', place.specs, '--unmanaged']);
  rmSync(join(place.specs, 'second.yaml'));
  assert.match(stdout, /\naws\/111122223333\/eu-west-2 {2}never observed: add --refresh\n/);
  assert.match(stdout, /Coverage: \d+ of at least \d+ objects are managed\. Not all/);
  assert.doesNotMatch(stdout, /%/);
});

test('ignoreUnmanaged: no finding and no unmanaged object until its last day; listed with owner, reason and end', async () => {
  const other = await sandboxed({ estate: legacy });
  const mine = commandLine();
  const counts = async () => {
    const { summary } = JSON.parse((await mine(['plan', other.specs, allow, '--json'])).stdout);
    const list = await mine([
      'inventory',
      other.specs,
      allow,
      '--refresh',
      '--unmanaged',
      '--kind',
      'network',
      '--json',
    ]);
    const { coverage, scopes } = JSON.parse(list.stdout);
    return [summary.unmanaged, coverage.objects, coverage.ignored, scopes[0].objects.length];
  };
  const [unmanaged, ...networks] = await counts();
  assert.deepEqual(networks, [2, 0, 2]);
  const entry = (until: string) =>
    `  ignoreUnmanaged: [{ name: lega*, kind: network, owner: team-net, reason: goes in May, until: ${until} }]\n`;
  edit(other.specs, 'estate.yaml', '  region: eu-west-1\n', `  region: eu-west-1\n${entry('2099-12-31')}`);
  assert.deepEqual(await counts(), [unmanaged - 1, 1, 1, 1]);
  const { stdout } = await mine(['inventory', other.specs, allow, '--refresh', '--ignored']);
  assert.match(
    stdout,
    /network +legacy +Unmanaged +unmanaged +Ignored until 2099-12-31 for team-net: goes in May\. +vpc-/,
  );
  assert.match(stdout, /^ {2}ignored {8}1: list with --ignored$/m);
  assert.match(
    (await mine(['plan', other.specs, allow])).stderr,
    /^1 unmanaged object is ignored by `ignoreUnmanaged` of targets: setpoint inventory --ignored \S+ --allow-endpoint$/m,
  );
  const { scopes } = JSON.parse(
    (await mine(['inventory', other.specs, allow, '--refresh', '--ignored', '--json'])).stdout,
  );
  assert.deepEqual(
    scopes[0].objects.map(({ name, ignored }: Stood & { readonly ignored: object }) => [name, ignored]),
    [['legacy', { owner: 'team-net', reason: 'goes in May', until: '2099-12-31' }]],
  );
  edit(other.specs, 'estate.yaml', '2099-12-31', '2020-12-31');
  assert.deepEqual(await counts(), [unmanaged, 2, 0, 2]);
  const checked = await mine(['validate', other.specs]);
  assert.match(
    checked.stdout + checked.stderr,
    /warning: this ended on 2020-12-31: plans report these unmanaged objects/,
  );
});

test('a claim that is none is refused with those there are', async () => {
  const { code, stderr } = await run(['inventory', place.specs, '--claim', 'mine']);
  assert.equal(code, 1);
  assert.match(stderr, /Allowed choices are ours, orphan, unmanaged/);
});

const explained: readonly (readonly [given: string, says: readonly RegExp[]])[] = [
  [
    'web-0',
    [
      /^aws\/.*\/instance\/web-0: in sync/,
      /by \S+instances\.yaml:4/,
      /i-\w+ \(web-0\): ours/,
      /plan: Estate acme says so at \S+estate\.yaml:8/,
    ],
  ],
  ['web-https', [/firewall-rule\/core\.web-https: in sync/, /ingress tcp 443 from 0\.0\.0\.0\/0 to core\.web/]],
  ['network/core', [/vpc-\w+ \(core\): ours/, /part internet-gateway {2}igw-/]],
];
for (const [given, says] of explained)
  test(`explain ${given}`, async () => {
    const { code, stdout, stderr } = await run(['explain', given, '--specs', place.specs, allow]);
    assert.equal(code, 0, stderr);
    for (const pattern of says) assert.match(stdout, pattern);
  });

test('explain lists settings on the cloud that no document can state', async () => {
  const client = new EC2Client({
    endpoint: place.sandbox.url,
    region: 'eu-west-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });
  const objectOf = async (address: string) => {
    const { stdout } = await run(['explain', address, '--specs', place.specs, allow, '--json']);
    return JSON.parse(stdout).objects[0].observed;
  };
  const { attributes } = await objectOf('web-0');
  const subnet = await objectOf(attributes.placement.subnet);
  assert.doesNotMatch((await run(['explain', 'web-0', '--specs', place.specs, allow])).stdout, /not in the language/);
  const { Instances: [launched] = [] } = await client.send(
    new RunInstancesCommand({
      ImageId: attributes.machine.image,
      SubnetId: subnet.id,
      InstanceType: 't3.micro',
      MinCount: 1,
      MaxCount: 1,
      MetadataOptions: { HttpEndpoint: 'disabled' },
    }),
  );
  const id = launched?.InstanceId ?? '';
  const told = await run(['explain', id, '--specs', place.specs, allow]);
  await client.send(new TerminateInstancesCommand({ InstanceIds: [id] }));
  const line = `${id} has its metadata service turned off  (MetadataOptions.HttpEndpoint)`;
  assert.ok(told.stdout.includes(`\nOn the cloud, not in the language\n  ${line}\n`), told.stdout);
});

test('explain lists the same of a network', async () => {
  const client = new EC2Client({
    endpoint: place.sandbox.url,
    region: 'eu-west-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });
  const { Vpc: made } = await client.send(
    new CreateVpcCommand({ CidrBlock: '10.70.0.0/16', InstanceTenancy: 'dedicated' }),
  );
  const id = made?.VpcId ?? '';
  const { stdout } = await run(['explain', id, '--specs', place.specs, allow]);
  await client.send(new DeleteVpcCommand({ VpcId: id }));
  const line = `${id} has the tenancy dedicated  (InstanceTenancy)`;
  assert.ok(stdout.includes(`\nOn the cloud, not in the language\n  ${line}\n`), stdout);
});

test('explain of an unknown address names near ones', async () => {
  const { code, stderr } = await run(['explain', 'wev-0', '--specs', place.specs, allow]);
  assert.equal(code, 1);
  assert.match(stderr, /Nothing here has the address "wev-0"[\s\S]*Did you mean web-0\?/);
  const rule = 'aws/111122223333/eu-west-1/firewall-rule/core.web.ingress.tcp.22.0.0.0.0/0';
  const closed = await run(['explain', rule, '--specs', place.specs, allow]);
  assert.match(closed.stderr, /Nothing here has the address/);
  assert.doesNotMatch(closed.stderr, /Did you mean/);
});

test('the ledger names verb, outcome, who and the request of the cloud', async () => {
  const { stdout } = await run(['ledger']);
  assert.match(stdout, /^Ledger: \d+ entries\n/);
  assert.match(
    stdout,
    /settlement +create +aws\/111122223333\/eu-west-1\/network\/core +ok +1 +\S+ +.*CreateVpc [\w-]+/,
  );
});

test('the ledger of one address', async () => {
  const { stdout } = await run(['ledger', 'aws/111122223333/eu-west-1/network/core', '--json']);
  const { total, entries } = JSON.parse(stdout);
  assert.deepEqual([total, entries.map(({ type }: { type: string }) => type)], [2, ['intent', 'settlement']]);
});

test('a ledger that is whole, and an estate that is not there', async () => {
  assert.match((await run(['ledger', 'verify'])).stdout, /^Ledger: whole, \d+ entries/);
  const { code, stderr } = await run(['ledger', '--estate', 'nope']);
  const named = await run(['ledger', '--active-of', 'nope']);
  assert.match(named.stderr, /knows no estate nope[\s\S]*--estate acme/);
  assert.equal((await run(['ledger', '--active-of', 'acme'])).code, 0);
  assert.equal(code, 1);
  assert.match(stderr, /knows no estate nope[\s\S]*--estate acme/);
});

test('drift shows what the cloud changed, and not what the specs did', async () => {
  assert.match((await run(['drift', place.specs, allow, '--detailed-exitcode'])).stdout, /^Drift: none\n/);
  const client = new EC2Client({ endpoint: place.sandbox.url, region: 'eu-west-1' });
  const [web] = JSON.parse((await run(['inventory', place.specs, '--kind', 'instance', '--json'])).stdout).scopes[0]
    .objects;
  await client.send(new CreateTagsCommand({ Resources: [web.id], Tags: [{ Key: 'tier', Value: 'toms' }] }));
  client.destroy();
  edit(place.specs, 'network.yaml', 'description: public site', 'description: our site');
  const { code, stdout } = await run(['drift', place.specs, allow, '--detailed-exitcode']);
  assert.equal(code, 2);
  assert.match(stdout, /^Drift: 1 change\n/);
  assert.match(stdout, /~ labels\.tier {2}toms → /);
  assert.doesNotMatch(stdout, /our site/);
  const { scopes } = JSON.parse((await run(['inventory', place.specs, '--refresh', allow, '--json'])).stdout);
  const statuses = new Map(scopes[0].objects.map((one: Stood) => [one.id, one.status]));
  const core = scopes[0].objects.find(({ kind, name }: Stood) => kind === 'network' && name === 'core');
  assert.deepEqual([statuses.get(web.id), statuses.get(core.id)], ['Drifted', 'InSync']);
});

test('drift without a store cannot be told, and says why', async () => {
  const { code, stderr } = await commandLine()(['drift', place.specs, allow]);
  assert.equal(code, 1);
  assert.match(stderr, /There is no store in .*--dir/s);
});

test('adopt prints the line by which an object of the same name is taken over, and it is', async () => {
  const there = { key: 'core', cidr: '10.20.0.0/16', tags: { Name: 'core' } };
  const { specs } = await sandboxed({ estate: { regions: [{ ...legacy.regions[0], vpcs: [there] }] } });
  const another = commandLine();
  const { stdout } = await another(['adopt', '--specs', specs, allow]);
  assert.match(stdout, /^Adopt: 1 line to paste\n\n\S+network\.yaml:4 {2}# aws\/\S+\/network\/core\n/);
  const line = /under metadata: (adopt: \{ aws-prod: vpc-\w+ \})/.exec(stdout)?.[1] ?? assert.fail(stdout);
  const path = join(specs, 'network.yaml');
  writeFileSync(path, readFileSync(path, 'utf8').replace('name: core, ', `name: core, ${line}, `));
  const plan = await another(['plan', specs, allow]);
  assert.match(plan.stdout, /1 to adopt/);
});
