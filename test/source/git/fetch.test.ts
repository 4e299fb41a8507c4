import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { diskBounds, watchDisk } from '../../../src/source/git/fetch.ts';

const GiB = 1024 ** 3;

/** Looks as often as it can, through these many free bytes one after the other, the last of which stay. */
async function watched(...free: readonly number[]): Promise<boolean> {
  let at = -1;
  const { promise: seen, resolve } = Promise.withResolvers<void>();
  const watch = watchDisk(
    '/',
    async () => {
      at += 1;
      if (at > free.length + 1) resolve();
      const bytes = free[Math.min(at, free.length - 1)] ?? 0;
      if (bytes < 0) throw new Error('no such folder');
      return bytes;
    },
    0,
  );
  await Promise.race([seen, once(watch.signal, 'abort')]);
  watch.end();
  return watch.signal.aborted;
}

const rows: readonly { name: string; free: readonly number[]; want: boolean }[] = [
  { name: 'nothing is taken', free: [100 * GiB], want: false },
  { name: 'as much as may be', free: [100 * GiB, 100 * GiB - diskBounds.most], want: false },
  { name: 'more than may be', free: [100 * GiB, 100 * GiB - diskBounds.most - 1], want: true },
  { name: 'little is left', free: [1 * GiB, 0.2 * GiB], want: true },
  { name: 'little was left before', free: [0.2 * GiB, 0.19 * GiB], want: false },
  { name: 'it cannot be told', free: [-1], want: false },
];

for (const { name, free, want } of rows)
  test(`the disk: ${name}: ${want ? 'called off' : 'goes on'}`, async () => assert.equal(await watched(...free), want));
