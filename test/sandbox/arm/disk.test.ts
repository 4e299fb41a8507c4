import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { collect, outcome, QUICK } from './bench.ts';
import { GROUP, ID, type MachineBench, machine, machineBench } from './machine-bench.ts';

async function diskOf(at: MachineBench): Promise<string> {
  const [disk] = await collect(at.compute.disks.listByResourceGroup(GROUP));
  return disk?.name ?? '';
}

const patch = (at: MachineBench, name: string, body: object) => at.send('PATCH', ID.disk(name), { body });

describe('a managed disk', () => {
  it('tells its machine, its image and its size', async () => {
    await using at = await machineBench();
    await machine(at, 'a');
    const disk = await at.compute.disks.get(GROUP, await diskOf(at));
    assert.equal(disk.managedBy, ID.machine('a'));
    assert.deepEqual([disk.diskState, disk.diskSizeGB, disk.sku?.name], ['Attached', 30, 'Premium_LRS']);
    assert.match(disk.creationData?.imageReference?.id ?? '', /\/Offers\/ubuntu-24_04-lts\/Skus\/server\/Versions\//);
    await at.compute.virtualMachines.deallocate(GROUP, 'a', QUICK);
    assert.equal((await at.compute.disks.get(GROUP, disk.name ?? '')).diskState, 'Reserved');
  });

  it('grows and changes type while its machine is deallocated, and never shrinks', async () => {
    await using at = await machineBench();
    await machine(at, 'a');
    const name = await diskOf(at);
    const grow = { properties: { diskSizeGB: 64 } };
    const retype = { sku: { name: 'StandardSSD_LRS' } };
    assert.equal(outcome(await patch(at, name, grow)), '409 OperationNotAllowed');
    assert.equal(outcome(await patch(at, name, retype)), '409 OperationNotAllowed');
    assert.equal((await patch(at, name, { tags: { a: 'b' } })).status, 202);
    await at.compute.virtualMachines.deallocate(GROUP, 'a', QUICK);
    const after = await at.compute.disks.update(
      GROUP,
      name,
      { diskSizeGB: 64, sku: { name: 'StandardSSD_LRS' } },
      QUICK,
    );
    assert.deepEqual([after.diskSizeGB, after.sku?.name, after.tags], [64, 'StandardSSD_LRS', { a: 'b' }]);
    assert.equal(outcome(await patch(at, name, { properties: { diskSizeGB: 32 } })), '400 BadRequest');
    assert.equal(outcome(await patch(at, name, { sku: { name: 'gp3' } })), '400 InvalidParameter');
    await at.compute.virtualMachines.start(GROUP, 'a', QUICK);
    const { storageProfile } = await at.compute.virtualMachines.get(GROUP, 'a');
    assert.equal(storageProfile?.osDisk?.diskSizeGB, 64);
  });

  it('is not deleted while a machine has it', async () => {
    await using at = await machineBench();
    await machine(at, 'a');
    const name = await diskOf(at);
    assert.equal(outcome(await at.send('DELETE', ID.disk(name))), '409 OperationNotAllowed');
    await at.compute.virtualMachines.update(
      GROUP,
      'a',
      { storageProfile: { osDisk: { createOption: 'FromImage', deleteOption: 'Detach' } } },
      QUICK,
    );
    await at.compute.virtualMachines.delete(GROUP, 'a', QUICK);
    await at.compute.disks.delete(GROUP, name, QUICK);
    assert.equal(await diskOf(at), '');
    assert.equal((await at.send('DELETE', ID.disk(name))).status, 204);
  });
});
