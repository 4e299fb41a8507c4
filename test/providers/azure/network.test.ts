import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { type AzureStage, account, location, openAzureStage, resourceGroup } from '../../support/azure-session.ts';
import { recordedCall, writesOf } from '../../support/fixtures.ts';
import {
  byHand,
  codes,
  createOne,
  inGroup,
  listOf,
  must,
  networkOf,
  type Raw,
  revisionTo,
  ruleOf,
  seen,
  subnetOf,
} from './estate.ts';

const open: AzureStage[] = [];
after(async () => {
  for (const stage of open) await stage.close();
});

async function empty() {
  const stage = await openAzureStage();
  open.push(stage);
  return { stage, session: await stage.open() };
}

const group = `/subscriptions/${account}/resourceGroups/${resourceGroup}`;
const vnet = inGroup('virtualNetworks/core');
const nsg = inGroup('networkSecurityGroups/core-nsg');
const theirs = {
  location,
  tags: { owner: 'lab' },
  properties: { addressSpace: { addressPrefixes: ['10.20.0.0/16'] } },
};
const gone = async (stage: AzureStage, path: string): Promise<boolean> =>
  (await byHand(stage, 'GET', path)).status === 404;
const fault = (stage: AzureStage, action: string, kind: 'reset-after' | 'access-denied') =>
  stage.sandbox.control.faults.add({ match: { action, nth: 1 }, effect: { kind } });

describe('where a network is made', () => {
  test('its resource group is made with it, in its location, and nothing else', async () => {
    const { stage, session } = await empty();
    const call = recordedCall();
    must((await session.actuators.network.create([networkOf('core')], call))[0]);
    assert.deepEqual(writesOf(call), [
      'ResourceGroups_CreateOrUpdate',
      'VirtualNetworks_CreateOrUpdate',
      'NetworkSecurityGroups_CreateOrUpdate',
    ]);
    for (const path of [group, vnet, nsg]) assert.equal((await byHand(stage, 'GET', path)).location, location);
  });

  test('a resource group that stands keeps its tags and its location', async () => {
    const { stage, session } = await empty();
    await byHand(stage, 'PUT', group, { location: 'northeurope', tags: { cost: '42' } });
    await createOne(session, networkOf('core'));
    const standing = await byHand(stage, 'GET', group);
    assert.deepEqual([standing.location, standing.tags], ['northeurope', { cost: '42' }]);
  });

  test('and so does one that comes between our look and our write', async () => {
    const { stage, session } = await empty();
    const body = { location: 'northeurope', tags: { cost: '42' } };
    stage.sandbox.control.faults.add({
      match: { action: 'resourceGroups.get', nth: 1 },
      effect: { kind: 'edit', method: 'PUT', path: `${group}?api-version=2025-04-01`, body },
    });
    await createOne(session, networkOf('core'));
    assert.deepEqual((await byHand(stage, 'GET', group)).tags, { cost: '42' });
  });

  test('two networks of one batch make it once', async () => {
    const { session } = await empty();
    const call = recordedCall();
    const both = [networkOf('core'), networkOf('side', { cidr: '10.30.0.0/16' })];
    assert.deepEqual(codes(await session.actuators.network.create(both, call)), ['ok', 'ok']);
    assert.equal(writesOf(call).filter((action) => action.startsWith('ResourceGroups')).length, 1);
  });

  test('one elsewhere in the subscription is not listed here', async () => {
    const { stage, session } = await empty();
    await byHand(stage, 'PUT', group, { location });
    await byHand(stage, 'PUT', vnet, { ...theirs, location: 'northeurope' });
    assert.deepEqual(await listOf(session, 'network'), []);
  });
});

describe('a network by a name that is taken', () => {
  test('is a conflict, and the other stays as it is', async () => {
    const { stage, session } = await empty();
    await byHand(stage, 'PUT', group, { location });
    await byHand(stage, 'PUT', vnet, theirs);
    const call = recordedCall();
    assert.deepEqual(codes(await session.actuators.network.create([networkOf('core')], call)), ['conflict NameTaken']);
    assert.deepEqual([writesOf(call), (await byHand(stage, 'GET', vnet)).tags], [[], { owner: 'lab' }]);
  });

  test('by one that copied the mark of another creation too', async () => {
    const { session } = await empty();
    const first = networkOf('core');
    await createOne(session, first);
    const other = { ...first, token: 'i-2', mark: { ...first.mark, intent: 'i-2' } };
    assert.deepEqual(codes(await session.actuators.network.create([other], recordedCall())), ['conflict NameTaken']);
  });
});

describe('a network half made', () => {
  test('whose answer was lost is found again, and there is one', async () => {
    const { stage, session } = await empty();
    fault(stage, 'virtualNetworks.createOrUpdate', 'reset-after');
    const { create } = session.actuators.network;
    assert.deepEqual(codes(await create([networkOf('core')], recordedCall())), ['ambiguous ECONNRESET']);
    stage.sandbox.control.clock.advance(600_000);
    const again = must((await create([networkOf('core')], recordedCall()))[0]);
    const all = await listOf(session, 'network');
    assert.deepEqual([all.map(({ id }) => id), again.attributes.filter], [[again.id], true]);
  });

  test('says that its filter is missing, and an update finishes it', async () => {
    const { stage, session } = await empty();
    fault(stage, 'networkSecurityGroups.createOrUpdate', 'access-denied');
    const creation = networkOf('core');
    const made = await createOne(session, creation);
    const half = await seen(session, 'network', 'core');
    assert.deepEqual([made.attributes.filter, half.attributes.filter, half.condition.missing], [false, false, ['nsg']]);
    must((await session.actuators.network.update([revisionTo(creation, half, { filter: true })], recordedCall()))[0]);
    const whole = await seen(session, 'network', 'core');
    assert.deepEqual([whole.attributes.filter, whole.condition.missing], [true, undefined]);
    assert.equal(whole.condition.parts?.length, 1);
  });
});

describe('the tags of a network', () => {
  test('change one by one; those of others stay', async () => {
    const { stage, session } = await empty();
    const creation = networkOf('core', { labels: { tier: 'web', old: 'x' } });
    await createOne(session, creation);
    const tags = (await byHand(stage, 'GET', vnet)).tags ?? {};
    await byHand(stage, 'PATCH', vnet, { tags: { ...tags, Cost: '42' } });
    const observed = await seen(session, 'network', 'core');
    const changes = [
      { field: 'labels.Tier', from: 'web', to: 'db' },
      { field: 'labels.OLD', from: 'x' },
    ];
    must(
      (await session.actuators.network.update([{ desired: creation.desired, observed, changes }], recordedCall()))[0],
    );
    const now = await seen(session, 'network', 'core');
    assert.deepEqual([now.attributes.labels, now.signs.mark], [{ Cost: '42', tier: 'db' }, creation.mark]);
  });

  test('are not written over what came since', async () => {
    const { stage, session } = await empty();
    const creation = networkOf('core');
    const observed = await createOne(session, creation);
    stage.sandbox.control.faults.add({
      match: { action: 'virtualNetworks.updateTags', nth: 1 },
      effect: { kind: 'edit', method: 'PATCH', path: `${vnet}?api-version=2026-01-01`, body: { tags: { cost: '42' } } },
    });
    const revision = revisionTo(creation, observed, { labels: { tier: 'db' } });
    const results = await session.actuators.network.update([revision], recordedCall());
    assert.deepEqual(codes(results), ['conflict PreconditionFailed']);
    assert.deepEqual((await byHand(stage, 'GET', vnet)).tags, { cost: '42' });
  });

  test('say its new mark, and so do those of its filter', async () => {
    const { session, stage } = await empty();
    const creation = networkOf('core');
    const observed = await createOne(session, creation);
    const mark = { ...creation.mark, address: creation.mark.address.replace('core', 'main'), store: 'store-2' };
    const revision = { desired: creation.desired, observed, changes: [], mark };
    must((await session.actuators.network.update([revision], recordedCall()))[0]);
    const now = await seen(session, 'network', 'core');
    assert.deepEqual([now.signs.mark, now.condition.parts], [mark, observed.condition.parts]);
    const addressOn = ({ tags }: Raw): string | undefined => tags?.['setpoint:address'];
    assert.equal(addressOn(await byHand(stage, 'GET', nsg)), mark.address);
  });
});

describe('a network that is adopted', () => {
  test('is marked; a filter that a colleague made is not', async () => {
    const { stage, session } = await empty();
    await byHand(stage, 'PUT', group, { location });
    await byHand(stage, 'PUT', vnet, theirs);
    await byHand(stage, 'PUT', nsg, { location, tags: { owner: 'lab' }, properties: {} });
    const observed = await seen(session, 'network', 'core');
    const creation = networkOf('core');
    const revision = { ...revisionTo(creation, observed, {}), mark: creation.mark };
    must((await session.actuators.network.update([revision], recordedCall()))[0]);
    const now = await seen(session, 'network', 'core');
    assert.deepEqual([now.signs.mark, now.attributes.labels], [creation.mark, { owner: 'lab' }]);
    assert.deepEqual((await byHand(stage, 'GET', nsg)).tags, { owner: 'lab' });
  });

  test('gets a filter of ours where it has none', async () => {
    const { stage, session } = await empty();
    await byHand(stage, 'PUT', group, { location });
    await byHand(stage, 'PUT', vnet, theirs);
    const creation = networkOf('core');
    const observed = await seen(session, 'network', 'core');
    assert.equal(observed.condition.missing, undefined, 'nobody misses it yet');
    const revision = { ...revisionTo(creation, observed, { filter: true }), mark: creation.mark };
    must((await session.actuators.network.update([revision], recordedCall()))[0]);
    assert.equal((await seen(session, 'network', 'core')).condition.parts?.[0]?.part, 'nsg');
  });
});

const remove = async (session: Awaited<ReturnType<typeof empty>>['session']) => {
  const observed = await seen(session, 'network', 'core');
  return session.actuators.network.delete([{ id: observed.id, observed }], recordedCall());
};

describe('a network that goes', () => {
  test('takes its filter with it, and leaves the resource group', async () => {
    const { stage, session } = await empty();
    const network = await createOne(session, networkOf('core'));
    await createOne(
      session,
      ruleOf({ network, group: { ...network, kind: 'group', attributes: { network: '', labels: {} } } }, 'a-0', {
        targets: [],
      }),
    );
    assert.deepEqual(codes(await remove(session)), ['ok']);
    assert.deepEqual([await gone(stage, vnet), await gone(stage, nsg), await gone(stage, group)], [true, true, false]);
  });

  test('stays whole while a subnet stands in it, whoever made that', async () => {
    const { stage, session } = await empty();
    await createOne(session, networkOf('core'));
    await byHand(stage, 'PUT', `${vnet}/subnets/lab`, { properties: { addressPrefix: '10.20.9.0/24' } });
    assert.deepEqual(codes(await remove(session)), ['conflict InUse']);
    assert.deepEqual([await gone(stage, vnet), await gone(stage, nsg)], [false, false]);
  });

  test('stays when a subnet came between our look and our deletion', async () => {
    const { stage, session } = await empty();
    await createOne(session, networkOf('core'));
    const body = { properties: { addressPrefix: '10.20.9.0/24' } };
    stage.sandbox.control.faults.add({
      match: { action: 'virtualNetworks.delete', nth: 1 },
      effect: { kind: 'edit', method: 'PUT', path: `${vnet}/subnets/lab?api-version=2026-01-01`, body },
    });
    assert.deepEqual(codes(await remove(session)), ['conflict PreconditionFailed']);
    assert.equal(await gone(stage, vnet), false);
  });

  test('leaves a filter that is not its own', async () => {
    const { stage, session } = await empty();
    await createOne(session, networkOf('core'));
    await byHand(stage, 'PATCH', nsg, { tags: { owner: 'lab' } });
    assert.deepEqual(codes(await remove(session)), ['ok']);
    assert.deepEqual([await gone(stage, vnet), await gone(stage, nsg)], [true, false]);
  });

  test('half gone, it takes its filter the second time', async () => {
    const { stage, session } = await empty();
    const observed = await createOne(session, networkOf('core'));
    await byHand(stage, 'DELETE', vnet);
    const { delete: again } = session.actuators.network;
    assert.deepEqual(codes(await again([{ id: observed.id, observed }], recordedCall())), ['ok']);
    assert.equal(await gone(stage, nsg), true);
  });

  test('and was made again by hand is not the one that we knew', async () => {
    const { stage, session } = await empty();
    const creation = networkOf('core');
    const observed = await createOne(session, creation);
    await byHand(stage, 'DELETE', vnet);
    await byHand(stage, 'PUT', vnet, theirs);
    const { network } = session.actuators;
    assert.deepEqual(await network.read([observed.id], recordedCall()), [{ ok: true, value: undefined }]);
    const revision = revisionTo(creation, observed, { labels: { tier: 'db' } });
    assert.deepEqual(codes(await network.update([revision], recordedCall())), ['not-found Replaced']);
    assert.deepEqual(codes(await network.delete([{ id: observed.id, observed }], recordedCall())), ['ok']);
    assert.deepEqual((await byHand(stage, 'GET', vnet)).tags, { owner: 'lab' });
    const subnet = await session.actuators.subnet.create([subnetOf('core.app', observed.id)], recordedCall());
    assert.deepEqual(codes(subnet), ['not-found Replaced']);
  });
});
