import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type MemoryCloud, makeCloud } from '../../../providers/memory/cloud.ts';
import { memoryProvider } from '../../../providers/memory/index.ts';
import { partTags } from '../../../providers/memory/marks.ts';
import type { Observed } from '../../../src/core/observed.ts';
import type { Kind } from '../../../src/core/resource.ts';
import { ListingFailed, type Session } from '../../../src/ports/provider.ts';
import { everyPage } from '../../support/every-page.ts';
import { creationOf, desiredOf, recordedCall } from '../../support/fixtures.ts';
import { virtualClock } from '../../support/virtual-clock.ts';

/** An empty cloud, for cases that the conformance suite cannot arrange on every cloud. */
async function open(): Promise<{ readonly cloud: MemoryCloud; readonly session: Session }> {
  const clock = virtualClock();
  const cloud = makeCloud({ clock });
  const access = { scope: 'memory/acme/north', account: 'acme', region: 'north' };
  return { cloud, session: await memoryProvider(cloud).open(access, clock) };
}

const listed = <K extends Kind>(session: Session, kind: K): Promise<readonly Observed<K>[]> =>
  everyPage(session.actuators[kind], recordedCall());

const core = creationOf(
  desiredOf('network', {
    address: 'memory/acme/north/network/core',
    name: 'core',
    attributes: { cidr: '10.0.0.0/16', internet: true, labels: {} },
  }),
  'intent-1',
);

test('a second gateway that a lost answer made is named, and taken away by the update', async () => {
  const { cloud, session } = await open();
  await session.actuators.network.create([core], recordedCall());
  cloud.outside.do('CreateGateway', { tags: partTags(core.mark, 'gateway') });
  const [observed] = await listed(session, 'network');
  assert.ok(observed);
  assert.deepEqual([observed.attributes.internet, observed.condition.missing], ['partial', ['one gateway only']]);
  const changes = [{ field: 'internet', from: 'partial', to: true }];
  await session.actuators.network.update([{ desired: core.desired, observed, changes }], recordedCall());
  assert.equal(cloud.outside.do('ListGateways', {}).items.length, 1);
  assert.deepEqual((await listed(session, 'network'))[0]?.condition.missing, undefined);
});

test('a gateway of another estate is nobody’s part, and stays', async () => {
  const { cloud, session } = await open();
  await session.actuators.network.create([core], recordedCall());
  const foreign = cloud.outside.do('CreateGateway', { tags: partTags({ ...core.mark, estate: 'other' }, 'gateway') });
  const [observed] = await listed(session, 'network');
  assert.ok(observed && observed.attributes.internet === true);
  await session.actuators.network.delete([{ id: observed.id, observed }], recordedCall());
  assert.deepEqual(cloud.outside.do('ListGateways', {}).items, [foreign]);
});

test('a gateway attached by hand is let go, not deleted', async () => {
  const { cloud, session } = await open();
  const plain = { ...core, desired: { ...core.desired, attributes: { ...core.desired.attributes, internet: false } } };
  const [made] = await session.actuators.network.create([plain], recordedCall());
  assert.ok(made?.ok);
  const gateway = cloud.outside.do('CreateGateway', { tags: { team: 'lab' } });
  cloud.outside.do('AttachGateway', { id: gateway.id, network: made.value.id });
  const [observed] = await listed(session, 'network');
  assert.ok(observed);
  const changes = [{ field: 'internet', from: 'partial', to: false }];
  await session.actuators.network.update([{ desired: plain.desired, observed, changes }], recordedCall());
  assert.deepEqual(cloud.outside.do('ListGateways', {}).items, [gateway]);
});

test('a listing that says it is not whole fails', async () => {
  for (const kind of ['network', 'subnet', 'group', 'firewall-rule', 'instance'] as const) {
    const { cloud, session } = await open();
    cloud.faults.add({ on: 'reads', fault: { do: 'unreachable' } });
    await assert.rejects(listed(session, kind), ListingFailed, kind);
  }
});

test('a network says whether something stands in it', async () => {
  const { cloud, session } = await open();
  const network = cloud.outside.do('CreateNetwork', { cidr: '10.0.0.0/16', tags: {} }).id;
  const empty = (await listed(session, 'network'))[0]?.condition.empty;
  cloud.outside.do('CreateGroup', { network, name: 'web', tags: {} });
  assert.deepEqual([empty, (await listed(session, 'network'))[0]?.condition.empty], [true, false]);
});

test('groups of a machine list in order, however they were given', async () => {
  const { cloud, session } = await open();
  const network = cloud.outside.do('CreateNetwork', { cidr: '10.0.0.0/16', tags: {} }).id;
  const subnet = cloud.outside.do('CreateSubnet', { network, cidr: '10.0.1.0/24', tags: {} }).id;
  const groups = ['a', 'b'].map((name) => cloud.outside.do('CreateGroup', { network, name, tags: {} }).id);
  const where = { subnet, publicIp: false, groups: groups.toReversed() };
  cloud.outside.do('RunInstances', {
    token: 't',
    count: 1,
    tags: {},
    where,
    hardware: { image: 'i', size: 's', disk: {} },
  });
  assert.deepEqual((await listed(session, 'instance'))[0]?.attributes.groups, groups);
});

test('two sessions of one cloud see each other’s work, and the history names them', async () => {
  const clock = virtualClock();
  const cloud = makeCloud({ clock });
  const access = { scope: 'memory/acme/north', account: 'acme', region: 'north' };
  const [one, other] = [
    await memoryProvider(cloud, 'one').open(access, clock),
    await memoryProvider(cloud, 'other').open(access, clock),
  ];
  await one.actuators.network.create([core], recordedCall());
  assert.equal((await listed(other, 'network')).length, 1);
  assert.deepEqual([...new Set(cloud.history.calls.map(({ caller }) => caller))], ['one', 'other']);
  assert.deepEqual(await one.identify(recordedCall()), { ok: true, value: 'acme' });
});
