import assert from 'node:assert/strict';
import { test } from 'node:test';
import { remembered } from '../../src/core/remembered.ts';

test('each value is made once, also where there is none', () => {
  const asked: string[] = [];
  const of = remembered((key: string) => {
    asked.push(key);
    return key === 'none' ? undefined : key.length;
  });
  assert.deepEqual(['none', 'abc', 'none', 'abc'].map(of), [undefined, 3, undefined, 3]);
  assert.deepEqual(asked, ['none', 'abc']);
});
