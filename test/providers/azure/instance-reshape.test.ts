import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { diff } from '../../../src/core/diff.ts';
import type { Attributes } from '../../../src/core/resource.ts';
import { recordedCall, writesOf } from '../../support/fixtures.ts';
import { byHand, codes, must } from './estate.ts';
import {
  compute,
  converge,
  type Land,
  type Machine,
  machineSeen,
  makeLand,
  running,
  sizes,
  to,
  troubled,
  troubles,
  writesIn,
} from './machines.ts';

let land: Land;
before(async () => {
  land = await makeLand();
});
after(() => land.stage.close());

const image = 'Canonical:ubuntu-24_04-lts:server:latest';
type Power = 'running' | 'stopped';
const shape = (size: string, power: Power = 'running'): Pick<Attributes['instance'], 'machine'> => ({
  machine: { image, size, power },
});

async function update(machine: Machine, over: Partial<Attributes['instance']>): Promise<readonly string[]> {
  return writesIn(async (call) => must((await land.session.actuators.instance.update([to(machine, over)], call))[0]));
}

describe('power', () => {
  test('off is deallocated, on is started, and each is settled by one write', async () => {
    const machine = await running(land, 'power-0');
    assert.deepEqual(await update(machine, shape(sizes[0], 'stopped')), ['VirtualMachines_Deallocate']);
    const off = { ...machine, observed: await machineSeen(land, 'power-0') };
    assert.equal(off.observed.attributes.machine.power, 'stopped');
    assert.deepEqual(await update(off, shape(sizes[0], 'running')), ['VirtualMachines_Start']);
    assert.equal((await machineSeen(land, 'power-0')).attributes.machine.power, 'running');
  });

  test('that a colleague has turned off from within is stopped, though its place is still paid for', async () => {
    const machine = await running(land, 'power-1');
    await byHand(land.stage, 'POST', compute('virtualMachines/power-1/powerOff'));
    const observed = await machineSeen(land, 'power-1');
    assert.deepEqual([observed.attributes.machine.power, observed.condition.state], ['stopped', 'ready']);
    assert.deepEqual(await update({ ...machine, observed }, shape(sizes[0], 'running')), ['VirtualMachines_Start']);
  });
});

describe('another size', () => {
  test('is set while the machine is deallocated, and it runs again', async () => {
    const machine = await running(land, 'size-0');
    const steps = ['VirtualMachines_Deallocate', 'VirtualMachines_Update', 'VirtualMachines_Start'];
    assert.deepEqual(await update(machine, shape(sizes[1])), steps);
    assert.deepEqual(diff(shape(sizes[1]), (await machineSeen(land, 'size-0')).attributes), []);
  });

  test('that it has already stops nothing', async () => {
    const machine = await running(land, 'size-4');
    await update(machine, shape(sizes[1]));
    assert.deepEqual(await update(machine, shape(sizes[1].toLowerCase())), []);
  });

  test('of one that is off is set, and it stays off', async () => {
    const machine = await running(land, 'size-1', shape(sizes[0], 'stopped'));
    assert.deepEqual(await update(machine, shape(sizes[1], 'stopped')), ['VirtualMachines_Update']);
  });

  test('of one that shall be off afterwards is not followed by a start', async () => {
    const machine = await running(land, 'size-2');
    const steps = ['VirtualMachines_Deallocate', 'VirtualMachines_Update'];
    assert.deepEqual(await update(machine, shape(sizes[1], 'stopped')), steps);
  });

  test('that is refused leaves the machine running as it was', async () => {
    const machine = await running(land, 'size-3');
    const call = recordedCall();
    const results = await land.session.actuators.instance.update([to(machine, shape('Standard_None'))], call);
    assert.match(codes(results)[0] ?? '', /^terminal /);
    assert.equal(writesOf(call).at(-1), 'VirtualMachines_Start');
    assert.deepEqual((await machineSeen(land, 'size-3')).attributes, machine.observed.attributes);
  });
});

describe('the disk', () => {
  test('grows and changes its type in one write, while the machine is deallocated', async () => {
    const machine = await running(land, 'disk-0', { disk: { size: 32, type: 'Standard_LRS' } });
    const disk = { size: 64, type: 'Premium_LRS' };
    const steps = ['VirtualMachines_Deallocate', 'Disks_Update', 'VirtualMachines_Start'];
    assert.deepEqual(await update(machine, { disk }), steps);
    assert.deepEqual(diff(disk, (await machineSeen(land, 'disk-0')).attributes.disk ?? {}), []);
  });

  test('changes with the size of the machine in one stop', async () => {
    const machine = await running(land, 'disk-1');
    const steps = await update(machine, { ...shape(sizes[1]), disk: { size: 64 } });
    assert.deepEqual(steps, [
      'VirtualMachines_Deallocate',
      'VirtualMachines_Update',
      'Disks_Update',
      'VirtualMachines_Start',
    ]);
  });

  test('that is so already stops nothing', async () => {
    const machine = await running(land, 'disk-2', { disk: { size: 32, type: 'Premium_LRS' } });
    const changes = [
      { field: 'disk.size', from: 30, to: 32 },
      { field: 'disk.type', from: 'x', to: 'premium_lrs' },
    ];
    const desired = {
      ...machine.creation.desired,
      attributes: { ...machine.observed.attributes, disk: { size: 32, type: 'premium_lrs' } },
    };
    const revision = { desired, observed: machine.observed, changes };
    const steps = await writesIn(async (call) =>
      must((await land.session.actuators.instance.update([revision], call))[0]),
    );
    assert.deepEqual(steps, []);
  });
});

describe('a change that is interrupted', () => {
  const over = () => ({
    ...shape(sizes[1]),
    disk: { size: 64, type: 'Premium_LRS' },
    groups: [land.groups[1]],
    labels: { tier: 'web' },
  });
  for (const [trouble, effect] of Object.entries(troubles)) {
    for (const how of ['sent again', 'planned again'] as const) {
      test(`by ${trouble} at any of its writes and ${how} ends as it shall be, running`, async () => {
        const name = (nth: number | string): string => `${trouble}-${how}-${nth}`.replaceAll(' ', '');
        const steps = await update(await running(land, name('all')), over());
        assert.equal(steps.length, 6);
        for (let nth = 1; nth <= steps.length; nth++) {
          const machine = await running(land, name(nth));
          const revision = to(machine, over());
          await troubled(land, { effect, nth }, () =>
            land.session.actuators.instance.update([revision], recordedCall()),
          );
          if (how === 'sent again')
            must((await (await land.stage.open()).actuators.instance.update([revision], recordedCall()))[0]);
          else await converge(land, { ...machine.creation, desired: revision.desired });
          const seen = await machineSeen(land, name(nth));
          assert.deepEqual(diff(revision.desired.attributes, seen.attributes), [], `write ${nth}`);
          assert.deepEqual([seen.id, seen.signs.mark], [machine.observed.id, machine.observed.signs.mark]);
        }
      });
    }
  }

  test('by the end of its reconcile is gone on with from where it stands', async () => {
    const machine = await running(land, 'stop-0');
    const stop = new AbortController();
    const call = recordedCall(stop.signal, ({ action }) => {
      if (action === 'VirtualMachines_Update') stop.abort(new Error('the lease is lost'));
    });
    const revision = to(machine, shape(sizes[1]));
    await assert.rejects(land.session.actuators.instance.update([revision], call), /lease is lost/);
    const seen = await machineSeen(land, 'stop-0');
    assert.deepEqual([seen.attributes.machine.power, seen.attributes.machine.size], ['stopped', sizes[0]]);
    await converge(land, { ...machine.creation, desired: revision.desired });
  });
});
