import assert from 'node:assert/strict';
import {
  CreateSecurityGroupCommand,
  CreateSubnetCommand,
  CreateVpcCommand,
  DeleteSecurityGroupCommand,
  DescribeInstanceAttributeCommand,
  DescribeInternetGatewaysCommand,
  DescribeRouteTablesCommand,
  DescribeVpcsCommand,
  type IpPermission,
  StopInstancesCommand,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import { s3Witness } from '../../../providers/witness/s3.ts';
import type { SignedCheckpoint } from '../../../src/core/ledger/chain.ts';
import { rulesOf } from './colleague-rules.ts';
import type { Life } from './life.ts';
import { userData } from './life-specs.ts';
import { isMutating, type RecordedCall } from './recording-proxy.ts';
import { standing } from './standing.ts';

const unchanged = /^Plan: 0 to add, 0 to change, 0 to replace, 0 to delete · 0 drifted/;

export async function refusesBadSpecs({ want, sees }: Life): Promise<void> {
  await want({ webPorts: '443, 80000' });
  const { calls, stderr } = await sees(['apply', '--yes'], { code: 1 });
  assert.match(stderr, /network\.yaml:\d+:\d+.*80000/s);
  assert.deepEqual(calls, []);
  await want({});
  await sees(['validate'], { code: 0, shows: [/^Valid: 13 documents/] });
}

export async function creates({ want, sees, colleague, blocks }: Life): Promise<void> {
  await want({});
  await sees(['plan'], { code: 0, shows: [/^Plan: 19 to add, 0 to change, 0 to replace, 0 to delete · 0 drifted/] });
  const { calls } = await sees(['apply', '--yes'], { code: 0, shows: [/^Applied: 19 added, 0 changed, 0 replaced/] });
  const launches = calls.filter(({ action }) => action === 'RunInstances').map(({ params }) => params.get('MaxCount'));
  assert.deepEqual(launches.toSorted(), ['1', '1', '3'], 'equal machines are launched together');
  assert.deepEqual(
    calls.filter(({ status }) => status !== 200),
    [],
  );

  const states = async (tier: string) => (await colleague.machines(tier)).map(({ state, size }) => `${state} ${size}`);
  assert.deepEqual(await states('web'), ['running t3.small', 'running t3.small', 'running t3.small']);
  assert.deepEqual(await states('db'), ['running t3.medium']);
  assert.deepEqual(await states('spare'), ['stopped t3.small']);
  await hasUserData(colleague);
  await reachesTheInternet(colleague);

  const web = await colleague.group('core-web');
  assert.deepEqual(await rulesOf('core-web', colleague), [
    'in icmpv6 2001:db8::/32',
    ...blocks.site.map((block) => `in tcp 443-443 ${block}`),
    ...blocks.site.map((block) => `in tcp 8000-8100 ${block}`),
    `in udp 7946-7946 ${web}`,
    'out -1 0.0.0.0/0',
    'out udp 53-53 10.30.0.2/32',
  ]);
  assert.deepEqual(await rulesOf('core-db', colleague), [`in tcp 5432-5432 ${web}`, 'out -1 0.0.0.0/0']);
  assert.deepEqual(await rulesOf('core-all', colleague), [
    'in icmp 8--1 10.0.0.0/8',
    ...blocks.office.map((block) => `in tcp 22-22 ${block} "the office"`),
    'out -1 0.0.0.0/0',
  ]);
}

async function hasUserData({ client, machines }: Life['colleague']): Promise<void> {
  for (const { id } of await machines('web')) {
    const asked = new DescribeInstanceAttributeCommand({ InstanceId: id, Attribute: 'userData' });
    const { UserData } = await client.send(asked);
    assert.equal(Buffer.from(UserData?.Value ?? '', 'base64').toString(), userData);
  }
}

async function reachesTheInternet({ client }: Life['colleague']): Promise<void> {
  const named = [{ Name: 'tag:Name', Values: ['core'] }];
  const { Vpcs: [vpc] = [] } = await client.send(new DescribeVpcsCommand({ Filters: named }));
  const { InternetGateways = [] } = await client.send(new DescribeInternetGatewaysCommand({}));
  const gateway = InternetGateways.find(({ Attachments }) => Attachments?.[0]?.VpcId === vpc?.VpcId);
  assert.ok(vpc?.VpcId && gateway);
  const here = [{ Name: 'vpc-id', Values: [vpc.VpcId] }];
  const { RouteTables = [] } = await client.send(new DescribeRouteTablesCommand({ Filters: here }));
  const leading = RouteTables.filter(({ Routes = [] }) =>
    Routes.some((route) => route.DestinationCidrBlock === '0.0.0.0/0' && route.GatewayId === gateway.InternetGatewayId),
  );
  const associated = leading.flatMap(({ Associations = [] }) => Associations.flatMap(({ SubnetId }) => SubnetId ?? []));
  assert.equal(new Set(associated).size, 2, 'both subnets have the way out');
}

export async function hasNothingToDo({ sees }: Life): Promise<void> {
  const planned = await sees(['plan', '--json', '--detailed-exitcode'], { code: 0 });
  const { actions, summary } = JSON.parse(planned.stdout);
  assert.deepEqual(actions, []);
  assert.equal(summary.calls, 0);
  const applied = await sees(['apply', '--yes'], { code: 0, shows: [/^Applied: 0 added, 0 changed, 0 replaced/] });
  assert.deepEqual(applied.calls.filter(isMutating), []);
  assert.ok(applied.calls.length > 0, 'the cloud was asked, and through the proxy');
  await sees(['drift', '--detailed-exitcode'], { code: 0, shows: [/^Drift: none/] });
}

const actions = (calls: readonly RecordedCall[]): readonly string[] => calls.map(({ action }) => action);
const ports = ({ params }: RecordedCall): readonly string[] =>
  [...params].filter(([key]) => /FromPort$/.test(key)).map(([, value]) => value);

export async function moves({ want, sees, colleague, blocks }: Life): Promise<void> {
  await want({ webPorts: '443, 8050-9100' });
  const { calls } = await sees(['apply', '--yes'], { code: 0, shows: [/^Applied: 0 added, 1 changed, 0 replaced/] });
  const [added, removed, ...others] = calls.filter(isMutating);
  assert.ok(added && removed);
  assert.deepEqual(actions([added, removed]), ['AuthorizeSecurityGroupIngress', 'RevokeSecurityGroupIngress']);
  assert.deepEqual(others, []);
  assert.deepEqual([...new Set(ports(added))], ['8050']);
  assert.deepEqual([...new Set(ports(removed))], ['8000'], 'what stays as it is, 443, is in neither');
  const between = calls.slice(calls.indexOf(added) + 1, calls.indexOf(removed));
  assert.ok(actions(between).includes('DescribeSecurityGroups'), 'the new was seen before the old went');
  const tcp = (await rulesOf('core-web', colleague)).filter((rule) => rule.startsWith('in tcp'));
  assert.deepEqual(
    tcp.map((rule) => rule.split(' ').slice(2, 4).join(' ')),
    ['443-443', '8050-9100'].flatMap((range) => blocks.site.map((block) => `${range} ${block}`)),
  );
  await sees(['plan', '--detailed-exitcode'], { code: 0, shows: [unchanged] });
}

const moved = { webPorts: '443, 8050-9100' } as const;
const grown = { ...moved, dbSize: 't3.large' } as const;

export async function resizes({ want, sees, colleague }: Life): Promise<void> {
  const [before] = await colleague.machines('db');
  await want(grown);
  await sees(['plan'], {
    code: 0,
    shows: [/~ instance db-0 {2}stops the machine/, /~ machine\.size {2}t3\.medium → t3\.large/],
  });
  const { calls } = await sees(['apply', '--yes'], { code: 0, shows: [/^Applied: 0 added, 1 changed, 0 replaced/] });
  assert.deepEqual(actions(calls.filter(isMutating)), ['StopInstances', 'ModifyInstanceAttribute', 'StartInstances']);
  assert.deepEqual(await colleague.machines('db'), [{ id: before?.id, state: 'running', size: 't3.large' }]);
  await sees(['plan', '--detailed-exitcode'], { code: 0, shows: [unchanged] });
}

export async function scalesDown({ want, sees, colleague }: Life): Promise<void> {
  await want({ ...grown, replicas: 1, deletes: 1 });
  const held = await sees(['apply', '--yes'], {
    code: 3,
    shows: [/refused {3}delete \S+web-1: .*limit/, /web-2: .*limit/],
  });
  assert.deepEqual(held.calls.filter(isMutating), []);
  assert.equal((await colleague.machines('web')).length, 3);
  await sees(['apply', '--yes', '--allow-deletes', '2'], {
    code: 0,
    shows: [/^Applied: 0 added, 0 changed, 0 replaced, 2 deleted/],
  });
  assert.deepEqual(
    (await colleague.machines('web')).map(({ state }) => state),
    ['running'],
  );
  await sees(['inventory', '--kind', 'instance'], { code: 0, shows: [/web-0/], never: [/web-[12]/] });
  await sees(['plan', '--detailed-exitcode'], { code: 0, shows: [unchanged] });
}

const shrunk = { ...grown, replicas: 1 } as const;

export async function adopts({ want, sees, colleague }: Life): Promise<void> {
  const { client, rules } = colleague;
  const { Vpc } = await client.send(new CreateVpcCommand({ CidrBlock: '10.40.0.0/16' }));
  const VpcId = Vpc?.VpcId ?? '';
  const { Subnet } = await client.send(new CreateSubnetCommand({ VpcId, CidrBlock: '10.40.1.0/24' }));
  const group = { VpcId, GroupName: 'by-hand', Description: 'made by hand' };
  await client.send(new CreateSecurityGroupCommand(group));
  await rules.add('by-hand', { IpProtocol: 'tcp', FromPort: 80, ToPort: 80, IpRanges: [{ CidrIp: '10.0.0.0/8' }] });
  const handMade = await rulesOf('by-hand', colleague);
  await sees(['inventory', '--refresh', '--claim', 'unmanaged'], { code: 0, shows: [new RegExp(`Rogue.*${VpcId}`)] });

  await want({ ...shrunk, adopt: { vpc: VpcId, subnet: Subnet?.SubnetId ?? '' } });
  await sees(['plan'], { code: 0, shows: [/^Plan: 1 to add, 0 to change, 0 to replace, 0 to delete, 2 to adopt/] });
  const { calls } = await sees(['apply', '--yes'], { code: 0, shows: [/2 adopted/] });
  const made = calls.filter(isMutating).map(({ action }) => action);
  assert.deepEqual(
    [...new Set(made)].toSorted(),
    ['CreateSecurityGroup', 'CreateTags'],
    'only the group of all is made',
  );
  const { Vpcs: [adopted] = [] } = await client.send(new DescribeVpcsCommand({ VpcIds: [VpcId] }));
  const tags = new Map(adopted?.Tags?.map(({ Key, Value }) => [Key, Value]));
  assert.equal(tags.get('setpoint:estate'), 'acme');
  assert.deepEqual(await rulesOf('by-hand', colleague), handMade, 'what others put into it stays');
  await sees(['plan', '--detailed-exitcode'], { code: 0, shows: [unchanged] });
}

const tcp = (port: number, peer: Omit<IpPermission, 'IpProtocol' | 'FromPort' | 'ToPort'>): IpPermission => ({
  IpProtocol: 'tcp',
  FromPort: port,
  ToPort: port,
  ...peer,
});

export async function healsEditsOfAnSdk(life: Life): Promise<void> {
  const { colleague, sees } = life;
  const { client, group, machines, rules } = colleague;
  const before = await stateOf(life);
  const [[tagged, stopped], [ended]] = [await machines('web'), await machines('db')];
  assert.ok(tagged && stopped && ended);

  await rules.add('core-web', tcp(22, { IpRanges: [{ CidrIp: '0.0.0.0/0' }] }));
  await rules.remove('core-db', tcp(5432, { UserIdGroupPairs: [{ GroupId: await group('core-web') }] }));
  const office = { CidrIp: '203.0.113.0/24', Description: 'nobody knows' };
  await rules.describe('core-all', tcp(22, { IpRanges: [office] }));
  await colleague.tag(tagged.id, 'tier', 'toms');
  await client.send(new StopInstancesCommand({ InstanceIds: [stopped.id] }));
  await client.send(new TerminateInstancesCommand({ InstanceIds: [ended.id] }));

  // A rule that was seen standing is no late one: it is drift as soon as two reads by id say that it is gone.
  await sees(['drift', '--detailed-exitcode'], {
    code: 2,
    shows: [
      /^Drift: 6 changes/m,
      /- ingress tcp 22 from 0\.0\.0\.0\/0 to core\.web/,
      /\+ ingress tcp 5432 from core\.web to core\.db/,
      /ingress tcp 22 from 203\.0\.113\.0\/24 to core\.all: ~ description {2}nobody knows → the office/,
      /~ labels\.tier {2}toms → web/,
      /~ machine\.power {2}stopped → running/,
      /\+ instance db-0 {2}! drifted/,
    ],
    never: [/blocked/, /spare/, /replace/],
  });
  await sees(['apply', '--yes'], { code: 0, shows: [/^Applied: 2 added, 3 changed, 0 replaced, 1 deleted/] });
  assert.deepEqual(await stateOf(life), before);
  await sees(['plan', '--detailed-exitcode'], { code: 0, shows: [unchanged] });
}

/** As the first: another client's spelling means the same to us. */
export async function healsEditsAtAPrompt(life: Life): Promise<void> {
  const { cli, colleague, sees, workplace } = life;
  if (cli === undefined) {
    process.stdout.write('    (no aws command line works on this machine; nothing was edited with it)\n');
    return;
  }
  const before = await stateOf(life);
  const web = await colleague.group('core-web');
  const [tagged, stopped] = await colleague.machines('web');
  assert.ok(tagged && stopped);
  const open = ['--group-id', web, '--protocol', '6', '--port', '8080', '--cidr', '198.51.100.0/24'];
  await cli.ec2('authorize-security-group-ingress', ...open);
  const dns = JSON.stringify([{ IpProtocol: 'udp', FromPort: 53, ToPort: 53, IpRanges: [{ CidrIp: '10.30.0.2/32' }] }]);
  await cli.ec2('revoke-security-group-egress', '--group-id', web, '--ip-permissions', dns);
  await cli.ec2('delete-tags', '--resources', tagged.id, '--tags', 'Key=tier');
  await cli.ec2('stop-instances', '--instance-ids', stopped.id);

  workplace.later(10);
  await sees(['drift', '--detailed-exitcode'], {
    code: 2,
    shows: [
      /^Drift: 4 changes/m,
      /- ingress tcp 8080 from 198\.51\.100\.0\/24 to core\.web/,
      /\+ egress udp 53 from core\.web to 10\.30\.0\.2\/32/,
      /\+ labels\.tier {2}web/,
      /~ machine\.power {2}stopped → running/,
    ],
    never: [/blocked/],
  });
  await sees(['apply', '--yes'], { code: 0, shows: [/^Applied: 1 added, 2 changed, 0 replaced, 1 deleted/] });
  assert.deepEqual(await stateOf(life), before);
  await sees(['plan', '--detailed-exitcode'], { code: 0, shows: [unchanged] });
}

/** Rules, descriptions, powers and sizes as the cloud has them; ids apart, as one machine is made again. */
async function stateOf({ colleague }: Life): Promise<object> {
  const machines = async (tier: string) =>
    (await colleague.machines(tier)).map(({ state, size }) => `${state} ${size}`);
  return {
    all: await rulesOf('core-all', colleague),
    web: await rulesOf('core-web', colleague),
    db: await rulesOf('core-db', colleague),
    machines: [await machines('web'), await machines('db'), await machines('spare')],
  };
}

export async function retains({ want, sees, colleague, isOld }: Life): Promise<void> {
  if (isOld) await removeDescribed(colleague);
  const before = await standing(colleague.client);
  await want({ empty: true });
  const held = await sees(['apply', '--yes'], { code: 3, shows: [/limit/] });
  assert.deepEqual(held.calls.filter(isMutating), [], 'rules are deleted with their documents, but not so many');
  await sees(['apply', '--yes', '--allow-deletes', '7'], {
    code: 0,
    shows: [isOld ? /^Applied: .* 6 deleted/ : /^Applied: 0 added, 0 changed, 0 replaced, 7 deleted/],
  });
  for (const group of ['core-all', 'core-web', 'core-db'])
    assert.deepEqual(await rulesOf(group, colleague), ['out -1 0.0.0.0/0'], 'what AWS puts into a group is wanted too');
  assert.deepEqual(await standing(colleague.client), before, 'the rest is retained');
  await sees(['prune'], { code: 0, shows: [/^Orphans: 13/, /network\/core /, /network\/legacy /, /instance\/web-0 /] });
}

async function removeDescribed({ rules }: Life['colleague']): Promise<void> {
  const ssh = { IpProtocol: 'tcp', FromPort: 22, ToPort: 22 };
  await rules.remove('core-all', { ...ssh, IpRanges: [{ CidrIp: '203.0.113.0/24', Description: 'the office' }] });
}

export async function leavesNothing({ sees, colleague, before }: Life): Promise<void> {
  await sees(['prune', '--all', '--yes'], { code: 3, shows: [/limit/] });
  // AWS refuses to delete a VPC that still has a group in it, and moto does not ask: the colleague cleans up.
  await colleague.client.send(new DeleteSecurityGroupCommand({ GroupId: await colleague.group('by-hand') }));
  await sees(['prune', '--all', '--yes', '--allow-deletes', '50'], { code: 0, shows: [/^Applied: .* 13 deleted/] });
  assert.deepEqual(await standing(colleague.client), before, 'only what was there before us is there');
  await sees(['prune'], { code: 0, shows: [/^Orphans: none/] });
  await sees(['plan', '--detailed-exitcode'], { code: 0, shows: [unchanged] });
}

interface Entry {
  readonly body: { readonly calls?: readonly { readonly action: string; readonly requestId?: string }[] };
}

/** By the cloud's own ids of its answers: each call that wrote is in the ledger, and the ledger has no other. */
export async function provesEveryCall({ sees, written }: Life): Promise<void> {
  const { stdout } = await sees(['ledger', '--json', '--limit', '100000'], { code: 0 });
  const entries: readonly Entry[] = JSON.parse(stdout).entries;
  const calls = entries.flatMap(({ body }) => body.calls ?? []).filter(isMutating);
  const recorded = new Map(calls.map(({ action, requestId }) => [requestId, action]));
  const sent = new Map(written().map(({ action, requestId }) => [requestId, action]));
  assert.ok(sent.size > 50 && !sent.has(''), 'moto tells each answer by an id of its own');
  assert.deepEqual([...recorded].toSorted(), [...sent].toSorted());
  await sees(['ledger', 'verify'], {
    code: 0,
    shows: [/^Ledger: whole, \d+ entries in \d+ chains?, \d+ signed checkpoints?/],
  });
}

const checkpoint = (number: number, estate = 'acme prod'): SignedCheckpoint => ({
  ...{ store: 's1', estate, number, at: number, previous: '', heads: [], key: 'k', signature: 'c2ln' },
});

export async function witnesses({ url }: Life): Promise<void> {
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'witness', AWS_SECRET_ACCESS_KEY: 'witness' });
  const made = await fetch(`${url}/setpoint-witness`, { method: 'PUT', headers: { host: 's3.amazonaws.com' } });
  assert.ok(made.ok, `a bucket is made: ${made.status}`);
  const env = { AWS_ENDPOINT_URL_S3: url, AWS_REGION: 'us-east-1' };
  const witness = s3Witness(new URL('s3://setpoint-witness/ledgers'), env);
  assert.deepEqual(await witness.read(), []);
  await witness.send(checkpoint(1));
  await witness.send({ ...checkpoint(1), signature: 'another' });
  await witness.send(checkpoint(2));
  await witness.send(checkpoint(1, 'b'));
  const held = (await witness.read()).map((one) => `${one.estate} ${one.number} ${one.signature}`);
  assert.deepEqual(held.toSorted(), ['acme prod 1 c2ln', 'acme prod 2 c2ln', 'b 1 c2ln']);
  const other = s3Witness(new URL('s3://no-such-bucket/ledgers'), env);
  await assert.rejects(other.send(checkpoint(1)), /it answered 404 NoSuchBucket/);
}
