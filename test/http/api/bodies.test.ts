import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { describe, it } from 'node:test';
import { largeBodyLimit } from '../../../src/http/api/bodies.ts';
import type { Route } from '../../../src/http/api/route.ts';
import { ProblemError } from '../../../src/http/problem.ts';
import { callerOf } from './support/api-world.ts';

const route = (bodyBytes: number): Route => ({
  method: 'POST',
  path: '/v1/much',
  operation: { id: 'takeMuch', tag: 'Things', summary: 'Takes bodies', responses: {} },
  permission: 'plan',
  maySendLargeBody: ({ id }) => id !== 'bounded',
  request: { bodyBytes },
  handle: async () => ({ status: 204, body: undefined }),
});

const kib = 1024;
const rows: readonly [name: string, bytes: number, who: string, headers: Record<string, string>, refused: boolean][] = [
  ['a small body', 8192 * kib, 'bounded', { 'content-length': '65536' }, false],
  ['a large one', 8192 * kib, 'bounded', { 'content-length': '65537' }, true],
  ['one of unstated length', 8192 * kib, 'bounded', { 'transfer-encoding': 'chunked' }, true],
  ['no body', 8192 * kib, 'bounded', {}, false],
  ['a large one of who may', 8192 * kib, 'planner', { 'content-length': '65537' }, false],
  ['a large one of a route that takes none', 64 * kib, 'bounded', { 'content-length': '65537' }, false],
];

describe('large bodies', () => {
  for (const [name, bytes, id, headers, refused] of rows)
    it(`${refused ? 'refuse' : 'let through'} ${name}`, () => {
      const ask = () =>
        largeBodyLimit()(route(bytes), callerOf('planner', { id }), { headers }, { raw: new EventEmitter() });
      if (refused) assert.throws(ask, ProblemError);
      else ask();
    });

  it('come one at a time from each caller, until the answer before is sent or cut off', () => {
    const large = largeBodyLimit();
    const first = new EventEmitter();
    const ask = (id: string, raw = new EventEmitter()): void =>
      large(route(8192 * kib), callerOf('planner', { id }), { headers: { 'content-length': '70000' } }, { raw });
    ask('ada', first);
    assert.throws(() => ask('ada'), ProblemError);
    ask('bob');
    first.emit('close');
    ask('ada');
  });
});
