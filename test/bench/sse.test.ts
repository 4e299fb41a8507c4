import assert from 'node:assert/strict';
import { test } from 'node:test';
import { missed } from '../../bench/bounds.ts';
import { digestOf, slope, sse } from '../../bench/sse.ts';

const small = { clients: 20, seconds: 4, perSecond: 100 };

test('every client has every event, in order, across its reconnect', { timeout: 300_000 }, async () => {
  const [all, late, ...more] = await sse(small);
  assert.deepEqual([all?.name, all?.value], ['sse', 0]);
  assert.equal(all?.unit, 'of 20 clients without exactly these 400 events');
  assert.equal(late?.name, 'sse-latency');
  assert.ok((late?.value ?? 0) > 0);
  assert.deepEqual(more, [], 'memory says nothing in so short a time');
});

test('events that are left out are seen', { timeout: 300_000 }, async () => {
  const [all] = await sse({ ...small, isLossy: true });
  assert.equal(all?.value, 20);
});

test('two events in the wrong order, and one twice, are seen', () => {
  const right = digestOf(['a', 'b', 'c']);
  for (const wrong of [['a', 'c', 'b'], ['a', 'b', 'b', 'c'], ['a', 'b'], []]) assert.notEqual(digestOf(wrong), right);
});

test('what grows is seen, and what goes up and down does not', () => {
  assert.equal(slope([5, 5, 5, 5]), 0);
  assert.equal(slope([1, 3, 5, 7]), 2);
  assert.ok(Math.abs(slope([1, 9, 1, 9, 1, 9, 1])) < 0.01);
  assert.match(missed({ name: 'sse-memory', value: 15.5, unit: 'MB more each minute' }) ?? '', /is over 5/);
  assert.match(missed({ name: 'sse', value: 1, unit: 'clients' }) ?? '', /is over 0/);
});
