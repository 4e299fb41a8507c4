import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { measure } from '../../bench/policy.ts';
import { kindNames } from '../../src/core/kinds/kinds.ts';

describe('bench: policy', () => {
  it('judges about a hundred resources a network, of five kinds, and finds its violations', async () => {
    const { judged, violations } = await measure(kindNames, 4, 10);
    assert.ok(judged >= 940 && judged < 1000, `${judged}`);
    // of rules 1 and 3: net-1 and net-3, their five groups each, and the open egress of all ten networks; of rule 2: web-2-0
    assert.equal(violations, 2 * (1 + 5 + 10) + 1);
  });

  it('takes longer for more rules', async () => {
    await measure(['instance'], 10, 10);
    const [few, many] = [await measure(['instance'], 10, 10), await measure(['instance'], 1000, 10)];
    assert.ok(many.seconds > few.seconds, `${few.seconds} and ${many.seconds}`);
  });
});
