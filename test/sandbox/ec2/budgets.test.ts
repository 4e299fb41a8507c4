import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as aws from '@aws-sdk/client-ec2';
import { type Charge, makeBudgets } from '../../../sandbox/budgets.ts';
import { makeClock } from '../../../sandbox/clock.ts';
import { chargesOf } from '../../../sandbox/ec2/budget-table.ts';
import { ACCOUNT, bench, given, pass, REGION, refusal } from '../bench.ts';
import { ID, smallEstate } from './estates.ts';

const demand = (action: string, params: Readonly<Record<string, string>> = {}) =>
  chargesOf({ account: ACCOUNT, region: REGION, action, params }).map(({ capacity, refill, tokens }) => [
    capacity,
    refill,
    tokens,
  ]);

/** The published figures: bucket, tokens a second, tokens taken. */
const figures: readonly {
  readonly action: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly want: readonly number[][];
}[] = [
  { action: 'DescribeVpcs', want: [[100, 20, 1]] },
  { action: 'DescribeInstances', params: { MaxResults: '1000' }, want: [[100, 20, 1]] },
  { action: 'DescribeInstances', params: { 'Filter.1.Name': 'vpc-id' }, want: [[100, 20, 1]] },
  { action: 'DescribeInstances', want: [[50, 10, 1]] },
  { action: 'DescribeSecurityGroups', params: { 'GroupId.1': 'sg-1' }, want: [[50, 10, 1]] },
  { action: 'CreateVpc', want: [[50, 5, 1]] },
  { action: 'AuthorizeSecurityGroupIngress', want: [[50, 5, 1]] },
  { action: 'CreateTags', want: [[100, 10, 1]] },
  {
    action: 'RunInstances',
    params: { MaxCount: '7' },
    want: [
      [5, 2, 1],
      [1000, 2, 7],
    ],
  },
  {
    action: 'RunInstances',
    params: { MaxCount: '7', DryRun: 'true' },
    want: [
      [5, 2, 1],
      [1000, 2, 0],
    ],
  },
  {
    action: 'StartInstances',
    params: { 'InstanceId.1': 'i-1', 'InstanceId.2': 'i-2' },
    want: [
      [5, 2, 1],
      [1000, 2, 2],
    ],
  },
  {
    action: 'StopInstances',
    params: { 'InstanceId.1': 'i-1' },
    want: [
      [50, 5, 1],
      [1000, 20, 1],
    ],
  },
  {
    action: 'TerminateInstances',
    params: { 'InstanceId.1': 'i-1' },
    want: [
      [100, 5, 1],
      [1000, 20, 1],
    ],
  },
];

describe('budgets: the table', () => {
  for (const { action, params = {}, want } of figures) {
    it(`${action} ${JSON.stringify(params)}`, () => assert.deepEqual(demand(action, params), want));
  }
});

describe('budgets: buckets', () => {
  const charge = (rateLimit: string, tokens = 1): Charge => ({
    kind: 'bucket',
    rateLimit,
    capacity: 2,
    refill: 0.5,
    tokens,
  });

  it('are full at first, run dry, refill on the sandbox’s clock, and never overflow', () => {
    const clock = makeClock({ rate: 0 });
    const budgets = makeBudgets(clock);
    const take = () => budgets.take([charge('a')]);
    assert.deepEqual([take(), take(), take()], [undefined, undefined, 'a']);
    clock.advance(1999);
    assert.equal(take(), 'a');
    clock.advance(1);
    assert.deepEqual([take(), take()], [undefined, 'a']);
    clock.advance(1e9);
    assert.deepEqual([take(), take(), take()], [undefined, undefined, 'a']);
  });

  it('a call takes from all its buckets or from none', () => {
    const budgets = makeBudgets(makeClock({ rate: 0 }));
    assert.equal(budgets.take([charge('requests'), charge('instances', 3)]), 'instances');
    assert.deepEqual(budgets.levels(), { requests: 2, instances: 2 });
  });

  it('can be filled and switched off', () => {
    const budgets = makeBudgets(makeClock({ rate: 0 }));
    assert.equal(budgets.take([charge('a', 2)]), undefined);
    assert.equal(budgets.take([charge('a')]), 'a');
    budgets.fill();
    assert.equal(budgets.take([charge('a', 2)]), undefined);
    budgets.enabled(false);
    assert.equal(budgets.take([charge('a')]), undefined);
  });
});

describe('budgets: on the wire', () => {
  it('the sixth launch at once is RequestLimitExceeded with 503, and changes nothing', async () => {
    await using made = await bench({ budgets: true, estate: smallEstate() });
    const start = () => made.ec2.send(new aws.StartInstancesCommand({ InstanceIds: [ID.machine] }));
    for (let i = 0; i < 5; i++) await start();
    await assert.rejects(start(), (error: aws.EC2ServiceException) => {
      assert.equal(error.name, 'RequestLimitExceeded');
      assert.equal(error.$metadata.httpStatusCode, 503);
      return true;
    });
    pass(made, 500);
    assert.equal(await refusal(start()), 'accepted');
  });

  it('each action, region and account has its own buckets', async () => {
    const accounts = [
      { id: ACCOUNT, accessKeyIds: ['AKIDEXAMPLE'] },
      { id: '444455556666', accessKeyIds: ['AKIDOTHER'] },
    ];
    await using made = await bench({ budgets: true, accounts });
    const list = (client: aws.EC2Client) => refusal(client.send(new aws.DescribeInstancesCommand({})));
    for (let i = 0; i < 50; i++) await list(made.ec2);
    assert.equal(await list(made.ec2), 'RequestLimitExceeded');
    assert.equal(await list(made.client({ region: 'us-east-1' })), 'accepted');
    assert.equal(await list(made.client({ key: 'AKIDOTHER' })), 'accepted');
    assert.equal(await refusal(made.ec2.send(new aws.DescribeInstancesCommand({ MaxResults: 5 }))), 'accepted');
    assert.equal(await refusal(made.ec2.send(new aws.DescribeVolumesCommand({}))), 'accepted');
    const throttled = made.sandbox.control.log.entries({ errorCode: 'RequestLimitExceeded' });
    assert.deepEqual(
      throttled.map(({ action, status, applied }) => [action, status, applied]),
      [['DescribeInstances', 503, false]],
    );
    assert.equal(given(throttled[0]).account, ACCOUNT);
  });
});
