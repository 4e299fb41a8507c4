import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { boundsOf, type Rollout, type WaveSize } from '../../src/core/rollout.ts';

const rows: readonly { name: string; rollout: Rollout; total: number; want: readonly number[] }[] = [
  { name: 'one, a tenth, the rest', rollout: [1, { share: 0.1 }, 'rest'], total: 20, want: [1, 3, 20] },
  { name: 'what is left over is a last wave', rollout: [1, 5], total: 20, want: [1, 6, 20] },
  { name: 'a share is rounded up', rollout: [{ share: 0.1 }], total: 11, want: [2, 11] },
  {
    name: 'a whole share is not rounded up, whatever binary makes of it',
    rollout: [{ share: 0.07 }],
    total: 100,
    want: [7, 100],
  },
  { name: 'one machine is one wave', rollout: [1, { share: 0.1 }, 'rest'], total: 1, want: [1] },
  { name: 'more than there are is all of them', rollout: [50, 'rest'], total: 20, want: [20] },
  {
    name: 'shares that come to all leave no last wave',
    rollout: [{ share: 0.5 }, { share: 0.5 }],
    total: 10,
    want: [5, 10],
  },
  { name: 'nothing has no wave', rollout: [1, 'rest'], total: 0, want: [] },
];

const size = fc.oneof(
  fc.integer({ min: 1, max: 50 }),
  fc.integer({ min: 1, max: 100 }).map((percent) => ({ share: percent / 100 })),
  fc.constant<WaveSize>('rest'),
);

describe('the waves of a rollout', () => {
  for (const { name, rollout, total, want } of rows) it(name, () => assert.deepEqual(boundsOf(rollout, total), want));

  it('always rise, and end with all', () => {
    fc.assert(
      fc.property(fc.array(size, { maxLength: 6 }), fc.integer({ min: 1, max: 200 }), (rollout, total) => {
        const bounds = boundsOf(rollout, total);
        assert.equal(bounds.at(-1), total);
        assert.ok(bounds.every((bound, i) => bound > (bounds[i - 1] ?? 0)));
      }),
    );
  });
});
