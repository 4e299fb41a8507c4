import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { semaphore } from '../../../../src/http/api/events/hub.ts';

test('a turnstile lets so many through at once, in their order, and the next when one fails', async () => {
  const through = semaphore(2);
  const inside: number[] = [];
  const ends: ((error?: Error) => void)[] = [];
  const all = [0, 1, 2, 3, 4].map((n) =>
    through(
      () =>
        new Promise<number>((resolve, reject) => {
          inside.push(n);
          ends.push((error) => (error ? reject(error) : resolve(n)));
        }),
    ),
  );
  await turn();
  assert.deepEqual(inside, [0, 1]);
  ends[1]?.(new Error('broke'));
  await assert.rejects(async () => all[1], /broke/);
  await turn();
  assert.deepEqual(inside, [0, 1, 2]);
  ends[0]?.();
  ends[2]?.();
  await turn();
  assert.deepEqual(inside, [0, 1, 2, 3, 4]);
  ends[3]?.();
  ends[4]?.();
  assert.deepEqual(await Promise.all([all[0], all[2], all[3], all[4]]), [0, 2, 3, 4]);
  assert.equal(await through(async () => 5), 5);
});
