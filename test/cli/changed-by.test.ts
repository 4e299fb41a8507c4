import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  AuthorizeSecurityGroupIngressCommand,
  CreateTagsCommand,
  DescribeInstancesCommand,
  DescribeSecurityGroupsCommand,
  EC2Client,
} from '@aws-sdk/client-ec2';
import { touches } from '../../providers/aws/touches.ts';
import { commandLine } from './support/in-process.ts';
import { edit, sandboxed } from './support/sandboxed.ts';

const run = commandLine();
const { sandbox, specs } = await sandboxed();
const allow = '--allow-endpoint';
const applied = await run(['apply', specs, allow, '--yes']);
assert.equal(applied.code, 0, applied.stderr);

const client = new EC2Client({ endpoint: sandbox.url, region: 'eu-west-1' });
const scope = 'aws/111122223333/eu-west-1';

interface Told {
  readonly eventName: string;
  readonly who: string;
  readonly requestParameters: object;
  readonly requestID?: string;
}

/** Delivers a call's CloudTrail record as EventBridge does. Returns the number of stored touches. */
async function tell({ who, ...detail }: Told): Promise<number> {
  const event = {
    id: `e-${detail.eventName}`,
    detail: {
      eventSource: 'ec2.amazonaws.com',
      eventID: `e-${detail.eventName}`,
      eventTime: new Date().toISOString(),
      awsRegion: 'eu-west-1',
      recipientAccountId: '111122223333',
      sourceIPAddress: '203.0.113.9',
      userAgent: 'console.ec2.amazonaws.com',
      userIdentity: { arn: `arn:aws:iam::111122223333:user/${who}` },
      ...detail,
    },
  };
  return (await run.database.connect().touches.keep('acme', touches(event))).length;
}

const groups = await client.send(
  new DescribeSecurityGroupsCommand({ Filters: [{ Name: 'group-name', Values: ['core-web'] }] }),
);
const GroupId = groups.SecurityGroups?.[0]?.GroupId ?? '';
const machines = await client.send(new DescribeInstancesCommand({ Filters: [{ Name: 'tag:tier', Values: ['web'] }] }));
const machine = machines.Reservations?.[0]?.Instances?.[0]?.InstanceId ?? '';
assert.match(`${GroupId} ${machine}`, /^sg-\w+ i-\w+$/);

const ssh = { IpProtocol: 'tcp', FromPort: 22, ToPort: 22, IpRanges: [{ CidrIp: '198.51.100.7/32' }] };
await client.send(new AuthorizeSecurityGroupIngressCommand({ GroupId, IpPermissions: [ssh] }));
await client.send(new CreateTagsCommand({ Resources: [machine], Tags: [{ Key: 'tier', Value: 'mine' }] }));
const items = [{ ipProtocol: 'tcp', fromPort: 22, toPort: 22, ipRanges: { items: [{ cidrIp: '198.51.100.7/32' }] } }];
const byEve = {
  eventName: 'AuthorizeSecurityGroupIngress',
  who: 'eve',
  requestParameters: { groupId: GroupId, ipPermissions: { items } },
};
const byBob = {
  eventName: 'CreateTags',
  who: 'bob',
  requestParameters: { resourcesSet: { items: [{ resourceId: machine }] } },
  requestID: 'r-bob',
};
assert.equal((await tell(byEve)) + (await tell(byBob)), 2);

const eve =
  /changed by arn:aws:iam::111122223333:user\/eve \(AuthorizeSecurityGroupIngress from 203\.0\.113\.9\) [\d.]+ m?s ago/;
const bob = /changed by arn:aws:iam::111122223333:user\/bob \(CreateTags from 203\.0\.113\.9\) [\d.]+ m?s ago/;

for (const verb of ['plan', 'drift'])
  test(`${verb} names who changed what drifted`, async () => {
    const { stdout } = await run([verb, specs, allow]);
    assert.match(stdout, /- firewall-rule .* no document states this rule {2}! drifted\n.*\n {6}changed by \S+eve /);
    const undoes =
      /changed by \S+(eve|bob) \(.*\) [\d.]+ m?s ago \((\d{4}-\d\d-\d\d )?\d\d:\d\d UTC\); healing undoes it$/gm;
    assert.equal(stdout.match(undoes)?.length, 2, stdout);
    assert.match(stdout, /~ instance web-\d .*! drifted.*\n +~ labels\.tier {2}mine → web\n {6}changed by \S+bob /);
    assert.match(stdout, eve);
    assert.match(stdout, bob);
  });

test('an approver sees the authors of the changes that healing undoes', async () => {
  const { stderr } = await run(['approve', specs, allow, '--reason', 'back to the specs']);
  assert.match(stderr, /changed by \S+bob \(.*\) [\d.]+ m?s ago \(.*UTC\); healing undoes it\n/);
});

test('in JSON each action has all that is known of it', async () => {
  const { stdout } = await run(['plan', specs, allow, '--json']);
  const { actions } = JSON.parse(stdout);
  const [update] = actions.filter(({ verb }: { verb: string }) => verb === 'update');
  const { at, ...by } = update.lastModifiedBy;
  assert.ok(Math.abs(Date.now() - at) < 60_000);
  assert.equal(update.healing, 'undoes');
  assert.deepEqual(by, {
    requestId: 'r-bob',
    actor: 'arn:aws:iam::111122223333:user/bob',
    action: 'CreateTags',
    from: '203.0.113.9',
    agent: 'console.ec2.amazonaws.com',
    event: 'e-CreateTags',
  });
});

test('explain and inventory name him beside what stands', async () => {
  const explained = await run(['explain', machine, '--specs', specs, allow]);
  assert.match(explained.stdout, bob);
  assert.match(
    explained.stdout,
    /\nPlanned\n {2}update \(drift\)\n.*labels\.tier.*\n.*user\/bob .*; healing undoes it\n/,
  );
  const { stdout } = await run(['inventory', specs]);
  assert.match(stdout, new RegExp(`ours +yes +${machine} {2}${bob.source}`));
  const json = JSON.parse((await run(['inventory', specs, '--json'])).stdout);
  const [object] = json.scopes[0].objects.filter(({ id }: { id: string }) => id === machine);
  assert.equal(object.lastModifiedBy.action, 'CreateTags');
});

test('the entry that heals it names him, and then nobody is named any more', async () => {
  assert.equal((await run(['apply', specs, allow, '--yes'])).code, 0);
  const { stdout } = await run(['ledger', '--json']);
  const { entries } = JSON.parse(stdout);
  const named = entries.flatMap(({ type, body }: { type: string; body: Record<string, { by?: { who: string } }> }) =>
    body['details']?.by ? [`${type} ${body['verb']} ${body['details'].by.who.split('/').at(-1)}`] : [],
  );
  assert.deepEqual(named.sort(), ['intent delete eve', 'intent update bob']);
  assert.match(stdout, /"requestId": "r-bob"/);
  assert.match(
    (await run(['ledger'])).stdout,
    /intent +update +\S+instance\/web-\d .* changed by \S+bob \(CreateTags from 203\.0\.113\.9\) at \d{4}-/,
  );
  assert.doesNotMatch((await run(['inventory', specs, '--refresh', allow])).stdout, /changed by/);
  assert.doesNotMatch((await run(['explain', machine, '--specs', specs, allow])).stdout, /changed by/);
});

test('our own calls are no touches', async () => {
  const ids: string[] = [];
  for await (const { type, body } of run.database.connect().ledger.entries({ estate: 'acme' })) {
    const calls = type === 'settlement' && Array.isArray(body['calls']) ? body['calls'] : [];
    ids.push(...calls.map(({ requestId }) => requestId));
  }
  const [requestID] = ids;
  assert.ok(requestID);
  assert.equal(await tell({ ...byBob, requestID }), 0);
  assert.equal(await tell({ ...byBob, requestID: 'somebody else’s' }), 1);
  assert.equal(
    (await run.database.connect().touches.newest({ estate: 'acme', scope })).get(machine)?.by.action,
    'CreateTags',
  );
});

test('where events come and none names a change, plan, drift and explain say so', async () => {
  await client.send(new CreateTagsCommand({ Resources: [machine], Tags: [{ Key: 'tier', Value: 'theirs' }] }));
  assert.equal((await run(['apply', specs, allow, '--yes'])).code, 0);
  await client.send(new CreateTagsCommand({ Resources: [machine], Tags: [{ Key: 'tier', Value: 'theirs' }] }));
  const nobody = /nobody told: no event names this change; healing undoes it/;
  assert.doesNotMatch((await run(['plan', specs, allow])).stdout, nobody);
  const hook = '{ name: aws, from: eventbridge, secret: { env: SETPOINT_SECRET_AWS } }';
  edit(specs, 'estate.yaml', 'spec:', `spec:\n  hooks: [${hook}]`);
  for (const args of [
    ['plan', specs],
    ['drift', specs],
    ['explain', machine, '--specs', specs],
  ])
    assert.match((await run([...args, allow])).stdout, nobody, args[0]);
  const { auditLogs, actions } = JSON.parse((await run(['plan', specs, allow, '--json'])).stdout);
  assert.deepEqual(auditLogs, ['aws']);
  assert.deepEqual(
    actions.map(({ verb, healing, lastModifiedBy }: Record<string, unknown>) => [verb, healing, lastModifiedBy]),
    [['update', 'undoes', undefined]],
  );
});
