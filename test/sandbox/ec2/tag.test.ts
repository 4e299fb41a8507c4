import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as aws from '@aws-sdk/client-ec2';
import { type Bench, bench, given, refusal } from '../bench.ts';
import { ID, smallEstate } from './estates.ts';

async function tagsOf({ ec2 }: Bench, id: string): Promise<Readonly<Record<string, string | undefined>>> {
  const Filters = [{ Name: 'resource-id', Values: [id] }];
  const { Tags } = await ec2.send(new aws.DescribeTagsCommand({ Filters }));
  return Object.fromEntries(given(Tags).map(({ Key, Value }) => [Key, Value]));
}

const tag = ({ ec2 }: Bench, Resources: string[], ...Tags: aws.Tag[]) =>
  ec2.send(new aws.CreateTagsCommand({ Resources, Tags }));

const refusals: readonly {
  readonly name: string;
  readonly ids: string[];
  readonly tags: aws.Tag[];
  readonly want: string;
}[] = [
  { name: 'a key of AWS', ids: [ID.vpc], tags: [{ Key: 'aws:x', Value: '' }], want: 'InvalidParameterValue' },
  { name: 'an empty key', ids: [ID.vpc], tags: [{ Key: '', Value: '' }], want: 'InvalidParameterValue' },
  { name: 'a key of 129', ids: [ID.vpc], tags: [{ Key: 'k'.repeat(129), Value: '' }], want: 'InvalidParameterValue' },
  {
    name: 'a value of 257',
    ids: [ID.vpc],
    tags: [{ Key: 'k', Value: 'v'.repeat(257) }],
    want: 'InvalidParameterValue',
  },
  { name: 'no tags', ids: [ID.vpc], tags: [], want: 'MissingParameter' },
  { name: 'no resources', ids: [], tags: [{ Key: 'k', Value: 'v' }], want: 'MissingParameter' },
  { name: 'a thing without tags', ids: ['thing-1'], tags: [{ Key: 'k', Value: 'v' }], want: 'InvalidID' },
  { name: 'an unknown thing', ids: ['vpc-0fffffff'], tags: [{ Key: 'k', Value: 'v' }], want: 'InvalidVpcID.NotFound' },
  {
    name: 'more than 50 tags',
    ids: [ID.app],
    tags: Array.from({ length: 51 }, (_, i) => ({ Key: `k${i}`, Value: '' })),
    want: 'TagLimitExceeded',
  },
  {
    name: 'more than 1000 resources',
    ids: Array.from({ length: 1001 }, () => ID.vpc),
    tags: [{ Key: 'k', Value: 'v' }],
    want: 'InvalidParameterValue',
  },
];

describe('tags', () => {
  for (const { name, ids, tags, want } of refusals) {
    it(`${name}: ${want}, and nothing is tagged`, async () => {
      await using made = await bench({ estate: smallEstate() });
      assert.equal(await refusal(tag(made, [ID.web, ...ids].slice(ids.length > 0 ? 0 : 1), ...tags)), want);
      assert.deepEqual(await tagsOf(made, ID.web), {});
    });
  }

  it('go on a thousand things in one call, over what was there', async () => {
    await using made = await bench({ estate: smallEstate() });
    await tag(made, [ID.vpc, ID.app, ID.machine], { Key: 'tier', Value: 'x' }, { Key: 'empty', Value: '' });
    assert.deepEqual(await tagsOf(made, ID.vpc), { Name: 'core', tier: 'x', empty: '' });
    assert.deepEqual(await tagsOf(made, ID.machine), { tier: 'x', empty: '' });
  });

  it('come off by key; with a value only if it is this one; an empty value is a value', async () => {
    await using made = await bench({ estate: smallEstate() });
    await tag(made, [ID.app], { Key: 'a', Value: '1' }, { Key: 'b', Value: '2' }, { Key: 'c', Value: '3' });
    const untag = (...Tags: aws.Tag[]) => made.ec2.send(new aws.DeleteTagsCommand({ Resources: [ID.app], Tags }));
    await untag({ Key: 'a' }, { Key: 'b', Value: 'other' }, { Key: 'c', Value: '' });
    assert.deepEqual(await tagsOf(made, ID.app), { b: '2', c: '3' });
    await untag({ Key: 'b', Value: '2' });
    assert.deepEqual(await tagsOf(made, ID.app), { c: '3' });
  });

  it('all come off when none is named, but those of AWS', async () => {
    const tags = { mine: '1', 'aws:cloudformation:stack-name': 'theirs' };
    const vpcs = [{ key: 'v', id: ID.vpc, cidr: '10.0.0.0/16', tags }];
    await using made = await bench({ estate: { regions: [{ account: '111122223333', region: 'eu-west-1', vpcs }] } });
    await made.ec2.send(new aws.DeleteTagsCommand({ Resources: [ID.vpc] }));
    assert.deepEqual(await tagsOf(made, ID.vpc), { 'aws:cloudformation:stack-name': 'theirs' });
  });

  it('are listed over all types', async () => {
    await using made = await bench({ estate: smallEstate() });
    const { Tags } = await made.ec2.send(new aws.DescribeTagsCommand({}));
    assert.deepEqual(
      Tags?.map(({ ResourceId, ResourceType, Key }) => [ResourceId, ResourceType, Key]),
      [
        [ID.vpc, 'vpc', 'Name'],
        [ID.machine, 'instance', 'tier'],
      ],
    );
  });
});
