import assert from 'node:assert/strict';
import { rootOf } from '../../../src/core/ledger/chain.ts';
import type { LedgerEntry, LedgerFilter } from '../../../src/ports/ledger.ts';
import type { Store } from '../../../src/ports/store.ts';
import { sha256 } from '../../../src/store/signing.ts';
import {
  addressOf,
  apply,
  claimOf,
  denied,
  draftOf,
  intentOf,
  scope,
  settlementOf,
  unanswered,
  workerOf,
} from '../fixtures.ts';
import type { Laws } from './bench.ts';

export const ledgerLaws: Laws = {
  'an action still open is the same intent, one attempt on; once settled it is a new one': async ({
    store,
    estate,
  }) => {
    const { reconcile } = await workerOf(store, estate);
    const draft = draftOf('create', 'core');
    const [first] = await store.ledger.intend(reconcile, [draft]);
    assert.ok(first?.ok);
    assert.match(first.intent, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/);
    assert.equal(first.attempt, 1);
    assert.deepEqual(await store.ledger.intend(reconcile, [draft]), [{ ...first, attempt: 2 }]);
    await store.ledger.settle(reconcile, [settlementOf(first, unanswered)]);
    assert.deepEqual(await store.ledger.intend(reconcile, [draft]), [{ ...first, attempt: 3 }]);
    await store.ledger.settle(reconcile, [settlementOf(first)]);
    const [next] = await store.ledger.intend(reconcile, [draft]);
    assert.ok(next?.ok && next.intent !== first.intent && next.attempt === 1);
  },

  'verbs, addresses and objects of one address are different actions, the same in one batch is one': async (bench) => {
    const { reconcile } = await workerOf(bench.store, bench.estate);
    const twin = { kind: 'network', address: addressOf('core'), id: 'vpc-twin' } as const;
    const drafts = [
      draftOf('create', 'core'),
      draftOf('delete', 'core'),
      draftOf('delete', 'core', { subject: twin }),
      draftOf('create', 'edge'),
      draftOf('create', 'core'),
    ];
    const intended = await bench.store.ledger.intend(reconcile, drafts);
    const ids = intended.map(intentOf);
    assert.equal(new Set(ids).size, 4);
    assert.equal(ids[4], ids[0]);
    assert.deepEqual(
      intended.map((one) => one.ok && one.attempt),
      [1, 1, 1, 1, 2],
    );
  },

  'every attempt and every settlement is an entry that says who, why and what': async ({ store, estate }) => {
    const worker = await workerOf(store, estate);
    const calls = [{ action: 'CreateVpc', requestId: 'q-1', durationMs: 12 }];
    const details = { attributes: { cidr: '10.0.0.0/16', labels: { b: '2', a: undefined } } };
    await apply(worker, draftOf('create', 'core', { details }), { calls, effects: [claimOf('core')] });
    const [intent, settlement, ...more] = await all(store, { estate });
    assert.equal(more.length, 0);
    const { reconcileId, authority, lease } = worker.reconcile;
    const said = {
      estate,
      scope,
      reconcileId,
      authority,
      lease,
      verb: 'create',
      kind: 'network',
      address: addressOf('core'),
    };
    const id = intent?.body['intent'];
    assert.deepEqual(intent?.body, {
      ...said,
      intent: id,
      attempt: 1,
      details: { attributes: { cidr: '10.0.0.0/16', labels: { b: '2' } } },
    });
    assert.deepEqual(settlement?.body, {
      ...said,
      intent: id,
      attempt: 1,
      outcome: { ok: true },
      closes: true,
      effects: [claimOf('core')],
      calls,
    });
    assert.deepEqual([intent?.type, intent?.seq, settlement?.type, settlement?.seq], ['intent', 1, 'settlement', 2]);
    assert.equal(settlement?.chain.previous, intent?.chain.hash);
  },

  'text of any kind survives: quotes, NUL, lone surrogates, emoji': async ({ store, estate }) => {
    const text = 'a"\\\u0000\ud800 \u{1f512}\n';
    assert.equal(await store.ledger.note(estate, { text, [text]: 1 }), 1);
    assert.deepEqual((await all(store, { estate }))[0]?.body, { estate, note: { text, [text]: 1 } });
  },

  'entries come in order, from after a number, by address, up to a limit': async ({ store, estate }) => {
    const worker = await workerOf(store, estate);
    for (const name of ['a', 'b', 'c']) await apply(worker, draftOf('create', name));
    const seqs = async (filter: LedgerFilter) => (await all(store, { estate, ...filter })).map(({ seq }) => seq);
    assert.deepEqual(await seqs({}), [1, 2, 3, 4, 5, 6]);
    assert.deepEqual(await seqs({ after: 4 }), [5, 6]);
    assert.deepEqual(await seqs({ limit: 3, after: 1 }), [2, 3, 4]);
    assert.deepEqual(await seqs({ address: addressOf('b') }), [3, 4]);
    assert.deepEqual(await seqs({ limit: 0 }), []);
    assert.deepEqual([await store.audit.head(estate), await store.audit.head('none')], [6, 0]);
  },

  'a settlement needs an open intent of its scope, and one bad one undoes the batch': async ({ store, estate }) => {
    const { reconcile } = await workerOf(store, estate);
    const [first, second] = await store.ledger.intend(reconcile, [draftOf('create', 'a'), draftOf('create', 'b')]);
    await store.ledger.settle(reconcile, [settlementOf(first)]);
    const again = store.ledger.settle(reconcile, [settlementOf(second), settlementOf(first, denied)]);
    await assert.rejects(again, /is not open in aws\/111122223333\/eu-west-1/);
    const twice = store.ledger.settle(reconcile, [settlementOf(second), settlementOf(second)]);
    await assert.rejects(twice, /is not open/);
    const { pending } = await store.inventory.knowledge(estate, scope);
    assert.deepEqual(
      pending.map(({ intent }) => intent),
      [intentOf(second)],
    );
    assert.equal((await all(store, { estate })).length, 3);
  },

  'effects change what is known, in the settlement itself': async ({ store, estate }) => {
    const worker = await workerOf(store, estate);
    const attributes = { cidr: '10.0.0.0/16', internet: false, labels: {} };
    const effects = [
      claimOf('core'),
      { do: 'apply', address: addressOf('core'), attributes, documents: ['doc'] } as const,
    ];
    await apply(worker, draftOf('create', 'core'), { effects });
    const known = await store.inventory.knowledge(estate, scope);
    const claim = known.settled.get('vpc-core');
    assert.deepEqual(claim, {
      address: addressOf('core'),
      kind: 'network',
      lastWriteAt: claim?.lastWriteAt,
      terms: claimOf('core').terms,
    });
    assert.deepEqual([...known.applied], [[addressOf('core'), { attributes, documents: ['doc'], generation: 1 }]]);
    assert.deepEqual([known.estate, known.store, known.pending.length], [estate, store.estates.store, 0]);
    await apply(worker, draftOf('delete', 'core'), {
      effects: [
        { do: 'release', id: 'vpc-core' },
        { do: 'unapply', address: addressOf('core') },
      ],
    });
    const after = await store.inventory.knowledge(estate, scope);
    assert.deepEqual([after.settled.size, after.applied.size], [0, 0]);
  },

  'every write moves the time of the last one': async ({ store, estate, later }) => {
    const worker = await workerOf(store, estate);
    await apply(worker, draftOf('create', 'core'), { effects: [claimOf('core')] });
    const lastWrite = async () => (await store.inventory.knowledge(estate, scope)).settled.get('vpc-core')?.lastWriteAt;
    const before = (await lastWrite()) ?? Number.NaN;
    await later(1000);
    await apply(worker, draftOf('update', 'core'), unanswered);
    assert.equal(await lastWrite(), before + 1000);
  },

  'an open intent is pending, as its newest attempt said': async ({ store, estate, later }) => {
    const { reconcile } = await workerOf(store, estate);
    const [adopt, create] = await store.ledger.intend(reconcile, [
      draftOf('adopt', 'a'),
      draftOf('create', 'b', { details: { size: 1 } }),
    ]);
    await later(1000);
    await store.ledger.intend(reconcile, [draftOf('create', 'b', { details: { size: 2, gone: undefined } })]);
    const { pending } = await store.inventory.knowledge(estate, scope);
    const [first, second] = [...pending].sort((a, b) => a.at - b.at);
    assert.equal((second?.at ?? 0) - (first?.at ?? 0), 1000);
    assert.deepEqual(
      [first, second],
      [
        {
          ...{ intent: intentOf(adopt), attempt: 1, at: first?.at, verb: 'adopt', address: addressOf('a') },
          draft: { kind: 'network', id: 'vpc-a', details: {} },
        },
        {
          ...{ intent: intentOf(create), attempt: 2, at: second?.at, verb: 'create', address: addressOf('b') },
          draft: { kind: 'network', details: { size: 2 } },
        },
      ],
    );
  },

  'an update that does not stick is counted until it is found as wanted, or is another one': async (bench) => {
    const { store, estate } = bench;
    const worker = await workerOf(store, estate);
    const update = (field: string) => draftOf('update', 'core', { details: { changes: [{ field, from: 1, to: 2 }] } });
    const times = async () => (await store.inventory.knowledge(estate, scope)).unstuck.get(addressOf('core'));
    const well = { effects: [{ do: 'apply', address: addressOf('core'), attributes: {} }] } as const;
    assert.equal(await times(), undefined);
    await apply(worker, update('labels.a'), well);
    await apply(worker, update('labels.a'), well);
    await apply(worker, update('labels.a'));
    assert.equal(await times(), 2, 'one that applies nothing is the first step of another');
    await apply(worker, update('labels.a'), denied);
    assert.equal(await times(), 2);
    await apply(worker, update('labels.b'), well);
    assert.equal(await times(), 1);
    await apply(
      { ...worker, reconcile: { ...worker.reconcile, authority: { ...worker.reconcile.authority, generation: 2 } } },
      update('labels.b'),
      well,
    );
    assert.equal(await times(), 1);
    await store.inventory.converged(estate, [addressOf('core'), addressOf('unknown')]);
    assert.equal(await times(), undefined);
  },

  'what one process committed another one sees, and scopes and estates stay apart': async ({
    store,
    other,
    estate,
  }) => {
    const worker = await workerOf(store, estate);
    await apply(worker, draftOf('create', 'core'), { effects: [claimOf('core')] });
    assert.equal((await other.inventory.knowledge(estate, scope)).settled.size, 1);
    assert.equal((await other.inventory.knowledge(estate, 'aws/1/us-east-1')).settled.size, 0);
    assert.equal((await other.inventory.knowledge(`${estate}-2`, scope)).settled.size, 0);
    assert.ok((await other.estates.list()).includes(estate));
    assert.deepEqual(await other.estates.holdings(estate), [{ scope, resources: 1 }]);
    assert.deepEqual(await other.estates.holdings(`${estate}-2`), []);
    assert.equal(other.estates.store, store.estates.store);
  },

  'two processes writing at once still make one chain': async ({ store, other, estate }) => {
    const { reconcile } = await workerOf(store, estate);
    const writes = Array.from({ length: 10 }, (_, i) => [
      store.ledger.intend(reconcile, [draftOf('create', `a${i}`), draftOf('create', `b${i}`)]),
      other.ledger.note(estate, { i }),
    ]);
    await Promise.all(writes.flat());
    assert.deepEqual(
      (await all(store, { estate })).map(({ seq }) => seq),
      Array.from({ length: 30 }, (_, i) => i + 1),
    );
  },

  'a takeover notes its reason and claims what it accepts': async ({ store, estate }) => {
    const { reconcile } = await workerOf(store, estate);
    const seq = await store.estates.takeover(reconcile, [claimOf('b'), claimOf('a')], 'database lost');
    assert.deepEqual([...(await store.inventory.knowledge(estate, scope)).settled.keys()].sort(), ['vpc-a', 'vpc-b']);
    const [note] = await all(store, { estate, after: seq - 1 });
    const takeover = { scope, reason: 'database lost', ids: ['vpc-a', 'vpc-b'], authority: reconcile.authority };
    assert.deepEqual([note?.type, note?.body], ['note', { estate, note: { takeover } }]);
  },

  'a takeover forgets what was applied in its scope, and keeps the generation that applied it': async (bench) => {
    const { store, estate } = bench;
    const worker = await workerOf(store, estate, { generation: 2 });
    const address = addressOf('core');
    const attributes = { cidr: '10.0.0.0/16' };
    const effects = [claimOf('core'), { do: 'apply', address, attributes }] as const;
    await apply(worker, draftOf('create', 'core'), { effects });
    assert.equal((await store.inventory.knowledge(estate, scope)).applied.size, 1);
    await store.estates.takeover(worker.reconcile, [claimOf('b')], 'a failover lost commits');
    const { applied, settled } = await store.inventory.knowledge(estate, scope);
    assert.deepEqual([applied.size, [...settled.keys()].sort()], [0, ['vpc-b', 'vpc-core']]);
    const older = { ...worker.reconcile, authority: { ...worker.reconcile.authority, generation: 1 } };
    const [refused] = await store.ledger.intend(older, [draftOf('update', 'core')]);
    assert.deepEqual([refused?.ok, refused?.ok === false && refused.reason], [false, 'generation']);
  },

  'a checkpoint is made once for where the chains stand, and follows the one before': async ({ store, estate }) => {
    assert.equal(await store.audit.checkpoint(estate), undefined);
    const worker = await workerOf(store, estate);
    await apply(worker, draftOf('create', 'core'));
    const first = await store.audit.checkpoint(estate);
    const entry = (await all(store, { estate })).at(-1);
    assert.ok(first);
    assert.deepEqual(
      [first.heads, first.estate, first.store, first.number, first.previous],
      [[{ of: scope, number: 2, hash: entry?.chain.hash }], estate, store.estates.store, 1, ''],
    );
    assert.equal(await store.audit.checkpoint(estate), undefined);
    assert.deepEqual(await store.audit.checkpoints(estate), [first]);
    await store.ledger.note(estate, { a: 1 });
    await store.audit.checkpoint(estate);
    const [, word, ...more] = await store.audit.checkpoints(estate);
    assert.ok(word && 'heads' in word && 'number' in word);
    assert.deepEqual([word.number, word.previous, more], [2, rootOf(first, sha256), []]);
    assert.equal(word.heads.find(({ of }) => of === 'people')?.number, 1);
  },

  'entries without a signature are counted by estate, words of people apart': async ({ store, estate }) => {
    const unsigned = async () => (await store.audit.unsigned()).filter((one) => one.estate === estate);
    assert.deepEqual(await unsigned(), []);
    const worker = await workerOf(store, estate);
    await apply(worker, draftOf('create', 'core'));
    await apply(worker, draftOf('create', 'edge'));
    assert.deepEqual(await unsigned(), [{ estate, entries: 4, words: 0, checkpoint: 0 }]);
    await store.audit.checkpoint(estate);
    assert.deepEqual(await unsigned(), []);
    await apply(worker, draftOf('create', 'more'));
    await store.ledger.note(estate, { a: 1 });
    assert.deepEqual(await unsigned(), [{ estate, entries: 3, words: 1, checkpoint: 1 }]);
  },

  'signatures reach up to the oldest entry that no checkpoint covers': async ({ store, estate }) => {
    assert.deepEqual(await store.audit.reach(estate), { head: 0, signedUpTo: 0 });
    const worker = await workerOf(store, estate);
    await apply(worker, draftOf('create', 'core'));
    const oldest = (await all(store, { estate })).at(0)?.at;
    assert.deepEqual(await store.audit.reach(estate), {
      head: 2,
      signedUpTo: 0,
      unsigned: { entries: 2, seq: 1, at: oldest },
    });
    const signed = await store.audit.checkpoint(estate);
    const checkpoint = { number: 1, at: signed?.at };
    assert.deepEqual(await store.audit.reach(estate), { head: 2, signedUpTo: 2, checkpoint });
    await apply(worker, draftOf('create', 'edge'));
    await store.ledger.note(estate, { a: 1 });
    const at = (await all(store, { estate })).find(({ seq }) => seq === 3)?.at;
    assert.deepEqual(await store.audit.reach(estate), {
      head: 5,
      signedUpTo: 2,
      checkpoint,
      unsigned: { entries: 3, seq: 3, at },
    });
  },

  'scopes and the words of people have a chain each, and one sequence of numbers': async ({ store, estate }) => {
    const worker = await workerOf(store, estate);
    await apply(worker, draftOf('create', 'core'));
    await store.ledger.note(estate, { a: 1 });
    await apply(worker, draftOf('create', 'edge'));
    assert.deepEqual(
      (await all(store, { estate })).map(({ seq, chain }) => [seq, chain.of, chain.number]),
      [
        [1, scope, 1],
        [2, scope, 2],
        [3, 'people', 1],
        [4, scope, 3],
        [5, scope, 4],
      ],
    );
  },

  'a settlement that is repeated word for word changes nothing': async ({ store, other, estate }) => {
    const worker = await workerOf(store, estate);
    const [intended] = await store.ledger.intend(worker.reconcile, [draftOf('create', 'core')]);
    const told = settlementOf(intended, { effects: [claimOf('core')] });
    await store.ledger.settle(worker.reconcile, [told]);
    await other.ledger.settle(worker.reconcile, [told]);
    assert.equal((await all(store, { estate })).length, 2);
    const different = { ...told, effects: [] };
    await assert.rejects(store.ledger.settle(worker.reconcile, [different]), /is not open/);
    const [update] = await store.ledger.intend(worker.reconcile, [draftOf('update', 'core')]);
    await store.ledger.settle(worker.reconcile, [settlementOf(update, unanswered)]);
    await store.ledger.settle(worker.reconcile, [settlementOf(update, unanswered)]);
    assert.equal((await all(store, { estate })).length, 4);
    await store.ledger.intend(worker.reconcile, [draftOf('update', 'core')]);
    await store.ledger.settle(worker.reconcile, [settlementOf(update, unanswered)]);
    assert.equal((await all(store, { estate })).length, 6);
  },

  'a thousand actions in one transaction': async ({ store, estate }) => {
    const { reconcile } = await workerOf(store, estate);
    const drafts = Array.from({ length: 1000 }, (_, i) => draftOf('create', `n${i}`));
    const intended = await store.ledger.intend(reconcile, drafts);
    const effects = (i: number) => [
      claimOf(`n${i}`),
      { do: 'apply', address: addressOf(`n${i}`), attributes: { i } } as const,
    ];
    await store.ledger.settle(
      reconcile,
      intended.map((one, i) => settlementOf(one, { effects: effects(i) })),
    );
    const { settled, applied, pending } = await store.inventory.knowledge(estate, scope);
    assert.deepEqual([settled.size, applied.size, pending.length], [1000, 1000, 0]);
  },
};

async function all(store: Store, filter: LedgerFilter): Promise<readonly LedgerEntry[]> {
  const found: LedgerEntry[] = [];
  for await (const entry of store.ledger.entries(filter)) found.push(entry);
  return found;
}
