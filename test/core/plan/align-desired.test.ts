import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { prioritiesFor } from '../../../src/core/plan/align-desired.ts';

const azure = { first: 100, last: 4095, gap: 10 };

describe('numbers for rules in a row', () => {
  const rows: readonly {
    readonly name: string;
    readonly current: readonly (number | undefined)[];
    readonly others?: readonly number[];
    readonly want: readonly number[];
  }[] = [
    { name: 'new ones stand a gap apart', current: [undefined, undefined], want: [109, 119] },
    { name: 'those in order keep theirs', current: [100, 2000], want: [100, 2000] },
    { name: 'a new last one comes after', current: [100, undefined], want: [100, 110] },
    { name: 'a new one in the middle', current: [100, undefined, 110], want: [100, 105, 110] },
    { name: 'a colleague’s number is left alone', current: [undefined], others: [109], want: [110] },
    { name: 'out of range counts as none', current: [4096, 50], want: [109, 119] },
  ];
  for (const { name, current, others = [], want } of rows) {
    test(name, () => assert.deepEqual(prioritiesFor(current, held(current, others), azure), want));
  }

  test('Z19: swapped: one keeps its number, the other takes a free one', () => {
    const [first = 0, second = 0] = prioritiesFor([110, 100], held([110, 100]), azure);
    assert.ok(first < second);
    assert.equal([first, second].filter((number) => number === 100 || number === 110).length, 1);
  });

  test('no room between two that stay: all move to free numbers', () => {
    const current = [100, undefined, 101];
    const numbers = prioritiesFor(current, held(current), azure);
    assert.deepEqual(
      numbers.filter((number) => number === 100 || number === 101),
      [],
    );
    assert.ok(rising(numbers));
  });

  test('Z17, Z20: always rising, in range, and never onto a number that something holds', () => {
    const cell = fc.option(fc.integer({ min: 90, max: 160 }), { nil: undefined });
    fc.assert(
      fc.property(
        fc.uniqueArray(cell, { maxLength: 30 }),
        fc.uniqueArray(fc.integer({ min: 100, max: 160 }), { maxLength: 20 }),
        (row, others) => {
          const current = row.filter((one) => one === undefined || !others.includes(one));
          const inUse = held(current, others);
          const numbers = prioritiesFor(current, inUse, { first: 100, last: 400, gap: 5 });
          assert.equal(numbers.length, current.length);
          assert.ok(rising(numbers));
          for (const [at, number] of numbers.entries()) {
            assert.ok(number !== undefined && number >= 100 && number <= 400);
            if (number !== current[at]) assert.ok(!inUse.has(number), `${number} is held`);
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  test('a thousand new ones fit', () => {
    const many = prioritiesFor(
      Array.from({ length: 1000 }, () => undefined),
      new Set(),
      azure,
    );
    assert.equal(new Set(many).size, 1000);
    assert.ok(rising(many));
  });
});

const held = (current: readonly (number | undefined)[], others: readonly number[] = []): ReadonlySet<number> =>
  new Set([...current.filter((one) => one !== undefined), ...others]);

const rising = (numbers: readonly (number | undefined)[]): boolean =>
  numbers.every((number, at) => at === 0 || (number ?? 0) > (numbers[at - 1] ?? 0));
