import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bounds } from '../../bench/bounds.ts';
import { rowsOf } from '../../bench/console/estate.ts';
import { hostileRows, hostileTexts } from '../../bench/console/hostile-rows.ts';

test('the rows are spread over 50 scopes, each once, and lie in the targets of these', () => {
  const rows = rowsOf(10_000);
  const all = [...rows.values()].flat();
  assert.equal(rows.size, 50);
  assert.equal(new Set(all.map(({ key, place }) => `${place.scope} ${key}`)).size, 10_000);
  for (const [scope, each] of rows)
    for (const { place } of each)
      assert.deepEqual([place.scope, place.targets], [scope, [`${place.account}-${place.region}`]]);
});

test('each hostile text is in a name, a tag, an owner, a message and a maker', () => {
  for (const [at, text] of hostileTexts.entries()) {
    const { called, whose, state, sides } = hostileRows[at] ?? assert.fail('no row');
    const places = [called.name, called.labels['plain'], whose.owner, state.reason, sides.observed?.origin?.maker];
    assert.deepEqual(
      places,
      places.map(() => text),
    );
  }
});

test('every figure of the console has its bound', () => {
  const asked = [
    'console-js',
    'console-paint',
    'console-live',
    'console-hostile',
    'console-frame',
    'console-api-page-ms',
  ];
  assert.deepEqual(
    asked.filter((name) => !(name in bounds)),
    [],
  );
});
