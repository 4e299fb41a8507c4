import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writerQueue } from '../../src/store/context.ts';

/** Works that end when they are told to, and the order in which they began. */
function works(most: number) {
  const queue = writerQueue(most);
  const began: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const add = (name: string, ...keys: readonly string[]): Promise<string> =>
    queue.run(keys, () => {
      began.push(name);
      return new Promise((resolve, reject) => {
        ends.set(name, (error) => (error ? reject(error) : resolve(name)));
      });
    });
  const end = async (name: string, error?: Error): Promise<void> => {
    ends.get(name)?.(error);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { add, end, began };
}

test('writer queue: of those that share a key one runs at a time, in the order they came', async () => {
  const { add, end, began } = works(10);
  const all = [add('a1', 'a'), add('a2', 'a'), add('b1', 'b'), add('ab', 'a', 'b'), add('b2', 'b'), add('c', 'c')];
  assert.deepEqual(began, ['a1', 'b1', 'c']);
  await end('b1');
  assert.deepEqual(began, ['a1', 'b1', 'c'], 'what came first for a key has it first');
  await end('a1');
  await end('a2');
  assert.deepEqual(began, ['a1', 'b1', 'c', 'a2', 'ab']);
  await end('ab');
  await end('b2');
  await end('c');
  assert.deepEqual(await Promise.all(all), ['a1', 'a2', 'b1', 'ab', 'b2', 'c']);
});

test('writer queue: so many run side by side, and one that fails makes room too', async () => {
  const { add, end, began } = works(2);
  const failing = assert.rejects(add('a', 'a'), /broken/);
  const rest = [add('b', 'b'), add('c', 'c')];
  assert.deepEqual(began, ['a', 'b']);
  await end('a', new Error('broken'));
  await failing;
  assert.deepEqual(began, ['a', 'b', 'c']);
  await end('b');
  await end('c');
  await Promise.all(rest);
});
