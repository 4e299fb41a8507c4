import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { exponentOf } from '../../bench/growth.ts';
import { fill, shapes } from '../../bench/growth-limiter.ts';

describe('growth', () => {
  const sizes = [100, 400, 1600];
  for (const exponent of [0, 1, 1.15, 2])
    it(`of cost with size to the power of ${exponent} is that exponent`, () => {
      const points = sizes.map((size) => ({ size, cost: 3 * size ** exponent }));
      assert.equal(exponentOf(points).toFixed(6), exponent.toFixed(6));
    });

  for (const [name, needOf] of Object.entries(shapes))
    it(`of the limiter is measured while somebody waits and somebody goes: ${name}`, async () => {
      const { asked, taken } = await fill(60, needOf);
      assert.ok(taken > 0 && taken < asked, `${taken} of ${asked} went`);
    });
});
