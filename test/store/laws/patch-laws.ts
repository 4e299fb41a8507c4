import assert from 'node:assert/strict';
import type { Patch } from '../../../src/core/patch.ts';
import { guardsOf } from '../fixtures.ts';
import type { Bench, Laws } from './bench.ts';

const guards = guardsOf({ deletes: 5, replaces: 5 });
const loose = guardsOf({ deletes: 99, replaces: 99 });
const hour = 3_600_000;

const patchOf = ({ now }: Bench, more: Partial<Patch> = {}): Patch => ({
  ...{ id: 1, at: now(), isOver: false, kind: 'Instance', name: 'web', person: 'ada', reason: '"#4711"\u0000' },
  ...{ fields: [{ path: ['spec', 'size'], value: 'large', was: 'small' }], until: now() + hour, ...more },
});
const notesOf = async ({ store, estate }: Bench) => {
  const { entries } = await store.entryPages.page({ estate, filter: {}, newestFirst: false, limit: 100 });
  return entries.flatMap(({ body }) => Object.entries(body['note'] ?? {}));
};

/** Laws of patches: they begin and end with a generation. */
export const patchLaws: Laws = {
  'a patch begins and ends with the generation that has it, each with a note': async (bench) => {
    const { store, other, estate } = bench;
    await store.generations.accept(estate, 'abc', guards);
    assert.equal(await other.fleet.patches.next(estate), 1);
    const begins = patchOf(bench);
    const two = await store.generations.accept(estate, 'abc~1', guards, {
      after: 1,
      patches: { holding: [1], begins, ends: [] },
    });
    const [patch, ...more] = await other.fleet.patches.active(estate);
    assert.deepEqual(
      [two.number, patch?.fields, patch?.person, patch?.isOver, more],
      [2, begins.fields, 'ada', false, []],
    );
    assert.equal(await other.fleet.patches.next(estate), 2);
    const end = { id: 1, as: 'person', why: 'over', person: 'eve' } as const;
    await other.generations.accept(estate, 'abc', guards, { after: 2, patches: { holding: [], ends: [end] } });
    assert.deepEqual(await store.fleet.patches.active(estate), []);
    const [ended] = await store.fleet.patches.ended(estate, 5);
    assert.deepEqual([ended?.id, ended?.end.as, ended?.end.why, ended?.end.person], [1, 'person', 'over', 'eve']);
    const notes = (await notesOf(bench)).filter(([name]) => name.toLowerCase().includes('patch'));
    assert.deepEqual(
      notes.map(([name, { person, reason, generation }]) => [name, person, generation, reason]),
      [
        ['patch', 'ada', 2, notes[0]?.[1].reason],
        ['endPatch', 'eve', 3, 'over'],
      ],
    );
  },

  'no generation drops a patch that nobody ended, nor ends one twice': async (bench) => {
    const { store, other, estate } = bench;
    await store.generations.accept(estate, 'abc', guards);
    const begins = patchOf(bench);
    await store.generations.accept(estate, 'abc~1', guards, { patches: { holding: [1], begins, ends: [] } });
    const ends = [{ id: 1, as: 'expired', why: 'over' }] as const;
    for (const patches of [undefined, { holding: [], ends: [] }, { holding: [1, 2], ends: [] }, { holding: [1], ends }])
      await assert.rejects(other.generations.accept(estate, 'def', guards, { patches }), {
        name: 'Overtaken',
        by: 'patch',
      });
    await other.generations.accept(estate, 'def', guards, { patches: { holding: [], ends } });
    await assert.rejects(store.generations.accept(estate, 'ghi', guards, { patches: { holding: [], ends } }), {
      name: 'Overtaken',
      by: 'patch',
    });
    assert.equal((await store.generations.current(estate))?.number, 3);
  },

  'two that end a patch at once make one generation': async (bench) => {
    const { store, other, estate } = bench;
    await store.generations.accept(estate, 'abc~1', guards, {
      patches: { holding: [1], begins: patchOf(bench), ends: [] },
    });
    const patches = { holding: [], ends: [{ id: 1, as: 'expired', why: 'over' }] } as const;
    const both = [store, other].map((one) => one.generations.accept(estate, 'abc', guards, { after: 1, patches }));
    const [a, b] = await Promise.all(both);
    assert.deepEqual([a?.number, b?.number], [2, 2]);
    assert.equal((await notesOf(bench)).filter(([name]) => name === 'endPatch').length, 1);
  },

  'a patch is due once its time is over, by the store': async (bench) => {
    const { store, other, estate } = bench;
    const now = await store.ledger.now();
    for (const [name, until] of [
      [estate, now + hour],
      [`${estate}-2`, now - 1],
    ] as const) {
      const begins = patchOf(bench, { until });
      await store.generations.accept(name, 'abc~1', guards, { patches: { holding: [1], begins, ends: [] } });
      assert.equal((await other.fleet.patches.active(name))[0]?.isOver, until < now);
    }
    const due = await other.fleet.patches.due();
    assert.deepEqual([due.includes(estate), due.includes(`${estate}-2`)], [false, true]);
  },

  'the specs before bind on, whatever patches come and go': async (bench) => {
    const { store, other, estate } = bench;
    const one = await store.generations.accept(estate, 'abc', guards);
    await store.generations.accept(estate, 'def', loose);
    const begins = patchOf(bench);
    await store.generations.accept(estate, 'def~1', loose, { patches: { holding: [1], begins, ends: [] } });
    assert.deepEqual(await other.generations.previous(estate), one);
    const ends = [{ id: 1, as: 'expired', why: 'over' }] as const;
    await store.generations.accept(estate, 'def', loose, { patches: { holding: [], ends } });
    assert.deepEqual(await other.generations.previous(estate), one);
    await store.generations.accept(estate, 'ghi', loose);
    assert.equal((await other.generations.previous(estate))?.revision, 'def');
  },

  'a pin lets patches of its specs begin and end': async (bench) => {
    const { store, estate } = bench;
    await store.generations.accept(estate, 'abc', guards);
    await store.sources.pins.pin(estate, 'abc', { person: 'kim', reason: 'x' });
    const begins = patchOf(bench);
    await store.generations.accept(estate, 'abc~1', guards, { patches: { holding: [1], begins, ends: [] } });
    await assert.rejects(
      store.generations.accept(estate, 'def~1', guards, { patches: { holding: [1], ends: [] } }),
      /held at abc/,
    );
  },
};
