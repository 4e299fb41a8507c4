import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { shapes, waits } from '../../bench/growth-order.ts';

describe('the order of a plan', () => {
  for (const [name, shape] of Object.entries(shapes)) {
    it(`${name}: waits grow with the changes and not with pairs of them`, () => {
      const [few, many] = [400, 3200].map((size) => waits(...shape(size)) / size);
      assert.ok(few !== undefined && many !== undefined && few > 0);
      assert.ok(many < 40 && many < few * 1.5 + 1, `${few} waits a change of 400, ${many} a change of 3200`);
    });
  }
});
