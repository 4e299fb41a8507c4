import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedListing } from '../../../providers/shared/shared-listing.ts';
import { recordedCall } from '../../support/fixtures.ts';

const stage = () => {
  let [now, made] = [0, 0];
  const listeners: (() => void)[] = [];
  const clock = { now: () => now, sleep: async () => undefined };
  const listing = sharedListing({ onWrite: (listener) => void listeners.push(listener) }, clock, async () => {
    made += 1;
    return [made];
  });
  return {
    read: (kind: 'network' | 'subnet') => listing(kind, recordedCall()),
    later: (ms: number) => {
      now += ms;
    },
    write: () => {
      for (const listener of listeners) listener();
    },
  };
};

test('one listing serves every kind once', async () => {
  const { read } = stage();
  assert.deepEqual([await read('network'), await read('subnet'), await read('network')], [[1], [1], [2]]);
});

test('what was listed before a write serves nobody after it', async () => {
  const { read, write } = stage();
  await read('network');
  write();
  assert.deepEqual(await read('subnet'), [2]);
});

test('nor does what was listed a minute ago', async () => {
  const { read, later } = stage();
  await read('network');
  later(59_999);
  assert.deepEqual(await read('subnet'), [1]);
  const again = stage();
  await again.read('network');
  again.later(60_000);
  assert.deepEqual(await again.read('subnet'), [2]);
});
