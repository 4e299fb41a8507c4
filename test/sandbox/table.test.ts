import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeClock } from '../../sandbox/clock.ts';
import { makeLag } from '../../sandbox/lag.ts';
import { seededRandom } from '../../sandbox/random.ts';
import { Table } from '../../sandbox/table.ts';

interface Thing {
  readonly id: string;
  readonly of: string;
  readonly value: number;
}

function make(ms: number, sight = 0) {
  const clock = makeClock({ rate: 0, start: 0 });
  const lag = makeLag(clock, seededRandom(1, 'lag'), { ms, sight });
  return { clock, lag, table: new Table<Thing>(lag, (thing) => thing.of) };
}

const thing = (value: number): Thing => ({ id: 'a', of: 'x', value });

describe('a table', () => {
  it('without lag shows everything at once', () => {
    const { table } = make(0);
    table.put(thing(1));
    assert.equal(table.see('a')?.value, 1);
    table.put(thing(2));
    assert.deepEqual([table.see('a')?.value, table.target('a')?.value], [2, 2]);
    table.remove('a');
    assert.deepEqual([table.see('a'), [...table.seen()], [...table.of('x')], table.size], [undefined, [], [], 0]);
  });

  it('with lag tells each reader what was true a while ago, and writers the truth', () => {
    const { clock, table } = make(100);
    table.put(thing(1));
    assert.deepEqual([table.see('a'), table.target('a'), table.get('a')?.value], [undefined, undefined, 1]);
    clock.advance(100);
    table.put(thing(2));
    clock.advance(50);
    table.put(thing(3));
    assert.deepEqual([table.see('a')?.value, table.target('a')?.value], [1, 3]);
    clock.advance(50);
    assert.equal(table.see('a')?.value, 2);
    clock.advance(50);
    assert.equal(table.see('a')?.value, 3);
  });

  it('with lag shows what was removed for a while, and then forgets it', () => {
    const { clock, lag, table } = make(100);
    lag.without(() => table.put(thing(1)));
    table.remove('a');
    assert.deepEqual(
      [table.get('a'), table.see('a')?.value, [...table.of('x')], [...table.seenOf('x')].length],
      [undefined, 1, [], 1],
    );
    clock.advance(100);
    assert.deepEqual([[...table.seen()], [...table.seenOf('x')], table.size], [[], [], 0]);
  });

  it('never shows a version older than it must', () => {
    const { clock, table } = make(100, 0.5);
    table.put(thing(0));
    for (let value = 1; value <= 50; value++) {
      clock.advance(60);
      table.put(thing(value));
      const seen = table.see('a')?.value ?? -1;
      assert.ok(seen >= value - 2 && seen <= value, `${seen} at ${value}`);
    }
  });

  it('keeps the order of creation through changes', () => {
    const { table } = make(0);
    for (const id of ['c', 'a', 'b']) table.put({ id, of: 'x', value: 0 });
    table.put({ id: 'c', of: 'x', value: 1 });
    assert.deepEqual(
      [...table.seen()].map(({ seq, record }) => [seq, record.id]),
      [
        [1, 'c'],
        [2, 'a'],
        [3, 'b'],
      ],
    );
  });
});

describe('a table of names', () => {
  it('a removed id may come again elsewhere, and is then found there only', () => {
    const { clock, lag, table } = make(100);
    lag.without(() => table.put(thing(1)));
    table.remove('a');
    table.put({ id: 'a', of: 'y', value: 2 });
    const values = (found: Iterable<Thing>) => [...found].map(({ value }) => value);
    assert.deepEqual([values(table.of('x')), values(table.of('y'))], [[], [2]]);
    assert.deepEqual([values(table.seenOf('x')), values(table.seenOf('y'))], [[1], []]);
    clock.advance(100);
    assert.deepEqual([values(table.seenOf('x')), values(table.seenOf('y'))], [[], [2]]);
  });
});

describe('references', () => {
  it('are found from the other end, as they are now', () => {
    const { lag } = make(0);
    const table = new Table<Thing>(lag, undefined, ({ of }) => of.split(','));
    const found = (key: string) => [...table.referring(key)].map(({ id }) => id);
    table.put({ id: 'a', of: 'x,y', value: 1 });
    table.put({ id: 'b', of: 'y', value: 1 });
    assert.deepEqual([found('x'), found('y'), found('z')], [['a'], ['a', 'b'], []]);
    table.put({ id: 'a', of: 'y,z', value: 2 });
    assert.deepEqual([found('x'), found('y'), found('z')], [[], ['a', 'b'], ['a']]);
    table.put({ id: 'a', of: 'x', value: 3 });
    table.remove('b');
    assert.deepEqual([found('x'), found('y')], [['a'], []]);
  });
});
