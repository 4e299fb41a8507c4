import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { diff } from '../../../src/core/diff.ts';
import { recordedCall, writesOf } from '../../support/fixtures.ts';
import { byHand, codes, inGroup, must } from './estate.ts';
import { compute, identityId, type Land, machineSeen, makeLand, revise, running, to } from './machines.ts';

let land: Land;
before(async () => {
  land = await makeLand();
});
after(() => land.stage.close());

/** An edit by a colleague right before our write. */
const meanwhile = (action: string, method: string, path: string, body: unknown): void =>
  void land.stage.sandbox.control.faults.add({
    match: { action, nth: 1 },
    effect: { kind: 'edit', method, path: `${path}?api-version=2026-01-01`, body },
  });

describe('labels of a machine', () => {
  test('change key by key, whatever their case, and nobody else’s are lost', async () => {
    const machine = await running(land, 'label-0', { labels: { Env: 'dev', old: 'x' } });
    const path = compute('virtualMachines/label-0');
    const { tags } = await byHand(land.stage, 'GET', path);
    await byHand(land.stage, 'PATCH', path, { tags: { ...tags, theirs: 'kept' } });
    const changes = [
      { field: 'labels.env', from: 'dev', to: 'prod' },
      { field: 'labels.old', from: 'x' },
    ];
    await revise(land, { ...to(machine, {}), changes });
    const seen = await machineSeen(land, 'label-0');
    assert.deepEqual(seen.attributes.labels, { Env: 'prod', theirs: 'kept' });
    assert.deepEqual(seen.signs.mark, machine.observed.signs.mark);
  });

  test('that a colleague changes between our look and our write are not lost: it is a conflict', async () => {
    const machine = await running(land, 'label-1', { labels: { tier: 'web' } });
    const path = compute('virtualMachines/label-1');
    const { tags } = await byHand(land.stage, 'GET', path);
    meanwhile('virtualMachines.update', 'PATCH', path, { tags: { ...tags, theirs: 'new' } });
    const results = await land.session.actuators.instance.update(
      [to(machine, { labels: { tier: 'db' } })],
      recordedCall(),
    );
    land.stage.sandbox.control.faults.clear();
    assert.deepEqual(
      codes(results).map((code) => code.split(' ')[0]),
      ['conflict'],
    );
    assert.deepEqual((await machineSeen(land, 'label-1')).attributes.labels, { theirs: 'new', tier: 'web' });
  });
});

describe('groups of a machine', () => {
  const nicOf = async (name: string) => {
    const { status: _, ...nic } = await byHand(land.stage, 'GET', inGroup(`networkInterfaces/${name}-nic`));
    return nic;
  };

  test('change, and the interface keeps all else that anybody has given it', async () => {
    const machine = await running(land, 'group-0', { placement: { subnet: land.subnet, publicIp: true } });
    const before = await nicOf('group-0');
    const dnsSettings = { dnsServers: ['10.20.0.4'] };
    await byHand(land.stage, 'PUT', inGroup('networkInterfaces/group-0-nic'), {
      ...before,
      tags: { ...before.tags, theirs: 'kept' },
      properties: { ...before.properties, dnsSettings, enableIPForwarding: true },
    });
    await revise(land, to(machine, { groups: [land.groups[1]] }));
    assert.deepEqual((await machineSeen(land, 'group-0')).attributes.groups, [land.groups[1]]);
    const { tags, properties } = await nicOf('group-0');
    assert.equal(tags?.['theirs'], 'kept');
    assert.equal(properties?.['enableIPForwarding'], true);
    assert.match(JSON.stringify(properties?.['dnsSettings']), /10\.20\.0\.4/);
    assert.equal((await machineSeen(land, 'group-0')).attributes.placement.publicIp, true);
  });

  test('may be none', async () => {
    const machine = await running(land, 'group-1');
    await revise(land, to(machine, { groups: [] }));
    assert.deepEqual((await machineSeen(land, 'group-1')).attributes.groups, []);
  });

  test('are not written over what a colleague does to the interface meanwhile', async () => {
    const machine = await running(land, 'group-2');
    const nic = await nicOf('group-2');
    const theirs = { ...nic, properties: { ...nic.properties, enableIPForwarding: true } };
    meanwhile('networkInterfaces.createOrUpdate', 'PUT', inGroup('networkInterfaces/group-2-nic'), theirs);
    const results = await land.session.actuators.instance.update([to(machine, { groups: [] })], recordedCall());
    land.stage.sandbox.control.faults.clear();
    assert.deepEqual(codes(results), ['conflict PreconditionFailed']);
    assert.equal((await nicOf('group-2')).properties?.['enableIPForwarding'], true);
  });
});

describe('the identity of a machine', () => {
  const withIdentity = (identity?: string) => ({
    image: 'Canonical:ubuntu-24_04-lts:server:latest',
    size: 'Standard_B2s',
    power: 'running' as const,
    ...(identity === undefined ? {} : { identity }),
  });

  test('is given, exchanged and taken away while it runs', async () => {
    const machine = await running(land, 'id-0');
    for (const identity of [identityId('web'), identityId('db'), undefined]) {
      const observed = await machineSeen(land, 'id-0');
      const attributes = { ...observed.attributes, machine: withIdentity(identity) };
      const changes = [{ field: 'machine.identity', from: observed.attributes.machine.identity, to: identity }];
      const call = recordedCall();
      const revision = { desired: { ...machine.creation.desired, attributes }, observed, changes };
      must((await land.session.actuators.instance.update([revision], call))[0]);
      assert.deepEqual(writesOf(call), ['VirtualMachines_Update']);
      assert.equal((await machineSeen(land, 'id-0')).attributes.machine.identity, identity);
    }
  });

  test('may be told by its name, and what is so already is not written', async () => {
    const machine = await running(land, 'id-1', { machine: withIdentity('web') });
    assert.equal(machine.observed.attributes.machine.identity, identityId('web'));
    const call = recordedCall();
    const changes = [{ field: 'machine.identity', from: undefined, to: 'web' }];
    must((await land.session.actuators.instance.update([{ ...to(machine, {}), changes }], call))[0]);
    assert.deepEqual(writesOf(call), []);
  });
});

describe('a new mark', () => {
  test('is written on the machine and on every part of it', async () => {
    const machine = await running(land, 'mark-0', { placement: { subnet: land.subnet, publicIp: true } });
    const mark = { ...machine.creation.mark, store: 'store-2', deletionPolicy: 'retain' as const, intent: 'new' };
    await revise(land, { ...to(machine, {}), changes: [], mark });
    const seen = await machineSeen(land, 'mark-0');
    assert.deepEqual([seen.signs.mark, seen.attributes], [mark, machine.observed.attributes]);
    for (const path of [
      inGroup('networkInterfaces/mark-0-nic'),
      inGroup('publicIPAddresses/mark-0-ip'),
      compute('disks/mark-0-disk'),
    ]) {
      const { tags } = await byHand(land.stage, 'GET', path);
      assert.deepEqual([tags?.['setpoint:store'], tags?.['setpoint:intent']], ['store-2', 'new'], path);
      assert.ok(tags?.['setpoint:part'], path);
    }
  });

  test('is not written on a part that bears another’s', async () => {
    const machine = await running(land, 'mark-1');
    const disk = compute('disks/mark-1-disk');
    await byHand(land.stage, 'PATCH', disk, {
      tags: { 'setpoint:estate': 'theirs', 'setpoint:store': 's', 'setpoint:address': 'a' },
    });
    await revise(land, { ...to(machine, {}), changes: [], mark: { ...machine.creation.mark, store: 'store-2' } });
    assert.equal((await byHand(land.stage, 'GET', disk)).tags?.['setpoint:estate'], 'theirs');
  });
});

describe('an update', () => {
  test('of what cannot change in place is refused, by its name', async () => {
    const machine = await running(land, 'fixed-0');
    const changes = [{ field: 'machine.image', from: 'a', to: 'b' }];
    const call = recordedCall();
    const results = await land.session.actuators.instance.update([{ ...to(machine, {}), changes }], call);
    assert.deepEqual([codes(results), call.admitted], [['terminal Immutable'], []]);
    assert.match(JSON.stringify(results), /machine\.image/);
  });

  test('of what is gone, or bears its name now, is not found and touches nothing', async () => {
    const machine = await running(land, 'gone-0');
    const revision = to(machine, { labels: { tier: 'new' } });
    const stale = {
      ...revision,
      observed: { ...revision.observed, id: revision.observed.id.replace(/#.*/, '#other') },
    };
    const call = recordedCall();
    assert.deepEqual(codes(await land.session.actuators.instance.update([stale], call)), [
      'not-found ResourceNotFound',
    ]);
    assert.deepEqual(writesOf(call), []);
  });

  test('of many goes side by side, answered in order', async () => {
    const [first, second] = [await running(land, 'side-0'), await running(land, 'side-1')];
    await byHand(land.stage, 'DELETE', compute('virtualMachines/side-0'));
    const batch = [first, second].map((machine) => to(machine, { labels: { tier: 'x' } }));
    const results = await land.session.actuators.instance.update(batch, recordedCall());
    assert.deepEqual(codes(results), ['not-found ResourceNotFound', 'ok']);
    assert.deepEqual(diff({ tier: 'x' }, (await machineSeen(land, 'side-1')).attributes.labels), []);
  });
});
