import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { given } from '../bench.ts';
import { begun, type Machines, PROJECT, pass, WEB, withNetwork, ZONE } from './instance-bench.ts';

const at = { project: PROJECT, zone: ZONE, instance: 'web' } as const;

const place = `${PROJECT}/zones/${ZONE}`;

const insert = ({ instances }: Machines, more: object = {}) =>
  instances.insert({ project: PROJECT, zone: ZONE, instanceResource: { ...WEB, ...more } });

const statusOf = async ({ raw }: Machines, name = 'web') => {
  const { status, body } = await raw('GET', `${place}/instances/${name}`);
  return status === 200 ? body['status'] : status;
};

async function running(more: object = {}): Promise<Machines> {
  const made = await withNetwork();
  await insert(made, more);
  pass(made);
  return made;
}

const external = { networkInterfaces: [{ ...WEB.networkInterfaces[0], accessConfigs: [{}] }] };

async function natOf({ instances }: Machines): Promise<string | null | undefined> {
  const [instance] = await instances.get(at);
  return instance.networkInterfaces?.[0]?.accessConfigs?.[0]?.natIP;
}

describe('an instance of Compute Engine', () => {
  it('is provisioned, staged and runs', async () => {
    await using made = await withNetwork();
    const operation = begun(await insert(made));
    assert.equal(operation.operationType, 'insert');
    assert.match(operation.targetLink, /\/zones\/europe-west1-b\/instances\/web$/);
    const seen = [await statusOf(made)];
    pass(made, 5000);
    seen.push(await statusOf(made));
    pass(made, 5000);
    seen.push(await statusOf(made));
    assert.deepEqual(seen, ['PROVISIONING', 'STAGING', 'RUNNING']);
  });

  it('has what the API adds', async () => {
    await using made = await running({
      tags: { items: ['web', 'lb'] },
      labels: { tier: 'web' },
      metadata: { items: [{ key: 'startup-script', value: '#!/bin/sh' }] },
      serviceAccounts: [{ email: 'default', scopes: ['https://www.googleapis.com/auth/cloud-platform'] }],
      scheduling: { preemptible: true },
    });
    const [web] = await made.instances.get(at);
    assert.equal(web.machineType?.endsWith(`/compute/v1/projects/${place}/machineTypes/e2-small`), true);
    assert.deepEqual([web.tags?.items, web.labels], [['web', 'lb'], { tier: 'web' }]);
    assert.deepEqual(
      web.metadata?.items?.map(({ key, value }) => [key, value]),
      [['startup-script', '#!/bin/sh']],
    );
    assert.equal(web.serviceAccounts?.[0]?.email, '123456789012-compute@developer.gserviceaccount.com');
    assert.deepEqual(
      [web.scheduling?.onHostMaintenance, web.scheduling?.automaticRestart, web.scheduling?.provisioningModel],
      ['TERMINATE', false, 'SPOT'],
    );
    const nic = given(web.networkInterfaces?.[0]);
    assert.deepEqual([nic.name, nic.networkIP, nic.accessConfigs], ['nic0', '10.20.1.2', []]);
    const disk = given(web.disks?.[0]);
    assert.deepEqual([disk.boot, disk.autoDelete, disk.index, disk.diskSizeGb], [true, true, 0, '10']);
    assert.equal(disk.initializeParams, undefined, 'write-only');
  });

  it('takes addresses one after the other, or the one that it is given', async () => {
    await using made = await running();
    await insert(made, { name: 'next' });
    const nic = { ...WEB.networkInterfaces[0], networkIP: '10.20.1.77' };
    await insert(made, { name: 'chosen', networkInterfaces: [nic] });
    const addresses = await Promise.all(
      ['web', 'next', 'chosen'].map(async (instance) => {
        const [found] = await made.instances.get({ ...at, instance });
        return found.networkInterfaces?.[0]?.networkIP;
      }),
    );
    assert.deepEqual(addresses, ['10.20.1.2', '10.20.1.3', '10.20.1.77']);
  });
});

describe('the power of an instance', () => {
  it('stops as TERMINATED without its external address, and starts with another', async () => {
    await using made = await running(external);
    const before = given(await natOf(made));
    await made.instances.stop(at);
    assert.equal(await statusOf(made), 'STOPPING');
    pass(made);
    assert.deepEqual([await statusOf(made), await natOf(made)], ['TERMINATED', undefined]);
    const { body } = await made.raw('GET', `${place}/instances/web`);
    assert.equal(body['cpuPlatform'], 'Unknown CPU Platform');
    assert.equal(body['lastStopTimestamp'], '2025-12-31T16:03:10.000-08:00');
    await made.instances.start(at);
    pass(made);
    const after = given(await natOf(made));
    assert.equal(await statusOf(made), 'RUNNING');
    assert.notEqual(after, before);
  });

  it('is stopped and started again and again without harm, and reset only while it runs', async () => {
    await using made = await running();
    await made.instances.start(at);
    pass(made);
    assert.equal(await statusOf(made), 'RUNNING');
    await made.instances.reset(at);
    pass(made);
    for (let time = 0; time < 2; time++) {
      await made.instances.stop(at);
      pass(made);
      assert.equal(await statusOf(made), 'TERMINATED');
    }
    const { body } = await made.raw('POST', `${place}/instances/web/reset`);
    assert.equal(body.error?.errors[0]?.reason, 'resourceNotReady');
  });

  it('on its way is not ready for anything else', async () => {
    await using made = await withNetwork();
    await insert(made);
    for (const [method, path] of [
      ['POST', '/stop'],
      ['DELETE', ''],
      ['POST', '/setDeletionProtection'],
    ] as const) {
      const { status, body } = await made.raw(method, `${place}/instances/web${path}`);
      assert.deepEqual([status, body.error?.errors[0]?.reason], [400, 'resourceNotReady'], path);
    }
  });
});

describe('the end of an instance', () => {
  it('goes with the disks that are to go, and leaves the others', async () => {
    await using made = await running();
    const keep = { ...WEB.disks?.[0], autoDelete: false };
    const data = { deviceName: 'data', autoDelete: true, initializeParams: { diskName: 'data', diskSizeGb: '50' } };
    await insert(made, { name: 'db', disks: [keep, data] });
    pass(made);
    for (const instance of ['web', 'db']) await made.instances.delete({ ...at, instance });
    assert.deepEqual([await statusOf(made), await statusOf(made, 'db')], ['STOPPING', 'STOPPING']);
    pass(made);
    assert.deepEqual([await statusOf(made), await statusOf(made, 'db')], [404, 404]);
    const [disks] = await made.disks.list({ project: PROJECT, zone: ZONE });
    assert.deepEqual(
      disks.map(({ name, users }) => [name, users]),
      [['db', []]],
    );
    await insert(made);
    pass(made);
    assert.equal(await statusOf(made), 'RUNNING', 'name and address are free again');
  });

  it('that is protected stays', async () => {
    await using made = await running({ deletionProtection: true });
    const { status, body } = await made.raw('DELETE', `${place}/instances/web`);
    assert.deepEqual([status, body.error?.errors[0]?.reason], [400, 'invalidResourceUsage']);
    await made.instances.setDeletionProtection({
      project: PROJECT,
      zone: ZONE,
      resource: 'web',
      deletionProtection: false,
    });
    pass(made);
    await made.instances.delete(at);
    pass(made);
    assert.equal(await statusOf(made), 404);
  });
});

describe('an instance and its surroundings', () => {
  it('is inserted once per request id', async () => {
    await using made = await withNetwork();
    const requestId = '6b2f7c1e-8a52-4f0e-9a10-3a8d2e6f1b44';
    const call = { project: PROJECT, zone: ZONE, requestId, instanceResource: WEB };
    const first = begun(await made.instances.insert(call));
    pass(made);
    const second = begun(await made.instances.insert(call));
    assert.deepEqual([second.name, second.status], [first.name, 'DONE']);
  });

  it('that fails on its way leaves nothing behind', async () => {
    await using made = await withNetwork();
    made.sandbox.control.faults.add({
      match: { action: 'compute.instances.insert', times: 1 },
      effect: { kind: 'operation-error', code: 'ZONE_RESOURCE_POOL_EXHAUSTED', status: 503 },
    });
    await insert(made);
    assert.equal(await statusOf(made), 'PROVISIONING');
    pass(made);
    assert.equal(await statusOf(made), 404);
    const [disks] = await made.disks.list({ project: PROJECT, zone: ZONE });
    assert.deepEqual(disks, []);
    await insert(made);
    pass(made);
    const [web] = await made.instances.get(at);
    assert.equal(web.networkInterfaces?.[0]?.networkIP, '10.20.1.2');
  });

  it('keeps its subnetwork and its network from being deleted', async () => {
    await using made = await running();
    const { status, body } = await made.raw('DELETE', `${PROJECT}/regions/europe-west1/subnetworks/app`);
    assert.deepEqual([status, body.error?.errors[0]?.reason], [400, 'resourceInUseByAnotherResource']);
    assert.match(given(body.error?.errors[0]).message, /instances\/web'/);
  });
});
