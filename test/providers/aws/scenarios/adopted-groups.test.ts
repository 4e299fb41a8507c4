import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  AuthorizeSecurityGroupIngressCommand,
  CreateSecurityGroupCommand,
  CreateSubnetCommand,
  CreateVpcCommand,
  EC2Client,
  RevokeSecurityGroupIngressCommand,
} from '@aws-sdk/client-ec2';
import { aws } from '../../../../providers/aws/index.ts';
import { account, openAwsStage, region } from '../../../support/aws-session.ts';
import { network, rule } from '../../../support/engine-world/documents.ts';
import { engineWorld } from '../../../support/engine-world/engine-world.ts';

/** A network with a group that people made, and a colleague who opens and closes ports in it. */
async function world() {
  const stage = await openAwsStage();
  // why: it brings the keys that the sandbox knows
  await stage.open();
  const here = { metadata: { name: 'here' }, spec: { provider: 'aws', account, region } };
  const engine = engineWorld({ provider: aws, here, quietMs: 600_000 }, stage);
  const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'not-a-secret' };
  const client = new EC2Client({ endpoint: stage.sandbox.url, region, credentials, maxAttempts: 1 });
  const VpcId = (await client.send(new CreateVpcCommand({ CidrBlock: '10.20.0.0/16' }))).Vpc?.VpcId ?? '';
  const subnet = await client.send(new CreateSubnetCommand({ VpcId, CidrBlock: '10.20.1.0/24' }));
  const named = { VpcId, GroupName: 'web servers', Description: 'by hand' };
  const GroupId = (await client.send(new CreateSecurityGroupCommand(named))).GroupId ?? '';
  const on = (port: number) => ({
    GroupId,
    IpPermissions: [{ IpProtocol: 'tcp', FromPort: port, ToPort: port, IpRanges: [{ CidrIp: '0.0.0.0/0' }] }],
  });
  return {
    engine,
    open: (port: number) => client.send(new AuthorizeSecurityGroupIngressCommand(on(port))),
    close: (port: number) => client.send(new RevokeSecurityGroupIngressCommand(on(port))),
    documents: (rules: 'authoritative' | 'additive', ports: readonly number[]) => [
      network(
        {
          ...{ internet: 'unmanaged', allGroup: false, rules },
          subnets: [{ name: 'app', cidr: '10.20.1.0/24', adopt: { here: subnet.Subnet?.SubnetId } }],
          groups: [{ name: 'web', adopt: { here: GroupId } }],
        },
        { adopt: { here: VpcId } },
      ),
      ...ports.map((port) => rule(`tcp-${port}`, { ports: [port] })),
    ],
    [Symbol.asyncDispose]: async () => {
      client.destroy();
      await engine[Symbol.asyncDispose]();
    },
  };
}

const blockedIn = (left: readonly string[]): readonly string[] => left.filter((one) => one.startsWith('blocked'));
const refused = ['blocked undeclared-rules group/core.web'];

test('rules of an adopted group that no document states stay, until they are stated or gone', async () => {
  await using here = await world();
  for (const port of [443, 22]) await here.open(port);
  const first = await here.engine.apply(here.documents('authoritative', [443]));
  assert.deepEqual(blockedIn(first.left), refused);
  assert.deepEqual([...new Set(first.writes)], ['CreateTags 200'], 'nothing is revoked');
  const second = await here.engine.apply(here.documents('authoritative', [443]));
  assert.deepEqual([blockedIn(second.left), second.writes], [refused, []]);
  const stated = await here.engine.apply(here.documents('authoritative', [443, 22]));
  assert.deepEqual([stated.outcome, stated.writes], ['done', []], 'the record is the store’s, and calls no cloud');
  await here.open(8080);
  const healed = await here.engine.apply(here.documents('authoritative', [443, 22]));
  assert.deepEqual([healed.outcome, healed.writes], ['done', ['RevokeSecurityGroupIngress 200']]);
});

test('a colleague deletes them by hand: from then on the group is authoritative, until the network is additive again', async () => {
  await using here = await world();
  for (const port of [443, 22]) await here.open(port);
  await here.engine.apply(here.documents('authoritative', [443]));
  await here.close(22);
  const clean = await here.engine.apply(here.documents('authoritative', [443]));
  assert.deepEqual([clean.outcome, clean.writes], ['done', []]);
  await here.engine.apply(here.documents('additive', [443]));
  await here.open(22);
  const back = await here.engine.apply(here.documents('authoritative', [443]));
  assert.deepEqual([blockedIn(back.left), back.writes], [refused, []], 'people owned its rules in the meantime');
});

test('a group that was clean when it was adopted is authoritative at once', async () => {
  await using here = await world();
  await here.open(443);
  const first = await here.engine.apply(here.documents('authoritative', [443]));
  assert.equal(first.rounds.flatMap(({ settled }) => settled).filter(({ verb }) => verb === 'update').length, 0);
  await here.open(22);
  const healed = await here.engine.apply(here.documents('authoritative', [443]));
  assert.deepEqual([healed.outcome, healed.writes], ['done', ['RevokeSecurityGroupIngress 200']]);
});
