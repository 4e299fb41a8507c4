import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { restorePoller } from '@azure/arm-compute';
import { outcome, QUICK } from './bench.ts';
import { address, GROUP, ID, type MachineBench, machine, machineBench, nic, order, statuses } from './machine-bench.ts';

const power = async (at: MachineBench, name: string): Promise<string | undefined> => (await statuses(at, name))[1];

describe('the power of a virtual machine', () => {
  it('goes off, away, on and through a restart', async () => {
    await using at = await machineBench();
    const { virtualMachines } = at.compute;
    await machine(at, 'a');
    assert.equal(await power(at, 'a'), 'PowerState/running');
    await virtualMachines.powerOff(GROUP, 'a', QUICK);
    assert.equal(await power(at, 'a'), 'PowerState/stopped');
    await virtualMachines.deallocate(GROUP, 'a', QUICK);
    assert.equal(await power(at, 'a'), 'PowerState/deallocated');
    await virtualMachines.deallocate(GROUP, 'a', QUICK);
    for (const verb of ['powerOff', 'restart'])
      assert.equal(outcome(await at.send('POST', `${ID.machine('a')}/${verb}`)), '409 OperationNotAllowed');
    await virtualMachines.start(GROUP, 'a', QUICK);
    await virtualMachines.start(GROUP, 'a', QUICK);
    await virtualMachines.restart(GROUP, 'a', QUICK);
    assert.equal(await power(at, 'a'), 'PowerState/running');
  });

  it('passes through states, and another operation is refused meanwhile', async () => {
    await using at = await machineBench({ arm: { durations: { machinePower: 5_000, machineDelete: 5_000 } } });
    await machine(at, 'a');
    const answer = await at.send('POST', `${ID.machine('a')}/deallocate`);
    assert.equal(answer.status, 202);
    assert.ok(answer.headers.get('azure-asyncoperation') && answer.headers.get('location'));
    assert.deepEqual(await statuses(at, 'a'), ['ProvisioningState/updating', 'PowerState/deallocating']);
    assert.equal(outcome(await at.send('POST', `${ID.machine('a')}/start`)), '409 Conflict');
    at.sandbox.control.clock.advance(5_000);
    assert.deepEqual(await statuses(at, 'a'), ['ProvisioningState/succeeded', 'PowerState/deallocated']);
    await at.send('DELETE', ID.machine('a'));
    assert.equal(outcome(await at.send('POST', `${ID.machine('a')}/start`)), '409 OperationNotAllowed');
    assert.equal((await at.send('DELETE', ID.machine('a'))).status, 202);
  });

  it('takes a dynamic address along, and the disk’s size and type out of the model', async () => {
    await using at = await machineBench();
    const basic = await address(at, 'basic', true);
    const nicId = await nic(at, 'a-nic', { address: basic });
    const { publicIPAddresses } = at.network;
    assert.equal((await publicIPAddresses.get(GROUP, 'basic')).ipAddress, undefined);
    await at.compute.virtualMachines.createOrUpdate(GROUP, 'a', order('a', nicId), QUICK);
    assert.match((await publicIPAddresses.get(GROUP, 'basic')).ipAddress ?? '', /^198\.1[89]\./);
    await at.compute.virtualMachines.deallocate(GROUP, 'a', QUICK);
    assert.equal((await publicIPAddresses.get(GROUP, 'basic')).ipAddress, undefined);
    const { osDisk } = (await at.compute.virtualMachines.get(GROUP, 'a')).storageProfile ?? {};
    assert.deepEqual([osDisk?.diskSizeGB, osDisk?.managedDisk?.storageAccountType], [undefined, undefined]);
  });

  it('is as it was when the operation fails', async () => {
    await using at = await machineBench();
    await machine(at, 'a');
    at.sandbox.control.faults.add({
      match: { action: 'virtualMachines.deallocate', times: 1 },
      effect: { kind: 'operation-error', code: 'InternalOperationError', status: 409 },
    });
    await assert.rejects(
      async () => at.compute.virtualMachines.deallocate(GROUP, 'a', QUICK),
      /InternalOperationError/,
    );
    assert.deepEqual(await statuses(at, 'a'), ['ProvisioningState/failed', 'PowerState/running']);
  });
});

describe('a poll that is throttled', () => {
  it('says when to come again, and the operation goes on', async () => {
    await using at = await machineBench({ arm: { durations: { machineWrite: 5_000 } } });
    const nicId = await nic(at, 'a-nic');
    const poller = at.compute.virtualMachines.createOrUpdate(GROUP, 'a', order('a', nicId), QUICK);
    await poller.submitted();
    const state = await poller.serialize();
    at.sandbox.control.faults.add({ match: { action: 'operations.get', times: 1 }, effect: { kind: 'throttle' } });
    await assert.rejects(async () => poller.poll(), { statusCode: 429 });
    at.sandbox.control.clock.advance(5_000);
    const resumed = restorePoller(at.compute, state, at.compute.virtualMachines.createOrUpdate, QUICK);
    assert.equal((await resumed.pollUntilDone()).provisioningState, 'Succeeded');
  });
});
