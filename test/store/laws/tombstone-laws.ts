import assert from 'node:assert/strict';
import type { Tombstone } from '../../../src/core/grace.ts';
import type { Effect, IntentDraft } from '../../../src/ports/ledger.ts';
import type { Store } from '../../../src/ports/store.ts';
import { addressOf, apply, claimOf, draftOf, guardsOf, scope, type Worker, workerOf } from '../fixtures.ts';
import type { Laws } from './bench.ts';

const guards = guardsOf({ deletes: 1, replaces: 1 });
const forMs = 60_000;

const burial = (name: string): IntentDraft =>
  draftOf('tombstone', name, { counts: { as: 'delete', by: 'generation' }, details: { graceMs: forMs } });
const stone = (name: string, by?: 'person'): Effect => ({
  ...{ do: 'tombstone', subject: { kind: 'network', address: addressOf(name), id: `vpc-${name}` }, forMs },
  ...(by === undefined ? {} : { by }),
});
const bury = (worker: Worker, name: string, by?: 'person') =>
  apply(worker, burial(name), { effects: [stone(name, by)] });

const known = async (store: Store, estate: string): Promise<ReadonlyMap<string, Tombstone>> =>
  (await store.inventory.knowledge(estate, scope)).tombstones ?? new Map();

/** A worker of a generation of this number, and a claimed network. */
async function standing(store: Store, estate: string, generations: number): Promise<Worker> {
  for (let number = 1; number <= generations; number++) await store.generations.accept(estate, `r${number}`, guards);
  const worker = await workerOf(store, estate, { generation: generations });
  await apply(worker, draftOf('create', 'core'), { effects: [claimOf('core')] });
  return worker;
}

const inGeneration = ({ reconcile, ...worker }: Worker, generation: number): Worker => ({
  ...worker,
  reconcile: { ...reconcile, authority: { ...reconcile.authority, generation } },
});

const notesOf = async (store: Store, estate: string): Promise<readonly unknown[]> => {
  const notes: unknown[] = [];
  for await (const { type, body } of store.ledger.entries({ estate })) if (type === 'note') notes.push(body['note']);
  return notes;
};

/** Objects that are to be deleted later. */
export const tombstoneLaws: Laws = {
  'a tombstone takes a place of the limit, has its end by the clock of the store, and its deletion ends it': async ({
    store,
    other,
    estate,
  }) => {
    const worker = await standing(store, estate, 1);
    assert.equal((await bury(worker, 'core')).ok, true);
    const [[id, tombstone] = []] = [...(await known(other, estate))];
    assert.ok(tombstone);
    assert.equal(id, 'vpc-core');
    assert.equal(tombstone.until - tombstone.since, forMs);
    const { readAt = 0 } = await store.inventory.knowledge(estate, scope);
    assert.ok(Math.abs(tombstone.since - readAt) < 60_000, 'one clock for its begin and for the end of it');
    assert.deepEqual(
      { ...tombstone, since: 0, until: 0 },
      { ...{ kind: 'network', address: addressOf('core'), generation: 1 }, since: 0, until: 0, authority: 'mode' },
    );
    const refused = await bury(worker, 'edge');
    assert.equal(refused.ok === false && refused.reason, 'limit');
    const deleted = await apply(worker, draftOf('delete', 'core'), {
      effects: [{ do: 'end', subject: { kind: 'network', address: addressOf('core'), id: 'vpc-core' }, as: 'deleted' }],
    });
    assert.equal(deleted.ok, true, 'the deletion takes no second place');
    assert.equal((await known(other, estate)).size, 0);
    assert.equal((await store.generations.spent(estate, 1)).generation.deletes, 1);
  },

  'a tombstone is no write to its object, and none that is on its way to a cloud': async ({ store, estate }) => {
    const worker = await standing(store, estate, 1);
    const before = (await store.inventory.knowledge(estate, scope)).settled.get('vpc-core');
    await bury(worker, 'core');
    assert.deepEqual((await store.inventory.knowledge(estate, scope)).settled.get('vpc-core'), before);
    await apply(worker, draftOf('update', 'core'), { effects: [claimOf('core')] });
    assert.equal((await known(store, estate)).size, 0, 'what is written again is wanted');
    await store.ledger.intend(worker.reconcile, [draftOf('tombstone', 'core')]);
    await store.generations.accept(estate, 'r2', guards);
    assert.deepEqual(await store.ledger.onTheWay(estate), []);
  },

  'a newer generation keeps a tombstone, or ends it with a note; an older one changes nothing': async ({
    store,
    other,
    estate,
  }) => {
    const worker = await standing(store, estate, 1);
    await bury(worker, 'core', 'person');
    await store.generations.accept(estate, 'r2', guards);
    await store.inventory.tombstones(worker.reconcile, { kept: [], ended: ['vpc-core'] });
    assert.equal((await known(other, estate)).get('vpc-core')?.generation, 1);
    const newer = inGeneration(worker, 2);
    await store.inventory.tombstones(newer.reconcile, { kept: ['vpc-core'], ended: [] });
    const kept = (await known(other, estate)).get('vpc-core');
    assert.deepEqual([kept?.generation, kept?.authority], [2, 'person']);
    await store.inventory.tombstones(newer.reconcile, { kept: [], ended: ['vpc-core', 'vpc-none'] });
    await store.inventory.tombstones(newer.reconcile, { kept: [], ended: ['vpc-core'] });
    assert.equal((await known(other, estate)).size, 0);
    assert.deepEqual(
      (await notesOf(store, estate)).filter((note) => typeof note === 'object' && note !== null && 'endGrace' in note),
      [{ endGrace: { scope, kind: 'network', address: addressOf('core'), id: 'vpc-core', generation: 2 } }],
    );
  },

  'generations that no reconcile saw keep a tombstone where they did not name its document': async ({
    store,
    other,
    estate,
  }) => {
    const worker = await standing(store, estate, 1);
    await bury(worker, 'core');
    const generation = async () => (await known(other, estate)).get('vpc-core')?.generation;
    await store.generations.accept(estate, 'r2', guards);
    assert.equal(await generation(), 1, 'the newest one may want it');
    await store.generations.accept(estate, 'r3', guards);
    assert.equal(await generation(), 2);
    await store.generations.accept(estate, 'r4', { ...guards, modes: { [addressOf('core')]: 'enforce' } });
    await store.generations.accept(estate, 'r5', guards);
    assert.equal(await generation(), 3, 'generation 4 wanted it');
  },

  'nor where one of them wanted it under another name': async ({ store, other, estate }) => {
    const worker = await standing(store, estate, 1);
    await bury(worker, 'core');
    const modes = { [addressOf('net')]: 'enforce' } as const;
    await store.generations.accept(estate, 'r2', { ...guards, modes });
    await store.generations.accept(estate, 'r3', { ...guards, modes, renamed: [addressOf('core')] });
    await store.generations.accept(estate, 'r4', guards);
    assert.equal((await known(other, estate)).get('vpc-core')?.generation, 2);
  },

  'a tombstone names the approval that it spent, and whether a person withdrew it': async ({
    store,
    other,
    estate,
    now,
  }) => {
    const worker = await standing(store, estate, 1);
    const by = { person: 'ada', reason: 'looked at' };
    const { seq } = await store.fleet.approvals.give({
      ...{ estate, scope, generation: 1, digest: 'd', actions: ['a'], destroys: 1, by },
      until: now() + 3_600_000,
    });
    await apply(worker, { ...burial('core'), approval: { digest: 'a', halves: [] } }, { effects: [stone('core')] });
    const approval = async () => (await known(other, estate)).get('vpc-core')?.approval;
    assert.deepEqual(await approval(), { seqs: [seq], withdrawn: false });
    assert.deepEqual([...(await store.fleet.approvals.withdrawn(estate))], []);
    await store.generations.accept(estate, 'r2', guards);
    assert.equal((await store.fleet.approvals.withdraw(estate, seq, by))?.seq, seq, 'of a former generation');
    assert.equal(await store.fleet.approvals.withdraw(estate, seq, by), undefined);
    assert.deepEqual(await approval(), { seqs: [seq], withdrawn: true });
    assert.deepEqual([...(await other.fleet.approvals.withdrawn(estate))], [seq]);
    assert.equal((await known(other, estate)).get('vpc-core')?.authority, 'approval');
  },
};
