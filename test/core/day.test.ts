import assert from 'node:assert/strict';
import { it } from 'node:test';
import { dayOf } from '../../src/core/render/wording.ts';

it('a day ends with UTC midnight', () => {
  const last = Date.parse('2026-12-31T23:59:59.999Z');
  assert.deepEqual([dayOf(last), dayOf(last + 1)], ['2026-12-31', '2027-01-01']);
});
