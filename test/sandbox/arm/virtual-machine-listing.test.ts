import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PATIENCE_MS, processorTime } from '../processor-time.ts';
import { collect, outcome, QUICK } from './bench.ts';
import { COMPUTE, GROUP, given, ID, machineBench, standing } from './machine-bench.ts';

const ALL = COMPUTE.replace('/resourceGroups/Rg', '');

const names = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `m${index}`);

describe('a listing of virtual machines', () => {
  it('comes in pages of fifty, by group and in all', async () => {
    await using at = await machineBench();
    given(at, ...names(120).flatMap((name) => standing(name)));
    const sizes: number[] = [];
    for await (const page of at.compute.virtualMachines.listAll().byPage()) sizes.push(page.length);
    assert.deepEqual(sizes, [50, 50, 20]);
    const listed = (await collect(at.compute.virtualMachines.list(GROUP))).map(({ name }) => name);
    assert.deepEqual(listed, names(120));
    assert.equal(at.sandbox.control.log.counts()['virtualMachines.listAll'], 3);
  });

  it('tells power with statusOnly alone, and then no model', async () => {
    await using at = await machineBench();
    given(at, ...names(2).flatMap((name) => standing(name)));
    await at.compute.virtualMachines.deallocate(GROUP, 'm1', QUICK);
    const plain = await collect(at.compute.virtualMachines.listAll());
    assert.deepEqual([plain[0]?.instanceView, plain[0]?.hardwareProfile?.vmSize], [undefined, 'Standard_D2s_v5']);
    const told = await collect(at.compute.virtualMachines.listAll({ statusOnly: 'true' }));
    assert.deepEqual(
      told.map(({ id, instanceView }) => [id, instanceView?.statuses?.[1]?.code]),
      [
        [ID.machine('m0'), 'PowerState/running'],
        [ID.machine('m1'), 'PowerState/deallocated'],
      ],
    );
    assert.equal(told[0]?.hardwareProfile, undefined);
    const expanded = await at.send('GET', `${ALL}/virtualMachines?$expand=instanceView`);
    assert.equal(outcome(expanded), '400 InvalidParameter');
  });

  it('throttled says so in the words of Compute, with what is left', async () => {
    await using at = await machineBench({ budgets: true });
    const first = await at.send('GET', `${ALL}/virtualMachines`);
    assert.match(
      first.headers.get('x-ms-ratelimit-remaining-resource') ?? '',
      /^Microsoft\.Compute\/HighCostGetSubscriptionMaximum;899$/,
    );
    at.sandbox.control.faults.add({
      match: { action: 'virtualMachines.listAll', times: 1 },
      effect: { kind: 'throttle' },
    });
    const { status, headers, body } = await at.send('GET', `${ALL}/virtualMachines`);
    assert.equal(status, 429);
    assert.ok(Number(headers.get('retry-after')) >= 1);
    assert.equal(body.error.code, 'OperationNotAllowed');
    const [detail] = body.error.details;
    assert.deepEqual([detail.code, detail.target], ['TooManyRequests', 'HighCostGet']);
    assert.equal(JSON.parse(detail.message).allowedRequestCount, 900);
  });

  it('of ten thousand is there without work for each pair', async () => {
    await using at = await machineBench();
    const subnets = [{ name: 'big', properties: { addressPrefix: '10.40.0.0/17' } }];
    const network = { type: 'Microsoft.Network/virtualNetworks', group: GROUP, name: 'big' };
    given(at, { ...network, properties: { addressSpace: { addressPrefixes: ['10.40.0.0/16'] }, subnets } });
    const resources = names(10_000).flatMap((name) => standing(name, {}, ID.subnet('big', 'big')));
    const worked = processorTime();
    given(at, ...resources);
    assert.ok(worked() < PATIENCE_MS, `${worked()} ms`);
    const { machines, interfaces } = at.sandbox.control.arm.subscription(ID.subnet().split('/')[2] ?? '');
    assert.deepEqual([machines.size, interfaces.size], [10_000, 10_000]);
  });
});
