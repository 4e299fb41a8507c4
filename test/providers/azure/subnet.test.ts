import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { recordedCall, writesOf } from '../../support/fixtures.ts';
import {
  byHand,
  codes,
  createOne,
  type Estate,
  estates,
  inGroup,
  listOf,
  must,
  revisionTo,
  seen,
  subnetOf,
} from './estate.ts';

const estate = estates();

const vnet = inGroup('virtualNetworks/core');
const lab = { properties: { addressPrefix: '10.20.200.0/24' } };
const namesIn = async ({ stage }: Estate): Promise<readonly string[]> =>
  ((await byHand(stage, 'GET', vnet)).properties?.subnets ?? []).map(({ name }) => name).sort();
const many = (network: string, count: number) =>
  Array.from({ length: count }, (_, at) =>
    subnetOf(`core.n${at}`, network, { cidr: `10.20.${Math.floor(at / 16)}.${(at % 16) * 16}/28` }),
  );

describe('subnets of a batch', () => {
  test('a thousand go in one write', async () => {
    const { session, network } = await estate();
    const call = recordedCall();
    const results = await session.actuators.subnet.create(many(network.id, 1000), call);
    assert.deepEqual([...new Set(codes(results))], ['ok']);
    assert.deepEqual(writesOf(call), ['VirtualNetworks_CreateOrUpdate']);
    assert.equal((await listOf(session, 'subnet')).length, 1000);
  });

  test('one bad one sinks the whole, and then each goes by itself', async () => {
    const { session, network } = await estate();
    const [first, second] = many(network.id, 2);
    assert.ok(first && second);
    const bad = subnetOf('core.bad', network.id, { cidr: '172.16.0.0/24' });
    const call = recordedCall();
    const results = await session.actuators.subnet.create([first, bad, second], call);
    assert.deepEqual(codes(results), ['ok', 'terminal NetcfgSubnetRangeOutsideVnet', 'ok']);
    assert.deepEqual(writesOf(call), [
      'VirtualNetworks_CreateOrUpdate',
      'Subnets_CreateOrUpdate',
      'Subnets_CreateOrUpdate',
      'Subnets_CreateOrUpdate',
    ]);
  });

  test('one that goes by the whole has the filter, and none of Azure’s own ways out', async () => {
    const one = await estate();
    await one.session.actuators.subnet.create(many(one.network.id, 2), recordedCall());
    for (const { attributes, signs } of await listOf(one.session, 'subnet'))
      assert.deepEqual(
        [attributes.filter, attributes.network, signs],
        [true, one.network.id, { parent: one.network.id }],
      );
  });
});

describe('a subnet that is not ours', () => {
  test('and that comes between our look and our write stays, and that is a conflict', async () => {
    const one = await estate();
    one.stage.sandbox.control.faults.add({
      match: { action: 'virtualNetworks.createOrUpdate', nth: 1 },
      effect: { kind: 'edit', method: 'PUT', path: `${vnet}/subnets/lab?api-version=2026-01-01`, body: lab },
    });
    const batch = many(one.network.id, 2);
    const call = recordedCall();
    const results = await one.session.actuators.subnet.create(batch, call);
    assert.deepEqual(codes(results), ['conflict PreconditionFailed', 'conflict PreconditionFailed']);
    assert.deepEqual([await namesIn(one), writesOf(call).length], [['lab'], 1]);
    assert.deepEqual(codes(await one.session.actuators.subnet.create(batch, recordedCall())), ['ok', 'ok']);
    assert.deepEqual(await namesIn(one), ['lab', 'n0', 'n1']);
  });

  test('and stands already keeps the whole from being written', async () => {
    const one = await estate();
    await byHand(one.stage, 'PUT', `${vnet}/subnets/lab`, lab);
    const before = (await byHand(one.stage, 'GET', vnet)).properties?.subnets?.[0]?.properties;
    const call = recordedCall();
    await one.session.actuators.subnet.create(many(one.network.id, 3), call);
    assert.deepEqual([...new Set(writesOf(call))], ['Subnets_CreateOrUpdate']);
    const after = (await byHand(one.stage, 'GET', vnet)).properties?.subnets?.find(({ name }) => name === 'lab');
    assert.deepEqual(after?.properties, before);
  });

  test('and has the name of ours is a conflict, and stays as it is', async () => {
    const one = await estate();
    await byHand(one.stage, 'PUT', `${vnet}/subnets/APP`, lab);
    const results = await one.session.actuators.subnet.create([subnetOf('core.app', one.network.id)], recordedCall());
    assert.deepEqual(codes(results), ['conflict NameTaken']);
    assert.equal((await seen(one.session, 'subnet', 'APP')).attributes.cidr, '10.20.200.0/24');
  });

  test('and has its name and block too, but lets everything out', async () => {
    const one = await estate();
    await byHand(one.stage, 'PUT', `${vnet}/subnets/app`, { properties: { addressPrefix: '10.20.1.0/24' } });
    const results = await one.session.actuators.subnet.create([subnetOf('core.app', one.network.id)], recordedCall());
    assert.deepEqual(codes(results), ['conflict NameTaken']);
  });

  test('and holds its block is a conflict', async () => {
    const one = await estate();
    await byHand(one.stage, 'PUT', `${vnet}/subnets/lab`, { properties: { addressPrefix: '10.20.1.128/25' } });
    const results = await one.session.actuators.subnet.create([subnetOf('core.app', one.network.id)], recordedCall());
    assert.deepEqual(codes(results), ['conflict NetcfgSubnetRangesOverlap']);
  });
});

describe('a subnet whose answer was lost', () => {
  test('is found again, and there is one', async () => {
    const one = await estate();
    one.stage.sandbox.control.faults.add({
      match: { action: 'subnets.createOrUpdate', nth: 1 },
      effect: { kind: 'reset-after' },
    });
    const creation = subnetOf('core.app', one.network.id);
    assert.deepEqual(codes(await one.session.actuators.subnet.create([creation], recordedCall())), [
      'ambiguous ECONNRESET',
    ]);
    one.stage.sandbox.control.clock.advance(600_000);
    const call = recordedCall();
    const next = await one.stage.open();
    const again = must((await next.actuators.subnet.create([creation], call))[0]);
    assert.deepEqual([again.id, writesOf(call)], [(await seen(next, 'subnet', 'app')).id, []]);
    assert.deepEqual(await namesIn(one), ['app']);
  });
});

describe('a subnet that stands', () => {
  test('gets the filter, and keeps all else that it has', async () => {
    const one = await estate();
    const endpoints = [{ service: 'Microsoft.Storage', locations: ['westeurope', 'northeurope'] }];
    await byHand(one.stage, 'PUT', `${vnet}/subnets/app`, {
      properties: { addressPrefix: '10.20.1.0/24', serviceEndpoints: endpoints },
    });
    const observed = await seen(one.session, 'subnet', 'app');
    assert.equal(observed.attributes.filter, false);
    const revision = revisionTo(subnetOf('core.app', one.network.id), observed, { filter: true });
    must((await one.session.actuators.subnet.update([revision], recordedCall()))[0]);
    assert.equal((await seen(one.session, 'subnet', 'app')).attributes.filter, true);
    const { properties } = (await byHand(one.stage, 'GET', vnet)).properties?.subnets?.[0] ?? {};
    assert.equal(JSON.stringify(properties?.['serviceEndpoints']).includes('Microsoft.Storage'), true);
  });

  test('is not written over what came since', async () => {
    const one = await estate();
    await byHand(one.stage, 'PUT', `${vnet}/subnets/app`, { properties: { addressPrefix: '10.20.1.0/24' } });
    const observed = await seen(one.session, 'subnet', 'app');
    const edited = { properties: { addressPrefix: '10.20.1.0/24', serviceEndpoints: [{ service: 'Microsoft.Sql' }] } };
    one.stage.sandbox.control.faults.add({
      match: { action: 'subnets.createOrUpdate', nth: 1 },
      effect: { kind: 'edit', method: 'PUT', path: `${vnet}/subnets/app?api-version=2026-01-01`, body: edited },
    });
    const revision = revisionTo(subnetOf('core.app', one.network.id), observed, { filter: true });
    const results = await one.session.actuators.subnet.update([revision], recordedCall());
    assert.deepEqual(codes(results), ['conflict PreconditionFailed']);
  });

  test('goes alone', async () => {
    const one = await estate();
    await byHand(one.stage, 'PUT', `${vnet}/subnets/lab`, lab);
    const observed = await createOne(one.session, subnetOf('core.app', one.network.id));
    const remove = () => one.session.actuators.subnet.delete([{ id: observed.id, observed }], recordedCall());
    must((await remove())[0]);
    assert.deepEqual(await namesIn(one), ['lab']);
    must((await remove())[0]);
  });

  test('in a network that was made again by hand is not the one that we knew', async () => {
    const one = await estate();
    const observed = await createOne(one.session, subnetOf('core.app', one.network.id));
    await byHand(one.stage, 'DELETE', vnet);
    await byHand(one.stage, 'PUT', vnet, {
      location: 'westeurope',
      properties: {
        addressSpace: { addressPrefixes: ['10.20.0.0/16'] },
        subnets: [{ name: 'app', properties: { addressPrefix: '10.20.1.0/24' } }],
      },
    });
    const { subnet } = one.session.actuators;
    assert.deepEqual(await subnet.read([observed.id], recordedCall()), [{ ok: true, value: undefined }]);
    must((await subnet.delete([{ id: observed.id, observed }], recordedCall()))[0]);
    const revision = revisionTo(
      subnetOf('core.app', one.network.id),
      { ...observed, attributes: { ...observed.attributes, filter: false } },
      { filter: true },
    );
    assert.deepEqual(codes(await subnet.update([revision], recordedCall())), ['not-found ResourceNotFound']);
    assert.deepEqual(await namesIn(one), ['app'], 'and the other one stays');
  });
});
