import assert from 'node:assert/strict';
import { LeaseLost } from '../../../src/ports/leases.ts';
import { apply, claimOf, draftOf, scope, settlementOf, workerOf } from '../fixtures.ts';
import type { Laws } from './bench.ts';

export const leaseLaws: Laws = {
  'one holder at a time: a second one is told who, and since when': async ({ store, other, estate }) => {
    const { lease } = await workerOf(store, estate);
    const refused = await other.leases.acquire(estate, scope, 'ci@there 2');
    assert.ok(!refused.ok);
    assert.equal(refused.heldBy, 'ops@here 1');
    assert.ok(Number.isFinite(refused.since) && refused.since > 0);
    assert.equal((await store.leases.acquire(estate, scope, 'ops@here 1')).ok, false);
    assert.ok((await other.leases.acquire(estate, 'aws/1/us-east-1', 'ci@there 2')).ok);
    assert.ok((await other.leases.acquire(`${estate}-2`, scope, 'ci@there 2')).ok);
    assert.ok(lease.remainingMs() > 0 && !lease.signal.aborted);
  },

  'a released lease is free at once, with a higher epoch, and its old holder may write no more': async (bench) => {
    const { store, other, estate } = bench;
    const { lease, reconcile } = await workerOf(store, estate);
    await lease.release();
    await assert.rejects(store.ledger.intend(reconcile, [draftOf('create', 'a')]), LeaseLost);
    assert.ok(lease.remainingMs() <= 0);
    const next = await other.leases.acquire(estate, scope, 'ci@there 2');
    assert.ok(next.ok && next.lease.epoch > lease.epoch);
    await lease.release();
    assert.equal((await store.leases.acquire(estate, scope, 'x')).ok, false);
  },

  'who holds what can be read, and what is released or lapsed is held by nobody': async (bench) => {
    const { store, other, estate } = bench;
    const { lease } = await workerOf(store, estate);
    const elsewhere = await other.leases.acquire(estate, 'aws/1/us-east-1', 'ci@there 2');
    assert.ok(elsewhere.ok);
    await workerOf(store, `${estate}-2`);
    const [first, second, ...more] = await other.leases.held(estate);
    assert.equal(more.length, 0);
    assert.deepEqual(first, { estate, scope: 'aws/1/us-east-1', holder: 'ci@there 2', epoch: 1, since: first?.since });
    assert.deepEqual(second, { estate, scope, holder: lease.holder, epoch: lease.epoch, since: second?.since });
    assert.ok(Number.isFinite(second.since) && second.since > 0);
    assert.ok((await store.leases.held()).some((one) => one.estate === `${estate}-2`));
    await elsewhere.lease.release();
    assert.deepEqual(await store.leases.held(estate), [second]);
    await bench.lapse(estate, scope);
    assert.deepEqual(await store.leases.held(estate), []);
  },

  'a lapsed lease can be taken; then the old holder can neither intend, settle nor take over': async (bench) => {
    const { store, other, estate } = bench;
    const { reconcile } = await workerOf(store, estate);
    const [intended] = await store.ledger.intend(reconcile, [draftOf('create', 'a')]);
    await bench.lapse(estate, scope);
    const next = await other.leases.acquire(estate, scope, 'ci@there 2');
    assert.ok(next.ok && next.lease.epoch > reconcile.lease.epoch);
    await assert.rejects(store.ledger.intend(reconcile, [draftOf('create', 'b')]), LeaseLost);
    await assert.rejects(store.ledger.settle(reconcile, [settlementOf(intended)]), LeaseLost);
    await assert.rejects(store.estates.takeover(reconcile, [claimOf('a')], 'x'), LeaseLost);
    const known = await other.inventory.knowledge(estate, scope);
    assert.deepEqual([known.pending.length, known.settled.size], [1, 0]);
  },

  'a holder that lost its lease and took it again writes by the new epoch only': async ({ store, estate, lapse }) => {
    const { reconcile } = await workerOf(store, estate);
    const [intended] = await store.ledger.intend(reconcile, [draftOf('create', 'a')]);
    await lapse(estate, scope);
    const again = await workerOf(store, estate);
    assert.equal(again.lease.holder, reconcile.lease.holder);
    await assert.rejects(store.ledger.settle(reconcile, [settlementOf(intended)]), LeaseLost);
    assert.equal((await store.inventory.knowledge(estate, scope)).pending.length, 1);
    await store.ledger.settle(again.reconcile, [settlementOf(intended)]);
  },

  'a lapsed lease that nobody took: nothing new is begun, but what was sent may be settled': async (bench) => {
    const { store, estate } = bench;
    const { reconcile } = await workerOf(store, estate);
    const [intended] = await store.ledger.intend(reconcile, [draftOf('create', 'a')]);
    await bench.lapse(estate, scope);
    await assert.rejects(store.ledger.intend(reconcile, [draftOf('create', 'b')]), LeaseLost);
    await store.ledger.settle(reconcile, [settlementOf(intended)]);
    assert.equal((await store.inventory.knowledge(estate, scope)).pending.length, 0);
  },

  'a made-up lease writes nothing': async ({ store, estate }) => {
    const worker = await workerOf(store, estate);
    const forged = [
      { holder: worker.lease.holder, epoch: worker.lease.epoch + 1 },
      { holder: 'someone@else 3', epoch: worker.lease.epoch },
    ];
    for (const lease of forged)
      await assert.rejects(
        apply({ ...worker, reconcile: { ...worker.reconcile, lease } }, draftOf('create', 'a')),
        LeaseLost,
      );
    const elsewhere = { ...worker.reconcile, scope: 'aws/1/us-east-1' };
    await assert.rejects(apply({ ...worker, reconcile: elsewhere }, draftOf('create', 'a')), LeaseLost);
  },
};
