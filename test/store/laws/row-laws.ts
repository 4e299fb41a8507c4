import assert from 'node:assert/strict';
import type { RowQuery } from '../../../src/ports/inventory-rows.ts';
import { addressOf, brokenRule, everything, gapOf, lookOf, namesOf, of, rowOf, scope, start } from '../fixtures.ts';
import type { Laws } from './bench.ts';

/** The inventory's lines as they are and as they were. */
export const rowLaws: Laws = {
  'a line is kept as it was told, with its look, and since when it stands so': async ({ store, other, estate }) => {
    const row = rowOf('a', { called: { labels: { tier: 'web' } }, whose: { owner: 'team-a' } });
    await store.rows.keep({ estate, scope }, lookOf(1000, [row]));
    const { rows } = await other.rows.page(of(estate));
    const kept = { ...row, estate, since: start + 1000, observed: { at: start + 1000, complete: true } };
    assert.deepEqual(rows, [kept]);
    assert.deepEqual(await other.rows.find({ seen: everything, estate, of: addressOf('a') }), [kept]);
  },

  'an equal look changes how fresh a line is, and nothing else': async ({ store, estate }) => {
    const where = { estate, scope };
    for (const after of [1000, 2000, 3000]) await store.rows.keep(where, lookOf(after, [rowOf('a')]));
    const [row] = await store.rows.find({ seen: everything, estate, of: 'vpc-a' });
    assert.deepEqual([row?.since, row?.observed], [start + 1000, { at: start + 3000, complete: true }]);
    const history = await store.rows.history({ seen: everything, estate, scope, key: addressOf('a'), limit: 10 });
    assert.deepEqual(
      history.map(({ from, until }) => [from, until]),
      [[start + 1000, undefined]],
    );
  },

  'an older look changes nothing': async ({ store, estate }) => {
    await store.rows.keep({ estate, scope }, lookOf(2000, [rowOf('a')]));
    await store.rows.keep({ estate, scope }, lookOf(1000, [rowOf('a', { status: 'Drifted' }), rowOf('b')]));
    assert.deepEqual(await namesOf(store.rows, of(estate, { filter: { statuses: ['InSync'] } })), ['a']);
    assert.deepEqual(await namesOf(store.rows, of(estate)), ['a']);
  },

  'a version for each change; since holds while the status does; what went has an end': async ({ store, estate }) => {
    const where = { estate, scope };
    const drifted = rowOf('a', { status: 'Drifted', reason: 'one field' });
    const more = rowOf('a', { status: 'Drifted', reason: 'two fields' });
    const looks = [[rowOf('a')], [drifted], [more], [more], [], [rowOf('a')]];
    for (const [i, rows] of looks.entries()) await store.rows.keep(where, lookOf(1000 * (i + 1), rows));
    const history = await store.rows.history({ seen: everything, estate, scope, key: addressOf('a'), limit: 10 });
    const told = history.map(({ state, since, from, until }) => [state.reason, ...[since, from, until].map(after)]);
    assert.deepEqual(told, [
      ['as wanted', 6000, 6000, undefined],
      ['two fields', 2000, 3000, 5000],
      ['one field', 2000, 2000, 3000],
      ['as wanted', 1000, 1000, 2000],
    ]);
    const numbers = history.map(({ number }) => number);
    assert.deepEqual(
      numbers,
      numbers.toSorted((a, b) => b - a),
    );
    const [newest] = await store.rows.history({ seen: everything, estate, scope, key: addressOf('a'), limit: 1 });
    assert.equal(newest?.from, start + 6000);
  },

  'one version of what fails the same again, however its cloud words each answer; another reason is another': async ({
    store,
    other,
    estate,
  }) => {
    const where = { estate, scope };
    const failing = (why: string, cipher: string) => {
      const row = rowOf('a', {
        status: 'Failed',
        reason: `${why} Encoded: ${cipher.repeat(40)} (Trace ID: ${cipher})`,
      });
      return { ...row, state: { ...row.state, code: 'UnauthorizedOperation' } };
    };
    const place = await store.events.newest();
    const looks = [failing('No creating.', 'a1B2'), failing('No creating.', 'C3d4'), failing('No tagging.', 'e5F6')];
    for (const [i, row] of looks.entries()) await store.rows.keep(where, lookOf(1000 * (i + 1), [row]));
    const history = await store.rows.history({ seen: everything, estate, scope, key: addressOf('a'), limit: 10 });
    assert.deepEqual(
      history.map(({ state, from }) => [state.reason, after(from)]),
      [
        [looks[2]?.state.reason, 3000],
        [looks[0]?.state.reason, 1000],
      ],
    );
    const { events } = await other.events.after(place, 100);
    assert.equal(events.filter((one) => one.estate === estate).length, 2);
  },

  'as it was then: what stood, how it stood, and not what came later': async ({ store, estate }) => {
    const where = { estate, scope };
    await store.rows.keep(where, lookOf(1000, [rowOf('a'), rowOf('b')]));
    await store.rows.keep(where, lookOf(2000, [rowOf('a', { status: 'Drifted' }), rowOf('c')]));
    const at = (ms: number, filter: RowQuery['filter'] = {}) =>
      namesOf(store.rows, of(estate, { asOf: start + ms, filter }));
    assert.deepEqual(await at(999), []);
    assert.deepEqual(await at(1000), ['a', 'b']);
    assert.deepEqual(await at(1999, { statuses: ['InSync'] }), ['a', 'b']);
    assert.deepEqual(await at(2000, { statuses: ['InSync'] }), ['c']);
    assert.deepEqual(await at(2000), ['a', 'c']);
    const [a] = await store.rows.find({ seen: everything, estate, of: 'vpc-a', asOf: start + 1500 });
    assert.deepEqual([a?.state.status, a?.since], ['InSync', start + 1000]);
    const [version, ...earlier] = await store.rows.history({
      ...{ seen: everything, estate, scope, key: addressOf('a'), asOf: start + 1500, limit: 10 },
    });
    assert.deepEqual([version?.from, version?.until, earlier], [start + 1000, undefined, []]);
  },

  'what a gap hides stays as it was last seen, and says so': async ({ store, estate }) => {
    const where = { estate, scope };
    const group = rowOf('g', { place: { kind: 'group' } });
    await store.rows.keep(where, lookOf(1000, [rowOf('a'), rowOf('b'), group]));
    await store.rows.keep(where, lookOf(2000, [rowOf('b'), group], [gapOf('network')]));
    await store.rows.keep(where, lookOf(3000, [rowOf('b'), group], [gapOf('network')]));
    const seen = async () =>
      (await store.rows.page(of(estate))).rows.map(({ called, observed }) => [
        called.name,
        after(observed.at),
        observed.complete,
      ]);
    assert.deepEqual(await seen(), [
      ['a', 1000, false],
      ['b', 3000, false],
      ['g', 3000, true],
    ]);
    await store.rows.keep(where, lookOf(4000, [rowOf('a')]));
    assert.deepEqual(await seen(), [['a', 4000, true]]);
    const history = await store.rows.history({ seen: everything, estate, scope, key: addressOf('a'), limit: 10 });
    assert.equal(history.length, 1);
  },

  'that nothing was seen of a kind with a gap proves nothing of what is known': async ({ store, estate }) => {
    const where = { estate, scope };
    const unseen = (name: string) => {
      const row = rowOf(name, { status: 'Blocked', reason: 'not listed' });
      return { ...row, called: { name, address: row.key, labels: {} } };
    };
    await store.rows.keep(where, lookOf(1000, [rowOf('a')]));
    await store.rows.keep(where, lookOf(2000, [unseen('a'), unseen('new')], [gapOf('network')]));
    const { rows } = await store.rows.page(of(estate));
    assert.deepEqual(
      rows.map(({ called, state, observed }) => [called.name, state.status, observed.complete]),
      [
        ['a', 'InSync', false],
        ['new', 'Blocked', false],
      ],
    );
  },

  'a line that is in step with a newer generation has no version of it': async ({ store, estate }) => {
    const where = { estate, scope };
    const of = (generation: number, status: 'InSync' | 'Drifted' = 'InSync') => {
      const row = rowOf('a', { status });
      return { ...row, state: { ...row.state, generation } };
    };
    const looks = [of(1), of(2), of(2, 'Drifted'), of(3)];
    for (const [i, row] of looks.entries()) await store.rows.keep(where, lookOf(1000 * (i + 1), [row]));
    const history = await store.rows.history({ seen: everything, estate, scope, key: addressOf('a'), limit: 10 });
    assert.deepEqual(
      history.map(({ state }) => [state.status, state.generation]),
      [
        ['InSync', 3],
        ['Drifted', 2],
        ['InSync', 2],
      ],
    );
  },

  'what is left is told as such, is as old as its last look, and is no look; the next look takes it back': async ({
    store,
    other,
    estate,
  }) => {
    const where = { estate, scope };
    const row = rowOf('a');
    await store.rows.keep(where, lookOf(1000, [row, rowOf('b')]));
    const orphan = rowOf('a', { status: 'Orphan', reason: 'left' });
    await store.rows.keep(where, { ...lookOf(3000, [orphan]), left: true });
    const one = async (asOf?: number) => {
      const [found] = await other.rows.find({ seen: everything, estate, of: 'vpc-a', ...(asOf && { asOf }) });
      return [found?.state.status, after(found?.observed.at), found?.observed.complete];
    };
    assert.deepEqual(await one(), ['Orphan', 1000, false]);
    assert.deepEqual(await one(start + 2000), ['InSync', 1000, true]);
    assert.deepEqual(await namesOf(store.rows, of(estate)), ['a']);
    assert.deepEqual(await other.rows.looks(estate), []);
    await store.rows.keep(where, { ...lookOf(3500, [orphan]), left: true });
    assert.deepEqual(await one(), ['Orphan', 1000, false]);
    await store.rows.keep(where, lookOf(4000, [row]));
    assert.deepEqual(await one(), ['InSync', 4000, true]);
    assert.deepEqual(await other.rows.looks(estate), [{ estate, scope, at: start + 4000, gaps: [] }]);
  },

  'who watches hears of each change once, and of an equal look nothing': async ({ store, other, estate }) => {
    const place = await store.events.newest();
    const where = { estate, scope };
    const row = rowOf('a', { whose: { owner: 'team-a', criticality: 'critical' } });
    await store.rows.keep(where, lookOf(1000, [row]));
    await store.rows.keep(where, lookOf(2000, [row]));
    const violations = [brokenRule('open')];
    const drifted = { ...row, state: { ...row.state, status: 'Drifted', reason: 'one field' } as const, violations };
    await store.rows.keep(where, lookOf(3000, [drifted]));
    await store.rows.keep(where, lookOf(4000, []));
    const { events } = await other.events.after(place, 100);
    const about = { key: row.key, address: row.key, id: 'vpc-a', kind: 'network', scope, criticality: 'critical' };
    assert.deepEqual(
      events
        .filter((one) => one.estate === estate)
        .map(({ type, targets, owner, about }) => [type, targets, owner, about]),
      [
        ['resource', ['prod'], 'team-a', { ...about, status: 'InSync', reason: 'as wanted' }],
        [
          'resource',
          ['prod'],
          'team-a',
          { ...about, status: 'Drifted', was: 'InSync', reason: 'one field', violations: ['open/ssh'] },
        ],
        ['resource', ['prod'], 'team-a', { ...about, was: 'Drifted', gone: true }],
      ],
    );
  },

  'who may not see a line any more hears that it is gone, and not whose it is now': async ({
    store,
    other,
    estate,
  }) => {
    const where = { estate, scope };
    const mine = rowOf('a', { whose: { owner: 'team-a' } });
    const theirs = rowOf('a', { whose: { owner: 'team-b' }, reason: 'of another' });
    const elsewhere = { ...theirs, place: { ...theirs.place, targets: ['dev', 'prod'] } };
    await store.rows.keep(where, lookOf(1000, [mine]));
    const place = await store.events.newest();
    for (const [i, row] of [theirs, elsewhere].entries()) await store.rows.keep(where, lookOf(2000 + i, [row]));
    const about = { key: mine.key, address: mine.key, id: 'vpc-a', kind: 'network', was: 'InSync', scope };
    const now = { ...about, status: 'InSync', reason: 'of another' };
    const gone = { ...about, gone: true };
    const [prod, both] = [['prod'], ['dev', 'prod']];
    const { events } = await other.events.after(place, 100);
    assert.deepEqual(
      events
        .filter((one) => one.estate === estate)
        .map(({ targets, owner, about, notTo }) => ({ targets, owner, about, notTo })),
      [
        { targets: prod, owner: 'team-b', about: now, notTo: undefined },
        { targets: prod, owner: 'team-a', about: gone, notTo: { targets: prod, owner: 'team-b' } },
        { targets: both, owner: 'team-b', about: now, notTo: undefined },
        { targets: prod, owner: 'team-b', about: gone, notTo: { targets: both, owner: 'team-b' } },
      ],
    );
  },
};

const after = (at: number | undefined): number | undefined => (at === undefined ? undefined : at - start);
