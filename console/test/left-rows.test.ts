import assert from 'node:assert/strict';
import { test } from 'node:test';
import { steadyOrder } from '../src/inventory/filter.ts';
import { leftBetween, type rowKey, withLeft } from '../src/inventory/left-rows.ts';
import { isSame, renamed, searchOf, viewsIn, withDefault, withView } from '../src/inventory/views.ts';

type Row = Parameters<typeof rowKey>[0];

// why: the key is all that is read of a row
const rows = (names: string): readonly Row[] =>
  [...names].map((name) => ({ estate: 'acme', scope: 'aws', address: name }) as Row);
const textOf = (all: readonly Row[]): string => all.map(({ address }) => address).join('');

test('a row that left stays below the row that it was below', () => {
  const table: readonly (readonly [before: string, now: string, hasMore: boolean, shown: string, left: string])[] = [
    ['abc', 'ac', false, 'abc', 'b'],
    ['abc', 'bc', false, 'abc', 'a'],
    ['abc', 'ab', false, 'abc', 'c'],
    ['abc', '', false, 'abc', 'abc'],
    ['abcd', 'ad', false, 'abcd', 'bc'],
    ['abc', 'xac', false, 'xabc', 'b'],
    ['abc', 'abc', false, 'abc', ''],
    ['abc', 'xab', true, 'xab', ''],
    ['abc', 'ac', true, 'abc', 'b'],
    ['abc', 'xyz', true, 'xyz', ''],
  ];
  for (const [before, now, hasMore, shown, left] of table) {
    const found = leftBetween(rows(before), rows(now), hasMore);
    assert.equal(textOf(found.map(({ row }) => row)), left, `${before} → ${now}`);
    assert.equal(textOf(withLeft(rows(now), found)), shown, `${before} → ${now}`);
  }
});

test('a row that came back is shown once', () => {
  const left = leftBetween(rows('abc'), rows('ac'), false);
  assert.equal(textOf(withLeft(rows('abc'), left)), 'abc');
});

test('views are kept by name, and whatever else the browser has is no view', () => {
  const one = { name: 'drift', search: { status: 'Drifted' }, isDefault: false };
  const two = { name: 'mine', search: { owner: 'team-web', group: 'network' }, isDefault: false };
  assert.deepEqual(viewsIn(JSON.stringify([one, { name: 'x' }, { ...one, search: { status: 1 } }, 7])), [one]);
  for (const text of [null, '', '{', '{}', '"views"']) assert.deepEqual(viewsIn(text), []);
  assert.deepEqual(withView([one], two), [one, two]);
  assert.deepEqual(withView([one, two], { name: 'drift', search: {} }), [{ ...one, search: {} }, two]);
  assert.deepEqual(renamed([one, two], 'mine', 'ours'), [one, { ...two, name: 'ours' }]);
  assert.deepEqual(renamed([one, two], 'mine', 'drift'), [one, two], 'another view has the name');
  const chosen = withDefault([one, two], 'mine');
  assert.deepEqual(
    chosen.map(({ isDefault }) => isDefault),
    [false, true],
  );
  assert.deepEqual(
    withDefault(chosen, 'mine').map(({ isDefault }) => isDefault),
    [false, false],
  );
  assert.deepEqual(searchOf({ estate: 'acme', status: 'Drifted' }), { status: 'Drifted' });
  assert.ok(isSame({ owner: 'a', q: 'b', estate: 'acme' }, { q: 'b', owner: 'a' }));
  assert.ok(!isSame({ owner: 'a' }, { owner: 'b' }));
});

test('groups keep their order, and new ones come last', () => {
  const order = (now: string, before: string): string =>
    steadyOrder(
      [...now].map((value) => ({ value })),
      [...before],
    )
      .map(({ value }) => value)
      .join('');
  for (const [now, before, shown] of [
    ['cab', 'abc', 'abc'],
    ['dcba', 'abc', 'abcd'],
    ['edb', 'abc', 'bed'],
    ['abc', '', 'abc'],
  ] as const)
    assert.equal(order(now, before), shown);
});
