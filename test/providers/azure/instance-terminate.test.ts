import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Observed } from '../../../src/core/observed.ts';
import { recordedCall, writesOf } from '../../support/fixtures.ts';
import { byHand, codes, createOne, inGroup, must } from './estate.ts';
import {
  compute,
  type Land,
  machineOf,
  machineSeen,
  machinesSeen,
  makeLand,
  partsStanding,
  running,
  troubled,
  troubles,
} from './machines.ts';

let land: Land;
before(async () => {
  land = await makeLand();
});
after(() => land.stage.close());

const publicly = () => ({ placement: { subnet: land.subnet, publicIp: true } });
const left = async (name: string): Promise<readonly string[]> =>
  (await partsStanding(land)).filter((part) => part.startsWith(`${name}-`));
const remove = async (observed: Observed<'instance'>, call = recordedCall()) =>
  (await land.stage.open()).actuators.instance.delete([{ id: observed.id, observed }], call);
const isListed = async (name: string): Promise<boolean> =>
  (await machinesSeen(await land.stage.open())).some((one) => one.name === name && one.condition.state !== 'deleting');

describe('a machine that is deleted', () => {
  test('goes by one write, its parts with it', async () => {
    const { observed } = await running(land, 'end-0', publicly());
    const call = recordedCall();
    must((await remove(observed, call))[0]);
    assert.deepEqual(writesOf(call), ['VirtualMachines_Delete']);
    assert.deepEqual([await left('end-0'), await isListed('end-0')], [[], false]);
  });

  test('is shut down in order: its deletion is never forced', async () => {
    const { observed } = await running(land, 'end-1');
    land.stage.sandbox.control.log.clear();
    must((await remove(observed))[0]);
    const [entry] = land.stage.sandbox.control.log.entries({ action: 'virtualMachines.delete' });
    assert.match(JSON.stringify(entry), /"forcedeletion":"false"/i);
  });

  test('whose parts were told to stay takes them with it all the same, in the order in which they can go', async () => {
    const { observed } = await running(land, 'end-2', publicly());
    const path = compute('virtualMachines/end-2');
    const { properties } = await byHand(land.stage, 'GET', path);
    const profile = JSON.parse(JSON.stringify(properties?.['networkProfile']).replaceAll('Delete', 'Detach'));
    const osDisk = { deleteOption: 'Detach' };
    await byHand(land.stage, 'PATCH', path, { properties: { networkProfile: profile, storageProfile: { osDisk } } });
    const call = recordedCall();
    must((await remove(observed, call))[0]);
    assert.deepEqual(writesOf(call), [
      'VirtualMachines_Delete',
      'NetworkInterfaces_Delete',
      'PublicIPAddresses_Delete',
      'Disks_Delete',
    ]);
    assert.deepEqual(await left('end-2'), []);
  });

  test('that is gone, or was made anew under its name, is done, and what stands now stays', async () => {
    const { creation, observed } = await running(land, 'end-3', publicly());
    must((await remove(observed))[0]);
    must((await remove(observed))[0]);
    await createOne(await land.stage.open(), {
      ...creation,
      token: 'anew',
      mark: { ...creation.mark, intent: 'anew' },
    });
    const call = recordedCall();
    must((await remove(observed, call))[0]);
    assert.deepEqual(writesOf(call), []);
    assert.equal((await left('end-3')).length, 3);
  });
});

describe('a machine that is gone, or was never there,', () => {
  test('as its group goes is done', async () => {
    const { observed } = await running(land, 'end-5');
    const { faults } = land.stage.sandbox.control;
    const effect = { kind: 'error', code: 'ResourceGroupNotFound', status: 404 } as const;
    faults.add({ match: { action: ['virtualMachines.delete', 'networkInterfaces.get', 'disks.get'] }, effect });
    const results = await remove(observed);
    faults.clear();
    assert.deepEqual(codes(results), ['ok']);
  });

  test('takes nothing with it that another machine holds', async () => {
    const { observed } = await running(land, 'end-6', publicly());
    const call = recordedCall();
    must((await remove({ ...observed, id: observed.id.replace('end-6', 'nowhere') }, call))[0]);
    assert.deepEqual(writesOf(call), []);
  });

  test('leaves a part alone that bears another’s mark', async () => {
    const { observed } = await running(land, 'end-4');
    await byHand(land.stage, 'PATCH', compute('virtualMachines/end-4'), {
      properties: { storageProfile: { osDisk: { deleteOption: 'Detach' } } },
    });
    const theirs = {
      'setpoint:estate': 'theirs',
      'setpoint:store': 's',
      'setpoint:address': 'a',
      'setpoint:part': 'disk',
    };
    await byHand(land.stage, 'PATCH', compute('disks/end-4-disk'), { tags: theirs });
    must((await remove(observed))[0]);
    assert.deepEqual(await left('end-4'), ['end-4-disk']);
  });
});

describe('parts without their machine', () => {
  const half = async (name: string): Promise<Observed<'instance'>> => {
    const creation = machineOf(land, name, publicly());
    await troubled(land, { effect: troubles.refuse, nth: 3 }, () =>
      land.session.actuators.instance.create([creation], recordedCall()),
    );
    return machineSeen(land, name);
  };

  test('go, though there never was a machine', async () => {
    const call = recordedCall();
    must((await remove(await half('rest-0'), call))[0]);
    assert.deepEqual(writesOf(call), ['NetworkInterfaces_Delete', 'PublicIPAddresses_Delete']);
    assert.deepEqual([await left('rest-0'), await isListed('rest-0')], [[], false]);
  });

  test('whose machine was made by then do not go, nor does it', async () => {
    const observed = await half('rest-1');
    await createOne(await land.stage.open(), machineOf(land, 'rest-1', publicly()));
    const call = recordedCall();
    assert.deepEqual([codes(await remove(observed, call)), writesOf(call)], [['conflict Finished'], []]);
  });
});

describe('a deletion that is interrupted', () => {
  const detached = async (name: string): Promise<Observed<'instance'>> => {
    const { observed } = await running(land, name, publicly());
    const path = compute(`virtualMachines/${name}`);
    const { properties } = await byHand(land.stage, 'GET', path);
    const profile = JSON.parse(JSON.stringify(properties?.['networkProfile']).replaceAll('Delete', 'Detach'));
    const osDisk = { deleteOption: 'Detach' };
    await byHand(land.stage, 'PATCH', path, { properties: { networkProfile: profile, storageProfile: { osDisk } } });
    return observed;
  };

  for (const [trouble, effect] of Object.entries(troubles)) {
    test(`by ${trouble} at any of its writes ends when it is sent again, and nothing is left`, async () => {
      for (let nth = 1; nth <= 4; nth++) {
        const name = `cut-${trouble.replaceAll(' ', '')}-${nth}`;
        const observed = await detached(name);
        const first = await troubled(land, { effect, nth }, () => remove(observed));
        assert.notDeepEqual(codes(first), ['ok'], `write ${nth}`);
        must((await remove(observed))[0]);
        assert.deepEqual([await left(name), await isListed(name)], [[], false], `write ${nth}`);
      }
    });

    test(`by ${trouble} and looked at anew ends too`, async () => {
      for (let nth = 2; nth <= 4; nth++) {
        const name = `anew-${trouble.replaceAll(' ', '')}-${nth}`;
        const observed = await detached(name);
        await troubled(land, { effect, nth }, () => remove(observed));
        if (await isListed(name)) must((await remove(await machineSeen(land, name)))[0]);
        assert.deepEqual([await left(name), await isListed(name)], [[], false], `write ${nth}`);
      }
    });
  }
});

test('a batch goes side by side, in order', async () => {
  const all = [await running(land, 'batch-0'), await running(land, 'batch-1'), await running(land, 'batch-2')];
  await byHand(land.stage, 'DELETE', compute('virtualMachines/batch-1'));
  const batch = all.map(({ observed }) => ({ id: observed.id, observed }));
  assert.deepEqual(codes(await land.session.actuators.instance.delete(batch, recordedCall())), ['ok', 'ok', 'ok']);
  for (const name of ['batch-0', 'batch-1', 'batch-2']) assert.deepEqual(await left(name), []);
  assert.equal((await byHand(land.stage, 'GET', inGroup('networkInterfaces/batch-0-nic'))).status, 404);
});
