import assert from 'node:assert/strict';
import { sha256 } from '../../../src/store/signing.ts';
import type { Bench, Laws } from './bench.ts';

const minute = 60_000;
const response = { status: 201, headers: { location: '/v1/x' }, text: '{"a":1}' };
const named = ({ estate }: Bench, digest = 'what') => ({ name: sha256(estate), digest: sha256(digest) });

/** A repeated request under one key gets the first answer again, in any process. */
export const idempotentResponseLaws: Laws = {
  'of many who come by one name at once, one is first, in both processes together': async (bench) => {
    const { store, other } = bench;
    const all = [store, other, store, other, store, other].map(({ idempotentResponses }) =>
      idempotentResponses.begin(named(bench), minute),
    );
    const begun = await Promise.all(all);
    assert.equal(begun.filter(({ as }) => as === 'first').length, 1);
    assert.equal(begun.filter(({ as }) => as === 'running').length, 5);
  },
  'what was answered is answered again, and another question by that name is not': async (bench) => {
    const { store, other } = bench;
    const first = await store.idempotentResponses.begin(named(bench), minute);
    assert.ok(first.as === 'first');
    assert.deepEqual(await other.idempotentResponses.begin(named(bench, 'else'), minute), { as: 'other' });
    await store.idempotentResponses.end(named(bench).name, first.attempt, response);
    assert.deepEqual(await other.idempotentResponses.begin(named(bench), minute), { as: 'done', response });
    assert.deepEqual(await other.idempotentResponses.begin(named(bench, 'else'), minute), { as: 'other' });
  },
  'an answer that is not to be kept is known to have been given': async (bench) => {
    const first = await bench.store.idempotentResponses.begin(named(bench), minute);
    assert.ok(first.as === 'first');
    await bench.store.idempotentResponses.end(named(bench).name, first.attempt, undefined);
    assert.deepEqual(await bench.other.idempotentResponses.begin(named(bench), minute), {
      as: 'done',
      response: undefined,
    });
  },
  'where nothing was done the next one is first': async (bench) => {
    const { store, other } = bench;
    const first = await store.idempotentResponses.begin(named(bench), minute);
    assert.ok(first.as === 'first');
    await store.idempotentResponses.drop(named(bench).name, first.attempt);
    assert.equal((await other.idempotentResponses.begin(named(bench), minute)).as, 'first');
  },
  'whoever never came back is overtaken, and changes nothing any more': async (bench) => {
    const { store, other, later } = bench;
    const first = await store.idempotentResponses.begin(named(bench), 0);
    assert.ok(first.as === 'first');
    await later(50);
    const second = await other.idempotentResponses.begin(named(bench), 0);
    assert.ok(second.as === 'first');
    await store.idempotentResponses.end(named(bench).name, first.attempt, response);
    await store.idempotentResponses.drop(named(bench).name, first.attempt);
    assert.deepEqual(await store.idempotentResponses.begin(named(bench), minute), { as: 'running' });
  },
};
