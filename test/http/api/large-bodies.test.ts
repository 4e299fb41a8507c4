import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { describe, it } from 'node:test';
import { largeBodies } from '../../../src/http/api/large-bodies.ts';
import { Refusal } from '../../../src/http/api/refusal.ts';
import type { Route } from '../../../src/http/api/route.ts';
import { callerOf } from './support/api-world.ts';

const route = (bodyBytes: number): Route => ({
  method: 'POST',
  path: '/v1/much',
  says: { id: 'takeMuch', tag: 'Things', summary: 'Takes bodies', answers: {} },
  needs: 'plan',
  sendsMuch: ({ id }) => id !== 'bounded',
  asks: { bodyBytes },
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
        largeBodies()(route(bytes), callerOf('planner', { id }), { headers }, { raw: new EventEmitter() });
      if (refused) assert.throws(ask, Refusal);
      else ask();
    });

  it('come one at a time from each caller, until the answer before is sent or cut off', () => {
    const large = largeBodies();
    const first = new EventEmitter();
    const ask = (id: string, raw = new EventEmitter()): void =>
      large(route(8192 * kib), callerOf('planner', { id }), { headers: { 'content-length': '70000' } }, { raw });
    ask('ada', first);
    assert.throws(() => ask('ada'), Refusal);
    ask('bob');
    first.emit('close');
    ask('ada');
  });
});
