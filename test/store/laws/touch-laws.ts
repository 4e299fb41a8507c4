import assert from 'node:assert/strict';
import type { Touch } from '../../../src/core/last-modified.ts';
import type { Store } from '../../../src/ports/store.ts';
import { apply, draftOf, scope, workerOf } from '../fixtures.ts';
import type { Laws } from './bench.ts';

const day = 86_400_000;
/** The time at which the clocks of the laws begin. */
const start = Date.UTC(2026, 0, 1);
const delivery = { hook: 'aws', id: 'e1' };

/** Laws of the changes that clouds report. */
export const touchLaws: Laws = {
  'a delivery is the first once, whoever takes it, by estate, hook and id': async ({ store, other, estate }) => {
    const taken = await Promise.all([store, other, store].map(({ touches }) => touches.first(estate, delivery)));
    assert.deepEqual(taken.filter(Boolean), [true]);
    assert.equal(await other.touches.first(`${estate}-2`, delivery), true);
    assert.equal(await other.touches.first(estate, { ...delivery, hook: 'github' }), true);
    const odd = { ...delivery, id: `${'x'.repeat(100_000)}\u0000` };
    assert.equal(await store.touches.first(estate, odd), true);
    assert.equal(await other.touches.first(estate, odd), false);
  },

  'of many deliveries at once, told twice by two, each is the first once': async ({ store, other, estate }) => {
    const ids = Array.from({ length: 150 }, (_, index) => `e${index}`);
    const tellers = [store, other, store, other];
    const all = tellers.map(({ touches }, teller) =>
      Promise.all((teller % 2 === 0 ? ids : ids.toReversed()).map((id) => touches.first(estate, { hook: 'aws', id }))),
    );
    const firsts = (await Promise.all(all)).flat().filter(Boolean);
    assert.equal(firsts.length, ids.length);
  },

  'a delivery is known for a week': async ({ store, estate, later }) => {
    const old = { ...delivery, id: 'old' };
    await store.touches.first(estate, old);
    await later(7 * day - 1000);
    await fill(store, estate, 'a');
    assert.equal(await store.touches.first(estate, old), false);
    await later(2000);
    await fill(store, estate, 'b');
    assert.equal(await store.touches.first(estate, old), true);
  },

  'of each object the last touch is there for others, in whatever order they came': async (bench) => {
    const { store, other, estate } = bench;
    const one = touchOf({ event: 'e1', at: start + 10, objects: ['sg-1', 'sgr-1'] });
    const ann = { who: 'ann', action: 'Revoke' };
    const two = touchOf({ event: 'e2', at: start + 20, objects: ['sgr-1'], actor: ann, requestId: 'r-2' });
    assert.deepEqual(await store.touches.keep(estate, [two, one]), [two, one]);
    await other.touches.keep(estate, [touchOf({ event: 'e0', at: start + 5, objects: ['sg-1', 'sgr-1'] })]);
    await store.touches.keep(estate, [touchOf({ event: 'e3', at: start + 30, scope: 'aws/1/us-east-1' })]);
    await store.touches.keep(`${estate}-2`, [touchOf({ event: 'e4', at: start + 40 })]);
    const heardAt = (await store.touches.newest({ estate, scope })).get('sg-1')?.heardAt ?? 0;
    assert.ok(heardAt > start);
    const said = new Map([
      ['sg-1', { by: { ...one.actor, event: 'e1', at: start + 10 }, heardAt }],
      ['sgr-1', { by: { ...ann, event: 'e2', at: start + 20, requestId: 'r-2' }, heardAt }],
    ]);
    assert.deepEqual(await other.touches.newest({ estate, scope }), said);
    assert.deepEqual((await other.inventory.knowledge(estate, scope)).touches, said);
    assert.ok(!('touches' in (await other.inventory.knowledge(estate, 'aws/1/eu-west-1'))));
  },

  'the same event twice says nothing new': async ({ store, estate }) => {
    const touch = touchOf({});
    await store.touches.keep(estate, [touch, touch]);
    await store.touches.keep(estate, [touch]);
    assert.equal((await store.touches.newest({ estate, scope })).size, 1);
    assert.deepEqual(await store.touches.keep(estate, []), []);
  },

  'our own calls are not kept: the ledger knows their ids': async ({ store, other, estate }) => {
    const worker = await workerOf(store, estate);
    await settle(worker, 'core', ['r-1', 'r-2', 'r-1']);
    const foreign = touchOf({ event: 'e2', requestId: 'r-9', objects: ['vpc-9'] });
    const unnamed = touchOf({ event: 'e3', objects: ['vpc-8'] });
    const kept = await other.touches.keep(estate, [touchOf({ requestId: 'r-2' }), foreign, unnamed]);
    assert.deepEqual(kept, [foreign, unnamed]);
    assert.deepEqual(new Set((await store.touches.newest({ estate, scope })).keys()), new Set(['vpc-8', 'vpc-9']));
    const elsewhere = touchOf({ requestId: 'r-2' });
    assert.deepEqual(await other.touches.keep(`${estate}-2`, [elsewhere]), [elsewhere]);
  },

  'an event that came before our settlement is kept, and names nobody once that is written': async (bench) => {
    const { store, other, estate } = bench;
    const early = touchOf({ requestId: 'r-1', objects: ['vpc-core'] });
    assert.deepEqual(await other.touches.keep(estate, [early]), [early]);
    assert.equal((await store.touches.newest({ estate, scope })).size, 1);
    await settle(await workerOf(store, estate), 'core', ['r-1']);
    assert.equal((await store.touches.newest({ estate, scope })).size, 0);
  },

  'who calls himself setpoint starts a look and is not named': async ({ store, estate }) => {
    const agents = ['setpoint', 'aws-sdk-js/3.1 os/linux setpoint/1.0', 'azsdk-js (setpoint)'];
    const touches = agents.map((agent, at) =>
      touchOf({ event: agent, at: start + at, actor: { who: 'eve', action: 'A', agent } }),
    );
    assert.deepEqual(await store.touches.keep(estate, touches), touches);
    assert.equal((await store.touches.newest({ estate, scope })).size, 0);
    await store.touches.keep(estate, [touchOf({ actor: { who: 'bob', action: 'A', agent: 'mysetpointer/2' } })]);
    assert.equal((await store.touches.newest({ estate, scope })).get('sg-1')?.by.who, 'bob');
  },

  'a touch is known for ninety days': async ({ store, estate, later }) => {
    const known = async () => [...(await store.touches.newest({ estate, scope })).keys()];
    const keep = async (id: string) => store.touches.keep(estate, [touchOf({ at: start + 100 * day, objects: [id] })]);
    await store.touches.keep(estate, [touchOf({ objects: ['sg-old'] })]);
    await later(80 * day);
    for (let n = 0; n < 100; n++) await keep('sg-new');
    assert.deepEqual(new Set(await known()), new Set(['sg-new', 'sg-old']));
    await later(11 * day);
    for (let n = 0; n < 100; n++) await keep('sg-new');
    assert.deepEqual(await known(), ['sg-new']);
  },
};

const touchOf = (rest: Partial<Touch>): Touch => ({
  scope,
  event: 'e1',
  at: start + 10,
  actor: { who: 'bob "b"\u0000', action: 'Authorize', from: '203.0.113.9', agent: 'console' },
  objects: ['sg-1'],
  ...rest,
});

const settle = (worker: Awaited<ReturnType<typeof workerOf>>, name: string, requests: readonly string[]) =>
  apply(worker, draftOf('update', name), {
    calls: requests.map((requestId) => ({ action: 'ModifyVpcAttribute', requestId, durationMs: 5 })),
  });

/** Old ones go now and then: after so many calls they are gone. */
async function fill({ touches }: Store, estate: string, prefix: string): Promise<void> {
  for (let n = 0; n < 100; n++) await touches.first(estate, { hook: 'aws', id: `${prefix}${n}` });
}
