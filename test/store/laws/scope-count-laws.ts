import assert from 'node:assert/strict';
import { noCount } from '../../../src/core/limits.ts';
import { apply, deletion, denied, guardsOf, launch, scope, workerOf } from '../fixtures.ts';
import type { Bench, Laws } from './bench.ts';

const here = 'aws/1/us-east-1';
const asked = { generation: 1 };

async function looked({ store, estate }: Bench, ...scopes: readonly string[]): Promise<void> {
  for (const one of [here, ...scopes])
    await store.inventory.record(estate, { scope: one, at: 1, resources: [], gaps: [], pending: [], calls: 0 });
}

const counting = (deletes: number, rest: { readonly epoch?: number; readonly until?: number } = {}) => ({
  ...{ generation: 1, epoch: 0, count: { ...noCount, deletes } },
  ...rest,
});

export const scopeCountLaws: Laws = {
  'counts of other scopes are one sum, and those that have none are named': async (bench) => {
    const { store, other, estate } = bench;
    const { counts } = store.fleet;
    await looked(bench, 's1', 's2', 's3');
    await counts.keep({ estate, scope: here }, counting(100));
    await counts.keep(
      { estate, scope: 's1' },
      { ...counting(2), count: { deletes: 2, replaces: 1, creates: 4, closures: 0 } },
    );
    await counts.keep({ estate, scope: 's2' }, { ...counting(5), generation: 2 });
    await counts.keep({ estate, scope: 'never-looked-at' }, counting(9));
    assert.deepEqual(await other.fleet.counts.others({ estate, scope: here }, asked), {
      count: { deletes: 2, replaces: 1, creates: 4, closures: 0 },
      uncounted: ['s2', 's3'],
    });
  },

  'another worker fills in a count only where there is none, and the own look replaces any': async (bench) => {
    const { store, estate } = bench;
    const { counts } = store.fleet;
    await looked(bench, 's1');
    const deletes = async () => (await counts.others({ estate, scope: here }, asked)).count.deletes;
    const where = { estate, scope: 's1' };
    await counts.fill(where, counting(3));
    assert.equal(await deletes(), 3);
    await counts.fill(where, counting(1));
    assert.equal(await deletes(), 3);
    await counts.keep(where, counting(1));
    assert.equal(await deletes(), 1);
    await counts.keep(where, { ...counting(7), generation: 9 });
    await counts.fill(where, counting(2));
    assert.equal(await deletes(), 2);
  },

  'a count is none once people let more happen, and one that was begun before stays none': async (bench) => {
    const { store, other, estate, now } = bench;
    const { counts, pauses, approvals } = store.fleet;
    await looked(bench, 's1');
    const uncounted = async () => (await other.fleet.counts.others({ estate, scope: here }, asked)).uncounted;
    const by = { person: 'ops', reason: 'known' };
    const held = { what: 'all', of: { by: 'estate' } } as const;
    await pauses.begin(estate, { ...held, reason: 'freeze', person: 'ops', until: now() + 60_000 });
    const paused = await counts.epoch(estate);
    await counts.keep({ estate, scope: 's1' }, counting(0, { epoch: paused }));
    assert.deepEqual(await uncounted(), []);
    await pauses.end(estate, held, by);
    assert.deepEqual(await uncounted(), ['s1']);
    await counts.fill({ estate, scope: 's1' }, counting(0, { epoch: paused }));
    assert.deepEqual(await uncounted(), ['s1']);
    await counts.fill({ estate, scope: 's1' }, counting(0, { epoch: await counts.epoch(estate) }));
    assert.deepEqual(await uncounted(), []);
    const given = { digest: 'd', actions: ['a'], destroys: 1, by, until: now() + 60_000 };
    await approvals.give({ estate, scope: 's1', generation: 1, ...given });
    assert.deepEqual(await uncounted(), ['s1']);
    await counts.keep({ estate, scope: 's1' }, counting(0, { epoch: await counts.epoch(estate), until: now() - 1 }));
    assert.deepEqual(await uncounted(), ['s1']);
  },

  'the transaction that takes a place lowers its scope’s count, and the one that returns it raises it': async (
    bench,
  ) => {
    const { store, estate } = bench;
    await store.generations.accept(estate, 'abc', guardsOf({ deletes: 9, replaces: 9 }));
    const worker = await workerOf(store, estate);
    await looked(bench, scope);
    await store.fleet.counts.keep({ estate, scope }, { ...counting(2), count: { ...noCount, deletes: 2, creates: 1 } });
    const left = async () => {
      const { count } = await store.fleet.counts.others({ estate, scope: here }, asked);
      return [count.deletes, count.creates];
    };
    await apply(worker, deletion('a'));
    assert.deepEqual(await left(), [1, 1]);
    await apply(worker, deletion('a'));
    assert.deepEqual(await left(), [1, 1]);
    await apply(worker, deletion('b'), denied);
    assert.deepEqual(await left(), [1, 1]);
    await store.ledger.intend(worker.reconcile, [
      deletion('b'),
      deletion('c'),
      launch('web-0'),
      deletion('h', 'healing'),
    ]);
    assert.deepEqual(await left(), [0, 0]);
    const { generation } = await store.generations.spent(estate, 1);
    assert.deepEqual([generation.deletes, generation.creates], [3, 1]);
  },
};
