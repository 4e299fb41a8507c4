import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { aws } from '../../../../providers/aws/index.ts';
import { markTags } from '../../../../providers/aws/marks.ts';
import { signsOf } from '../../../../providers/aws/owner.ts';
import { tagList } from '../../../../providers/aws/tags.ts';
import { account, openAwsStage, region } from '../../../support/aws-session.ts';
import { machineIn, network, rule } from '../../../support/engine-world/documents.ts';
import { engineWorld } from '../../../support/engine-world/engine-world.ts';

const sharer = '444455556666';
const shared = { why: 'shared', detail: `shared by account ${sharer}` } as const;
const machine = machineIn({ image: 'ami-0abc0abc0abc0abc0', size: 't3.small' });
const documents = [network(), rule('https'), machine('web')];

/** A VPC of the same block as ours, with a way out, a subnet and a group. */
const theirs = {
  key: 'theirs',
  cidr: '10.20.0.0/16',
  sharedBy: sharer,
  gateway: {},
  subnets: [{ key: 'app', cidr: '10.20.1.0/24' }],
  groups: [{ key: 'web', ingress: [{ protocol: 'tcp', ports: '22', peers: ['0.0.0.0/0'] }] }],
};

async function sharedWorld() {
  const stage = await openAwsStage({
    estate: { regions: [{ account, region, vpcs: [theirs] }] },
  });
  await stage.open(); // why: it brings the keys that the sandbox knows
  const here = { metadata: { name: 'here' }, spec: { provider: 'aws', account, region } };
  return engineWorld({ provider: aws, here, quietMs: 600_000 }, stage);
}

describe('what another account shares through RAM', () => {
  test('stops nothing: the estate is built beside it, and plans to nothing', async () => {
    await using world = await sharedWorld();
    const built = await world.apply(documents);
    assert.deepEqual(built.last?.observation.gaps, []);
    assert.ok(built.writes.includes('RunInstances 200'));
    assert.deepEqual(
      built.writes.filter((write) => !write.endsWith(' 200')),
      [],
    );
    assert.deepEqual(
      built.left.filter((left) => !left.startsWith('unmanaged ')),
      [],
    );
    assert.deepEqual((await world.apply(documents)).writes, []);
  });

  test('is listed as not ours, with its reason, and is still there after all of ours is gone', async () => {
    await using world = await sharedWorld();
    const { last } = await world.apply(documents);
    const { vpcs, subnets, groups } = world.sandbox.control.ec2.region(account, region);
    const own = (id: string): boolean => vpcs.get(id)?.sharedBy === sharer;
    const foreign = [
      ...[...vpcs.values()].filter(({ id }) => own(id)),
      ...[...subnets.values()].filter(({ vpcId }) => own(vpcId)),
      ...[...groups.values()].filter(({ vpcId }) => own(vpcId)),
    ].map(({ id }) => id);
    assert.ok(foreign.length >= 4);
    for (const id of foreign) {
      const seen = last?.observation.resources.find((resource) => resource.id === id);
      assert.deepEqual(seen?.signs, { origin: shared }, id);
      const finding = last?.plan.findings.find((each) => 'id' in each && each.id === id);
      assert.match(JSON.stringify(finding), /unmanaged.*shared by account 444455556666/);
    }
    const prune = ['network/core', 'subnet/core.app', 'group/core.web', 'group/core.all', 'instance/web-0'];
    const gone = await world.apply([], { prune });
    assert.deepEqual(
      gone.writes.filter((write) => !write.endsWith(' 200')),
      [],
    );
    for (const id of foreign) assert.ok(vpcs.get(id) ?? subnets.get(id) ?? groups.get(id), id);
  });

  test('is never ours, though it bears our very mark', () => {
    const Tags = tagList(markTags({ estate: 'acme', store: 's', address: 'a' }));
    assert.deepEqual(signsOf({ OwnerId: sharer, Tags }, account, undefined), { origin: shared });
    assert.notEqual(signsOf({ OwnerId: account, Tags }, account, undefined).mark, undefined);
    assert.notEqual(signsOf({ Tags }, account, undefined).mark, undefined);
  });
});
