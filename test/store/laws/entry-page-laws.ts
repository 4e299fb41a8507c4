import assert from 'node:assert/strict';
import type { EntryFilter } from '../../../src/ports/ledger.ts';
import { addressOf, apply, draftOf, workerOf } from '../fixtures.ts';
import type { Bench, Laws } from './bench.ts';

/** Two changes and two words: entries 1 to 6. */
async function written({ store, estate }: Bench): Promise<void> {
  const worker = await workerOf(store, estate, { approver: 'ann, "bob"\u0000' });
  await apply(worker, draftOf('create', 'core'));
  await apply(worker, draftOf('delete', 'edge', { details: { text: '"verb":"create"' } }));
  await store.ledger.note(estate, { pause: { person: 'eve', reason: 'ann' } });
  await store.ledger.note(estate, { approval: { by: { person: 'ann' } } });
  await worker.lease.release();
}

const seqsOf = async ({ other, estate }: Bench, filter: EntryFilter, newestFirst = false) =>
  (await other.entryPages.page({ estate, filter, newestFirst, limit: 100 })).entries.map(({ seq }) => seq);

/** The ledger as it is asked about. */
export const entryPageLaws: Laws = {
  'entries are found by what they say themselves, and not by what stands in them somewhere': async (bench) => {
    await written(bench);
    assert.deepEqual(await seqsOf(bench, {}), [1, 2, 3, 4, 5, 6]);
    assert.deepEqual(await seqsOf(bench, {}, true), [6, 5, 4, 3, 2, 1]);
    assert.deepEqual(await seqsOf(bench, { verb: 'create' }), [1, 2]);
    assert.deepEqual(await seqsOf(bench, { address: addressOf('edge') }), [3, 4]);
    assert.deepEqual(await seqsOf(bench, { types: ['settlement', 'note'] }), [2, 4, 5, 6]);
    assert.deepEqual(await seqsOf(bench, { person: 'ann' }), [1, 2, 3, 4, 6]);
    assert.deepEqual(await seqsOf(bench, { person: '"bob"\u0000' }), [1, 2, 3, 4]);
    assert.deepEqual(await seqsOf(bench, { person: 'an' }), []);
    assert.deepEqual(await seqsOf(bench, { reconcileId: 'r1', verb: 'delete' }), [3, 4]);
    assert.deepEqual(await seqsOf(bench, { reconcileId: 'r2' }), []);
  },

  'entries are found by when they were written': async (bench) => {
    await written(bench);
    const { entries } = await bench.other.entryPages.page({
      ...{ estate: bench.estate, filter: {}, newestFirst: false, limit: 100 },
    });
    const first = entries[0]?.at ?? 0;
    assert.deepEqual(await seqsOf(bench, { until: first }), []);
    assert.deepEqual((await seqsOf(bench, { since: first })).length, 6);
    assert.deepEqual(await seqsOf(bench, { since: (entries[5]?.at ?? 0) + 1 }), []);
  },

  'pages of entries go on after a number, in either order, and end': async (bench) => {
    await written(bench);
    const { other, estate } = bench;
    for (const newestFirst of [false, true]) {
      const seqs: number[] = [];
      let after: number | undefined;
      do {
        const asked = { estate, filter: { types: ['intent', 'note'] as const }, newestFirst, limit: 3 };
        const page = await other.entryPages.page({ ...asked, ...(after === undefined ? {} : { after }) });
        seqs.push(...page.entries.map(({ seq }) => seq));
        after = page.next;
      } while (after !== undefined);
      assert.deepEqual(seqs, newestFirst ? [6, 5, 3, 1] : [1, 3, 5, 6]);
    }
  },

  'entries are counted, of an address too': async (bench) => {
    await written(bench);
    const { other, estate } = bench;
    assert.equal(await other.entryPages.count(estate), 6);
    assert.equal(await other.entryPages.count(estate, addressOf('core')), 2);
    assert.equal(await other.entryPages.count(`${estate}-2`), 0);
  },
};
