import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { canonicalId, cloudIdOf } from '../../../providers/azure/ids.ts';
import { diff } from '../../../src/core/diff.ts';
import { location } from '../../support/azure-session.ts';
import { recordedCall } from '../../support/fixtures.ts';
import {
  byHand,
  createOne,
  type Estate,
  estates,
  inGroup,
  listOf,
  must,
  networkOf,
  ruleOf,
  seen,
  subnetOf,
} from './estate.ts';

/** Ids are those of the project's table of cases; those of rules are in rule-cases.ts, of machines in normalisation-machines.test.ts. */
const estate = estates();

const vnet = inGroup('virtualNetworks/core');
const wanted = (one: Estate) => subnetOf('core.app', one.network.id).desired.attributes;
const subnetWith = async (one: Estate, properties: object) => {
  await byHand(one.stage, 'PUT', `${vnet}/subnets/app`, { properties });
  return diff(wanted(one), (await seen(one.session, 'subnet', 'app')).attributes).map(({ field }) => field);
};
const filter = {
  networkSecurityGroup: { id: inGroup('networkSecurityGroups/core-nsg') },
  defaultOutboundAccess: false,
};

describe('subnets: same or drift', () => {
  test('Z31: a list of one block is that block', async () => {
    const one = await estate();
    assert.deepEqual(await subnetWith(one, { addressPrefixes: ['10.20.1.0/24'], ...filter }), []);
  });
  test('Z31: host bits, as some clients send them', async () => {
    const one = await estate();
    assert.deepEqual(await subnetWith(one, { addressPrefix: '10.20.1.0/24', ...filter }), []);
  });
  test('Z26: another security group on it, or none, is drift', async () => {
    const one = await estate();
    await byHand(one.stage, 'PUT', inGroup('networkSecurityGroups/other'), { location, properties: {} });
    const other = { ...filter, networkSecurityGroup: { id: inGroup('networkSecurityGroups/other') } };
    assert.deepEqual(await subnetWith(one, { addressPrefix: '10.20.1.0/24', ...other }), ['filter']);
    assert.deepEqual(await subnetWith(one, { addressPrefix: '10.20.1.0/24', defaultOutboundAccess: false }), [
      'filter',
    ]);
  });
  test('a way out of Azure’s own is drift, said or not', async () => {
    const one = await estate();
    const open = { ...filter, defaultOutboundAccess: true };
    assert.deepEqual(await subnetWith(one, { addressPrefix: '10.20.1.0/24', ...open }), ['filter']);
    const { networkSecurityGroup } = filter;
    assert.deepEqual(await subnetWith(one, { addressPrefix: '10.20.1.0/24', networkSecurityGroup }), ['filter']);
  });
  test('Z32: no PUT of ours leaves a subnet out', async () => {
    const one = await estate();
    await byHand(one.stage, 'PUT', `${vnet}/subnets/lab`, { properties: { addressPrefix: '10.20.9.0/24' } });
    await createOne(one.session, subnetOf('core.app', one.network.id));
    const creation = networkOf('core', { labels: { tier: 'web' } });
    const observed = await seen(one.session, 'network', 'core');
    const changes = [{ field: 'labels.tier', to: 'web' }];
    must(
      (
        await one.session.actuators.network.update([{ desired: creation.desired, observed, changes }], recordedCall())
      )[0],
    );
    assert.deepEqual((await listOf(one.session, 'subnet')).map(({ name }) => name).sort(), ['app', 'lab']);
  });
});

describe('Z34, Z08: ids in any case are the same', () => {
  test('as text', () => {
    const mixed = '/subscriptions/AAAA/resourceGroups/TEST_VM/providers/Microsoft.Network/virtualNetworks/Core/';
    assert.equal(canonicalId(mixed), canonicalId(mixed.toUpperCase()));
    assert.equal(cloudIdOf(mixed, 'ABC'), cloudIdOf(mixed.toLowerCase(), 'abc'));
  });

  test('in everything that is listed and read', async () => {
    const one = await estate();
    await createOne(one.session, subnetOf('core.app', one.network.id));
    await createOne(one.session, ruleOf(one, 'a-00000000', { peers: [`group:${one.group.id}`] }));
    const look = async () => {
      const session = await one.stage.open();
      return Promise.all(
        (['network', 'subnet', 'group', 'firewall-rule'] as const).map((kind) => listOf(session, kind)),
      );
    };
    const before = await look();
    one.stage.sandbox.control.faults.add({ match: {}, effect: { kind: 'capitals' } });
    assert.deepEqual(await look(), before);
    const session = await one.stage.open();
    for (const [kind, found] of (['network', 'subnet', 'group', 'firewall-rule'] as const).map(
      (kind, at) => [kind, before[at]] as const,
    )) {
      const ids = (found ?? []).map(({ id }) => id);
      const read = await session.actuators[kind].read(ids, recordedCall());
      assert.deepEqual(read.map(must), found, kind);
    }
  });

  test('in what is written too: a subnet of ours is known under capitals', async () => {
    const one = await estate();
    one.stage.sandbox.control.faults.add({ match: {}, effect: { kind: 'capitals' } });
    const creation = subnetOf('core.app', one.network.id);
    await createOne(one.session, creation);
    await createOne(one.session, creation);
    assert.equal((await listOf(one.session, 'subnet')).length, 1);
  });
});

describe('Z23: what is still being written is pending, not drift', () => {
  test('a rule right after its PUT', async () => {
    const one = await estate();
    const { sandbox } = one.stage;
    const { properties } = {
      properties: {
        priority: 100,
        direction: 'Inbound',
        access: 'Allow',
        protocol: 'Tcp',
        sourceAddressPrefix: '*',
        sourcePortRange: '*',
        destinationAddressPrefix: '*',
        destinationPortRange: '443',
      },
    };
    const path = `${inGroup('networkSecurityGroups/core-nsg')}/securityRules/lab?api-version=2026-01-01`;
    const response = await fetch(sandbox.url + path, {
      method: 'PUT',
      headers: { authorization: 'Bearer colleague', 'content-type': 'application/json' },
      body: JSON.stringify({ properties }),
    });
    assert.ok(response.ok);
    assert.equal((await seen(one.session, 'firewall-rule', 'lab')).condition.state, 'pending');
    sandbox.control.clock.advance(600_000);
    assert.equal((await seen(one.session, 'firewall-rule', 'lab')).condition.state, 'ready');
  });
});

test('Z16: Azure’s own rules, which stand in every security group, are nobody’s and not told', async () => {
  const one = await estate();
  assert.deepEqual(await listOf(one.session, 'firewall-rule'), []);
});
