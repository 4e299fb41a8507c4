import assert from 'node:assert/strict';
import { test } from 'node:test';
import { histories, tamper } from '../../bench/tamper.ts';

test('there are twenty false histories, by twenty names, each told by three attackers', () => {
  assert.equal(new Set(histories.map(({ name }) => name)).size, 20);
});

test('tamperings are noticed, and one that nobody looked at is counted', async () => {
  const only = ['all since the first checkpoint is gone', 'an unsigned entry says something else'];
  const [seen] = await tamper({ only });
  assert.deepEqual([seen?.value, seen?.unit], [0, 'of 6 tamperings neither found nor said']);
  const [blind] = await tamper({ only, isBlind: true });
  assert.equal(blind?.value, 6);
});
