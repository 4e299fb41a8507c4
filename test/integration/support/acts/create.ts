import assert from 'node:assert/strict';
import {
  DescribeInstanceAttributeCommand,
  DescribeInternetGatewaysCommand,
  DescribeRouteTablesCommand,
  DescribeVpcsCommand,
} from '@aws-sdk/client-ec2';
import { rulesOf } from '../colleague-rules.ts';
import type { Life } from '../life.ts';
import { userData } from '../life-specs.ts';
import { isMutating } from '../recording-proxy.ts';

export const unchanged = /^Plan: 0 to add, 0 to change, 0 to replace, 0 to delete · 0 drifted/;

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
