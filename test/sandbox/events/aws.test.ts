import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as aws from '@aws-sdk/client-ec2';
import { AssumeRoleCommand } from '@aws-sdk/client-sts';
import type { AwsDestination } from '../../../sandbox/events/destination.ts';
import { ACCOUNT, type Bench, bench, given, REGION } from '../bench.ts';
import { smallEstate } from '../ec2/estates.ts';
import { type Listened, listening, type Received, receiver } from './receiver.ts';

const listened = (more: Partial<AwsDestination> = {}): Promise<Listened<Bench>> =>
  listening((url) => bench({ estate: smallEstate(), events: [{ cloud: 'aws', url, apiKey: 'let me in', ...more }] }));

test('are posted as an API destination does', async () => {
  await using all = await listened();
  const { made, heard } = all;
  await made.ec2.send(new aws.CreateInternetGatewayCommand({}));
  const event = await heard.at(0);
  assert.equal(event.path, '/hook');
  assert.equal(event.headers['x-api-key'], 'let me in');
  assert.equal(event.headers['user-agent'], 'Amazon/EventBridge/ApiDestinations');
  assert.match(event.headers['content-type'] ?? '', /^application\/json/);
});

test('carry the record of CloudTrail', async () => {
  await using all = await listened();
  const { made, heard } = all;
  const { Vpc, $metadata } = await made.ec2.send(new aws.CreateVpcCommand({ CidrBlock: '10.7.0.0/16' }));
  const event = await heard.at(0);
  const { id, detail, ...envelope } = event.body;
  assert.match(id, /^[0-9a-f]{8}-/);
  assert.deepEqual(envelope, {
    version: '0',
    'detail-type': 'AWS API Call via CloudTrail',
    source: 'aws.ec2',
    account: ACCOUNT,
    time: '2026-01-01T00:00:00Z',
    region: REGION,
    resources: [],
  });
  const { eventID, userAgent, requestParameters, responseElements, ...record } = detail;
  assert.match(userAgent, /aws-sdk-js/);
  assert.notEqual(eventID, id);
  assert.deepEqual(record, {
    eventVersion: '1.09',
    userIdentity: {
      type: 'IAMUser',
      principalId: 'AIDAAKIDEXAMPLE',
      arn: `arn:aws:iam::${ACCOUNT}:user/sandbox`,
      accountId: ACCOUNT,
      accessKeyId: 'AKIDEXAMPLE',
      userName: 'sandbox',
    },
    eventTime: '2026-01-01T00:00:00Z',
    eventSource: 'ec2.amazonaws.com',
    eventName: 'CreateVpc',
    awsRegion: REGION,
    sourceIPAddress: '127.0.0.1',
    requestID: $metadata.requestId,
    readOnly: false,
    eventType: 'AwsApiCall',
    managementEvent: true,
    recipientAccountId: ACCOUNT,
    eventCategory: 'Management',
  });
  assert.deepEqual(requestParameters, { cidrBlock: '10.7.0.0/16' });
  assert.equal(responseElements.requestId, $metadata.requestId);
  assert.equal(responseElements.vpc.vpcId, Vpc?.VpcId);
  assert.equal(responseElements.vpc.isDefault, false);
  assert.deepEqual(responseElements.vpc.tagSet, {});
});

test('tell of a role by its session', async () => {
  await using all = await listened();
  const { made, heard } = all;
  const role = { RoleArn: `arn:aws:iam::${ACCOUNT}:role/admin`, RoleSessionName: 'ada' };
  const { Credentials } = await made.sts.send(new AssumeRoleCommand(role));
  const ada = made.client({ key: given(Credentials?.AccessKeyId), sessionToken: given(Credentials?.SessionToken) });
  await ada.send(new aws.CreateInternetGatewayCommand({}));
  const event = await heard.at(0);
  const { type, arn, principalId, sessionContext } = event.body.detail.userIdentity;
  assert.equal(type, 'AssumedRole');
  assert.equal(arn, `arn:aws:sts::${ACCOUNT}:assumed-role/admin/ada`);
  assert.match(principalId, /^AROA[0-9A-F]+:ada$/);
  assert.equal(sessionContext.sessionIssuer.arn, role.RoleArn);
});

test('come of writes that were applied, and of nothing else', async () => {
  await using all = await listened();
  const { made, heard } = all;
  const make = () => made.ec2.send(new aws.CreateVpcCommand({ CidrBlock: '10.7.0.0/16' }));
  await made.ec2.send(new aws.DescribeVpcsCommand({}));
  await assert.rejects(made.ec2.send(new aws.CreateVpcCommand({ CidrBlock: '10.0.0.0/4' })));
  await assert.rejects(made.ec2.send(new aws.CreateVpcCommand({ CidrBlock: '10.7.0.0/16', DryRun: true })));
  const { faults } = made.sandbox.control;
  faults.add({ match: { action: 'CreateVpc', times: 1 }, effect: { kind: 'reset-before' } });
  await assert.rejects(make());
  faults.add({ match: { action: 'CreateVpc', times: 1 }, effect: { kind: 'reset-after' } });
  await assert.rejects(make(), 'its answer is lost');
  await made.ec2.send(new aws.CreateInternetGatewayCommand({}));
  const events = await heard.first(2);
  assert.deepEqual(namesOf(events), ['CreateVpc', 'CreateInternetGateway']);
  assert.match(events[0]?.body.detail.responseElements.vpc.vpcId, /^vpc-/);
});

test('leave out clients by their user agent', async () => {
  await using all = await listened({ except: ['aws-sdk-js'] });
  const { made, heard } = all;
  await made.ec2.send(new aws.CreateInternetGatewayCommand({}));
  const by = await signed(made, 'curl/8', 'Action=CreateInternetGateway&Version=2016-11-15');
  assert.equal(by.status, 200);
  const event = await heard.at(0);
  assert.equal(event.body.detail.userAgent, 'curl/8');
  assert.equal(event.body.detail.sourceIPAddress, '203.0.113.7', 'where a proxy says that it comes from');
  assert.equal(heard.received.length, 1);
});

test('are sent again until they are taken, in their order', async () => {
  await using all = await listened();
  const { made, heard } = all;
  heard.statuses.push(503, 429);
  await made.ec2.send(new aws.CreateInternetGatewayCommand({}));
  await made.ec2.send(new aws.CreateVpcCommand({ CidrBlock: '10.7.0.0/16' }));
  const events = await heard.first(4);
  assert.deepEqual(namesOf(events), [...Array(3).fill('CreateInternetGateway'), 'CreateVpc']);
  assert.equal(new Set(events.map(({ body }) => body.id)).size, 2);
});

test('are told from when somebody subscribes, also over control', async () => {
  await using heard = await receiver();
  await using made = await bench();
  await made.ec2.send(new aws.CreateInternetGatewayCommand({}));
  const subscribe = (url: string) =>
    fetch(`${made.sandbox.url}/_sandbox/events`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ subscribe: [{ cloud: 'aws', url, apiKey: 'k' }] }),
    });
  assert.equal((await subscribe('http://example.com/')).status, 400);
  assert.equal((await subscribe(heard.url)).status, 200);
  await made.ec2.send(new aws.CreateVpcCommand({ CidrBlock: '10.7.0.0/16' }));
  assert.deepEqual(namesOf([await heard.at(0)]), ['CreateVpc']);
});

test('that nobody takes hold up no client, and are told over control', async () => {
  await using all = await listened({ url: 'http://127.0.0.1:1/', attempts: 1 });
  const { made } = all;
  await made.ec2.send(new aws.CreateInternetGatewayCommand({}));
  const state = async () => {
    const answer = await fetch(`${made.sandbox.url}/_sandbox/events`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
    });
    return (await answer.json()) as { readonly destinations: readonly { readonly dropped: number }[] }; // why: the verb's own answer
  };
  let told = await state();
  while (told.destinations[0]?.dropped === 0) told = await state();
  assert.deepEqual(told.destinations, [
    { cloud: 'aws', waiting: 0, sent: 0, failed: 1, dropped: 1, problem: 'fetch failed: bad port' },
  ]);
});

function namesOf(events: readonly Received[]): readonly string[] {
  return events.map(({ body }) => body.detail.eventName);
}

function signed({ sandbox }: Bench, agent: string, body: string): Promise<Response> {
  const scope = `AWS4-HMAC-SHA256 Credential=test/20260101/${REGION}/ec2/aws4_request`;
  return fetch(sandbox.url, {
    method: 'POST',
    body,
    headers: { authorization: scope, 'user-agent': agent, 'x-forwarded-for': '203.0.113.7, 10.0.0.1' },
  });
}
