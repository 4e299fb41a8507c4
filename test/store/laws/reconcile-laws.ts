import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { ForeignCursor } from '../../../src/ports/inventory-rows.ts';
import type { ReconcileDraft, ReconcileEnding } from '../../../src/ports/reconciles.ts';
import { scope } from '../fixtures.ts';
import type { Bench, Laws } from './bench.ts';

const elsewhere = 'aws/1/us-east-1';
const everything = [{}];

const draftOf = ({ estate, now }: Bench, rest: Partial<ReconcileDraft> = {}): ReconcileDraft => ({
  id: randomUUID(),
  estate,
  scope,
  began: Math.floor(now()),
  reason: 'a "person"\u0000\ud800',
  ground: { targets: ['north', 'spare'], generation: 3, revision: 'r3' },
  ...rest,
});

const counts = { reads: 7, writes: 1, settled: 1, failed: 0, withheld: 0, waitedMs: 20 };

const endingOf = ({ began }: ReconcileDraft, rest: Partial<ReconcileEnding> = {}): ReconcileEnding => ({
  ended: began + 500,
  outcome: 'done',
  why: 'withheld: mode 2',
  nextAt: began + 60_500,
  quiet: false,
  account: {
    counts,
    timeline: [{ what: 'listed', at: began + 1, kind: 'network', count: 3 }],
    rest: { call: 4 },
  },
  ...rest,
});

const shownEnding = ({ account, quiet: _, ...rest }: ReconcileEnding) => ({ ...rest, counts: account.counts });

const idsOf = async ({ other, estate }: Bench, filter: object = {}) =>
  (await other.reconciles.page({ seen: everything, filter: { estate, ...filter }, limit: 100 })).reconciles.map(
    ({ id }) => id,
  );

/** Laws of the history of reconciles. */
export const reconcileLaws: Laws = {
  'a pass that ended is told with its timeline, as it was given': async (bench) => {
    const { store, other } = bench;
    const draft = draftOf(bench);
    const ending = endingOf(draft);
    await store.reconciles.begin(draft);
    await store.reconciles.end(draft, ending);
    const reconcile = { ...draft, state: 'ended', ending: shownEnding(ending) };
    const { timeline, rest } = ending.account;
    assert.deepEqual(await other.reconciles.find(draft.id, everything), { ...reconcile, timeline: { timeline, rest } });
    const page = await other.reconciles.page({ seen: everything, filter: { estate: bench.estate }, limit: 10 });
    assert.deepEqual(page, { reconciles: [reconcile] });
    assert.equal(await other.reconciles.find(randomUUID(), everything), undefined);
    assert.equal(await other.reconciles.find('no such thing', everything), undefined);
  },

  'the end of one whose beginning was not kept is kept, and what it says is the newest': async (bench) => {
    const draft = draftOf(bench);
    await bench.store.reconciles.end(draft, endingOf(draft));
    await bench.other.reconciles.begin(draft);
    assert.equal((await bench.other.reconciles.find(draft.id, everything))?.state, 'ended');
  },

  'a pass runs for as long as its lease lives, and is lost a while after it ran out': async (bench) => {
    const { store, other, estate } = bench;
    const acquired = await store.leases.acquire(estate, scope, 'worker-1');
    assert.ok(acquired.ok);
    const { holder, epoch } = acquired.lease;
    const draft = draftOf(bench, {
      ground: { targets: [], generation: 1, revision: 'r', lease: { holder, epoch } },
    });
    await store.reconciles.begin(draft);
    const state = async () => (await other.reconciles.find(draft.id, everything))?.state;
    assert.equal(await state(), 'running');
    assert.deepEqual(await other.reconciles.scopes(estate), [{ scope, running: { id: draft.id, began: draft.began } }]);
    await acquired.lease.release();
    assert.equal(await state(), 'running', 'it is writing down how it ended');
    const next = await other.leases.acquire(estate, scope, 'worker-2');
    assert.ok(next.ok);
    assert.equal(await state(), 'lost');
    assert.deepEqual(await other.reconciles.scopes(estate), []);
    await next.lease.release();
  },

  'what a scope has had last stays known, and one that was slow to say so does not hide it': async (bench) => {
    const { store, other, estate } = bench;
    const before = draftOf(bench, { began: 1_000 });
    const last = draftOf(bench, { began: 2_000 });
    const there = draftOf(bench, { scope: elsewhere, began: 1_500 });
    await store.reconciles.end(last, endingOf(last));
    await store.reconciles.end(before, endingOf(before, { outcome: 'failed' }));
    await store.reconciles.end(there, endingOf(there, { outcome: 'busy' }));
    const scopes = await other.reconciles.scopes(estate);
    assert.deepEqual(
      scopes.map((one) => [one.scope, one.last?.id, one.last?.ending?.outcome, one.running]),
      [
        [scope, last.id, 'done', undefined],
        [elsewhere, there.id, 'busy', undefined],
      ].sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
    );
    assert.deepEqual(await other.reconciles.scopes(`${estate}-2`), []);
  },

  'pages go from the newest, each pass once, and a filter must fit': async (bench) => {
    const { store, other, estate } = bench;
    // why: a store deletes reconciles of more than a week ago at its first write
    const start = Math.floor(bench.now()) - 60_000;
    const at = (second: number): number => start + second * 1000;
    const drafts = [1, 2, 2, 3, 4].map((second) => draftOf(bench, { began: at(second) }));
    const ground = { targets: ['x'], generation: 1, revision: 'r' };
    const there = draftOf(bench, { scope: elsewhere, began: at(5), ground });
    for (const draft of drafts) await store.reconciles.end(draft, endingOf(draft));
    await store.reconciles.end(there, endingOf(there, { outcome: 'failed' }));
    const all = await idsOf(bench);
    assert.equal(all.length, 6);
    assert.equal(all[0], there.id);
    const paged: string[] = [];
    const asked = { seen: everything, filter: { estate }, limit: 2 };
    for (let after: string | undefined; ; ) {
      const page = await other.reconciles.page({ ...asked, ...(after === undefined ? {} : { after }) });
      paged.push(...page.reconciles.map(({ id }) => id));
      after = page.next;
      if (after === undefined) break;
    }
    assert.deepEqual(paged, all);
    assert.deepEqual(await idsOf(bench, { scope: elsewhere }), [there.id]);
    assert.deepEqual(await idsOf(bench, { target: 'x' }), [there.id]);
    assert.deepEqual(await idsOf(bench, { outcomes: ['failed', 'busy'] }), [there.id]);
    assert.deepEqual(await idsOf(bench, { outcomes: [] }), []);
    assert.equal((await idsOf(bench, { since: at(2), until: at(4) })).length, 3);
    await assert.rejects(other.reconciles.page({ ...asked, after: 'nonsense' }), ForeignCursor);
  },

  'who asks sees only what lies within their bounds': async (bench) => {
    const { store, other, estate } = bench;
    const draft = draftOf(bench);
    await store.reconciles.end(draft, endingOf(draft));
    const rows = [
      [{ estates: [estate] }, true],
      [{ estates: [`${estate}-2`] }, false],
      [{ estates: [estate], targets: ['north'] }, true],
      [{ targets: ['south'] }, false],
      [{ estates: [estate], owners: ['ann'] }, false],
    ] as const;
    for (const [bounds, isSeen] of rows) {
      const found = await other.reconciles.find(draft.id, [bounds]);
      const page = await other.reconciles.page({ seen: [bounds], filter: { estate }, limit: 10 });
      assert.deepEqual([found !== undefined, page.reconciles.length === 1], [isSeen, isSeen], JSON.stringify(bounds));
    }
    assert.equal(await other.reconciles.find(draft.id, []), undefined);
  },

  'who watches is told when a pass begins and when it has ended': async (bench) => {
    const { store, other, estate } = bench;
    const draft = draftOf(bench, { reason: 'generation 3' });
    const place = await other.events.newest();
    await store.reconciles.begin(draft);
    await store.reconciles.begin(draft);
    await store.reconciles.end(draft, endingOf(draft));
    const { events } = await other.events.after(place, 1000);
    const own = events.filter((one) => one.type === 'pass' && one.estate === estate);
    assert.deepEqual(
      own.map(({ targets, about }) => [targets, about['reconcileId'], about['state'], about['outcome']]),
      [
        [['north', 'spare'], draft.id, 'running', undefined],
        [['north', 'spare'], draft.id, 'ended', 'done'],
      ],
    );
  },
};
