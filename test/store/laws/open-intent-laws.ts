import assert from 'node:assert/strict';
import { neverHappened } from '../../../src/core/knowledge.ts';
import {
  addressOf,
  claimOf,
  denied,
  draftOf,
  intentOf,
  reconcileOf,
  scope,
  settlementOf,
  workerOf,
} from '../fixtures.ts';
import type { Laws } from './bench.ts';

export const openIntentLaws: Laws = {
  'intents without a settlement are counted by cloud': async ({ store, estate }) => {
    const own = { estate, scope: `${estate}/1/here` };
    const counted = async () => (await store.estates.openIntents()).filter(({ cloud }) => cloud === estate);
    const acquired = await store.leases.acquire(own.estate, own.scope, 'ops');
    assert.ok(acquired.ok);
    const reconcile = { ...reconcileOf(estate, acquired.lease), ...own };
    const [first] = await store.ledger.intend(reconcile, [draftOf('create', 'core'), draftOf('create', 'edge')]);
    assert.deepEqual(await counted(), [{ cloud: estate, count: 2 }]);
    await store.ledger.settle(reconcile, [settlementOf(first)]);
    assert.deepEqual(await counted(), [{ cloud: estate, count: 1 }]);
  },

  'creations that never showed stay known as such, in their scope; other closed ones do not': async (bench) => {
    const { store, estate } = bench;
    const { reconcile } = await workerOf(store, estate);
    const instance = { kind: 'instance', address: `${scope}/instance/web` } as const;
    const drafts = [
      draftOf('create', 'core'),
      draftOf('create', 'edge'),
      draftOf('create', 'web', { subject: instance }),
      draftOf('create', 'lab'),
      draftOf('create', 'open'),
    ];
    const [core, edge, web, lab, open] = await store.ledger.intend(reconcile, drafts);
    const failure = { kind: 'terminal', code: neverHappened, message: 'not seen' } as const;
    const never = { outcome: { ok: false, failure } } as const;
    await store.ledger.settle(reconcile, [
      settlementOf(core, never),
      settlementOf(edge, denied),
      settlementOf(web, never),
      settlementOf(lab),
      settlementOf(open, { ...never, closes: false }),
    ]);
    const { expiredIntents } = await store.inventory.knowledge(estate, scope);
    assert.deepEqual(new Set(expiredIntents?.keys()), new Set([intentOf(core), intentOf(web)]));
    const { verb, address, draft } = expiredIntents?.get(intentOf(web)) ?? {};
    assert.deepEqual(
      { verb, address, kind: draft?.kind },
      { verb: 'create', address: instance.address, kind: 'instance' },
    );
    assert.deepEqual([...((await store.inventory.knowledge(estate, `${scope}-other`)).expiredIntents ?? [])], []);
  },

  'a creation that never showed is settled once more when its object comes late; no other closed one is': async (
    bench,
  ) => {
    const { store, estate } = bench;
    const { reconcile } = await workerOf(store, estate);
    const [core, edge] = await store.ledger.intend(reconcile, [draftOf('create', 'core'), draftOf('create', 'edge')]);
    const failure = { kind: 'terminal', code: neverHappened, message: 'not seen' } as const;
    await store.ledger.settle(reconcile, [
      settlementOf(core, { outcome: { ok: false, failure } }),
      settlementOf(edge, denied),
    ]);
    const came = settlementOf(core);
    await store.ledger.settle(reconcile, [came]);
    await store.ledger.settle(reconcile, [came]);
    const known = await store.inventory.knowledge(estate, scope);
    assert.deepEqual([...(known.expiredIntents?.keys() ?? [])], []);
    assert.equal(known.pending.length, 0);
    await assert.rejects(store.ledger.settle(reconcile, [settlementOf(edge)]), /is not open/);
    await assert.rejects(store.ledger.settle(reconcile, [settlementOf(core, denied)]), /is not open/);
  },

  'an object that comes late is ours, and applies nothing where a newer generation was applied or removed': async (
    bench,
  ) => {
    const { store, estate } = bench;
    const { reconcile } = await workerOf(store, estate);
    const [late, first] = await store.ledger.intend(reconcile, [draftOf('create', 'core'), draftOf('create', 'edge')]);
    const failure = { kind: 'terminal', code: neverHappened, message: 'not seen' } as const;
    await store.ledger.settle(
      reconcile,
      [late, first].map((one) => settlementOf(one, { outcome: { ok: false, failure } })),
    );
    const newer = { ...reconcile, authority: { ...reconcile.authority, generation: 2 } };
    const [gone] = await store.ledger.intend(newer, [draftOf('update', 'core')]);
    const ending = { do: 'unapply', address: addressOf('core') } as const;
    await store.ledger.settle(newer, [settlementOf(gone, { effects: [ending] })]);
    const came = [late, first].map((one, at) => {
      const name = at === 0 ? 'core' : 'edge';
      const apply = { do: 'apply', address: addressOf(name), attributes: {} } as const;
      return settlementOf(one, { effects: [claimOf(name, `vpc-${name}`), apply] });
    });
    await store.ledger.settle(newer, came);
    await store.ledger.settle(newer, came);
    const effects: string[] = [];
    for await (const { type, body } of store.ledger.entries({ estate }))
      if (type === 'settlement' && body['verb'] === 'create')
        effects.push(Array.from(Object(body['effects']), (one) => Reflect.get(Object(one), 'do')).join(' '));
    assert.deepEqual(
      effects.filter((one) => one !== ''),
      ['claim', 'claim apply'],
    );
    const { settled, applied } = await store.inventory.knowledge(estate, scope);
    assert.deepEqual(
      [[...settled.keys()].sort(), [...applied.keys()]],
      [['vpc-core', 'vpc-edge'], [addressOf('edge')]],
    );
  },
};
