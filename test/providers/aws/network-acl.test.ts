import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { EC2Client, type NetworkAclEntry } from '@aws-sdk/client-ec2';
import { deniesNothing } from '../../../providers/aws/network-acl.ts';
import type { Observed, SubnetFilters } from '../../../src/core/observed.ts';
import type { Session } from '../../../src/ports/provider.ts';
import { type AwsStage, account, openAwsStage, region } from '../../support/aws-session.ts';
import { everyPage } from '../../support/every-page.ts';
import { recordedCall } from '../../support/fixtures.ts';
import { putNetworkAcl } from '../../support/network-acl.ts';
import { actionsOf } from './estate.ts';

/** `100 allow -1 0.0.0.0/0`, in both directions unless it begins with `in` or `out`. */
function entries(...texts: readonly string[]): readonly NetworkAclEntry[] {
  return texts.flatMap((text) => {
    const [, way, number, RuleAction, Protocol, block = ''] =
      /^(?:(in|out) )?(\d+) (\w+) (\S+) (\S+)$/.exec(text) ?? [];
    const cidr = block.includes(':') ? { Ipv6CidrBlock: block } : { CidrBlock: block };
    const one = { RuleNumber: Number(number), RuleAction, Protocol, ...cidr } as NetworkAclEntry; // why: of the pattern above
    return [true, false]
      .filter((egress) => way === undefined || egress === (way === 'out'))
      .map((Egress) => ({ ...one, Egress }));
  });
}

const [all, last] = ['100 allow -1 0.0.0.0/0', '32767 deny -1 0.0.0.0/0'] as const;
const rows: readonly (readonly [name: string, texts: readonly string[], passes: boolean])[] = [
  ['as AWS makes it', [all, last], true],
  ['with IPv6, as AWS makes it', [all, last, '101 allow -1 ::/0', '32768 deny -1 ::/0'], true],
  ['narrow permissions before it change nothing', ['90 allow 6 10.0.0.0/8', all, last], true],
  ['a denial before it', [all, '90 deny 6 203.0.113.0/24', last], false],
  ['a denial behind it decides nothing', [all, '110 deny 6 203.0.113.0/24', last], true],
  ['a denial before it, of what is sent', [all, 'out 90 deny 6 10.0.0.0/8', last], false],
  ['a denial before it, of what is received', [all, 'in 90 deny 6 10.0.0.0/8', last], false],
  ['it lets in all, and nothing out', [`in ${all}`, last], false],
  ['all of TCP is not all', ['100 allow 6 0.0.0.0/0', last], false],
  ['half of the world is not all', ['100 allow -1 0.0.0.0/1', last], false],
  ['a denial of IPv6 alone', [all, last, '90 deny -1 ::/0'], true],
  ['no entry', [], false],
];

describe('an ACL that lets all pass', () => {
  for (const [name, texts, passes] of rows)
    test(`${name}: ${passes ? 'yes' : 'no'}`, () =>
      assert.equal(deniesNothing({ Entries: [...entries(...texts)] }), passes));
});

describe('the network ACLs of subnets', () => {
  let stage: AwsStage;
  let session: Session;
  let subnets: readonly Observed<'subnet'>[];
  const own = 'subnet-00000001';
  const other = 'subnet-00000002';
  beforeEach(async () => {
    stage = await openAwsStage();
    const vpc = {
      ...{ key: 'a', id: 'vpc-00000001', cidr: '10.1.0.0/16' },
      subnets: [
        { key: 's', id: own, cidr: '10.1.0.0/24' },
        { key: 't', id: other, cidr: '10.1.1.0/24' },
      ],
    };
    stage.sandbox.control.ec2.load({ regions: [{ account, region, vpcs: [vpc] }] });
    session = await stage.open();
    subnets = await everyPage(session.actuators.subnet, recordedCall());
  });
  afterEach(() => stage.close());

  const calls = () => actionsOf(stage).filter((action) => action === 'DescribeNetworkAcls').length;
  const ask = async (): Promise<readonly SubnetFilters[]> =>
    (await session.outerFilters?.(subnets, recordedCall()))?.toSorted((a, b) => (a.subnet < b.subnet ? -1 : 1)) ?? [];

  async function associate(): Promise<string> {
    const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'not-a-secret' };
    const client = new EC2Client({ endpoint: stage.sandbox.url, region, credentials, maxAttempts: 1 });
    return putNetworkAcl(client, own, [{ RuleNumber: 10 }]);
  }

  test('those that AWS made decide nothing, by one call', async () => {
    assert.deepEqual(await ask(), [
      { subnet: own, filters: [], unlisted: [] },
      { subnet: other, filters: [], unlisted: [] },
    ]);
    assert.equal(calls(), 1);
  });

  test('one of a colleague is named, for its subnets', async () => {
    const id = await associate();
    assert.deepEqual(await ask(), [
      { subnet: own, filters: [`network ACL ${id}`], unlisted: [] },
      { subnet: other, filters: [], unlisted: [] },
    ]);
  });

  test('a listing that lacks the ACL of a subnet leaves it unknown', async () => {
    stage.sandbox.control.faults.add({
      match: { action: 'DescribeNetworkAcls' },
      effect: { kind: 'flicker', share: 1 },
    });
    assert.deepEqual(
      (await ask()).map(({ unlisted }) => unlisted),
      [['EC2 listed no network ACL of it'], ['EC2 listed no network ACL of it']],
    );
  });

  test('a denied listing says so of each, and a throttled one is asked again', async () => {
    const match = { action: 'DescribeNetworkAcls' };
    stage.sandbox.control.faults.add({ match: { ...match, times: 1 }, effect: { kind: 'throttle' } });
    assert.deepEqual(
      (await ask()).flatMap(({ unlisted }) => unlisted),
      [],
    );
    assert.equal(calls(), 2);
    stage.sandbox.control.faults.add({ match, effect: { kind: 'access-denied' } });
    const denied = await ask();
    assert.equal(denied.length, 2);
    for (const { unlisted, filters } of denied) {
      assert.match(unlisted.join(), /^network ACLs were not listed: UnauthorizedOperation: .*ec2:DescribeNetworkAcls/);
      assert.deepEqual(filters, []);
    }
    assert.equal(calls(), 3, 'a denial is not asked again');
  });
});
