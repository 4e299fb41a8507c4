import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  AuthorizeSecurityGroupIngressCommand,
  CreateTagsCommand,
  DescribeInstancesCommand,
  DescribeSecurityGroupsCommand,
  EC2Client,
} from '@aws-sdk/client-ec2';
import { served } from './server/support/served.ts';
import { commandLine } from './support/in-process.ts';
import { edit, sandboxed } from './support/sandboxed.ts';

const run = commandLine();
const { specs, sandbox } = await sandboxed();

test('criticality and every: explain, status, plan, drift and inventory say which holds', async () => {
  edit(specs, 'estate.yaml', '  region: eu-west-1\n', '  region: eu-west-1\n  criticality: high\n  every: 90s\n');
  edit(specs, 'instances.yaml', 'size: t3.small\n', 'size: t3.small\n  criticality: critical\n');
  edit(specs, 'network.yaml', '  network: core\n', '  network: core\n  criticality: low\n');
  const applied = await run(['apply', specs, '--allow-endpoint', '--yes']);
  assert.equal(applied.code, 0, applied.stderr);

  const explain = async (address: string) =>
    (await run(['explain', address, '--specs', specs, '--allow-endpoint'])).stdout;
  const interval = / {2}observed every 90s: its target states it, Target aws-prod at \S+estate\.yaml:24\n/;
  for (const [address, said] of [
    ['instance/web-0', /\nCriticality\n {2}critical: Instance web at \S+instances\.yaml:\d+ says so\n/],
    ['instance/db-0', /\nCriticality\n {2}high: Target aws-prod at \S+estate\.yaml:23 says so\n/],
    [
      'firewall-rule/core.web-https',
      /\nCriticality\n {2}low: FirewallRule web-https at \S+network\.yaml:\d+ says so\n/,
    ],
  ] as const) {
    const stdout = await explain(address);
    assert.match(stdout, said);
    assert.match(stdout, interval);
  }

  const status = await run(['status', specs]);
  assert.match(status.stdout, /\naws\/111122223333\/eu-west-1 +critical +90s +generation 1\n/);

  const ec2 = new EC2Client({ region: 'eu-west-1', endpoint: sandbox.url });
  const { SecurityGroups: groups = [] } = await ec2.send(new DescribeSecurityGroupsCommand({}));
  const web = groups.find(({ GroupName }) => GroupName === 'core-web')?.GroupId ?? assert.fail('no group');
  const IpPermissions = [{ IpProtocol: 'tcp', FromPort: 22, ToPort: 22, IpRanges: [{ CidrIp: '0.0.0.0/0' }] }];
  await ec2.send(new AuthorizeSecurityGroupIngressCommand({ GroupId: web, IpPermissions }));

  const { Reservations: machines = [] } = await ec2.send(new DescribeInstancesCommand({}));
  const all = machines.flatMap(({ Instances = [] }) => Instances);
  const touched = ['t3.medium', 't3.small'].map(
    (size) => all.find(({ InstanceType }) => InstanceType === size)?.InstanceId ?? assert.fail(size),
  );
  const Tags = [{ Key: 'tier', Value: 'changed by hand' }];
  await ec2.send(new CreateTagsCommand({ Resources: touched, Tags }));

  const { stdout } = await run(['drift', specs, '--json', '--allow-endpoint']);
  assert.deepEqual(
    JSON.parse(stdout).actions.map((one: { verb: string; criticality?: string }) => [one.verb, one.criticality]),
    [
      ['update', 'critical'],
      ['update', 'high'],
      ['delete', 'high'],
    ],
    'the most critical comes first, and a rule that nobody wrote is as its group',
  );
  const shown = await run(['drift', specs, '--allow-endpoint']);
  assert.match(shown.stdout, /~ instance web-\d .*! drifted {2}critical/);

  const of = async (...options: readonly string[]) => {
    const found = await run(['inventory', specs, '--allow-endpoint', '--json', ...options]);
    return JSON.parse(found.stdout).scopes[0].objects;
  };
  const critical = await of('--refresh', '--criticality', 'critical');
  assert.deepEqual(
    critical.map(({ name, criticality }: Readonly<Record<string, string>>) => [name, criticality]),
    ['web-0', 'web-1', 'web-2'].map((name) => [name, 'critical']),
  );
  const { rows } = run.database.connect();
  const asked = { seen: [{}], sort: { by: 'address', descending: false }, limit: 9 } as const;
  const low = await rows.page({ ...asked, filter: { criticalities: ['low'] } });
  assert.ok(low.rows.length > 0 && low.rows.every(({ whose }) => whose.criticality === 'low'));
});

test('explain tells the interval by which workers observe, as status does, here and by a server', async () => {
  const place = await sandboxed();
  const here = commandLine();
  assert.equal((await here(['apply', place.specs, '--allow-endpoint', '--yes'])).code, 0);
  const began = Date.now();
  const ground = { targets: ['aws-prod'], generation: 1, revision: 'r1' };
  const draft = { id: 'r-1', estate: 'acme', scope: 'aws/111122223333/eu-west-1', began, ground };
  const counts = { reads: 0, writes: 0, settled: 0, failed: 0, withheld: 0, waitedMs: 0 };
  const account = { counts, timeline: [], rest: {} };
  const ending = { ended: began, outcome: 'done', quiet: true, account, nextAt: began + 60_000 } as const;
  await here.database.connect().reconciles.end(draft, ending);

  assert.match((await here(['status', place.specs])).stdout, /eu-west-1 +normal +1m /);
  const interval = /observed every 1m: the --interval of the workers, 5m by default\n/;
  const explain = ['explain', 'instance/db-0'];
  assert.match((await here([...explain, '--specs', place.specs, '--allow-endpoint'])).stdout, interval);
  const there = await served(here.database);
  assert.match((await there.ask(here, 'viewer')(explain)).stdout, interval);
});
