import assert from 'node:assert/strict';
import { draftOf, passOf, settlementOf } from '../fixtures.ts';
import type { Laws } from '../store-laws.ts';

export const openIntentLaws: Laws = {
  'intents without a settlement are counted by cloud': async ({ store, estate }) => {
    const own = { estate, scope: `${estate}/1/here` };
    const counted = async () => (await store.estates.openIntents()).filter(({ cloud }) => cloud === estate);
    const acquired = await store.leases.acquire(own.estate, own.scope, 'ops');
    assert.ok(acquired.ok);
    const pass = { ...passOf(estate, acquired.lease), ...own };
    const [first] = await store.ledger.intend(pass, [draftOf('create', 'core'), draftOf('create', 'edge')]);
    assert.deepEqual(await counted(), [{ cloud: estate, count: 2 }]);
    await store.ledger.settle(pass, [settlementOf(first)]);
    assert.deepEqual(await counted(), [{ cloud: estate, count: 1 }]);
  },
};
