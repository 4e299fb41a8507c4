import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as aws from '@aws-sdk/client-ec2';
import { ACCOUNT, type Bench, bench, given, REGION, refusal } from '../bench.ts';
import { ID, smallEstate } from './estates.ts';

const subnets = (count: number) => ({
  regions: [
    {
      account: ACCOUNT,
      region: REGION,
      vpcs: [
        {
          key: 'v',
          cidr: '10.0.0.0/16',
          subnets: Array.from({ length: count }, (_, i) => ({
            key: `s${i}`,
            cidr: `10.0.${i}.0/24`,
            tags: { n: `${i % 2}` },
          })),
        },
      ],
    },
  ],
});

describe('pages', () => {
  it('add up to everything once, and the last has no token', async () => {
    await using made = await bench({ estate: subnets(12) });
    const sizes: number[] = [];
    const ids = new Set<string | undefined>();
    for await (const { Subnets } of aws.paginateDescribeSubnets({ client: made.ec2, pageSize: 6 }, {})) {
      sizes.push(given(Subnets).length);
      for (const { SubnetId } of given(Subnets)) ids.add(SubnetId);
    }
    assert.deepEqual(sizes, [6, 6]);
    assert.equal(ids.size, 12);
  });

  it('go on where they stood when something was deleted meanwhile', async () => {
    await using made = await bench({ estate: subnets(12) });
    const page = (NextToken?: string) => made.ec2.send(new aws.DescribeSubnetsCommand({ MaxResults: 6, NextToken }));
    const first = await page();
    await made.ec2.send(new aws.DeleteSubnetCommand({ SubnetId: first.Subnets?.[2]?.SubnetId }));
    const second = await page(first.NextToken);
    assert.deepEqual(second.Subnets?.map(({ CidrBlock }) => CidrBlock).at(0), '10.0.6.0/24');
    assert.equal(second.Subnets?.length, 6);
  });

  it('count what passes the filter', async () => {
    await using made = await bench({ estate: subnets(12) });
    const Filters = [{ Name: 'tag:n', Values: ['1'] }];
    const { Subnets, NextToken } = await made.ec2.send(new aws.DescribeSubnetsCommand({ MaxResults: 6, Filters }));
    assert.deepEqual([Subnets?.length, NextToken], [6, undefined]);
  });

  it('count instances, not reservations', async () => {
    const estate = { regions: [{ ...subnets(1).regions[0], instances: [{ subnet: 's0', groups: [], count: 12 }] }] };
    await using made = await bench({ estate });
    const { Reservations, NextToken } = await made.ec2.send(new aws.DescribeInstancesCommand({ MaxResults: 5 }));
    assert.deepEqual([Reservations?.length, Reservations?.[0]?.Instances?.length], [1, 5]);
    assert.notEqual(NextToken, undefined);
  });
});

type Call = ({ ec2 }: Bench) => Promise<unknown>;
const NextToken = 'nonsense';

const bounds: readonly { readonly name: string; readonly call: Call; readonly want: string }[] = [
  {
    name: 'VPCs, 4',
    call: ({ ec2 }) => ec2.send(new aws.DescribeVpcsCommand({ MaxResults: 4 })),
    want: 'InvalidParameterValue',
  },
  {
    name: 'VPCs, 1000',
    call: ({ ec2 }) => ec2.send(new aws.DescribeVpcsCommand({ MaxResults: 1000 })),
    want: 'accepted',
  },
  {
    name: 'VPCs, 1001',
    call: ({ ec2 }) => ec2.send(new aws.DescribeVpcsCommand({ MaxResults: 1001 })),
    want: 'InvalidParameterValue',
  },
  {
    name: 'route tables, 100',
    call: ({ ec2 }) => ec2.send(new aws.DescribeRouteTablesCommand({ MaxResults: 100 })),
    want: 'accepted',
  },
  {
    name: 'route tables, 101',
    call: ({ ec2 }) => ec2.send(new aws.DescribeRouteTablesCommand({ MaxResults: 101 })),
    want: 'InvalidParameterValue',
  },
  {
    name: 'tags, 4',
    call: ({ ec2 }) => ec2.send(new aws.DescribeTagsCommand({ MaxResults: 4 })),
    want: 'InvalidParameterValue',
  },
  {
    name: 'a token of nobody',
    call: ({ ec2 }) => ec2.send(new aws.DescribeVpcsCommand({ NextToken })),
    want: 'InvalidNextToken',
  },
  {
    name: 'instances by id and by page',
    call: ({ ec2 }) => ec2.send(new aws.DescribeInstancesCommand({ InstanceIds: [ID.machine], MaxResults: 5 })),
    want: 'InvalidParameterCombination',
  },
  {
    name: 'interfaces by id and by page',
    call: ({ ec2 }) =>
      ec2.send(new aws.DescribeNetworkInterfacesCommand({ NetworkInterfaceIds: ['eni-0fffffff'], MaxResults: 5 })),
    want: 'InvalidParameterCombination',
  },
  {
    name: 'subnets by id and by page',
    call: ({ ec2 }) => ec2.send(new aws.DescribeSubnetsCommand({ SubnetIds: [ID.app], MaxResults: 5 })),
    want: 'accepted',
  },
  {
    name: 'an unknown filter',
    call: ({ ec2 }) => ec2.send(new aws.DescribeVpcsCommand({ Filters: [{ Name: 'colour', Values: ['red'] }] })),
    want: 'InvalidParameterValue',
  },
  {
    name: 'more than 200 filter values',
    call: ({ ec2 }) =>
      ec2.send(
        new aws.DescribeVpcsCommand({ Filters: [{ Name: 'vpc-id', Values: Array.from({ length: 201 }, String) }] }),
      ),
    want: 'FilterLimitExceeded',
  },
];

describe('bounds of a listing', () => {
  for (const { name, call, want } of bounds) {
    it(`${name}: ${want}`, async () => {
      await using made = await bench({ estate: smallEstate() });
      assert.equal(await refusal(call(made)), want);
    });
  }
});

type Filters = aws.Filter[];
const of = (Name: string, ...Values: string[]) => ({ Name, Values });

/** Filters over the two machines, and which of them pass. */
const filters: readonly { readonly filters: Filters; readonly want: readonly string[] }[] = [
  { filters: [of('tag:tier', 'web')], want: [ID.machine] },
  { filters: [of('tag:tier', 'WEB')], want: [] },
  { filters: [of('tag:tier', 'w*')], want: [ID.machine] },
  { filters: [of('tag:tier', 'w?b')], want: [ID.machine] },
  { filters: [of('tag:tier', 'w\\*b')], want: [] },
  { filters: [of('tag:tier', 'w.b')], want: [] },
  { filters: [of('tag-key', 'tier')], want: [ID.machine] },
  { filters: [of('instance-state-name', 'running', 'stopped')], want: [ID.machine, ID.stopped] },
  { filters: [of('instance-state-name', 'stopped')], want: [ID.stopped] },
  { filters: [of('vpc-id', ID.vpc), of('instance-state-name', 'running')], want: [ID.machine] },
  { filters: [of('subnet-id', ID.db)], want: [ID.stopped] },
  { filters: [of('instance.group-id', ID.data)], want: [ID.stopped] },
  { filters: [of('instance.group-name', 'web')], want: [ID.machine] },
  { filters: [of('private-ip-address', '10.0.1.4')], want: [ID.machine] },
  { filters: [of('availability-zone', 'eu-west-1b')], want: [ID.stopped] },
  { filters: [of('vpc-id')], want: [] },
];

describe('filters', () => {
  for (const { filters: Filters, want } of filters) {
    it(`${JSON.stringify(Filters)} passes ${want.length}`, async () => {
      await using made = await bench({ estate: smallEstate() });
      const { Reservations } = await made.ec2.send(new aws.DescribeInstancesCommand({ Filters }));
      assert.deepEqual(
        Reservations?.flatMap(({ Instances }) => given(Instances).map(({ InstanceId }) => InstanceId)),
        want,
      );
    });
  }

  it('several ids not found are named together, and none is answered', async () => {
    await using made = await bench({ estate: smallEstate() });
    const InstanceIds = [ID.machine, 'i-0ffffff1', 'i-0ffffff2'];
    await assert.rejects(made.ec2.send(new aws.DescribeInstancesCommand({ InstanceIds })), {
      name: 'InvalidInstanceID.NotFound',
      message: "The instance IDs 'i-0ffffff1, i-0ffffff2' do not exist",
    });
  });
});
