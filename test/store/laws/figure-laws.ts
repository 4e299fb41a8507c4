import assert from 'node:assert/strict';
import type { Objective } from '../../../src/ports/figures.ts';
import { addressOf, everything, lookOf, rowOf, scope, start } from '../fixtures.ts';
import type { Bench, Laws } from './bench.ts';

const minute = 60_000;

/** One observation after the other of the same scope: the status of each resource. */
async function looks({ store, estate }: Bench, told: Readonly<Record<number, Readonly<Record<string, string>>>>) {
  for (const [after, lines] of Object.entries(told)) {
    const rows = Object.entries(lines).map(([name, said]) => {
      const [status = '', target = 'prod'] = said.split(' ');
      // why: the laws below say one of them
      const row = rowOf(name, { status: status as 'InSync' });
      return { ...row, place: { ...row.place, targets: [target] } };
    });
    await store.rows.keep({ estate, scope }, lookOf(Number(after) * minute, rows));
  }
}

const objectivesOf = async ({ other, estate }: Bench, since: number, now: number): Promise<readonly Objective[]> =>
  other.figures.objectives({ estate, seen: everything, since: start + since * minute, now: start + now * minute });

/** Laws of the counts over the inventory. */
export const figureLaws: Laws = {
  'a spell lasts from when a line left InSync until it is again, whatever it was in between': async (bench) => {
    await looks(bench, {
      0: { a: 'InSync', b: 'InSync', c: 'Pending' },
      10: { a: 'Drifted', b: 'InSync', c: 'Settling' },
      12: { a: 'Settling', b: 'Missing', c: 'InSync' },
      16: { a: 'InSync', b: 'Missing', c: 'InSync' },
    });
    assert.deepEqual(await objectivesOf(bench, 0, 20), [
      {
        target: 'prod',
        kind: 'network',
        resources: 3,
        time: { ms: 60 * minute, inSyncMs: (14 + 12 + 8) * minute },
        spells: {
          drifted: 2,
          closed: 2,
          times: { p50Ms: 6 * minute, p95Ms: 12 * minute, maxMs: 12 * minute },
          open: 1,
          openSince: start + 12 * minute,
        },
      },
    ]);
  },

  'of a window only what ended or goes on in it counts, from its beginning on': async (bench) => {
    await looks(bench, {
      0: { a: 'Drifted', b: 'Drifted' },
      5: { a: 'InSync', b: 'Drifted' },
      20: { a: 'InSync', b: 'InSync' },
      22: { a: 'Missing', b: 'InSync' },
      25: { a: 'InSync', b: 'InSync' },
    });
    const [one] = await objectivesOf(bench, 10, 30);
    assert.deepEqual(one?.spells, {
      drifted: 1,
      closed: 2,
      times: { p50Ms: 3 * minute, p95Ms: 20 * minute, maxMs: 20 * minute },
      open: 0,
    });
    assert.deepEqual(one?.time, { ms: 40 * minute, inSyncMs: 27 * minute });
  },

  'what went, or nobody wants, is no spell that ended; targets are counted by themselves': async (bench) => {
    await looks(bench, {
      0: { a: 'Drifted north', b: 'InSync south', c: 'Unmanaged south', d: 'Orphan north' },
      5: { b: 'InSync south', c: 'Unmanaged south', d: 'Orphan north' },
    });
    const found = await objectivesOf(bench, 0, 10);
    assert.deepEqual(
      found.map(({ target, resources, spells }) => [target, resources, spells]),
      [
        ['north', 1, { drifted: 1, closed: 0, open: 0 }],
        ['south', 1, { drifted: 0, closed: 0, open: 0 }],
      ],
    );
    const { other, estate } = bench;
    const asked = { estate, since: start, now: start + 10 * minute };
    const seen = await other.figures.objectives({ ...asked, seen: [{ targets: ['south'] }] });
    assert.deepEqual(
      seen.map(({ target }) => target),
      ['south'],
    );
    assert.deepEqual(await other.figures.objectives({ ...asked, seen: [] }), []);
  },

  'the parts of a window have what stood at their ends, and the spells that began and ended in them': async (bench) => {
    await looks(bench, {
      0: { a: 'InSync', b: 'InSync' },
      12: { a: 'Drifted', b: 'InSync', c: 'Pending' },
      14: { a: 'InSync', b: 'InSync', c: 'InSync' },
      20: { a: 'Drifted', b: 'InSync', c: 'InSync' },
      25: { a: 'InSync', b: 'Missing', c: 'InSync', d: 'Unmanaged' },
      31: { a: 'InSync', b: 'InSync' },
    });
    const { other, estate } = bench;
    const found = await other.figures.history({
      ...{ estate, seen: everything, since: start - 10 * minute, now: start + 40 * minute, parts: 5 },
    });
    const at = (from: number) => ({ since: start + from * minute, until: start + (from + 10) * minute });
    const time = (ms: number, inSyncMs: number) => ({ time: { ms: ms * minute, inSyncMs: inSyncMs * minute } });
    assert.deepEqual(found, [
      { ...at(-10), resources: 0, outOfSync: 0, ...time(0, 0), drifted: 0, closed: 0 },
      { ...at(0), resources: 2, outOfSync: 0, ...time(20, 20), drifted: 0, closed: 0 },
      { ...at(10), resources: 3, outOfSync: 0, ...time(28, 24), drifted: 1, closed: 2, p95Ms: 2 * minute },
      { ...at(20), resources: 3, outOfSync: 1, ...time(30, 20), drifted: 2, closed: 1, p95Ms: 5 * minute },
      { ...at(30), resources: 2, outOfSync: 0, ...time(21, 20), drifted: 0, closed: 1, p95Ms: 6 * minute },
    ]);
    const nothing = await other.figures.history({
      ...{ estate, seen: [], since: start, now: start + 40 * minute, parts: 2 },
    });
    assert.deepEqual(
      nothing.map(({ resources }) => resources),
      [0, 0],
    );
  },

  'a scope is counted by target and status, and says how far its newest look went': async (bench) => {
    const { store, other, estate } = bench;
    const gaps = [{ kind: 'subnet', code: 'Denied', reason: 'no' }] as const;
    await store.inventory.record(estate, { scope, at: start, resources: [], gaps, pending: [], calls: 3 });
    await looks(bench, { 0: { a: 'InSync north', b: 'InSync south', c: 'Drifted south', d: 'InSync south' } });
    const counts = [
      { target: 'north', status: 'InSync', count: 1 },
      { target: 'south', status: 'Drifted', count: 1 },
      { target: 'south', status: 'InSync', count: 2 },
    ];
    assert.deepEqual(await other.figures.scopes(estate, everything), [{ scope, at: start, gaps, counts }]);
    const bounded = await other.figures.scopes(estate, [{ targets: ['north'] }]);
    assert.deepEqual(bounded, [{ scope, at: start, gaps, counts: counts.slice(0, 1) }]);
    assert.deepEqual(await other.figures.scopes(`${estate}-2`, everything), []);
  },

  'an address is seen by whoever its line lies within, as it is or was last': async (bench) => {
    await looks(bench, { 0: { a: 'InSync north', b: 'InSync north' }, 5: { a: 'InSync south' } });
    const { other, estate } = bench;
    const seenIn = async (target: string) => {
      const addresses = ['a', 'b', 'never'].map(addressOf);
      return Object.fromEntries(await other.figures.seen(estate, addresses, [{ targets: [target] }]));
    };
    assert.deepEqual(await seenIn('north'), { [addressOf('b')]: 0 });
    const moved = start + 5 * minute;
    assert.deepEqual(await seenIn('south'), { [addressOf('a')]: moved }, 'since it is theirs');
    const both = await other.figures.seen(estate, [addressOf('a')], [{ targets: ['north'] }, { targets: ['south'] }]);
    assert.deepEqual([...both.values()], [0]);
    assert.deepEqual([...(await other.figures.seen(estate, [addressOf('a')], []))], []);
  },
};
