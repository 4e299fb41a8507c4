import assert from 'node:assert/strict';
import { type Limits, noCount } from '../../../src/core/limits.ts';
import type { Intended } from '../../../src/ports/ledger.ts';
import {
  addressOf,
  apply,
  claimOf,
  closure,
  deletion,
  denied,
  draftOf,
  guardsOf,
  launch,
  settlementOf,
  unanswered,
  workerOf,
} from '../fixtures.ts';
import type { Bench, Laws } from './bench.ts';

export const limitLaws: Laws = {
  'the same revision keeps its generation, another one gets the next': async ({ store, other, estate }) => {
    assert.equal(await store.generations.current(estate), undefined);
    const one = { number: 1, revision: 'abc', guards: guardsOf({ deletes: 5, replaces: 4, share: 0.1 }) };
    assert.deepEqual(await store.generations.accept(estate, 'abc', one.guards), one);
    assert.deepEqual(await other.generations.accept(estate, 'abc', guardsOf({ deletes: 99, replaces: 99 })), one);
    assert.equal(await store.generations.previous(estate), undefined);
    const two = await store.generations.accept(estate, 'def', guardsOf({ deletes: 1, replaces: 1 }));
    assert.equal(two.number, 2);
    assert.deepEqual([await other.generations.current(estate), await other.generations.previous(estate)], [two, one]);
    assert.deepEqual(
      [await other.generations.numbered(estate, 1), await store.generations.numbered(estate, 2)],
      [one, two],
    );
    assert.equal(await store.generations.numbered(estate, 3), undefined);
    assert.equal((await store.generations.accept(estate, 'abc', one.guards)).number, 3);
  },

  'two processes accepting at once agree': async ({ store, other, estate }) => {
    const guards = guardsOf({ deletes: 5, replaces: 5 });
    const accepted = await Promise.all(
      [store, other, store, other].map((one, i) => one.generations.accept(estate, `r${i % 2}`, guards)),
    );
    const numbers = new Map(accepted.map(({ revision, number }) => [`${revision} ${number}`, number]));
    assert.equal(new Set(numbers.values()).size, numbers.size);
    assert.equal((await store.generations.current(estate))?.number, Math.max(...numbers.values()));
  },

  'over the limit only those are refused, and the reason names what already ran': async (bench) => {
    const worker = await limited(bench, { deletes: 2, replaces: 5 });
    await apply(worker, deletion('a'));
    const drafts = [deletion('b'), draftOf('create', 'x'), deletion('c'), draftOf('delete', 'free')];
    const [b, x, c, free] = await worker.store.ledger.intend(worker.reconcile, drafts);
    assert.deepEqual([b?.ok, x?.ok, c?.ok, free?.ok], [true, true, false, true]);
    assert.match(
      whyOf(c),
      /^over the limit of 2 deletes; already done or under way: delete \S+network\/a, delete \S+network\/b\./,
    );
    assert.match(whyOf(c), /--allow-deletes 3 would let this one pass/);
    assert.equal((await worker.store.inventory.knowledge(bench.estate, worker.reconcile.scope)).pending.length, 3);
  },

  'an intent takes one place however often it is attempted': async (bench) => {
    const worker = await limited(bench, { deletes: 1, replaces: 0 });
    for (let attempt = 1; attempt <= 3; attempt++) {
      const intended = await apply(worker, deletion('a'), unanswered);
      assert.deepEqual([intended.ok, intended.ok && intended.attempt], [true, attempt]);
    }
    assert.equal((await apply(worker, deletion('b'))).ok, false);
  },

  'the same object counts once, and a delete that came to nothing not at all': async (bench) => {
    const worker = await limited(bench, { deletes: 1, replaces: 1 });
    await apply(worker, deletion('a'), denied);
    assert.equal((await apply(worker, deletion('b'))).ok, true);
    assert.equal((await apply(worker, deletion('b'))).ok, true);
    const stop = draftOf('update', 'm', { counts: { as: 'replace', by: 'generation' } });
    assert.equal((await apply(worker, stop, denied)).ok, true);
    assert.equal((await apply(worker, { ...stop, subject: { ...stop.subject, id: 'vpc-n' } })).ok, false);
    const spent = await worker.store.generations.spent(bench.estate, 1);
    assert.deepEqual(spent.generation, { ...noCount, deletes: 1, replaces: 1 });
  },

  'the stricter of two generations holds, the one before last is forgotten': async (bench) => {
    const { store, estate } = bench;
    const { lease } = await limited(bench, { deletes: 1, replaces: 0 });
    await lease.release();
    await store.generations.accept(estate, 'r2', guardsOf({ deletes: 50, replaces: 50 }));
    const second = await workerOf(store, estate, { generation: 2 });
    assert.equal((await apply(second, deletion('a'))).ok, true);
    assert.match(whyOf(await apply(second, deletion('b'))), /limit of 1 deletes/);
    await second.lease.release();
    await store.generations.accept(estate, 'r3', guardsOf({ deletes: 50, replaces: 50 }));
    const third = await workerOf(store, estate, { generation: 3 });
    assert.equal((await apply(third, deletion('b'))).ok, true);
    assert.equal((await apply(third, deletion('c'))).ok, true);
  },

  'what a person allows passes, that much and no more': async (bench) => {
    const worker = await limited(bench, { deletes: 0, replaces: 0, share: 0 }, 2);
    const passed: boolean[] = [];
    for (const name of ['a', 'b', 'c']) passed.push((await apply(worker, deletion(name))).ok);
    assert.deepEqual(passed, [true, true, false]);
  },

  'a share is of all that the estate owns, from 20 up, and does not shrink as it is used': async (bench) => {
    const worker = await limited(bench, { deletes: 99, replaces: 99, share: 0.1 });
    await own(worker, 0, 19);
    assert.equal((await worker.store.generations.spent(bench.estate, 1)).owned, 19);
    const release = (name: string) => ({ effects: [{ do: 'release', id: `vpc-${name}` } as const] });
    for (const name of ['n0', 'n1', 'n2']) await apply(worker, deletion(name), release(name));
    assert.deepEqual(await worker.store.generations.spent(bench.estate, 1), {
      generation: { ...noCount, deletes: 3 },
      healing: noCount,
      owned: 19,
    });
    await own(worker, 19, 40);
    assert.equal((await apply(worker, deletion('n4'), release('n4'))).ok, true);
    assert.match(whyOf(await apply(worker, deletion('n5'))), /over the limit of 10% of 40 resources/);
  },

  'healing has places of its own, for 24 hours, whatever the generation': async (bench) => {
    const worker = await limited(bench, { deletes: 1, replaces: 1 });
    await apply(worker, deletion('a', 'healing'));
    await apply(worker, draftOf('delete', 'r', { counts: { as: 'replace', by: 'healing' } }));
    assert.equal((await apply(worker, deletion('b'))).ok, true);
    assert.match(whyOf(await apply(worker, deletion('c', 'healing'))), /limit of 1 deletes for healing in 24 h/);
    assert.deepEqual(await worker.store.generations.spent(bench.estate, 1), {
      generation: { ...noCount, deletes: 1 },
      healing: { ...noCount, deletes: 1, replaces: 1 },
      owned: 3,
    });
    await worker.lease.release();
    await bench.later(24 * 60 * 60 * 1000);
    const next = await workerOf(bench.store, bench.estate);
    assert.equal((await apply(next, deletion('c', 'healing'))).ok, true);
    assert.deepEqual((await bench.store.generations.spent(bench.estate, 1)).healing, { ...noCount, deletes: 1 });
    assert.deepEqual((await bench.store.generations.spent(bench.estate, 2)).generation, noCount);
  },

  'the rules of one document take one place': async (bench) => {
    const worker = await limited(bench, { deletes: 1, replaces: 0 });
    const rule = (name: string, document: string) =>
      draftOf('delete', name, { counts: { as: 'delete', by: 'generation', of: document } });
    assert.equal((await apply(worker, rule('web.1', 'web'))).ok, true);
    assert.equal((await apply(worker, rule('web.2', 'web'))).ok, true);
    assert.equal((await apply(worker, rule('db.1', 'db'))).ok, false);
    assert.equal((await worker.store.generations.spent(bench.estate, 1)).generation.deletes, 1);
  },

  'both halves of a replacement take one place, whichever comes first, and so does the end of a failed successor':
    async (bench) => {
      const worker = await limited(bench, { deletes: 0, replaces: 1 });
      const half = (verb: 'create' | 'delete', name: string, of: string) =>
        draftOf(verb, name, { counts: { as: 'replace', by: 'generation', of } });
      assert.equal((await apply(worker, half('create', 'web-0', 'i-old'), denied)).ok, true);
      assert.equal((await worker.store.generations.spent(bench.estate, 1)).generation.replaces, 0);
      assert.equal((await apply(worker, half('create', 'web-0', 'i-old'))).ok, true);
      assert.equal((await apply(worker, half('delete', 'web-0-failed', 'i-old'))).ok, true);
      assert.equal((await apply(worker, half('create', 'web-0', 'i-old'))).ok, true);
      assert.equal((await apply(worker, half('delete', 'web-0', 'i-old'))).ok, true);
      assert.equal((await worker.store.generations.spent(bench.estate, 1)).generation.replaces, 1);
      assert.match(whyOf(await apply(worker, half('create', 'web-1', 'i-other'))), /limit of 1 replaces/);
    },

  'an intent that left something behind keeps its place': async (bench) => {
    const worker = await limited(bench, { deletes: 0, replaces: 1 });
    const successor = (name: string) => draftOf('create', name, { counts: { as: 'replace', by: 'generation' } });
    const { outcome } = denied;
    await apply(worker, successor('web-0'), { ...(outcome && { outcome }), effects: [claimOf('web-0')] });
    assert.equal((await apply(worker, successor('web-1'))).ok, false);
  },

  'each new machine takes a place, also at an address where one was before; a refused one gives it back': async (
    bench,
  ) => {
    const worker = await limited(bench, { deletes: 0, replaces: 0, creates: 2 });
    assert.equal((await apply(worker, launch('web-0'), denied)).ok, true);
    assert.equal((await apply(worker, launch('web-0'), unanswered)).ok, true);
    assert.equal((await apply(worker, launch('web-0'))).ok, true);
    assert.equal((await apply(worker, launch('web-0'))).ok, true);
    assert.equal((await worker.store.generations.spent(bench.estate, 1)).generation.creates, 2);
    const why = whyOf(await apply(worker, launch('web-0')));
    assert.match(
      why,
      /^over the limit of 2 new machines; already done or under way: create \S+web-0, create \S+web-0\./,
    );
    assert.match(why, /--allow-creates 3 would let this one pass/);
    assert.equal((await apply(worker, draftOf('create', 'net'))).ok, true);
    assert.equal((await apply(worker, launch('web-1', 'healing'))).ok, true);
  },

  'a generation that was accepted before there was a limit of new machines has one of 50': async (bench) => {
    const worker = await limited(bench, { deletes: 0, replaces: 0 });
    const launches = Array.from({ length: 60 }, (_, i) => launch(`web-${i}`));
    const intended = await worker.store.ledger.intend(worker.reconcile, launches);
    assert.equal(intended.filter(({ ok }) => ok).length, 50);
    await worker.lease.release();
    await bench.store.generations.accept(bench.estate, 'r2', guardsOf({ deletes: 0, replaces: 0, creates: 500 }));
    const next = await workerOf(bench.store, bench.estate, { generation: 2 });
    const more = await next.store.ledger.intend(
      next.reconcile,
      launches.map(({ subject }, i) => launch(`db-${i}`, subject.id ? 'healing' : 'generation')),
    );
    assert.equal(more.filter(({ ok }) => ok).length, 50);
  },

  'a person allows new machines and closures, each by its own number': async (bench) => {
    await bench.store.generations.accept(
      bench.estate,
      'abc',
      guardsOf({ deletes: 0, replaces: 0, creates: 0, closures: 0 }),
    );
    const worker = await workerOf(bench.store, bench.estate, { allowDeletes: 9, allowCreates: 1, allowClosures: 2 });
    const tried = [launch('web-0'), launch('web-1'), closure('a'), closure('b'), closure('c')];
    const intended = await worker.store.ledger.intend(worker.reconcile, tried);
    assert.deepEqual(
      intended.map(({ ok }) => ok),
      [true, false, true, true, false],
    );
    assert.match(whyOf(intended[4]), /--allow-closures 3 would let this one pass/);
  },

  'what is replaced takes no place of a closure, nor the other way round': async (bench) => {
    const worker = await limited(bench, { deletes: 1, replaces: 1, closures: 2 });
    const replaced = draftOf('delete', 'm', { counts: { as: 'replace', by: 'healing' } });
    assert.equal((await apply(worker, replaced)).ok, true);
    for (const id of ['a', 'b']) assert.equal((await apply(worker, closure(id))).ok, true);
    assert.match(
      whyOf(await apply(worker, closure('c'))),
      /limit of 2 closures of rules that nobody wrote for healing in 24 h/,
    );
    assert.equal((await apply(worker, deletion('d', 'healing'))).ok, true);
    assert.deepEqual((await worker.store.generations.spent(bench.estate, 1)).healing, {
      ...noCount,
      deletes: 1,
      replaces: 1,
      closures: 2,
    });
    await worker.lease.release();
    await bench.later(24 * 60 * 60 * 1000);
    const next = await workerOf(bench.store, bench.estate);
    assert.equal((await apply(next, closure('c'))).ok, true);
  },

  'scopes cannot race: the estate has one count': async ({ store, other, estate }) => {
    await store.generations.accept(estate, 'abc', guardsOf({ deletes: 5, replaces: 0 }));
    const { reconcile } = await workerOf(store, estate);
    const second = await other.leases.acquire(estate, 'aws/1/us-east-1', 'ops@there 2');
    assert.ok(second.ok);
    const otherReconcile = {
      ...reconcile,
      scope: 'aws/1/us-east-1',
      lease: { holder: second.lease.holder, epoch: second.lease.epoch },
    };
    const all = await Promise.all(
      Array.from({ length: 5 }, (_, i) => [
        store.ledger.intend(reconcile, [deletion(`a${i}`)]),
        other.ledger.intend(otherReconcile, [deletion(`b${i}`)]),
      ]).flat(),
    );
    assert.equal(all.flat().filter(({ ok }) => ok).length, 5);
  },

  'nothing is counted by a generation that nobody accepted': async ({ store, estate }) => {
    const { reconcile } = await workerOf(store, estate, { generation: 7 });
    await assert.rejects(
      store.ledger.intend(reconcile, [deletion('a')]),
      /generation 7 of estate \S+ was never accepted/,
    );
  },
};

async function limited({ store, estate }: Bench, limits: Limits, allowDeletes?: number) {
  await store.generations.accept(estate, 'abc', guardsOf(limits));
  return workerOf(store, estate, allowDeletes === undefined ? {} : { allowDeletes });
}

async function own(
  { store, reconcile }: Awaited<ReturnType<typeof workerOf>>,
  from: number,
  to: number,
): Promise<void> {
  const names = Array.from({ length: to - from }, (_, i) => `n${from + i}`);
  const intended = await store.ledger.intend(
    reconcile,
    names.map((name) => draftOf('create', name)),
  );
  const settlements = intended.map((one, i) => settlementOf(one, { effects: [claimOf(names[i] ?? '')] }));
  await store.ledger.settle(reconcile, settlements);
}

function whyOf(intended: Intended | undefined): string {
  assert.ok(intended && !intended.ok, `${addressOf('')} was not refused`);
  return intended.why;
}
