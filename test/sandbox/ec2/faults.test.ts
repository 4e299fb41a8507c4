import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as aws from '@aws-sdk/client-ec2';
import * as awsSts from '@aws-sdk/client-sts';
import type { Effect, Match } from '../../../sandbox/faults.ts';
import { makeFaults } from '../../../sandbox/faults.ts';
import { seededRandom } from '../../../sandbox/random.ts';
import { type Bench, bench, given, REGION, refusal } from '../bench.ts';
import { ID, smallEstate } from './estates.ts';

const create = ({ ec2 }: Bench) => ec2.send(new aws.CreateVpcCommand({ CidrBlock: '10.5.0.0/16' }));
const count = async ({ ec2 }: Bench) => (await ec2.send(new aws.DescribeVpcsCommand({}))).Vpcs?.length;

/** The SDK calls a connection that was cut a TimeoutError. A fault on the creation of a VPC: what the client sees, whether the VPC is there all the same, what the log says. */
const effects: readonly {
  readonly effect: Effect;
  readonly want: string;
  readonly made: boolean;
  readonly status: number;
}[] = [
  { effect: { kind: 'throttle' }, want: 'RequestLimitExceeded', made: false, status: 503 },
  { effect: { kind: 'access-denied' }, want: 'UnauthorizedOperation', made: false, status: 403 },
  { effect: { kind: 'error', code: 'InternalError', status: 500 }, want: 'InternalError', made: false, status: 500 },
  { effect: { kind: 'error-after', code: 'Unavailable', status: 503 }, want: 'Unavailable', made: true, status: 503 },
  { effect: { kind: 'reset-before' }, want: 'TimeoutError', made: false, status: 0 },
  { effect: { kind: 'reset-after' }, want: 'TimeoutError', made: true, status: 0 },
];

describe('faults on a write', () => {
  for (const { effect, want, made, status } of effects) {
    it(`${effect.kind}: ${want}, ${made ? 'and it stands' : 'and nothing is written'}`, async () => {
      await using at = await bench();
      at.sandbox.control.faults.add({ match: { action: 'CreateVpc' }, effect });
      assert.equal(await refusal(create(at)), want);
      assert.equal(await count(at), made ? 1 : 0);
      const [logged] = at.sandbox.control.log.entries({ action: 'CreateVpc' });
      assert.deepEqual([logged?.status, logged?.applied, logged?.mutating], [status, made, true]);
    });
  }
});

describe('faults on a listing', () => {
  it('a short page says that there is more', async () => {
    await using made = await bench({ estate: smallEstate() });
    made.sandbox.control.faults.add({
      match: { action: 'DescribeVpcs', nth: 1 },
      effect: { kind: 'short-page', items: 1 },
    });
    const sizes: number[] = [];
    for await (const { Vpcs } of aws.paginateDescribeVpcs({ client: made.ec2, pageSize: 5 }, {}))
      sizes.push(given(Vpcs).length);
    assert.deepEqual(sizes, [1, 1]);
  });

  it('an empty page may still have a next one', async () => {
    await using made = await bench({ estate: smallEstate() });
    made.sandbox.control.faults.add({ match: { times: 1 }, effect: { kind: 'short-page', items: 0 } });
    const sizes: number[] = [];
    for await (const { Vpcs } of aws.paginateDescribeVpcs({ client: made.ec2, pageSize: 5 }, {}))
      sizes.push(given(Vpcs).length);
    assert.deepEqual(sizes, [0, 2]);
  });

  it('a flickering one misses things and does not say so', async () => {
    await using made = await bench({ estate: smallEstate() });
    const id = made.sandbox.control.faults.add({ match: {}, effect: { kind: 'flicker', share: 1 } });
    const { Vpcs, NextToken } = await made.ec2.send(new aws.DescribeVpcsCommand({ MaxResults: 5 }));
    assert.deepEqual([Vpcs, NextToken], [[], undefined]);
    made.sandbox.control.faults.remove(id);
    assert.equal(await count(made), 2);
  });

  it('a delay takes the sandbox’s time', async () => {
    await using made = await bench({ estate: smallEstate() });
    made.sandbox.control.faults.add({ match: {}, effect: { kind: 'delay', ms: 30_000 } });
    let done = false;
    const listing = count(made).then((many) => {
      done = true;
      return many;
    });
    while (made.sandbox.control.log.entries().length === 0 && !done) {
      await new Promise(setImmediate);
      made.sandbox.control.clock.advance(10_000);
    }
    assert.equal(await listing, 2);
  });

  it('served from another account, STS and EC2 alike', async () => {
    await using made = await bench({ estate: smallEstate() });
    made.sandbox.control.faults.add({ match: {}, effect: { kind: 'as-account', account: '999988887777' } });
    assert.equal((await made.sts.send(new awsSts.GetCallerIdentityCommand({}))).Account, '999988887777');
    assert.equal(await count(made), 0);
    await create(made);
    const { Vpcs } = await made.ec2.send(new aws.DescribeVpcsCommand({}));
    assert.equal(Vpcs?.[0]?.OwnerId, '999988887777');
  });
});

const request = { action: 'CreateVpc', account: '1', region: REGION };

const matches: readonly { readonly match: Match; readonly want: readonly number[] }[] = [
  { match: {}, want: [1, 2, 3, 4] },
  { match: { action: ['CreateVpc', 'DeleteVpc'] }, want: [1, 2, 3, 4] },
  { match: { action: 'DeleteVpc' }, want: [] },
  { match: { account: '2' }, want: [] },
  { match: { region: 'us-east-1' }, want: [] },
  { match: { nth: 3 }, want: [3] },
  { match: { times: 2 }, want: [1, 2] },
  { match: { probability: 0 }, want: [] },
  { match: { probability: 1, times: 1 }, want: [1] },
];

describe('faults: which requests', () => {
  for (const { match, want } of matches) {
    it(`${JSON.stringify(match)}: ${want.join(', ') || 'none'}`, () => {
      const faults = makeFaults(seededRandom(1, 'faults'));
      faults.add({ match, effect: { kind: 'throttle' } });
      const struck = [1, 2, 3, 4].filter(() => faults.strike(request).length > 0);
      assert.deepEqual(struck, want);
    });
  }

  it('chance follows the seed', () => {
    const pattern = (seed: number) => {
      const faults = makeFaults(seededRandom(seed, 'faults'));
      faults.add({ match: { probability: 0.5 }, effect: { kind: 'throttle' } });
      return Array.from({ length: 32 }, () => faults.strike(request).length);
    };
    assert.deepEqual(pattern(3), pattern(3));
    assert.notDeepEqual(pattern(3), pattern(4));
  });

  it('an instance is launched once though its answer was lost, thanks to the token', async () => {
    await using made = await bench({ estate: smallEstate() });
    made.sandbox.control.faults.add({ match: { action: 'RunInstances', nth: 1 }, effect: { kind: 'reset-after' } });
    const run = () =>
      made.ec2.send(
        new aws.RunInstancesCommand({
          ImageId: 'ami-0abcdef1234567890',
          MinCount: 1,
          MaxCount: 1,
          SubnetId: ID.app,
          ClientToken: 'once',
        }),
      );
    assert.equal(await refusal(run()), 'TimeoutError');
    await run();
    const { Reservations } = await made.ec2.send(new aws.DescribeInstancesCommand({}));
    assert.equal(Reservations?.length, 3);
  });
});
