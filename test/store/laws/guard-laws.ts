import assert from 'node:assert/strict';
import type { Intended } from '../../../src/ports/ledger.ts';
import {
  addressOf,
  apply,
  deletion,
  draftOf,
  guardsOf,
  intentOf,
  settlementOf,
  type Worker,
  workerOf,
} from '../fixtures.ts';
import type { Bench, Laws } from './bench.ts';

const guards = guardsOf({ deletes: 5, replaces: 5 });

const pause = ({ store, estate, now }: Bench) =>
  store.fleet.pauses.begin(estate, {
    what: 'all',
    of: { by: 'estate' },
    reason: 'an incident',
    person: 'kim',
    until: now() + 3_600_000,
  });

const reasonOf = (answer: Intended | undefined): string => (answer?.ok === false ? answer.reason : 'intended');

/** As a reconcile intends that was judged at this epoch; left out: that which names none. */
async function reasons(
  { store, reconcile }: Worker,
  guardEpoch?: number,
  guardUntil?: number,
): Promise<readonly string[]> {
  const drafts = [draftOf('create', 'a'), draftOf('forget', 'b')];
  const said = {
    ...reconcile,
    ...(guardEpoch === undefined ? {} : { guardEpoch }),
    ...(guardUntil === undefined ? {} : { guardUntil }),
  };
  const answers = await store.ledger.intend(said, drafts);
  const settlements = answers.filter(({ ok }) => ok).map((answer) => settlementOf(answer));
  await store.ledger.settle(reconcile, settlements);
  return answers.map(reasonOf);
}

/** The order of people's decisions and intents. */
export const guardLaws: Laws = {
  'every pause and every new generation raises the guard epoch for others; ending a pause, or the same again, does not':
    async (bench) => {
      const { store, other, estate, now } = bench;
      const epochs = [await other.ledger.guardEpoch(estate)];
      const note = async () => epochs.push(await other.ledger.guardEpoch(estate));
      await store.generations.accept(estate, 'r1', guards);
      await note();
      await store.generations.accept(estate, 'r1', guards);
      await note();
      const begun = await pause(bench);
      await note();
      await store.fleet.pauses.end(estate, begun, { person: 'kim', reason: `over at ${now()}` });
      await note();
      await pause({ ...bench, estate: `${estate}-2` });
      await note();
      assert.deepEqual(epochs, [0, 1, 1, 2, 2, 2]);
    },

  'what was judged until a time is intended before it, and not from then on, by the clock of the store': async (
    bench,
  ) => {
    const { store, estate } = bench;
    await store.generations.accept(estate, 'abc', guards);
    const worker = await workerOf(store, estate);
    const { at } = await pause(bench);
    const judged = await store.ledger.guardEpoch(estate);
    const now = await store.ledger.now();
    assert.ok(Math.abs(now - at) < 60_000, `${now} as in the entries of its ledger: ${at}`);
    assert.deepEqual(await reasons(worker, judged, now + 60_000), ['intended', 'intended']);
    assert.deepEqual(await reasons(worker, judged, now), ['guards', 'intended'], 'forgetting sends nothing');
  },

  'what was judged before a pause is not intended after it, and what was judged since is': async (bench) => {
    const { store, other, estate } = bench;
    await store.generations.accept(estate, 'abc', guards);
    const worker = await workerOf(store, estate);
    const judged = await store.ledger.guardEpoch(estate);
    assert.deepEqual(await reasons(worker, judged), ['intended', 'intended']);
    await pause({ ...bench, store: other });
    assert.deepEqual(await reasons(worker, judged), ['guards', 'intended'], 'forgetting sends nothing');
    assert.deepEqual(await reasons(worker, await store.ledger.guardEpoch(estate)), ['intended', 'intended']);
    const entries: unknown[] = [];
    for await (const { type, body } of store.ledger.entries({ estate }))
      if (type === 'intent') entries.push(body['verb']);
    assert.deepEqual(
      entries,
      ['create', 'forget', 'forget', 'create', 'forget'],
      'nothing is written of what is refused',
    );
  },

  'a pass that names no epoch was judged by what stood when it took its lease': async (bench) => {
    const { store, other, estate } = bench;
    await store.generations.accept(estate, 'abc', guards);
    const before = await workerOf(store, estate);
    assert.deepEqual(await reasons(before), ['intended', 'intended']);
    await other.generations.accept(estate, 'def', guards);
    assert.deepEqual(await reasons(before), ['guards', 'intended']);
    await before.lease.release();
    assert.deepEqual(await reasons(await workerOf(store, estate)), ['intended', 'intended']);
  },

  'an open intent is sent again only by what was judged since': async (bench) => {
    const { store, estate } = bench;
    await store.generations.accept(estate, 'abc', guards);
    const worker = await workerOf(store, estate);
    const [first] = await store.ledger.intend(worker.reconcile, [draftOf('create', 'a')]);
    await pause(bench);
    const [refused] = await store.ledger.intend(worker.reconcile, [draftOf('create', 'a')]);
    assert.equal(reasonOf(refused), 'guards');
    const guardEpoch = await store.ledger.guardEpoch(estate);
    const [again] = await store.ledger.intend({ ...worker.reconcile, guardEpoch }, [draftOf('create', 'a')]);
    assert.deepEqual(again, { ok: true, intent: intentOf(first), attempt: 2 });
  },

  'what was intended before a word and is not settled is on its way; what is intended after it is not': async (
    bench,
  ) => {
    const { store, other, estate } = bench;
    await store.generations.accept(estate, 'abc', guards);
    const worker = await workerOf(store, estate);
    const [, settled] = await store.ledger.intend(worker.reconcile, [draftOf('create', 'a'), draftOf('create', 'b')]);
    const names = async () => (await other.ledger.onTheWay(estate)).map(({ address, verb }) => [verb, address]);
    assert.deepEqual(await names(), []);
    await pause(bench);
    assert.deepEqual(await names(), [
      ['create', addressOf('a')],
      ['create', addressOf('b')],
    ]);
    const guardEpoch = await store.ledger.guardEpoch(estate);
    await store.ledger.intend({ ...worker.reconcile, guardEpoch }, [draftOf('create', 'c'), draftOf('forget', 'd')]);
    await store.ledger.settle(worker.reconcile, [settlementOf(settled)]);
    assert.deepEqual(await names(), [['create', addressOf('a')]]);
  },

  'what a word refuses takes no place in the count of the estate': async (bench) => {
    const { store, estate } = bench;
    await store.generations.accept(estate, 'abc', guards);
    const worker = await workerOf(store, estate);
    await pause(bench);
    const answers = await store.ledger.intend(worker.reconcile, [deletion('a'), deletion('b', 'healing')]);
    assert.deepEqual(answers.map(reasonOf), ['guards', 'guards']);
    const { generation, healing } = await store.generations.spent(estate, 1);
    assert.deepEqual([generation.deletes, healing.deletes], [0, 0]);
  },

  'many intents and pauses at once: each intent is wholly before or wholly after each pause': async (bench) => {
    const { store, other, estate } = bench;
    await store.generations.accept(estate, 'abc', guards);
    const worker = await workerOf(store, estate);
    const judged = await store.ledger.guardEpoch(estate);
    const names = Array.from({ length: 12 }, (_, i) => `n${i}`);
    const intends = names.map((name) =>
      store.ledger.intend({ ...worker.reconcile, guardEpoch: judged }, [draftOf('create', name)]),
    );
    await pause({ ...bench, store: other });
    const paused = (await notesAndIntents(bench)).indexOf('note');
    await Promise.all(intends);
    const order = await notesAndIntents(bench);
    assert.deepEqual(order.slice(paused + 1), [], 'what was judged before the pause came after it');
    await apply({ ...worker, reconcile: { ...worker.reconcile, guardEpoch: judged + 1 } }, draftOf('create', 'late'));
  },
};

async function notesAndIntents({ store, estate }: Bench): Promise<readonly string[]> {
  const types: string[] = [];
  for await (const { type } of store.ledger.entries({ estate })) types.push(type);
  return types;
}
