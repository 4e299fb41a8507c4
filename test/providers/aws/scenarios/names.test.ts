import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  CreateSecurityGroupCommand,
  CreateTagsCommand,
  CreateVpcCommand,
  DeleteTagsCommand,
  EC2Client,
} from '@aws-sdk/client-ec2';
import { aws } from '../../../../providers/aws/index.ts';
import { taggables } from '../../../../sandbox/ec2/actions/tag.ts';
import { account, openAwsStage, region } from '../../../support/aws-session.ts';
import { machineIn, network } from '../../../support/engine-world/documents.ts';
import { engineWorld } from '../../../support/engine-world/engine-world.ts';

const machine = machineIn({ image: 'ami-0abc0abc0abc0abc0', size: 't3.small', minReady: 0 });

async function world() {
  const stage = await openAwsStage();
  // why: it brings the keys that the sandbox knows
  await stage.open();
  const here = { metadata: { name: 'here' }, spec: { provider: 'aws', account, region } };
  const engine = engineWorld({ provider: aws, here, quietMs: 600_000 }, stage);
  const { ec2, faults } = stage.sandbox.control;
  const objects = () =>
    taggables(ec2.region(account, region))
      .flatMap(({ table }) => [...table.values()])
      .filter(({ id, tags }) => /^(vpc|subnet|sg|i)-/.test(id) && tags.has('setpoint:estate'));
  return { engine, faults, objects, names: () => objects().map(({ tags }) => tags.get('Name') ?? '') };
}

/** `rename`: every second object, and the names of the others are taken away. */
function colleagueAt(endpoint: string) {
  const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'not-a-secret' };
  const client = new EC2Client({ endpoint, region, credentials, maxAttempts: 1 });
  const rename = async (ids: readonly string[]): Promise<void> => {
    const [named, nameless] = [ids.filter((_, i) => i % 2 === 0), ids.filter((_, i) => i % 2 === 1)];
    await client.send(new CreateTagsCommand({ Resources: named, Tags: [{ Key: 'Name', Value: 'mine' }] }));
    await client.send(new DeleteTagsCommand({ Resources: nameless, Tags: [{ Key: 'Name' }] }));
  };
  const vpc = async (Value: string): Promise<string> => {
    const TagSpecifications = [{ ResourceType: 'vpc' as const, Tags: [{ Key: 'Name', Value }] }];
    const made = await client.send(new CreateVpcCommand({ CidrBlock: '10.20.0.0/16', TagSpecifications }));
    return made.Vpc?.VpcId ?? '';
  };
  const group = async (VpcId: string | undefined, GroupName: string): Promise<string> => {
    const made = await client.send(new CreateSecurityGroupCommand({ VpcId, GroupName, Description: 'by hand' }));
    return made.GroupId ?? '';
  };
  return { rename, vpc, group, [Symbol.asyncDispose]: async () => client.destroy() };
}

const estate = [network(), machine('web', { replicas: 4 }), machine('db')];
const all = ['core', 'core-all', 'core-app', 'core-web', 'db-0', 'web-0', 'web-1', 'web-2', 'web-3'];

test('each machine of a batched launch has a name of its own, in one call for each name', async () => {
  const { engine, names } = await world();
  await using applied = engine;
  const { outcome, writes } = await applied.apply(estate);
  assert.equal(outcome, 'done');
  assert.deepEqual(names().toSorted(), all);
  assert.deepEqual(
    [
      writes.filter((write) => write === 'RunInstances 200').length,
      writes.filter((write) => write === 'CreateTags 200').length,
    ],
    [2, 4],
  );
  assert.deepEqual((await applied.apply(estate)).writes, []);
});

test('whatever bears our name and was renamed by hand is drift, and one call a name sets it again', async () => {
  const { engine, names, objects } = await world();
  await using applied = engine;
  await applied.apply(estate);
  await using colleague = colleagueAt(applied.sandbox.url);
  await colleague.rename(objects().map(({ id }) => id));
  assert.deepEqual([...new Set(names())].toSorted(), ['', 'mine']);
  const { writes } = await applied.apply(estate);
  assert.deepEqual([...new Set(writes)], ['CreateTags 200']);
  assert.equal(writes.length, all.length);
  assert.deepEqual(names().toSorted(), all);
});

test('the names that could not be given at launch are given later, and nothing is launched again', async () => {
  const { engine, faults, names } = await world();
  await using applied = engine;
  faults.add({
    match: { action: 'CreateTags', times: 2 },
    effect: { kind: 'error', code: 'InvalidInstanceID.NotFound', status: 400 },
  });
  await applied.apply(estate);
  const { writes } = await applied.apply(estate);
  assert.deepEqual(
    writes.filter((write) => write.startsWith('RunInstances')),
    [],
  );
  assert.deepEqual(names().toSorted(), all);
});

test('a process that ends between a launch and its names leaves names to give, and launches nothing again', async () => {
  const { engine, names, objects } = await world();
  await using applied = engine;
  await applied.apply([network()]);
  const ended = new AbortController();
  const stop = applied.sandbox.control.log.watch(({ action, params }) => {
    if (action === 'RunInstances' && params['MaxCount'] === '4') ended.abort(new Error('the process died'));
  });
  await applied.apply(estate, { signal: ended.signal });
  stop();
  assert.ok(names().includes('web') && !names().includes('web-3'));
  const machines = () => objects().filter(({ id }) => id.startsWith('i-')).length;
  const launched = machines();
  const { outcome } = await applied.apply(estate);
  assert.equal(outcome, 'done');
  assert.ok(launched >= 4 && machines() === 5);
  assert.deepEqual(names().toSorted(), all);
});

test('what is adopted keeps its own name, also when the document names its id no more; a name that the spec states counts', async () => {
  const { engine, objects, names } = await world();
  await using applied = engine;
  await using colleague = colleagueAt(applied.sandbox.url);
  const vpc = await colleague.vpc('legacy');
  const bare = { internet: false, subnets: [] };
  assert.equal((await applied.apply([network(bare, { adopt: { here: vpc } })])).outcome, 'done');
  assert.ok(objects().some(({ id }) => id === vpc));
  assert.deepEqual((await applied.apply([network(bare)])).writes, []);
  assert.deepEqual(names().toSorted(), ['core-all', 'legacy']);
  await applied.apply([network(bare, { labels: { Name: 'hub' } })]);
  assert.deepEqual(names(), ['hub', 'hub']);
  await applied.apply([network(bare)]);
  assert.deepEqual(names().toSorted(), ['core-all', 'hub']);
});

/** A group that an instance joins makes its group. */
const withDb = [network(), machine('db', { groups: ['db'] })];

test('a group of the same name in the network of another is no clash', async () => {
  const { engine } = await world();
  await using applied = engine;
  await using colleague = colleagueAt(applied.sandbox.url);
  await colleague.group(await colleague.vpc('core'), 'core-db');
  const { outcome, left } = await applied.apply(withDb);
  assert.equal(outcome, 'done');
  assert.deepEqual(
    left.filter((one) => one.startsWith('blocked')),
    [],
  );
  const { groups } = applied.sandbox.control.ec2.region(account, region);
  assert.equal([...groups.values()].filter(({ name }) => name === 'core-db').length, 2);
});

for (const [name, taken] of [
  ['the same name', 'core-db'],
  ['the name in other letters', 'Core-DB'],
] as const)
  test(`a group with ${name} in our own network is a clash, found before any call`, async () => {
    const { engine, objects } = await world();
    await using applied = engine;
    await using colleague = colleagueAt(applied.sandbox.url);
    await applied.apply([network()]);
    const own = objects().find(({ id }) => id.startsWith('vpc-'))?.id;
    await colleague.group(own, taken);
    const { left, writes } = await applied.apply(withDb);
    assert.deepEqual(
      left.filter((one) => one.startsWith('blocked')),
      ['blocked name-taken group/core.db'],
    );
    assert.deepEqual(writes, []);
  });
