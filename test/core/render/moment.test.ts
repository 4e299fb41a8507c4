import assert from 'node:assert/strict';
import { it } from 'node:test';
import { bareMoment, formatMoment } from '../../../src/core/render/wording.ts';

const at = Date.parse('2026-12-01T23:59:59.999Z');

it('a time is told in UTC, cut off and never rounded up', () => {
  assert.equal(formatMoment(at), '2026-12-01 23:59 UTC');
  assert.equal(formatMoment(at, 'second'), '2026-12-01 23:59:59 UTC');
  assert.equal(bareMoment(at, 'second'), '2026-12-01 23:59:59');
});
