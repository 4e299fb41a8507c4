import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as aws from '@aws-sdk/client-ec2';
import { ACCOUNT, type Bench, bench, given, REGION, START } from '../bench.ts';

const stranger = '444455556666';
const own = 'ami-0000000000000a001';
const strangers = 'ami-0000000000000a002';
const sold = 'ami-0000000000000a003';
const times = { creationDate: '2023-01-31T08:00:00Z', deprecationTime: '2025-01-31T08:00:00Z' };
const images = [
  { id: own, ...times },
  { id: strangers, name: 'web-v1', owner: stranger, ...times },
  { id: sold, owner: stranger, ownerAlias: 'aws-marketplace' },
];
const estate = { regions: [{ account: ACCOUNT, region: REGION, images }] };

async function listed({ ec2 }: Bench, input: aws.DescribeImagesCommandInput): Promise<readonly string[]> {
  const { Images } = await ec2.send(new aws.DescribeImagesCommand(input));
  return given(Images).map(({ ImageId }) => given(ImageId));
}

describe('images', () => {
  it('have the owner, alias and times that an estate states', async () => {
    await using made = await bench({ estate });
    const { Images } = await made.ec2.send(new aws.DescribeImagesCommand({ ImageIds: [strangers] }));
    const { OwnerId, ImageOwnerAlias, ImageLocation, CreationDate, DeprecationTime } = given(given(Images)[0]);
    assert.deepEqual(
      [OwnerId, ImageOwnerAlias, ImageLocation, CreationDate, DeprecationTime],
      [stranger, undefined, `${stranger}/web-v1`, '2023-01-31T08:00:00.000Z', '2025-01-31T08:00:00.000Z'],
    );
  });

  it('are a month old, of Amazon and Canonical, and are deprecated two years after their creation', async () => {
    await using made = await bench();
    const { Images } = await made.ec2.send(new aws.DescribeImagesCommand({}));
    assert.equal(given(Images).length, 3);
    for (const { CreationDate = '', DeprecationTime = '', ImageOwnerAlias } of given(Images)) {
      assert.equal(Date.parse(CreationDate), START - 30 * 86_400_000);
      assert.equal(Date.parse(DeprecationTime), START + 700 * 86_400_000);
      assert.equal(ImageOwnerAlias, 'amazon');
    }
  });

  it('that are deprecated are listed for their owner, by their id, and on demand', async () => {
    await using made = await bench({ estate });
    const byFilter = { Filters: [{ Name: 'image-id', Values: [own, strangers, sold] }] };
    assert.deepEqual(await listed(made, byFilter), [own, sold]);
    assert.deepEqual(await listed(made, { ...byFilter, IncludeDeprecated: true }), [own, strangers, sold]);
    assert.deepEqual(await listed(made, { ImageIds: [strangers] }), [strangers]);
  });

  it('are found by their owner and its alias', async () => {
    await using made = await bench({ estate });
    assert.deepEqual(await listed(made, { Owners: ['self'] }), [own]);
    assert.deepEqual(await listed(made, { Owners: ['aws-marketplace'] }), [sold]);
    assert.deepEqual(await listed(made, { Owners: [stranger], IncludeDeprecated: true }), [strangers, sold]);
    assert.deepEqual(await listed(made, { Filters: [{ Name: 'owner-alias', Values: ['aws-marketplace'] }] }), [sold]);
    assert.equal((await listed(made, { Owners: ['amazon'] })).length, 3);
  });

  it('of an estate without a proper time are refused, with its place', async () => {
    const image = { id: own, creationDate: 'last year' };
    await assert.rejects(bench({ estate: { regions: [{ account: ACCOUNT, region: REGION, images: [image] }] } }), {
      message:
        /regions\[0\]\.images\[0\]\.creationDate: expected a time such as 2026-01-31T08:00:00Z, found "last year"/,
    });
  });
});
