import assert from 'node:assert/strict';
import type { Standing } from '../../../src/core/action.ts';
import { LeaseLost } from '../../../src/ports/leases.ts';
import type { Effect, Reconcile } from '../../../src/ports/ledger.ts';
import { addressOf, apply, draftOf, scope, settlementOf, unanswered, workerOf } from '../fixtures.ts';
import type { Bench, Laws } from './bench.ts';

/** No lower generation is applied after a higher one. */
export const generationLaws: Laws = {
  'where a higher generation is in force nothing of a lower one is intended, and all else is': async (bench) => {
    const { pass: reconcile, of } = await at(bench);
    await apply(of(5), draftOf('create', 'core'), { effects: [applied('core', 5)] });
    const drafts = [draftOf('update', 'core'), draftOf('create', 'edge'), draftOf('delete', 'core')];
    const [update, create, remove] = await bench.store.ledger.intend(
      { ...reconcile, ...authority(reconcile, 4) },
      drafts,
    );
    assert.equal(create?.ok, true);
    assert.ok(update?.ok === false && remove?.ok === false);
    assert.deepEqual([update.reason, remove.reason], ['generation', 'generation']);
    assert.match(update.why, /generation 5 is already applied at .*network\/core, and this reconcile has generation 4/);
    assert.equal(await entryCount(bench), 3);
    for (const generation of [5, 6])
      assert.equal((await apply(of(generation), draftOf('update', 'core'))).ok, true, `generation ${generation}`);
  },

  'a time has the newest generation that was accepted by then': async ({ store, other, estate }) => {
    const guards = { limits: { deletes: 1, replaces: 1 }, modes: {}, policies: {}, protected: [] };
    for (const revision of ['r1', 'r2']) await store.generations.accept(estate, revision, guards);
    const revisionAt = async (time: number) => (await other.generations.at(estate, time))?.revision;
    assert.deepEqual([await revisionAt(1), await revisionAt(8e12)], [undefined, 'r2']);
  },

  'what a higher generation removed, or named otherwise, no lower one makes again': async (bench) => {
    const { of } = await at(bench);
    const gone = { effects: [{ do: 'unapply', address: addressOf('core') } as const] };
    await apply(of(1), draftOf('create', 'core'), { effects: [applied('core', 1)] });
    await apply(of(2), draftOf('delete', 'core'), gone);
    assert.equal((await known(bench)).size, 0);
    assert.equal((await apply(of(1), draftOf('create', 'core'))).ok, false);
    assert.equal((await apply(of(2), draftOf('create', 'core'), { effects: [applied('core', 2)] })).ok, true);
    assert.equal((await known(bench)).get(addressOf('core'))?.generation, 2);
  },

  'what is applied bears the generation that intended it, whoever settles it': async (bench) => {
    const { pass: reconcile, of } = await at(bench);
    const [intended] = await bench.store.ledger.intend({ ...reconcile, ...authority(reconcile, 3) }, [
      draftOf('create', 'core'),
    ]);
    await bench.store.ledger.settle({ ...reconcile, ...authority(reconcile, 4) }, [
      settlementOf(intended, { effects: [applied('core', 3)] }),
    ]);
    assert.equal((await known(bench)).get(addressOf('core'))?.generation, 3);
    assert.equal((await apply(of(3), draftOf('update', 'core'))).ok, true);
  },

  'a settlement that comes late takes nothing back': async (bench) => {
    const { pass: reconcile, of } = await at(bench);
    const [late] = await bench.store.ledger.intend({ ...reconcile, ...authority(reconcile, 1) }, [
      draftOf('update', 'core'),
    ]);
    await bench.store.ledger.settle({ ...reconcile, ...authority(reconcile, 1) }, [settlementOf(late, unanswered)]);
    await apply(of(2), draftOf('adopt', 'core'), { effects: [applied('core', 2)] });
    const [stale] = await bench.store.ledger.intend({ ...reconcile, ...authority(reconcile, 1) }, [
      draftOf('update', 'core'),
    ]);
    assert.equal(stale?.ok, false);
    await bench.store.ledger.settle({ ...reconcile, ...authority(reconcile, 2) }, [
      settlementOf(late, { effects: [applied('core', 1)] }),
    ]);
    const after = (await known(bench)).get(addressOf('core'));
    assert.deepEqual(after, { attributes: { cidr: '10.2.0.0/16' }, generation: 2 });
  },

  'what stands as wanted without a call is applied by that generation, unless a higher one is in force': async (
    bench,
  ) => {
    const { of } = await at(bench);
    const confirm = (names: readonly string[], generation: number) =>
      bench.store.inventory.confirm(
        of(generation).reconcile,
        names.map((name) => standing(name, generation)),
      );
    await apply(of(3), draftOf('create', 'core'), { effects: [applied('core', 3)] });
    await confirm(['core', 'edge'], 2);
    const before = await known(bench);
    assert.deepEqual(before.get(addressOf('core')), { attributes: { cidr: '10.3.0.0/16' }, generation: 3 });
    const edge = { attributes: standing('edge', 2).attributes, documents: ['doc'], generation: 2 };
    assert.deepEqual(before.get(addressOf('edge')), edge);
    const head = await bench.store.audit.head(bench.estate);
    await confirm(['core'], 4);
    assert.equal((await known(bench)).get(addressOf('core'))?.generation, 4);
    assert.equal(await bench.store.audit.head(bench.estate), head, 'nothing was done, so nothing is told');
  },

  'nothing is confirmed without the lease': async (bench) => {
    const { pass: reconcile } = await at(bench);
    await bench.lapse(bench.estate, scope);
    await assert.rejects(bench.store.inventory.confirm(reconcile, [standing('core', 1)]), LeaseLost);
    assert.equal((await known(bench)).size, 0);
  },

  'generations of other scopes and estates bar nothing': async (bench) => {
    const { pass: reconcile, of } = await at(bench);
    await apply(of(5), draftOf('create', 'core'), { effects: [applied('core', 5)] });
    const elsewhere = await bench.store.leases.acquire(bench.estate, 'aws/1/us-east-1', 'ops@here 1');
    assert.ok(elsewhere.ok);
    const { holder, epoch } = elsewhere.lease;
    const other = { ...reconcile, scope: 'aws/1/us-east-1', lease: { holder, epoch } };
    const [intended] = await bench.store.ledger.intend(other, [draftOf('create', 'core')]);
    assert.equal(intended?.ok, true);
  },
};

async function at({ store, estate }: Bench) {
  const worker = await workerOf(store, estate);
  const { reconcile } = worker;
  return {
    pass: reconcile,
    of: (generation: number) => ({ ...worker, reconcile: { ...reconcile, ...authority(reconcile, generation) } }),
  };
}

const authority = ({ authority }: Reconcile, generation: number): Pick<Reconcile, 'authority'> => ({
  authority: { ...authority, generation },
});

/** Tells generations apart by the second number of the block. */
const applied = (name: string, generation: number): Effect => ({
  do: 'apply',
  address: addressOf(name),
  attributes: { cidr: `10.${generation}.0.0/16` },
});

const standing = (name: string, generation: number): Standing => ({
  id: `vpc-${name}`,
  address: addressOf(name),
  attributes: { cidr: `10.${generation}.0.0/16`, internet: false, labels: {} },
  documents: ['doc'],
});

const known = async ({ other, estate }: Bench) => (await other.inventory.knowledge(estate, scope)).applied;

const entryCount = ({ store, estate }: Bench): Promise<number> => store.audit.head(estate);
