import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Positions } from '../../../src/core/order/graph.ts';

const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at);

describe('positions', () => {
  for (const count of [0, 1, 15, 16, 17, 40]) {
    it(`keep ${count} in the order of their arrival, each once`, () => {
      const given = upTo(count).toReversed();
      const positions = new Positions([...given, ...given]);
      for (const position of given) positions.add(position);
      assert.deepEqual(positions.all, given);
      assert.ok(given.every((position) => positions.has(position)));
      assert.ok(!positions.has(count));
    });

    it(`lose each of ${count} once`, () => {
      const positions = new Positions(upTo(count));
      assert.deepEqual(
        upTo(count).map((position) => [
          positions.delete(position),
          positions.delete(position),
          positions.has(position),
        ]),
        upTo(count).map(() => [true, false, false]),
      );
      assert.deepEqual(positions.all, []);
    });
  }

  it('are never shared by two nodes', () => {
    const [one, other] = [new Positions(), new Positions()];
    one.add(1);
    assert.deepEqual(other.all, []);
  });
});
