import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import {
  AcceptVpcPeeringConnectionCommand,
  CreateRouteCommand,
  CreateVpcPeeringConnectionCommand,
  EC2Client,
  ModifyInstanceAttributeCommand,
  ModifySubnetAttributeCommand,
} from '@aws-sdk/client-ec2';
import { type Sandbox, startSandbox } from '../../sandbox/index.ts';
import { account, estateOn } from './support/estate-on.ts';
import { commandLine, type Run } from './support/in-process.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

/** Settings of networks, subnets and machines of AWS: import states them, a change by a colleague is blocked with its value, and accept keeps it. */
const allow = '--allow-endpoint';
const region = 'eu-west-1';
const table = 'rtb-00000001';
const subnet = 'subnet-00000001';
const further = '100.64.0.0/16';

const cloud = {
  regions: [
    {
      account,
      region,
      vpcs: [
        {
          key: 'core',
          id: 'vpc-00000001',
          cidr: '10.1.0.0/16',
          ipv6: '2001:db8::/56',
          further: [further],
          tags: { Name: 'core' },
          gateway: { id: 'igw-00000001' },
          subnets: [
            { key: 'app', id: subnet, cidr: '100.64.1.0/24', ipv6: '2001:db8:0:1::/64', tags: { Name: 'app' } },
            { key: 'web', id: 'subnet-00000002', cidr: '10.1.2.0/24', publicIp: true, tags: { Name: 'web' } },
          ],
          routeTables: [
            {
              id: table,
              subnets: ['app'],
              routes: [
                { to: '0.0.0.0/0', via: 'nat-00000001' },
                { to: 'pl-00000001', via: 'vpce-00000001' },
                { to: '10.8.0.0/16', via: 'vgw-00000001', propagated: true },
              ],
            },
            { id: 'rtb-00000002', subnets: ['web'], routes: [{ to: '0.0.0.0/0', via: 'gateway' }] },
          ],
        },
        { key: 'far', id: 'vpc-00000002', cidr: '10.2.0.0/16', tags: { Name: 'far' } },
        { key: 'lone', id: 'vpc-00000003', cidr: '10.3.0.0/16', tags: { Name: 'lone' } },
      ],
      natGateways: [{ id: 'nat-00000001', subnet: 'web' }],
      peerings: [{ id: 'pcx-00000001', requester: 'far', accepter: 'core' }],
    },
  ],
};

interface Plan {
  readonly actions: readonly { readonly verb: string; readonly changes?: readonly { readonly field: string }[] }[];
  readonly findings: readonly { readonly type: string; readonly code?: string; readonly reason?: string }[];
}

async function stage(
  name: string,
  estate: object = cloud,
): Promise<{ sandbox: Sandbox; dir: string; run: Run; plan: () => Promise<Plan> }> {
  process.env['AWS_ACCESS_KEY_ID'] = 'test';
  process.env['AWS_SECRET_ACCESS_KEY'] = 'test';
  const sandbox = await startSandbox({ budgets: false, clock: { rate: 1000 }, estate });
  after(() => sandbox.close());
  const dir = temporaryFolder({ 'estate.yaml': estateOn(sandbox.url, ['aws-prod']) });
  const run = commandLine();
  const { code, stderr } = await run(['import', dir, allow, '--network', name]);
  assert.equal(code, 0, stderr);
  sandbox.control.log.clear();
  return { sandbox, dir, run, plan: async () => JSON.parse((await run(['plan', dir, allow, '--json'])).stdout) };
}

const clientOf = ({ url }: Sandbox): EC2Client => {
  const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'not-a-secret' };
  const client = new EC2Client({ endpoint: url, region, credentials, maxAttempts: 1 });
  after(() => client.destroy());
  return client;
};

const blockedIn = ({ findings }: Plan): readonly string[] =>
  findings.flatMap(({ type, code, reason }) => (type === 'blocked' ? [`${code}: ${reason}`] : []));

const counts = ({ control }: Sandbox): Readonly<Record<string, number>> => control.log.counts();

test('import states the settings, and a plan of them adopts and no more', async () => {
  const { sandbox, dir, plan } = await stage('core');
  const text = readFileSync(join(dir, 'imported', 'core.yaml'), 'utf8');
  const has = (part: string): void => assert.ok(text.includes(part), `${part}\n${text}`);
  has('internet: unmanaged');
  has(`secondaryCidrs: [${further}]`);
  has('ipv6Cidrs:');
  has('natGateways: [nat-00000001]');
  has('name: pcx-00000001, network: vpc-00000002');
  has('destination: 0.0.0.0/0, nextHop: nat-00000001');
  has('destination: 0.0.0.0/0, nextHop: igw-00000001');
  has('destination: pl-00000001, nextHop: vpce-00000001');
  has('publicIpOnLaunch: true');
  assert.doesNotMatch(text, /vgw-/, 'propagated routes are nobody’s to state');
  const { actions, findings } = await plan();
  assert.ok(actions.length > 0);
  for (const { verb, changes = [] } of actions) {
    assert.equal(verb, 'adopt');
    assert.ok(changes.every(({ field }) => field === 'mark'));
  }
  assert.deepEqual(
    findings.filter(({ type }) => type === 'blocked'),
    [],
  );
  assert.deepEqual(
    [counts(sandbox)['DescribeNatGateways'], counts(sandbox)['DescribeVpcPeeringConnections']],
    [1, 1],
    'a plan that states them lists them',
  );
});

test('a plan that states neither NAT gateways nor peerings makes no call for them', async () => {
  const { sandbox, plan } = await stage('lone');
  const { actions } = await plan();
  assert.ok(actions.length > 0);
  assert.deepEqual(counts(sandbox), {
    GetCallerIdentity: 1,
    DescribeVpcs: 1,
    DescribeInternetGateways: 1,
    DescribeRouteTables: 1,
    DescribeSubnets: 1,
    DescribeSecurityGroups: 1,
    DescribeInstances: 1,
  });
});

test('what a colleague changes is blocked with its value, and an apply writes nothing for it', async () => {
  const { sandbox, dir, run, plan } = await stage('core');
  const applied = await run(['apply', dir, allow, '--yes']);
  assert.equal(applied.code, 0, applied.stderr);
  assert.deepEqual((await plan()).actions, []);
  assert.deepEqual(blockedIn(await plan()), []);

  const client = clientOf(sandbox);
  await client.send(
    new CreateRouteCommand({ RouteTableId: table, DestinationCidrBlock: '10.9.0.0/16', NatGatewayId: 'nat-00000001' }),
  );
  const { VpcPeeringConnection } = await client.send(
    new CreateVpcPeeringConnectionCommand({ VpcId: 'vpc-00000001', PeerVpcId: 'vpc-00000003' }),
  );
  const VpcPeeringConnectionId = VpcPeeringConnection?.VpcPeeringConnectionId ?? '';
  await client.send(new AcceptVpcPeeringConnectionCommand({ VpcPeeringConnectionId }));
  await client.send(
    new ModifySubnetAttributeCommand({ SubnetId: 'subnet-00000002', MapPublicIpOnLaunch: { Value: false } }),
  );
  const blocked = blockedIn(await plan());
  assert.equal(blocked.length, 3, blocked.join('\n'));
  const all = blocked.join('\n');
  assert.match(
    all,
    /immutable: settings\.routes has unwanted \{ destination: 10\.9\.0\.0\/16, nextHop: nat-00000001 \}\. /,
  );
  assert.ok(all.includes(`{ name: ${VpcPeeringConnectionId}, network: vpc-00000003 }`), all);
  assert.match(all, /settings\.publicIpOnLaunch is false, wanted true/);
  sandbox.control.log.clear();
  await run(['apply', dir, allow, '--yes']);
  assert.deepEqual(sandbox.control.log.entries({ mutating: true }), []);
});

test('accept keeps a route, a peering and a flag that a colleague changed, and the next plan has nothing', async () => {
  const { sandbox, dir, run, plan } = await stage('core');
  const file = join(dir, 'imported', 'core.yaml');
  const text = readFileSync(file, 'utf8');
  const nat = '- { destination: 0.0.0.0/0, nextHop: nat-00000001 }';
  const commented = text.replace(nat, `${nat} # the way out`);
  assert.notEqual(commented, text);
  writeFileSync(file, commented);
  assert.equal((await run(['apply', dir, allow, '--yes'])).code, 0);

  const client = clientOf(sandbox);
  await client.send(
    new CreateRouteCommand({ RouteTableId: table, DestinationCidrBlock: '10.9.0.0/16', NatGatewayId: 'nat-00000001' }),
  );
  const { VpcPeeringConnection } = await client.send(
    new CreateVpcPeeringConnectionCommand({ VpcId: 'vpc-00000001', PeerVpcId: 'vpc-00000003' }),
  );
  const VpcPeeringConnectionId = VpcPeeringConnection?.VpcPeeringConnectionId ?? '';
  await client.send(new AcceptVpcPeeringConnectionCommand({ VpcPeeringConnectionId }));
  await client.send(
    new ModifySubnetAttributeCommand({ SubnetId: 'subnet-00000002', MapPublicIpOnLaunch: { Value: false } }),
  );
  const ways = blockedIn(await plan()).map(
    (reason) => /Keep the current value: (setpoint accept \S+), or/.exec(reason)?.[1],
  );
  const place = `aws/${account}/${region}`;
  const addresses = [`${place}/network/core`, `${place}/subnet/core.app`, `${place}/subnet/core.web`];
  assert.deepEqual(
    ways.toSorted(),
    addresses.map((address) => `setpoint accept ${address}`),
  );
  const one = await run(['accept', 'core.app', '--specs', dir, allow, '--field', 'settings.routes', '--yes']);
  assert.equal(one.code, 0, one.stderr);
  assert.match(one.stdout, /^Accept: 1 difference of 1 resource into 1 file$/m);
  assert.match(
    one.stdout,
    /^ {2}\S+\/subnet\/core\.app {2}settings\.routes {2}\S+core\.yaml:\d+\n {6}\+ \{ destination: 10\.9\.0\.0\/16, nextHop: nat-00000001 \}\n\n/m,
  );
  assert.match(one.stdout, /^\+ +- \{ destination: 10\.9\.0\.0\/16, nextHop: nat-00000001 \}$/m);
  assert.equal(blockedIn(await plan()).length, 2);
  const rest = await run(['accept', ...addresses, '--specs', dir, allow, '--yes']);
  assert.equal(rest.code, 0, rest.stderr);
  const peering = `- { name: ${VpcPeeringConnectionId}, network: vpc-00000003 }`;
  const known = /^( +)- \{ name: pcx-00000001, network: vpc-00000002 \}\n/m;
  assert.equal(
    readFileSync(file, 'utf8'),
    commented
      .replace(
        /^( +)- \{ destination: pl-00000001, nextHop: vpce-00000001 \}\n/m,
        '$&$1- { destination: 10.9.0.0/16, nextHop: nat-00000001 }\n',
      )
      .replace(known, `$&$1${peering}\n`)
      .replace('publicIpOnLaunch: true', 'publicIpOnLaunch: false'),
  );
  const { actions, findings } = await plan();
  assert.deepEqual([actions, findings.filter(({ type }) => type === 'blocked')], [[], []]);
});

test('accept keeps a setting of two adopted machines, and of one of them alone refuses it', async () => {
  const machines = {
    regions: [
      {
        account,
        region,
        vpcs: [
          {
            key: 'core',
            id: 'vpc-00000001',
            cidr: '10.1.0.0/16',
            tags: { Name: 'core' },
            subnets: [{ key: 'app', id: subnet, cidr: '10.1.1.0/24', tags: { Name: 'app' } }],
            groups: [{ key: 'nat', name: 'nat', id: 'sg-00000001' }],
          },
        ],
        instances: ['i-00000001', 'i-00000002'].map((id, at) => ({
          subnet: 'app',
          groups: ['nat'],
          id,
          keyName: 'ops',
          tags: { Name: `nat-${at}` },
        })),
      },
    ],
  };
  const { sandbox, dir, run, plan } = await stage('core', machines);
  const file = join(dir, 'imported', 'core.yaml');
  const imported = readFileSync(file, 'utf8');
  const text = imported.replace(/settings: \{ keyPair: ops.*?(?= \})/, '$&, ipForwarding: false');
  assert.notEqual(text, imported);
  writeFileSync(file, text);
  assert.equal((await run(['apply', dir, allow, '--yes'])).code, 0);
  const client = clientOf(sandbox);
  const forward = (InstanceId: string) =>
    client.send(new ModifyInstanceAttributeCommand({ InstanceId, SourceDestCheck: { Value: false } }));
  await forward('i-00000001');
  const [blocked = '', ...others] = blockedIn(await plan());
  assert.deepEqual(others, []);
  assert.match(blocked, /settings\.ipForwarding is true, wanted false\..* setpoint accept \S+\/instance\/nat-0, or/);
  const one = await run(['accept', 'nat-0', '--specs', dir, allow, '--yes']);
  assert.equal(one.code, 3);
  assert.match(
    one.stderr,
    /settings\.ipForwarding of \S+\/nat-1: the edited line states it too, and the cloud has false/,
  );
  await forward('i-00000002');
  const both = await run(['accept', 'instance/nat', '--specs', dir, allow, '--yes']);
  assert.equal(both.code, 0, both.stderr);
  assert.equal(readFileSync(file, 'utf8'), text.replace('ipForwarding: false', 'ipForwarding: true'));
  const { actions, findings } = await plan();
  assert.deepEqual([actions, findings.filter(({ type }) => type === 'blocked')], [[], []]);
});

test('a denied listing is told where a document states the setting, and hides no other difference', async () => {
  const { sandbox, dir, run, plan } = await stage('core');
  assert.equal((await run(['apply', dir, allow, '--yes'])).code, 0);
  sandbox.control.faults.add({ match: { action: 'DescribeNatGateways' }, effect: { kind: 'access-denied' } });
  const client = clientOf(sandbox);
  await client.send(
    new CreateRouteCommand({ RouteTableId: table, DestinationCidrBlock: '10.9.0.0/16', NatGatewayId: 'nat-00000001' }),
  );
  const blocked = blockedIn(await plan()).toSorted();
  assert.equal(blocked.length, 2, blocked.join('\n'));
  assert.match(blocked[0] ?? '', /^immutable: settings\.routes/);
  assert.match(
    blocked[1] ?? '',
    /^not-observed: its natGateways could not be listed or compared: .*ec2:DescribeNatGateways.* \(UnauthorizedOperation\)$/,
  );
  const again = temporaryFolder({ 'estate.yaml': estateOn(sandbox.url, ['aws-prod']) });
  const imported = await commandLine()(['import', again, allow, '--network', 'far']);
  assert.equal(imported.code, 0, imported.stderr);
  const text = readFileSync(join(again, 'imported', 'far.yaml'), 'utf8');
  assert.match(text, /^# far \(vpc-00000002\): its natGateways could not be listed or stated: /m);
  assert.match(text, /peerings:/);
});

test('stated routes with a managed way out are refused, and without them the plan is as before', async () => {
  const { dir, run, plan } = await stage('core');
  const file = join(dir, 'imported', 'core.yaml');
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replace('internet: unmanaged', 'internet: true'));
  const refused = await run(['validate', dir]);
  assert.equal(refused.code, 1);
  assert.match(
    refused.stdout + refused.stderr,
    /would put the subnet on a route table without these routes \(aws-prod\)/,
  );
  writeFileSync(file, text.replace(/^ +routes:.*\n(?: +- \{ destination.*\n)*|, routes: \[[^\]]*\]/gm, ''));
  assert.doesNotMatch(readFileSync(file, 'utf8'), /nextHop/);
  const { actions } = await plan();
  assert.ok(actions.every(({ verb }) => verb === 'adopt'));
  assert.deepEqual(blockedIn(await plan()), []);
});
