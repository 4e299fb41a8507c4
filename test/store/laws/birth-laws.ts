import assert from 'node:assert/strict';
import type { InstanceAttributes } from '../../../src/core/resource.ts';
import type { Store } from '../../../src/ports/store.ts';
import { apply, scope, type Worker, workerOf } from '../fixtures.ts';
import type { Laws } from './bench.ts';

const document = `${scope}/instance/web`;
const address = `${document}-0`;

const machine = (image: string): InstanceAttributes => ({
  placement: { subnet: `${scope}/subnet/core.app`, publicIp: false },
  machine: { image, size: 'small', power: 'running' },
  labels: {},
});

const terms = { deletionPolicy: 'retain', protect: false, storeOnly: false } as const;

/** A machine is launched at the address, as the worker's generation asks for it. */
async function launch(worker: Worker, id: string, image: string, at = address): Promise<void> {
  const subject = { kind: 'instance', address: at } as const;
  await apply(
    worker,
    { verb: 'create', subject, details: {} },
    {
      effects: [
        { do: 'claim', subject: { ...subject, id }, terms },
        { do: 'apply', address: at, attributes: machine(image), documents: [document] },
      ],
    },
  );
}

const at = (worker: Worker, generation: number): Worker => ({
  ...worker,
  reconcile: { ...worker.reconcile, authority: { ...worker.reconcile.authority, generation } },
});

const birthsOf = async (store: Store, estate: string) => (await store.inventory.knowledge(estate, scope)).births ?? [];
const appliedAt = async (store: Store, estate: string) => {
  const applied = (await store.inventory.knowledge(estate, scope)).applied.get(address);
  return applied && [Object(applied.attributes).machine.image, applied.generation];
};
const failure = (id: string, wasReady: boolean) => ({ id, as: 'failed', why: `${id} was ended`, wasReady }) as const;
const by = { person: 'ada', reason: 'the image is mended' };

/** Laws of lately launched machines. */
export const birthLaws: Laws = {
  'a launch is a birth until it is released; what was made otherwise is none': async ({ store, other, estate }) => {
    const worker = await workerOf(store, estate);
    await launch(worker, 'i-1', 'ami-1');
    const [birth] = await birthsOf(other, estate);
    assert.ok(birth && birth.launchedAt > 0);
    assert.deepEqual(birth, {
      id: 'i-1',
      address,
      attributes: machine('ami-1'),
      generation: 1,
      launchedAt: birth.launchedAt,
    });
    const subject = { kind: 'instance', address, id: 'i-1' } as const;
    await apply(worker, { verb: 'delete', subject, details: {} }, { effects: [{ do: 'release', id: 'i-1' }] });
    assert.deepEqual(await birthsOf(other, estate), []);
    await apply(worker, { verb: 'adopt', subject, details: {} }, { effects: [{ do: 'claim', subject, terms }] });
    assert.deepEqual(await birthsOf(other, estate), []);
  },

  'a birth is ready since it was found so first, unless it was not in between, and proven for good': async (bench) => {
    const { store, estate } = bench;
    const { reconcile, ...worker } = await workerOf(store, estate);
    await launch({ reconcile, ...worker }, 'i-1', 'ami-1');
    const told = async () => (await birthsOf(store, estate)).map(({ readySince, proven }) => [readySince, proven]);
    await store.inventory.births(reconcile, [{ id: 'i-1', as: 'ready', at: 1000, proven: false }]);
    await store.inventory.births(reconcile, [{ id: 'i-1', as: 'ready', at: 2000, proven: false }]);
    assert.deepEqual(await told(), [[1000, undefined]]);
    await store.inventory.births(reconcile, [{ id: 'i-1', as: 'unready' }]);
    assert.deepEqual(await told(), [[undefined, undefined]]);
    await store.inventory.births(reconcile, [{ id: 'i-1', as: 'ready', at: 3000, proven: true }]);
    await store.inventory.births(reconcile, [{ id: 'i-1', as: 'ready', at: 4000, proven: false }]);
    assert.deepEqual(await told(), [[3000, true]]);
  },

  'what was never ready is not applied: the address goes back to what it held, and the ledger says so': async (
    bench,
  ) => {
    const { store, estate } = bench;
    const worker = await workerOf(store, estate);
    await launch(worker, 'i-1', 'ami-1');
    await launch(at(worker, 2), 'i-2', 'ami-2');
    assert.deepEqual(await appliedAt(store, estate), ['ami-2', 2]);
    await store.inventory.births(worker.reconcile, [failure('i-2', false)]);
    await store.inventory.births(worker.reconcile, [failure('i-2', false)]);
    assert.deepEqual(await appliedAt(store, estate), ['ami-1', 1]);
    const notes: unknown[] = [];
    for await (const { type, body } of store.ledger.entries({ estate })) if (type === 'note') notes.push(body['note']);
    const why = 'i-2 was ended';
    assert.deepEqual(notes, [{ failedBirth: { scope, address, id: 'i-2', generation: 2, why, back: 1 } }]);
  },

  'nothing is applied where the first machine of an address never was ready': async ({ store, estate }) => {
    const worker = await workerOf(store, estate);
    await launch(worker, 'i-1', 'ami-1');
    await store.inventory.births(worker.reconcile, [failure('i-1', false)]);
    assert.equal(await appliedAt(store, estate), undefined);
  },

  'what had been ready stays applied, and so does what a later generation applied': async ({ store, estate }) => {
    const worker = await workerOf(store, estate);
    await launch(worker, 'i-1', 'ami-1');
    await store.inventory.births(worker.reconcile, [failure('i-1', true)]);
    assert.deepEqual(await appliedAt(store, estate), ['ami-1', 1]);
    await launch(at(worker, 2), 'i-2', 'ami-2');
    await launch(at(worker, 3), 'i-3', 'ami-3');
    await store.inventory.births(worker.reconcile, [failure('i-2', false)]);
    assert.deepEqual(await appliedAt(store, estate), ['ami-3', 3]);
  },

  'a birth that failed after it was ready and its generation was applied stops no rollout': async (bench) => {
    const { store, other, estate } = bench;
    const worker = await workerOf(store, estate, { generation: 2 });
    await launch(worker, 'i-1', 'ami-2');
    const where = { estate, scope };
    await store.inventory.births(worker.reconcile, [{ id: 'i-1', as: 'ready', at: 1000, proven: true }]);
    await store.fleet.rollouts.stand(where, 2);
    await store.inventory.births(worker.reconcile, [failure('i-1', true)]);
    assert.deepEqual(
      (await birthsOf(other, estate)).map(({ isRolledOut, failed }) => [isRolledOut, failed !== undefined]),
      [[true, true]],
    );
    assert.deepEqual(await other.fleet.rollouts.stopped(where), []);
  },

  'failed births stop the rollout of their document until a person resumes it': async ({ store, other, estate }) => {
    const where = { estate, scope };
    const worker = await workerOf(store, estate);
    await launch(worker, 'i-1', 'ami-1');
    await launch(worker, 'i-2', 'ami-1', `${document}-1`);
    await store.inventory.births(worker.reconcile, [failure('i-1', false), failure('i-2', false)]);
    const [stop, ...others] = await other.fleet.rollouts.stopped(where);
    assert.deepEqual([stop?.document, stop?.generation, others], [document, 1, []]);
    assert.match(stop?.why ?? '', /^2 new machines in a row failed: i-\d was ended$/);
    await store.fleet.rollouts.resume(where, by, `${scope}/instance/other`);
    assert.equal((await birthsOf(other, estate)).length, 2);
    await store.fleet.rollouts.resume(where, by, document);
    assert.deepEqual([await birthsOf(other, estate), await other.fleet.rollouts.stopped(where)], [[], []]);
  },

  'one that survived ends the row of those that asked for the same, and of no others': async ({ store, estate }) => {
    const worker = await workerOf(store, estate);
    await launch(worker, 'i-1', 'ami-1');
    await launch(worker, 'i-2', 'ami-2');
    await store.inventory.births(worker.reconcile, [failure('i-1', false), failure('i-2', false)]);
    await launch(worker, 'i-3', 'ami-1', `${document}-1`);
    await store.inventory.births(worker.reconcile, [{ id: 'i-3', as: 'survived' }]);
    assert.deepEqual(
      (await birthsOf(store, estate)).map(({ id }) => id),
      ['i-2'],
    );
  },
};
