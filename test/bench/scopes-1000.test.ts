import assert from 'node:assert/strict';
import { test } from 'node:test';
import { missed } from '../../bench/bounds.ts';
import { scopes1000 } from '../../bench/scopes-1000.ts';

test('every scope sends its deletion, though limits count over all of them', async () => {
  const [figure] = await scopes1000(12);
  assert.equal(figure?.unit, 's until 12 scopes sent a deletion');
  assert.equal(missed(figure), undefined);
});

test('a figure over its bound is missed', () => {
  const figure = { name: 'scopes-1000', value: 181, unit: 's' };
  assert.equal(missed(figure), 'scopes-1000: value 181 is over 180');
});
