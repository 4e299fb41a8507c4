import assert from 'node:assert/strict';
import type { ScopeCost } from '../../../src/ports/fleet-state.ts';
import type { IntentDraft, Reconcile } from '../../../src/ports/ledger.ts';
import type { Store } from '../../../src/ports/store.ts';
import { apply, claimOf, guardsOf, launch, scope, unanswered, type Worker, workerOf } from '../fixtures.ts';
import type { Bench, Laws } from './bench.ts';

const there = 'aws/2/us-east-1';
const costing = (monthly: number, more: Partial<ScopeCost> = {}): ScopeCost => ({
  ...{ generation: 1, currency: 'USD', monthly, plannedIncrease: 0, unpriced: [] },
  ...more,
});

const limitsOf = (monthly: number) => ({ deletes: 9, replaces: 9, cost: { monthly, currency: 'USD' } });

/** A worker of an estate with a limit, whose own scope costs so much. */
async function limited({ store, estate }: Bench, monthly: number, own = 0, allowCost?: number): Promise<Worker> {
  await store.generations.accept(estate, 'abc', guardsOf(limitsOf(monthly)));
  const worker = await workerOf(store, estate, allowCost === undefined ? {} : { allowCost });
  await store.fleet.costs.keep(worker.reconcile, costing(own));
  return worker;
}

const costlyLaunch = (name: string, raisesCostBy: number, more: Partial<IntentDraft> = {}): IntentDraft => ({
  ...launch(name),
  raisesCostBy,
  ...more,
});

const monthlyOf = async (store: Store, estate: string): Promise<readonly (readonly [string, number | undefined])[]> =>
  (await store.fleet.costs.list(estate)).map(({ scope: one, cost }) => [one, cost?.monthly] as const);

export const scopeCostLaws: Laws = {
  'what raises the cost is intended while the sum of all scopes is within the limit': async (bench) => {
    const { store, other, estate } = bench;
    const worker = await limited(bench, 100, 40);
    await other.fleet.costs.fill({ estate, scope: there }, costing(30), undefined);
    const drafts = [costlyLaunch('a', 20), costlyLaunch('b', 20), costlyLaunch('c', 10), launch('free')];
    const intended = await store.ledger.intend(worker.reconcile, drafts);
    assert.deepEqual(
      intended.map(({ ok }) => ok),
      [true, false, true, true],
    );
    const [, refused] = intended;
    assert.match(
      refused?.ok === false ? refused.why : '',
      /^the estate would cost 110.00 USD a month, the limit is 100.00 \(limits.cost\); this change adds 20.00\..*--allow-cost 110.00/,
    );
    assert.equal(refused?.ok === false && refused.reason, 'limit');
    assert.deepEqual(await monthlyOf(other, estate), [
      [scope, 70],
      [there, 30],
    ]);
  },

  'an intent raises the cost once, however often it is attempted': async (bench) => {
    const { store, estate } = bench;
    const worker = await limited(bench, 100);
    for (let attempt = 1; attempt <= 3; attempt++) {
      const intended = await apply(worker, costlyLaunch('a', 60), unanswered);
      assert.equal(intended.ok && intended.attempt, attempt);
    }
    assert.deepEqual(await monthlyOf(store, estate), [[scope, 60]]);
  },

  'what the cost refuses takes no place of another limit': async (bench) => {
    const { store, estate } = bench;
    await store.generations.accept(estate, 'abc', guardsOf({ ...limitsOf(100), creates: 1 }));
    const worker = await workerOf(store, estate);
    await store.fleet.costs.keep(worker.reconcile, costing(90));
    const intended = await store.ledger.intend(worker.reconcile, [costlyLaunch('a', 20), costlyLaunch('b', 10)]);
    assert.deepEqual(
      intended.map(({ ok }) => ok),
      [false, true],
    );
    assert.equal((await store.generations.spent(estate, 1)).generation.creates, 1);
    assert.equal((await store.inventory.knowledge(estate, scope)).pending.length, 1);
  },

  'a person allows a sum, and an approval what it covers': async (bench) => {
    const { store, estate, now } = bench;
    const worker = await limited(bench, 10, 0, 50);
    const by = { person: 'ops', reason: 'known' };
    const given = { digest: 'd', actions: ['x'], destroys: 0, creates: 1, by, until: now() + 60_000 };
    await store.fleet.approvals.give({ estate, scope, generation: 1, ...given });
    const approval = { digest: 'x', halves: [] };
    const drafts = [
      costlyLaunch('a', 50),
      costlyLaunch('b', 1),
      costlyLaunch('c', 70, { approval }),
      costlyLaunch('d', 1),
    ];
    const intended = await store.ledger.intend(worker.reconcile, drafts);
    assert.deepEqual(
      intended.map(({ ok }) => ok),
      [true, false, true, false],
    );
    assert.deepEqual(await monthlyOf(store, estate), [[scope, 120]]);
  },

  'the lower limit of two generations holds; without one nothing is refused': async (bench) => {
    const { store, estate } = bench;
    const first = await limited(bench, 100);
    await first.lease.release();
    await store.generations.accept(estate, 'r2', guardsOf(limitsOf(1000)));
    const second = await workerOf(store, estate, { generation: 2 });
    assert.equal((await apply(second, costlyLaunch('a', 101))).ok, false);
    await second.lease.release();
    await store.generations.accept(estate, 'r3', guardsOf({ deletes: 9, replaces: 9 }));
    const third = await workerOf(store, estate, { generation: 3 });
    assert.equal((await apply(third, costlyLaunch('a', 101))).ok, true);
    assert.equal((await apply(third, costlyLaunch('b', 1000))).ok, false);
    await third.lease.release();
    await store.generations.accept(estate, 'r4', guardsOf({ deletes: 9, replaces: 9 }));
    const fourth = await workerOf(store, estate, { generation: 4 });
    assert.equal((await apply(fourth, costlyLaunch('b', 1000))).ok, true);
  },

  'a scope whose cost nobody counted raises nothing': async ({ store, estate }) => {
    await store.generations.accept(estate, 'abc', guardsOf(limitsOf(100)));
    const worker = await workerOf(store, estate);
    const intended = await apply(worker, costlyLaunch('a', 1));
    assert.match(intended.ok ? '' : intended.why, /the cost of this scope is not counted yet/);
  },

  'scopes cannot race: the estate has one cost': async (bench) => {
    const { store, other, estate } = bench;
    const { reconcile } = await limited(bench, 50);
    const second = await other.leases.acquire(estate, there, 'ops@there 2');
    assert.ok(second.ok);
    const { holder, epoch } = second.lease;
    const otherReconcile: Reconcile = { ...reconcile, scope: there, lease: { holder, epoch } };
    await other.fleet.costs.keep(otherReconcile, costing(0));
    const all = await Promise.all(
      Array.from({ length: 5 }, (_, i) => [
        store.ledger.intend(reconcile, [costlyLaunch(`a${i}`, 10)]),
        other.ledger.intend(otherReconcile, [costlyLaunch(`b${i}`, 10)]),
      ]).flat(),
    );
    assert.equal(all.flat().filter(({ ok }) => ok).length, 5);
    const costs = await store.fleet.costs.list(estate);
    assert.equal(
      costs.reduce((sum, { cost }) => sum + (cost?.monthly ?? 0), 0),
      50,
    );
  },

  'a scope keeps its cost under its lease alone, and another fills it in once a generation': async (bench) => {
    const { store, other, estate } = bench;
    const { costs } = other.fleet;
    const worker = await limited(bench, 100, 10);
    const monthly = async () => (await monthlyOf(store, estate))[0]?.[1];
    await costs.fill(worker.reconcile, costing(99), 10);
    assert.equal(await monthly(), 10);
    await costs.keep({ ...worker.reconcile, lease: { holder: 'somebody else', epoch: 1 } }, costing(99));
    await costs.keep({ ...worker.reconcile, lease: { ...worker.reconcile.lease, epoch: 999 } }, costing(99));
    assert.equal(await monthly(), 10);
    await costs.fill(worker.reconcile, costing(20, { generation: 2 }), 10);
    assert.equal(await monthly(), 20);
    await store.fleet.costs.keep(worker.reconcile, costing(5));
    assert.equal(await monthly(), 20);
    const last = costing(7, { generation: 2, plannedIncrease: 3, unpriced: ['aws eu-1 t3.xyz'] });
    await store.fleet.costs.keep(worker.reconcile, last);
    assert.deepEqual(await costs.list(estate), [{ scope, cost: last }]);
  },

  'a cost without a planned increase leaves that of its generation, and is kept where there are some': async (
    bench,
  ) => {
    const { store, estate } = bench;
    const { costs } = store.fleet;
    const worker = await limited(bench, 100, 10);
    const kept = async () => (await costs.list(estate)).find((one) => one.scope === scope)?.cost;
    const { plannedIncrease: _, ...healed } = costing(20);
    await costs.keep(worker.reconcile, costing(10, { plannedIncrease: 30 }));
    await costs.keep(worker.reconcile, healed);
    assert.deepEqual(await kept(), costing(20, { plannedIncrease: 30 }));
    await costs.keep(worker.reconcile, { ...healed, generation: 2 });
    assert.deepEqual(await kept(), costing(20, { plannedIncrease: 30 }));
    await costs.dropEmpty({ estate, scopes: [] });
    await costs.keep(worker.reconcile, healed);
    assert.equal(await kept(), undefined);
  },

  'what heals by a former generation heeds the limit of the newest one': async (bench) => {
    const { store, estate } = bench;
    await store.generations.accept(estate, 'r1', guardsOf({ deletes: 9, replaces: 9 }));
    await store.generations.accept(estate, 'r2', guardsOf(limitsOf(50)));
    const worker = await workerOf(store, estate, { generation: 1 });
    await store.fleet.costs.keep(worker.reconcile, costing(45, { generation: 2 }));
    const intended = await store.ledger.intend(worker.reconcile, [costlyLaunch('a', 6), costlyLaunch('b', 5)]);
    assert.deepEqual(
      intended.map(({ ok }) => ok),
      [false, true],
    );
  },

  'costs in two currencies make no sum: nothing is raised, however high the limit': async (bench) => {
    const { store, other, estate } = bench;
    await store.generations.accept(estate, 'abc', guardsOf(limitsOf(1000)));
    const worker = await workerOf(store, estate);
    await store.fleet.costs.keep(worker.reconcile, costing(10, { currency: 'EUR' }));
    const [ofLimit] = await store.ledger.intend(worker.reconcile, [costlyLaunch('a', 1)]);
    assert.match(ofLimit?.ok === false ? ofLimit.why : '', /^the cost limit was in USD before this commit/);
    await store.fleet.costs.keep(worker.reconcile, costing(10));
    await other.fleet.costs.fill({ estate, scope: there }, costing(1, { currency: 'EUR' }), undefined);
    const [ofScope] = await store.ledger.intend(worker.reconcile, [costlyLaunch('a', 1)]);
    assert.match(ofScope?.ok === false ? ofScope.why : '', /the last cost of aws\/2\/us-east-1 is in EUR/);
    await other.fleet.costs.fill({ estate, scope: there }, costing(1, { generation: 2 }), 1);
    assert.equal((await apply(worker, costlyLaunch('a', 1))).ok, true);
  },

  'two intents at once stay within the limit, although somebody counts the scope of one of them meanwhile': async (
    bench,
  ) => {
    const { store, other, estate } = bench;
    const { costs } = store.fleet;
    const { reconcile } = await limited(bench, 50);
    const second = await other.leases.acquire(estate, there, 'ops@there 2');
    assert.ok(second.ok);
    const { holder, epoch } = second.lease;
    const otherReconcile: Reconcile = { ...reconcile, scope: there, lease: { holder, epoch } };
    const sum = async () => (await monthlyOf(store, estate)).reduce((total, [, monthly = 0]) => total + monthly, 0);
    await other.fleet.costs.keep(otherReconcile, costing(0));
    assert.equal((await other.ledger.intend(otherReconcile, [costlyLaunch('b', 20)]))[0]?.ok, true);
    // It was counted by what was read before the intent.
    await costs.fill({ estate, scope: there }, costing(0, { generation: 2 }), 0);
    assert.equal(await sum(), 20);
    const [mine, theirs] = await Promise.all([
      store.ledger.intend(reconcile, [costlyLaunch('a', 30)]),
      other.ledger.intend(otherReconcile, [costlyLaunch('c', 30)]),
      costs.fill({ estate, scope: there }, costing(20, { generation: 2 }), 20),
    ]);
    assert.equal([...mine, ...theirs].filter(({ ok }) => ok).length, 1);
    assert.equal(await sum(), 50);
    assert.equal((await store.ledger.intend(reconcile, [costlyLaunch('d', 1)]))[0]?.ok, false);
  },

  'a scope that left the specs costs nothing once no machine of ours and no open intent is there': async (bench) => {
    const { store, other, estate } = bench;
    const worker = await limited(bench, 100, 10);
    const left = async (...scopes: readonly string[]) => {
      await other.fleet.costs.dropEmpty({ estate, scopes });
      return (await monthlyOf(other, estate)).map(([one]) => one);
    };
    await store.fleet.costs.fill({ estate, scope: there }, costing(90), undefined);
    assert.equal((await apply(worker, costlyLaunch('a', 10))).ok, false);
    assert.deepEqual(await left(scope, there), [scope, there]);
    assert.deepEqual(await left(scope), [scope]);
    const machine = { ...claimOf('a'), subject: { ...launch('a').subject, id: 'i-a' } };
    assert.equal((await apply(worker, costlyLaunch('a', 10), { effects: [machine] })).ok, true);
    assert.deepEqual(await left(), [scope], 'a machine of ours stands there');
    const second = await other.leases.acquire(estate, there, 'ops@there 2');
    assert.ok(second.ok);
    const { holder, epoch } = second.lease;
    const otherReconcile: Reconcile = { ...worker.reconcile, scope: there, lease: { holder, epoch } };
    await other.fleet.costs.keep(otherReconcile, costing(1));
    assert.equal((await other.ledger.intend(otherReconcile, [costlyLaunch('b', 1)]))[0]?.ok, true);
    assert.deepEqual(await left(), [scope, there], 'an intent is open there');
  },

  'every observed scope is listed, counted or not, and a raise that is intended is planned no more': async (bench) => {
    const { store, estate } = bench;
    const worker = await limited(bench, 100);
    await store.inventory.record(estate, { scope: there, at: 1, resources: [], gaps: [], pending: [], calls: 0 });
    await store.fleet.costs.keep(worker.reconcile, costing(1, { plannedIncrease: 25 }));
    await store.ledger.intend(worker.reconcile, [costlyLaunch('a', 20)]);
    assert.deepEqual(await store.fleet.costs.list(estate), [
      { scope, cost: costing(21, { plannedIncrease: 5 }) },
      { scope: there },
    ]);
    await store.ledger.intend(worker.reconcile, [costlyLaunch('b', 20)]);
    assert.deepEqual((await store.fleet.costs.list(estate))[0]?.cost, costing(41));
  },
};
