import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startWorker } from '../../src/fleet/worker.ts';
import type { WorkerContext } from '../../src/fleet/worker-context.ts';
import { network } from '../support/engine-world/documents.ts';
import { type FleetWorld, fleetWorld, idleQueue } from '../support/fleet-world.ts';

/** The order of events as a worker starts on this world: SDKs loaded, then jobs taken. */
async function startedOn(
  { context }: FleetWorld,
  load: () => Promise<void> = async () => {},
): Promise<readonly string[]> {
  const order: string[] = [];
  const outside: WorkerContext['outside'] = {
    ...context.outside,
    cloud: async (cloud) => ({
      ...(await context.outside.cloud(cloud)),
      load: async () => {
        order.push(`load ${cloud}`);
        await load();
      },
    }),
  };
  const queue = {
    ...idleQueue(),
    work: async () => {
      order.push('work');
      return { busy: () => [], stop: async () => {} };
    },
  };
  const log = { ...context.telemetry.log, warn: (message: string) => void order.push(message) };
  const telemetry = { ...context.telemetry, log };
  const worker = await startWorker(
    { sources: [], reconcileEveryMs: 60_000, atOnce: 1 },
    { ...context, queue, outside, telemetry },
  );
  await worker.stop();
  return order;
}

async function applied(): Promise<FleetWorld> {
  const world = fleetWorld();
  await world.accept([network()]);
  await world.reconcile();
  return world;
}

describe('a worker that starts', () => {
  it('loads the SDK of each cloud where something is held, before it takes a job', async () =>
    assert.deepEqual(await startedOn(await applied()), ['load memory', 'work']));

  it('loads none where nothing is held', async () => assert.deepEqual(await startedOn(fleetWorld()), ['work']));

  it('starts although an SDK does not load', async () =>
    assert.deepEqual(await startedOn(await applied(), () => Promise.reject(new Error('no such package'))), [
      'load memory',
      'cannot load the SDKs at start; reconciles load what they need',
      'work',
    ]));
});
