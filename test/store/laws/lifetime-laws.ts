import assert from 'node:assert/strict';
import { guardsOf } from '../fixtures.ts';
import type { Bench, Laws } from './bench.ts';

const guards = guardsOf({ deletes: 5, replaces: 5 });
const hour = 3_600_000;
const web = { document: 'Instance web', ttlMs: hour };
const brief = { document: 'Instance web', ttlMs: 25 };

const notesOf = async ({ store, estate }: Bench) => {
  const { entries } = await store.entryPages.page({ estate, filter: {}, newestFirst: false, limit: 100 });
  return entries.flatMap(({ body }) => Object.entries(body['note'] ?? {}).filter(([name]) => name === 'endDocument'));
};
const sinceOf = async ({ other, estate }: Bench) =>
  (await other.fleet.lifetimes.list(estate)).map(({ document, since }) => [document, since]);

/** Laws of lifetimes: they begin and end with a generation. */
export const lifetimeLaws: Laws = {
  'a lifetime counts from the first generation that states it': async (bench) => {
    const { store, estate } = bench;
    await store.generations.accept(estate, 'a', guards, { lifetimes: { timed: [web], over: [], leftOut: [] } });
    const first = await sinceOf(bench);
    assert.equal(first.length, 1);
    await bench.later(5);
    await store.generations.accept(estate, 'b', guards, { lifetimes: { timed: [web], over: [], leftOut: [] } });
    assert.deepEqual(await sinceOf(bench), first);
    const longer = { ...web, ttlMs: 2 * hour };
    await store.generations.accept(estate, 'c', guards, { lifetimes: { timed: [longer], over: [], leftOut: [] } });
    const [[, anew] = []] = await sinceOf(bench);
    assert.ok(Number(anew) > Number(first[0]?.[1]));
    await store.generations.accept(estate, 'd', guards, { lifetimes: { timed: [], over: [], leftOut: [] } });
    assert.deepEqual(await sinceOf(bench), []);
  },

  'it is due once it is over, by the store, and ends once, with a note': async (bench) => {
    const { store, other, estate } = bench;
    await store.generations.accept(estate, 'a', guards, { lifetimes: { timed: [web], over: [], leftOut: [] } });
    const early = { timed: [web], over: ['Instance web'], leftOut: ['Instance web'] };
    await assert.rejects(store.generations.accept(estate, 'a~1', guards, { lifetimes: early }), {
      name: 'Overtaken',
      by: 'lifetime',
    });
    await store.generations.accept(estate, 'b', guards, { lifetimes: { timed: [brief], over: [], leftOut: [] } });
    const ends = { timed: [brief], over: ['Instance web'], leftOut: ['Instance web'] };
    await bench.later(30);
    assert.ok((await other.fleet.lifetimes.due()).includes(estate));
    const both = [store, other].map((one) =>
      one.generations.accept(estate, 'b~1', guards, { after: 2, lifetimes: ends }),
    );
    assert.deepEqual(
      (await Promise.all(both)).map(({ number }) => number),
      [3, 3],
    );
    assert.ok(!(await other.fleet.lifetimes.due()).includes(estate));
    const [one] = await store.fleet.lifetimes.list(estate);
    assert.deepEqual([one?.isOver, one?.endedAt !== undefined], [true, true]);
    assert.deepEqual(
      (await notesOf(bench)).map(([, { document, generation }]) => [document, generation]),
      [['Instance web', 3]],
    );
  },

  'no generation returns a document that has ended, nor drops lifetimes unasked': async (bench) => {
    const { store, other, estate } = bench;
    await store.generations.accept(estate, 'a', guards, { lifetimes: { timed: [brief], over: [], leftOut: [] } });
    await bench.later(30);
    await store.generations.accept(estate, 'a~1', guards, {
      lifetimes: { timed: [brief], over: ['Instance web'], leftOut: ['Instance web'] },
    });
    for (const lifetimes of [
      undefined,
      { timed: [brief], over: [], leftOut: [] },
      { timed: [], over: ['Instance web'], leftOut: ['Instance web'] },
    ])
      await assert.rejects(other.generations.accept(estate, 'b', guards, { lifetimes }), {
        name: 'Overtaken',
        by: 'lifetime',
      });
    await other.generations.accept(estate, 'b', guards, {
      lifetimes: { timed: [brief], over: ['Instance web'], leftOut: ['Instance web'] },
    });
    assert.equal((await notesOf(bench)).length, 1);
    await other.generations.accept(estate, 'c', guards, { lifetimes: { timed: [web], over: [], leftOut: [] } });
    assert.equal((await store.fleet.lifetimes.list(estate))[0]?.endedAt, undefined);
  },

  'a document that ended with its network ends once, and may return with it': async (bench) => {
    const { store, other, estate } = bench;
    const network = { document: 'Network core', ttlMs: 25 };
    const both = { timed: [web, network], over: [], leftOut: [] };
    await store.generations.accept(estate, 'a', guards, { lifetimes: both });
    await bench.later(30);
    const out = ['Instance web', 'Network core'];
    await store.generations.accept(estate, 'a~1', guards, {
      lifetimes: { ...both, over: ['Network core'], leftOut: out },
    });
    const ended = (await other.fleet.lifetimes.list(estate)).filter(({ endedAt }) => endedAt !== undefined);
    assert.deepEqual(ended.map(({ document }) => document).sort(), out);
    assert.ok(!(await other.fleet.lifetimes.due()).includes(estate));
    const longer = { timed: [web, { ...network, ttlMs: hour }], over: [], leftOut: [] };
    await other.generations.accept(estate, 'b', guards, { lifetimes: longer });
    const all = await store.fleet.lifetimes.list(estate);
    assert.ok(all.every(({ endedAt }) => endedAt === undefined));
  },
};
