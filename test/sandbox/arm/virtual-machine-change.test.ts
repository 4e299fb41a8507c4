import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { outcome, QUICK } from './bench.ts';
import {
  GROUP,
  given,
  ID,
  KEY,
  type MachineBench,
  machine,
  machineBench,
  standing,
  statuses,
} from './machine-bench.ts';

const power = async (at: MachineBench, name: string): Promise<string | undefined> => (await statuses(at, name))[1];

describe('a change of a virtual machine', () => {
  it('to a size of its cluster restarts it, to another it must be deallocated first', async () => {
    await using at = await machineBench();
    await machine(at, 'a');
    const resize = (vmSize: string) =>
      at.compute.virtualMachines.update(GROUP, 'a', { hardwareProfile: { vmSize } }, QUICK);
    assert.equal((await resize('Standard_D8s_v5')).hardwareProfile?.vmSize, 'Standard_D8s_v5');
    await assert.rejects(resize('Standard_E4s_v5'), { code: 'OperationNotAllowed', statusCode: 409 });
    await assert.rejects(resize('Standard_D4s_v3'), { code: 'OperationNotAllowed', statusCode: 409 });
    await assert.rejects(resize('huge'), { code: 'InvalidParameter' });
    await at.compute.virtualMachines.deallocate(GROUP, 'a', QUICK);
    assert.equal((await resize('Standard_E4s_v5')).hardwareProfile?.vmSize, 'Standard_E4s_v5');
    assert.equal(await power(at, 'a'), 'PowerState/deallocated');
  });

  it('keeps it from the net while it restarts', async () => {
    await using at = await machineBench({ arm: { durations: { machineWrite: 5_000 } } });
    given(at, ...standing('a'));
    await at.send('PATCH', ID.machine('a'), {
      body: { properties: { hardwareProfile: { vmSize: 'Standard_D4s_v5' } } },
    });
    assert.equal(await power(at, 'a'), 'PowerState/starting');
    at.sandbox.control.clock.advance(5_000);
    assert.equal(await power(at, 'a'), 'PowerState/running');
  });

  it('may write back what was read', async () => {
    await using at = await machineBench();
    await machine(at, 'a', { tags: { tier: 'web' } });
    const read = await at.send('GET', `${ID.machine('a')}?$expand=instanceView`);
    const written = await at.send('PUT', ID.machine('a'), { body: read.body });
    assert.equal(written.status, 200);
    const { instanceView: _, ...properties } = read.body.properties;
    assert.deepEqual(written.body, { ...read.body, etag: '"2"', properties });
  });

  it('of identity gives it one, and takes it away', async () => {
    await using at = await machineBench();
    const user = ID.machine('a').replace(
      /Microsoft\.Compute.*/,
      'Microsoft.ManagedIdentity/userAssignedIdentities/web',
    );
    await machine(at, 'a', { identity: { type: 'SystemAssigned' } });
    const read = async () => (await at.compute.virtualMachines.get(GROUP, 'a')).identity;
    const { principalId } = (await read()) ?? {};
    assert.match(principalId ?? '', /^[0-9a-f-]{36}$/);
    const patch = (identity: object) => at.send('PATCH', ID.machine('a'), { body: { identity } });
    const both = { type: 'SystemAssigned, UserAssigned', userAssignedIdentities: { [user]: {} } };
    assert.equal(outcome(await patch(both)), '400 FailedIdentityOperation');
    at.sandbox.control.arm.load({ subscriptions: [{ outside: [user] }] });
    assert.equal((await patch(both)).status, 200);
    assert.equal((await read())?.principalId, principalId);
    assert.deepEqual(Object.keys((await read())?.userAssignedIdentities ?? {}), [user]);
    await patch({ type: 'None' });
    assert.equal(await read(), undefined);
  });
});

interface Fixed {
  readonly target: string;
  readonly change: object;
}

const fixed: readonly Fixed[] = [
  { target: 'osProfile.customData', change: { osProfile: { customData: 'YQ==' } } },
  { target: 'osProfile.adminUsername', change: { osProfile: { adminUsername: 'else' } } },
  { target: 'osProfile.computerName', change: { osProfile: { computerName: 'else' } } },
  {
    target: 'linuxConfiguration.ssh.publicKeys',
    change: {
      osProfile: {
        linuxConfiguration: { ssh: { publicKeys: [{ path: '/home/ops/.ssh/authorized_keys', keyData: `${KEY}2` }] } },
      },
    },
  },
  {
    target: 'imageReference',
    change: {
      storageProfile: {
        imageReference: { publisher: 'Debian', offer: 'debian-12', sku: '12-gen2', version: 'latest' },
      },
    },
  },
  { target: 'osDisk.name', change: { storageProfile: { osDisk: { createOption: 'FromImage', name: 'else' } } } },
];

describe('what a virtual machine keeps for life', () => {
  for (const { target, change } of fixed) {
    it(target, async () => {
      await using at = await machineBench();
      await machine(at, 'a');
      const answer = await at.send('PATCH', ID.machine('a'), { body: { properties: change } });
      assert.equal(outcome(answer), '409 PropertyChangeNotAllowed');
      assert.equal(answer.body.error.target, target);
    });
  }

  it('the size of its disk, as long as it is asked of the machine', async () => {
    await using at = await machineBench();
    await machine(at, 'a');
    const body = { properties: { storageProfile: { osDisk: { createOption: 'FromImage', diskSizeGB: 64 } } } };
    assert.equal(outcome(await at.send('PATCH', ID.machine('a'), { body })), '409 OperationNotAllowed');
  });
});
