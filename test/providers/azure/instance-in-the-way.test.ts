import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { location } from '../../support/azure-session.ts';
import { recordedCall, sshKey, writesOf } from '../../support/fixtures.ts';
import { byHand, codes, createOne, inGroup, must } from './estate.ts';
import { compute, type Land, machineOf, machineSeen, makeLand, running } from './machines.ts';

let land: Land;
before(async () => {
  land = await makeLand();
});
after(() => land.stage.close());

const subnet = () => ({ id: land.subnet.split('#')[0] });
const theirNic = () => ({
  location,
  tags: { owner: 'lab' },
  properties: { ipConfigurations: [{ name: 'x', properties: { subnet: subnet() } }] },
});
const theirAddress = () => ({
  location,
  tags: { owner: 'lab' },
  sku: { name: 'Standard' },
  properties: { publicIPAllocationMethod: 'Static' },
});

/** As a colleague makes one, with an interface of his own. */
async function theirMachine(): Promise<object> {
  const nic = inGroup('networkInterfaces/colleague');
  await byHand(land.stage, 'PUT', nic, theirNic());
  const publicKeys = [{ path: '/home/col/.ssh/authorized_keys', keyData: sshKey }];
  const imageReference = { publisher: 'Canonical', offer: 'ubuntu-24_04-lts', sku: 'server', version: 'latest' };
  return {
    location,
    tags: { owner: 'lab' },
    properties: {
      hardwareProfile: { vmSize: 'Standard_B2s' },
      storageProfile: { imageReference, osDisk: { createOption: 'FromImage', name: 'colleague' } },
      osProfile: {
        computerName: 'col',
        adminUsername: 'col',
        linuxConfiguration: { disablePasswordAuthentication: true, ssh: { publicKeys } },
      },
      networkProfile: { networkInterfaces: [{ id: nic }] },
    },
  };
}

describe('a machine in the way', () => {
  test('with a mark that was copied is a conflict and stays; nothing is made beside it', async () => {
    const theirs = machineOf(land, 'taken-0');
    await createOne(land.session, theirs);
    const ours = { ...theirs, token: 'another', mark: { ...theirs.mark, intent: 'another' } };
    const call = recordedCall();
    const results = await land.session.actuators.instance.create([ours], call);
    assert.deepEqual([codes(results), writesOf(call)], [['conflict NameTaken'], []]);
    assert.deepEqual((await machineSeen(land, 'taken-0')).signs.mark, theirs.mark);
  });

  test('that comes between the look and the launch is never made anew', async () => {
    const path = compute('virtualMachines/race-0');
    const { faults } = land.stage.sandbox.control;
    faults.add({
      match: { action: 'virtualMachines.createOrUpdate', nth: 1 },
      effect: { kind: 'edit', method: 'PUT', path: `${path}?api-version=2026-04-01`, body: await theirMachine() },
    });
    const results = await land.session.actuators.instance.create([machineOf(land, 'race-0')], recordedCall());
    faults.clear();
    assert.deepEqual(codes(results), ['conflict NameTaken']);
    assert.deepEqual((await byHand(land.stage, 'GET', path)).tags, { owner: 'lab' });
  });
});

describe('a part in the way', () => {
  const strangers = [
    { what: 'an interface', path: 'networkInterfaces/way-0-nic', body: theirNic },
    { what: 'an address', path: 'publicIPAddresses/way-1-ip', body: theirAddress },
  ];
  for (const [ordinal, { what, path, body }] of strangers.entries()) {
    test(`${what} that is not ours stays as it is, and the answer says what to do`, async () => {
      await byHand(land.stage, 'PUT', inGroup(path), body());
      const call = recordedCall();
      const creation = machineOf(land, `way-${ordinal}`, { placement: { subnet: land.subnet, publicIp: true } });
      const results = await land.session.actuators.instance.create([creation], call);
      assert.deepEqual([codes(results), writesOf(call)], [['terminal NameTaken'], []]);
      assert.match(JSON.stringify(results), /delete it, or give the machine another name/);
      assert.deepEqual((await byHand(land.stage, 'GET', inGroup(path))).tags, { owner: 'lab' });
    });
  }

  test('an address that is not ours is in nobody’s way where none is wanted', async () => {
    await byHand(land.stage, 'PUT', inGroup('publicIPAddresses/way-2-ip'), theirAddress());
    await createOne(land.session, machineOf(land, 'way-2'));
  });

  test('a disk that an earlier machine has left is neither thrown away nor booted from', async () => {
    await running(land, 'left-0');
    const [disk, machine] = [compute('disks/left-0-disk'), compute('virtualMachines/left-0')];
    await byHand(land.stage, 'PATCH', machine, {
      properties: { storageProfile: { osDisk: { deleteOption: 'Detach' } } },
    });
    await byHand(land.stage, 'DELETE', machine);
    const seen = await machineSeen(land, 'left-0');
    const parts = seen.condition.parts?.map(({ part }) => part);
    assert.deepEqual([seen.condition.missing, parts], [['machine'], ['disk']]);
    const call = recordedCall();
    const results = await land.session.actuators.instance.create([machineOf(land, 'left-0')], call);
    assert.deepEqual([codes(results), writesOf(call)], [['terminal NameTaken'], []]);
    assert.match(JSON.stringify(results), /was left by an earlier machine: delete it/);
    assert.equal((await byHand(land.stage, 'GET', disk)).status, 200);
    must((await land.session.actuators.instance.delete([{ id: seen.id, observed: seen }], recordedCall()))[0]);
    assert.equal((await byHand(land.stage, 'GET', disk)).status, 404, 'it goes when it is asked to');
  });
});
