import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  AssociateRouteTableCommand,
  AttachInternetGatewayCommand,
  CreateInternetGatewayCommand,
  CreateRouteCommand,
  CreateRouteTableCommand,
  CreateSecurityGroupCommand,
  CreateSubnetCommand,
  CreateVpcCommand,
  DeleteSecurityGroupCommand,
  EC2Client,
  RunInstancesCommand,
} from '@aws-sdk/client-ec2';
import { aws } from '../../../../providers/aws/index.ts';
import { taggables } from '../../../../sandbox/ec2/actions/tag.ts';
import { account, openAwsStage, region } from '../../../support/aws-session.ts';
import { machineIn, network } from '../../../support/engine-world/documents.ts';
import { engineWorld, type How } from '../../../support/engine-world/engine-world.ts';

const image = 'ami-0abc0abc0abc0abc0';
const machine = machineIn({ image, size: 't3.small', minReady: 0 });

async function world() {
  const stage = await openAwsStage();
  // why: it brings the keys that the sandbox knows
  await stage.open();
  const here = { metadata: { name: 'here' }, spec: { provider: 'aws', account, region } };
  const engine = engineWorld({ provider: aws, here, quietMs: 600_000 }, stage);
  const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'not-a-secret' };
  const client = new EC2Client({ endpoint: stage.sandbox.url, region, credentials, maxAttempts: 1 });
  const place = stage.sandbox.control.ec2.region(account, region);
  return {
    ...{ engine, client, place, faults: stage.sandbox.control.faults },
    /** Our tags on an object, without their prefix. */
    marks: (id: string): Readonly<Record<string, string>> => {
      const tags = taggables(place).flatMap(({ table }) => [...(table.get(id)?.tags ?? [])]);
      return Object.fromEntries(
        tags.flatMap(([key, value]) => (key.startsWith('setpoint:') ? [[key.slice('setpoint:'.length), value]] : [])),
      );
    },
    [Symbol.asyncDispose]: async () => {
      client.destroy();
      await engine[Symbol.asyncDispose]();
    },
  };
}

type World = Awaited<ReturnType<typeof world>>;

/** A network with a way to the internet, a subnet, `groups` groups and `machines` machines in the first of them, made by hand. */
async function makeByHand({ client }: World, { groups = 1, machines = 1 } = {}) {
  const vpc = (await client.send(new CreateVpcCommand({ CidrBlock: '10.20.0.0/16' }))).Vpc?.VpcId ?? '';
  const gateway = await client.send(new CreateInternetGatewayCommand({}));
  const GatewayId = gateway.InternetGateway?.InternetGatewayId ?? '';
  await client.send(new AttachInternetGatewayCommand({ VpcId: vpc, InternetGatewayId: GatewayId }));
  const made = await client.send(new CreateRouteTableCommand({ VpcId: vpc }));
  const RouteTableId = made.RouteTable?.RouteTableId ?? '';
  await client.send(new CreateRouteCommand({ RouteTableId, GatewayId, DestinationCidrBlock: '0.0.0.0/0' }));
  const inside = await client.send(new CreateSubnetCommand({ VpcId: vpc, CidrBlock: '10.20.0.0/20' }));
  const subnet = inside.Subnet?.SubnetId ?? '';
  await client.send(new AssociateRouteTableCommand({ RouteTableId, SubnetId: subnet }));
  const groupIds: string[] = [];
  for (let n = 0; n < groups; n += 1) {
    const asked = { VpcId: vpc, GroupName: `group ${n}`, Description: 'by hand' };
    groupIds.push((await client.send(new CreateSecurityGroupCommand(asked))).GroupId ?? '');
  }
  const launch = { ImageId: image, InstanceType: 't3.small' as const, MinCount: machines, MaxCount: machines };
  const placed = { SubnetId: subnet, SecurityGroupIds: groupIds.slice(0, 1) };
  const run = machines === 0 ? undefined : await client.send(new RunInstancesCommand({ ...launch, ...placed }));
  const machineIds = (run?.Instances ?? []).map(({ InstanceId = '' }) => InstanceId);
  return { vpc, gateway: GatewayId, table: RouteTableId, subnet, groups: groupIds, machines: machineIds };
}

/** Without the default group of the network, which is nobody's. */
const ours = (left: readonly string[]): readonly string[] => left.filter((one) => !one.startsWith('unmanaged '));

type Made = Awaited<ReturnType<typeof makeByHand>>;
type Fields = Readonly<Record<string, unknown>>;

const networkOf = (ids: Made, spec: Fields = {}, metadata: Fields = {}) =>
  network(
    {
      ...{ cidr: '10.20.0.0/16', internet: 'unmanaged', allGroup: false, rules: 'additive' },
      subnets: [{ name: 'app', cidr: '10.20.0.0/20', adopt: { here: ids.subnet } }],
      groups: ids.groups.map((id, n) => ({ name: n === 0 ? 'web' : `g${n}`, adopt: { here: id } })),
      ...spec,
    },
    { adopt: { here: ids.vpc }, ...metadata },
  );

const machinesOf = ({ machines }: Made, spec: Fields = {}) =>
  machine('web', { replicas: machines.length, ...spec }, { adopt: { here: machines } });

test('1,000 machines, a network with its parts, a subnet and groups are marked by one call a kind', async () => {
  await using here = await world();
  const ids = await makeByHand(here, { groups: 40, machines: 1000 });
  const documents = [networkOf(ids), machinesOf(ids)];
  const { outcome, writes, rounds } = await here.engine.apply(documents);
  assert.equal(outcome, 'done');
  assert.deepEqual(writes, ['CreateTags 200', 'CreateTags 200', 'CreateTags 200', 'CreateTags 200']);
  assert.equal(rounds.flatMap(({ settled }) => settled).length, 1042);
  const equal = { estate: 'acme', store: here.marks(ids.vpc)['store'] };
  for (const id of [ids.vpc, ids.gateway, ids.table, ids.subnet, ...ids.groups, ...ids.machines])
    assert.deepEqual(here.marks(id), equal, id);
  const parts = [...here.place.volumes.values(), ...here.place.interfaces.values()].map(({ id }) => id);
  assert.equal(parts.length, 2000);
  assert.deepEqual(
    parts.filter((id) => Object.keys(here.marks(id)).length > 0),
    [],
    'what is a machine’s stays as it is',
  );
  const again = await here.engine.apply(documents);
  assert.deepEqual([again.outcome, again.writes, ours(again.left)], ['done', [], []]);
});

test('a call whose answer is lost, and one that is throttled: all are marked, and nothing else is written', async () => {
  for (const effect of [{ kind: 'reset-after' }, { kind: 'reset-before' }, { kind: 'throttle' }] as const) {
    await using here = await world();
    const ids = await makeByHand(here, { machines: 20 });
    here.faults.add({ match: { action: 'CreateTags', nth: 4, times: 1 }, effect });
    const { outcome, writes } = await here.engine.apply([networkOf(ids), machinesOf(ids)]);
    assert.equal(outcome, 'done', effect.kind);
    assert.deepEqual([...new Set(writes.map((write) => write.split(' ')[0]))], ['CreateTags']);
    assert.ok(writes.length <= 5, `${effect.kind}: ${writes.join(', ')}`);
    for (const id of ids.machines) assert.deepEqual(Object.keys(here.marks(id)), ['estate', 'store'], effect.kind);
    const { settled } = await here.engine.knowledge();
    assert.equal(ids.machines.filter((id) => settled.has(id)).length, 20, effect.kind);
    assert.deepEqual((await here.engine.apply([networkOf(ids), machinesOf(ids)])).writes, []);
  }
});

test('one that goes between the plan and the call holds up no other', async () => {
  await using here = await world();
  const ids = await makeByHand(here, { groups: 60 });
  const [gone = '', ...standing] = ids.groups.toReversed();
  let isPlanned = false;
  const ledger: How['ledger'] = (own) => ({
    ...own,
    intend: async (reconcile, drafts) => {
      if (!isPlanned) await here.client.send(new DeleteSecurityGroupCommand({ GroupId: gone }));
      isPlanned = true;
      return own.intend(reconcile, drafts);
    },
  });
  const { left, writes } = await here.engine.apply([networkOf(ids)], { ledger });
  assert.deepEqual(ours(left), ['blocked adopt-missing group/core.g59']);
  assert.ok(writes.length < 20, `the call is halved: ${writes.length}`);
  for (const id of standing) assert.deepEqual(Object.keys(here.marks(id)), ['estate', 'store']);
  const { settled } = await here.engine.knowledge();
  assert.deepEqual(
    ids.groups.filter((id) => !settled.has(id)),
    [gone],
  );
});

test('who copies the marks of an adopted machine makes no machine of ours', async () => {
  await using here = await world();
  const ids = await makeByHand(here);
  const documents = [networkOf(ids), machinesOf(ids)];
  await here.engine.apply(documents);
  const tags = Object.entries(here.marks(ids.machines[0] ?? '')).map(([key, Value]) => ({
    Key: `setpoint:${key}`,
    Value,
  }));
  const launch = { ImageId: image, InstanceType: 't3.small' as const, MinCount: 2, MaxCount: 2, SubnetId: ids.subnet };
  const TagSpecifications = [{ ResourceType: 'instance' as const, Tags: tags }];
  const copies = await here.client.send(new RunInstancesCommand({ ...launch, TagSpecifications }));
  const copied = (copies.Instances ?? []).map(({ InstanceId }) => InstanceId).toSorted();
  const { writes, left } = await here.engine.apply(documents);
  assert.deepEqual([writes, ours(left)], [[], copied.map((id) => `copied-mark ${id}`)]);
  const without = await here.engine.apply([networkOf(ids)], { prune: ['instance/web-0'] });
  assert.deepEqual(without.writes, ['TerminateInstances 200'], 'the one that was adopted, and no copy');
});

test('the successor of an adopted machine bears a mark with its address', async () => {
  await using here = await world();
  const ids = await makeByHand(here);
  await here.engine.apply([networkOf(ids), machinesOf(ids)]);
  const [adopted = ''] = ids.machines;
  const documents = [networkOf(ids), machinesOf(ids, { image: 'ami-0abcdef1234567890' })];
  const replaced = await here.engine.apply(documents);
  assert.equal(replaced.outcome, 'done', replaced.left.join(', '));
  const standing = [...here.place.instances.values()].filter(({ power }) => power.state === 'running');
  assert.deepEqual(
    standing.map(({ id }) => id === adopted),
    [false],
  );
  assert.match(here.marks(standing[0]?.id ?? '')['address'] ?? '', /\/instance\/web$/);
  assert.deepEqual((await here.engine.apply(documents)).writes, []);
});

test('the way out of an adopted network is closed and opened, and no other network loses its own', async () => {
  await using here = await world();
  const [ids, other] = [await makeByHand(here), await makeByHand(here)];
  const wayOut = (internet: boolean) => [
    networkOf(ids, { internet }),
    networkOf(other, { internet: true }, { name: 'lab' }),
  ];
  assert.deepEqual([...new Set((await here.engine.apply(wayOut(true))).writes)], ['CreateTags 200']);
  const closed = await here.engine.apply(wayOut(false));
  assert.equal(closed.outcome, 'done', closed.left.join(', '));
  assert.deepEqual(
    [ids.gateway, ids.table, other.gateway, other.table].map((id) => isThere(here, id)),
    [false, false, true, true],
  );
  assert.match(here.marks(ids.vpc)['address'] ?? '', /\/network\/core$/);
  assert.deepEqual(Object.keys(here.marks(other.vpc)), ['estate', 'store']);
  assert.deepEqual((await here.engine.apply(wayOut(false))).writes, []);
  assert.equal((await here.engine.apply(wayOut(true))).outcome, 'done');
  assert.deepEqual((await here.engine.apply(wayOut(true))).writes, []);
});

const isThere = ({ place }: World, id: string): boolean =>
  taggables(place).some(({ table }) => table.get(id) !== undefined);

test('an adopted network that is pruned goes with its own gateway and table', async () => {
  await using here = await world();
  const [ids, other] = [await makeByHand(here, { machines: 0 }), await makeByHand(here, { machines: 0 })];
  await here.engine.apply([networkOf(ids), networkOf(other, {}, { name: 'lab' })]);
  const prune = ['network/core', 'subnet/core.app', 'group/core.web'];
  const pruned = await here.engine.apply([networkOf(other, {}, { name: 'lab' })], { prune });
  assert.equal(pruned.outcome, 'done', pruned.left.join(', '));
  assert.deepEqual(
    [ids.vpc, ids.gateway, ids.table].filter((id) => isThere(here, id)),
    [],
  );
  assert.deepEqual(
    [other.vpc, other.gateway, other.table].filter((id) => !isThere(here, id)),
    [],
  );
});

test('a new name, protection and another deletion policy of adopted objects call no cloud', async () => {
  await using here = await world();
  const ids = await makeByHand(here);
  await here.engine.apply([networkOf(ids), machinesOf(ids)]);
  const documents = [
    networkOf(ids, {}, { name: 'hub', was: ['core'] }),
    machine(
      'shop',
      { network: 'hub', replicas: 1, deletionPolicy: 'delete', protect: true },
      { adopt: { here: ids.machines }, was: ['web'] },
    ),
  ];
  const renamed = await here.engine.apply(documents);
  assert.deepEqual([renamed.outcome, renamed.writes], ['done', []], renamed.left.join(', '));
  assert.deepEqual(ours((await here.engine.apply(documents)).left), []);
  const { settled } = await here.engine.knowledge();
  const { address, terms } = settled.get(ids.machines[0] ?? '') ?? {};
  assert.match(address ?? '', /\/instance\/shop-0$/);
  assert.deepEqual([terms?.deletionPolicy, terms?.protect, terms?.adopted], ['delete', true, true]);
});
