import assert from 'node:assert/strict';
import { Overtaken } from '../../../src/ports/knowledge.ts';
import { Pinned, type SourceDraft } from '../../../src/ports/sources.ts';
import type { Bench, Laws } from './bench.ts';

const by = { person: 'kim', reason: 'the new one broke "web"\u0000' };
const head = 'a'.repeat(40);

/** Laws of the sources of specs. */
export const sourceLaws: Laws = {
  'the newest word on a source is there for others, by source': async ({ store, other, estate }) => {
    const { record: tell, list } = store.sources.states;
    const code = 'names-another-estate';
    await tell(estate, { source: 'web', state: 'broken', head, why: 'no "cidr"\u0000' });
    await tell(estate, { source: 'app', state: 'broken', code, head, why: 'it names lab' });
    await tell(estate, { source: 'db', state: 'broken', code, why: 'it names lab' });
    await tell(estate, { source: 'db', state: 'broken', why: 'no' });
    await tell(estate, { source: 'root', state: 'away', why: 'no answer' });
    await tell(estate, { source: 'root', state: 'followed', head, why: '' });
    await tell(`${estate}-2`, { source: 'root', state: 'away', why: 'no answer' });
    assert.deepEqual(
      (await other.sources.states.list(estate)).map(({ since: _, ...one }) => one),
      [
        { source: 'app', state: 'broken', code, head, why: 'it names lab' },
        { source: 'db', state: 'broken', why: 'no' },
        { source: 'root', state: 'followed', head, why: '' },
        { source: 'web', state: 'broken', head, why: 'no "cidr"\u0000' },
      ],
    );
    assert.deepEqual(await list(`${estate}-3`), []);
  },

  'a source is in its state since that began: another why is no new state': async ({ store, estate, later }) => {
    const since = async (rest: Partial<SourceDraft>): Promise<number> => {
      await later(1000);
      await store.sources.states.record(estate, { source: 'root', state: 'away', why: '', ...rest });
      const [state] = await store.sources.states.list(estate);
      return state?.since ?? 0;
    };
    const first = await since({ why: 'no answer' });
    assert.equal(await since({ why: 'refused' }), first);
    const broken = await since({ state: 'broken', head });
    assert.equal(broken, first + 2000);
    assert.equal(await since({ state: 'broken', head, why: 'still' }), broken);
    assert.equal(await since({ state: 'broken', head: 'b'.repeat(40) }), broken + 2000);
    assert.equal(await since({ state: 'broken' }), broken + 3000);
  },

  'a pinned estate takes on its pin’s revision only, from whichever process': async ({ store, other, estate }) => {
    const guards = { limits: { deletes: 5, replaces: 5 }, modes: {}, policies: {}, protected: [] };
    for (const revision of ['git:1', 'git:2']) await store.generations.accept(estate, revision, guards);
    const pin = await store.sources.pins.pin(estate, 'git:1', by);
    await assert.rejects(other.generations.accept(estate, 'git:3', guards), (error: unknown) => {
      assert.ok(error instanceof Pinned);
      assert.deepEqual(error.pin, pin);
      return true;
    });
    assert.equal((await other.generations.accept(estate, 'git:1', guards)).number, 3);
    assert.equal((await store.generations.ofCommit(estate, '1'))?.number, 3);
    assert.equal((await store.generations.ofCommit(estate, '2'))?.number, 2);
    assert.equal(await store.generations.ofCommit(estate, '3'), undefined);
    await store.sources.pins.unpin(estate, by);
    assert.equal((await other.generations.accept(estate, 'git:3', guards)).number, 4);
  },

  'a generation is known by the commit of any of its trees, by how it begins': async ({ store, estate }) => {
    const guards = { limits: { deletes: 5, replaces: 5 }, modes: {}, policies: {}, protected: [] };
    for (const revision of ['git:aa1+db=b1+web=c1', 'git:aa1+db=b1+web=c2@prod', 'folder:d1'])
      await store.generations.accept(estate, revision, guards);
    const of = async (commit: string) => (await store.generations.ofCommit(estate, commit))?.number;
    assert.deepEqual(await Promise.all(['aa', 'b1', 'c1', 'c2'].map(of)), [2, 2, 1, 2]);
    assert.deepEqual(await Promise.all(['a1', '1', 'd1', 'c3'].map(of)), [undefined, undefined, undefined, undefined]);
  },

  'what was judged after one generation does not come after another, from whichever process': async (bench) => {
    const { store, other, estate } = bench;
    const guards = { limits: { deletes: 5, replaces: 5 }, modes: {}, policies: {}, protected: [] };
    assert.equal((await store.generations.accept(estate, 'git:1', guards, { after: 0 })).number, 1);
    assert.equal((await other.generations.accept(estate, 'git:3', guards, { after: 1 })).number, 2);
    for (const after of [0, 1])
      await assert.rejects(store.generations.accept(estate, 'git:2', guards, { after }), Overtaken);
    assert.equal((await store.generations.accept(estate, 'git:3', guards, { after: 1 })).number, 2);
    assert.equal((await store.generations.accept(estate, 'git:2', guards, { after: 2 })).number, 3);
  },

  'an estate is pinned until it is unpinned, and a later pin replaces an earlier one': async (bench) => {
    const { store, other, estate } = bench;
    assert.equal(await store.sources.pins.current(estate), undefined);
    await store.sources.pins.pin(estate, 'git:1', by);
    const pin = await store.sources.pins.pin(estate, 'git:2', { ...by, person: 'lee' });
    assert.deepEqual(pin, { revision: 'git:2', by: { ...by, person: 'lee' }, at: pin.at });
    assert.deepEqual(await other.sources.pins.current(estate), pin);
    assert.equal(await other.sources.pins.current(`${estate}-2`), undefined);
    assert.deepEqual(await other.sources.pins.unpin(estate, by), pin);
    assert.equal(await other.sources.pins.unpin(estate, by), undefined);
    assert.equal(await store.sources.pins.current(estate), undefined);
    assert.deepEqual(await notesOf(bench), [
      { pin: { revision: 'git:1', ...by } },
      { pin: { revision: 'git:2', ...by, person: 'lee' } },
      { unpin: { revision: 'git:2', ...by } },
    ]);
  },

  'a rewritten history is accepted once, with a note, and after one revision alone': async (bench) => {
    const { store, other, estate } = bench;
    const move = { head, after: 'git:1' };
    assert.equal(await store.sources.histories.isAccepted(estate, move), false);
    await store.sources.histories.accept(estate, move, by);
    await other.sources.histories.accept(estate, move, { ...by, person: 'lee' });
    assert.equal(await other.sources.histories.isAccepted(estate, move), true);
    assert.equal(await other.sources.histories.isAccepted(estate, { ...move, head: 'b'.repeat(40) }), false);
    assert.equal(await other.sources.histories.isAccepted(estate, { ...move, after: head }), false);
    assert.equal(await other.sources.histories.isAccepted(`${estate}-2`, move), false);
    assert.deepEqual(await notesOf(bench), [{ acceptHistory: { head, ...by } }]);
  },

  'a count of wake-ups only ever rises, and each counts': async ({ store, other, estate }) => {
    assert.equal(await store.sources.wakeUps.count(estate), 0);
    await Promise.all([store, other, store, other].map(({ sources }) => sources.wakeUps.add(estate)));
    assert.equal(await other.sources.wakeUps.count(estate), 4);
    assert.equal(await other.sources.wakeUps.count(`${estate}-2`), 0);
  },
};

async function notesOf({ other, estate }: Bench): Promise<readonly unknown[]> {
  const notes: unknown[] = [];
  for await (const { type, body } of other.ledger.entries({ estate })) if (type === 'note') notes.push(body['note']);
  return notes;
}
