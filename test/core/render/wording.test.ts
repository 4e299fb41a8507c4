import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bareMoment, dayOf, formatMoment, shortRevision } from '../../../src/core/render/wording.ts';

const at = Date.parse('2026-12-01T23:59:59.999Z');

it('a time is told in UTC, cut off and never rounded up', () => {
  assert.equal(formatMoment(at), '2026-12-01 23:59 UTC');
  assert.equal(formatMoment(at, 'second'), '2026-12-01 23:59:59 UTC');
  assert.equal(bareMoment(at, 'second'), '2026-12-01 23:59:59');
});

const a = '1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d';
const b = '9f8e7d6c5b4a39281706f5e4d3c2b1a09f8e7d6c';

describe('a revision for people', () => {
  for (const [revision, want] of [
    [`folder:${a}`, 'folder 1a2b3c4'],
    [`git:${a}`, 'commit 1a2b3c4'],
    [a, 'commit 1a2b3c4'],
    [`git:${a}+web=${b}`, 'commit 1a2b3c4 + web 9f8e7d6'],
    [`git:${a}+db=${b}+web=${a}@prod`, 'commit 1a2b3c4 + db 9f8e7d6 + web 1a2b3c4 (overlay prod)'],
    [`folder:${a}@prod`, 'folder 1a2b3c4 (overlay prod)'],
  ] as const)
    it(`${revision} is ${want}`, () => assert.equal(shortRevision(revision), want));
});

it('a day ends with UTC midnight', () => {
  const last = Date.parse('2026-12-31T23:59:59.999Z');
  assert.deepEqual([dayOf(last), dayOf(last + 1)], ['2026-12-31', '2027-01-01']);
});
