import assert from 'node:assert/strict';
import type { Ended } from '../../../src/core/knowledge.ts';
import type { Observation, Observed } from '../../../src/core/observed.ts';
import {
  addressOf,
  apply,
  claimOf,
  denied,
  draftOf,
  intentOf,
  observedOf,
  scope,
  settlementOf,
  workerOf,
} from '../fixtures.ts';
import type { Laws } from './bench.ts';

export const inventoryLaws: Laws = {
  'the newest look at each scope is kept as it was, sorted, with its age and gaps': async ({
    store,
    other,
    estate,
  }) => {
    const gaps = [{ kind: 'subnet', code: 'Throttling', reason: 'listing failed' } as const];
    const odd = observedOf('odd', { 'a"\u0000\ud800': '\u{1f512}' });
    const looked = look(1000, [observedOf('b'), odd, observedOf('a')], { gaps, pending: ['vpc-z'], calls: 7 });
    const elsewhere = { ...look(900, [observedOf('x')]), scope: 'aws/1/us-east-1' };
    await store.inventory.record(estate, looked);
    await store.inventory.record(estate, elsewhere);
    const sorted = { ...looked, resources: [observedOf('a'), observedOf('b'), odd] };
    assert.deepEqual(
      await other.inventory.latest(estate),
      [elsewhere, sorted].sort((a, b) => (a.scope < b.scope ? -1 : 1)),
    );
    assert.deepEqual(await other.inventory.latest(estate, scope), [sorted]);
    assert.deepEqual(await other.inventory.latest(estate, 'aws/1/nowhere'), []);
    assert.deepEqual(await store.inventory.latest(`${estate}-2`), []);
  },

  'an intent is on record once it was committed, open or closed, and whichever estate asks': async (bench) => {
    const { store, other, estate } = bench;
    const worker = await workerOf(store, estate);
    const closed = intentOf(await apply(worker, draftOf('create', 'core')));
    const [open] = await store.ledger.intend(worker.reconcile, [draftOf('create', 'edge')]);
    const never = '99999999-9999-4999-8999-999999999999';
    assert.deepEqual([...(await other.inventory.unrecorded([closed, never, intentOf(open)]))], [never]);
    assert.deepEqual([...(await other.inventory.unrecorded([]))], []);
  },

  'a scope has a machine half replaced from the intent to launch its successor until one of the two has ended': async ({
    store,
    other,
    estate,
  }) => {
    const worker = await workerOf(store, estate);
    const halfReplaced = async () => [...(await other.inventory.halfReplaced(estate))];
    const claim = claimOf('b');
    const succeeding = { ...claim, terms: { ...claim.terms, successorOf: 'vpc-a' } };
    await apply(worker, draftOf('create', 'a'), { effects: [claimOf('a')] });
    assert.deepEqual(await halfReplaced(), []);
    const launch = draftOf('create', 'b', { details: { successorOf: 'vpc-a' } });
    const [launched] = await store.ledger.intend(worker.reconcile, [launch]);
    assert.deepEqual(await halfReplaced(), [scope], 'the launch is open');
    await store.ledger.settle(worker.reconcile, [settlementOf(launched, { effects: [succeeding] })]);
    assert.deepEqual(await halfReplaced(), [scope], 'both stand');
    assert.deepEqual([...(await other.inventory.halfReplaced(`${estate}-2`))], []);
    await apply(worker, draftOf('delete', 'a'), {
      effects: [{ do: 'end', subject: claimOf('a').subject, as: 'deleted' }],
    });
    assert.deepEqual(await halfReplaced(), [], 'the predecessor has ended');
    await apply(worker, draftOf('create', 'a'), { effects: [claimOf('a')] });
    assert.deepEqual(await halfReplaced(), [scope]);
    await apply(worker, draftOf('delete', 'b'), { effects: [{ do: 'release', id: 'vpc-b' }] });
    assert.deepEqual(await halfReplaced(), [], 'the successor was let go');
    await apply(worker, launch, denied);
    assert.deepEqual(await halfReplaced(), [], 'the launch was refused');
  },

  'an older look does not overwrite a newer one': async ({ store, estate }) => {
    const newer = look(2000, [observedOf('a')]);
    await store.inventory.record(estate, newer);
    await store.inventory.record(estate, look(1000, []));
    assert.deepEqual(await store.inventory.latest(estate), [newer]);
  },

  'the outer filters of the newest look are known, and those of no earlier one': async ({ store, other, estate }) => {
    const outerFilters = { at: 900, subnets: [{ subnet: 'subnet-a', filters: ['network ACL acl-1'], unlisted: [] }] };
    const known = async () => (await other.inventory.knowledge(estate, scope)).outerFilters;
    assert.equal(await known(), undefined);
    await store.inventory.record(estate, look(1000, [observedOf('a')], { outerFilters }));
    assert.deepEqual(await known(), outerFilters);
    assert.equal((await other.inventory.knowledge(estate, 'aws/1/elsewhere')).outerFilters, undefined);
    await store.inventory.record(estate, look(2000, [observedOf('a')]));
    assert.equal(await known(), undefined);
  },

  'the facts of images of the newest look are known, and those of no earlier one': async ({ store, other, estate }) => {
    const fact = { image: 'ami-1', owner: '1', verified: true, deprecated: false, createdAt: 5 };
    const images = { at: 900, read: [fact], unread: [{ image: 'ami-2', reason: 'no such image' }] };
    const known = async () => (await other.inventory.knowledge(estate, scope)).images;
    assert.equal(await known(), undefined);
    await store.inventory.record(estate, look(1000, [observedOf('a')], { images }));
    assert.deepEqual(await known(), images);
    await store.inventory.record(estate, look(2000, [observedOf('a')]));
    assert.equal(await known(), undefined);
  },

  'history says when an object appeared, changed and vanished, and nothing of what stayed the same': async (bench) => {
    const { store, estate } = bench;
    const plain = observedOf('a');
    const labelled = observedOf('a', { tier: 'web' });
    const seen: readonly (readonly Observed[])[] = [[plain], [plain, observedOf('b')], [labelled], [], [plain]];
    for (const [i, resources] of seen.entries()) await store.inventory.record(estate, look(1000 * (i + 1), resources));
    assert.deepEqual(await store.inventory.history(estate, 'vpc-a'), [
      { at: 5000, scope, change: 'appeared', resource: plain },
      { at: 4000, scope, change: 'vanished', resource: labelled },
      { at: 3000, scope, change: 'changed', resource: labelled },
      { at: 1000, scope, change: 'appeared', resource: plain },
    ]);
    assert.deepEqual(
      (await store.inventory.history(estate, 'vpc-b')).map(({ at, change }) => [at, change]),
      [
        [3000, 'vanished'],
        [2000, 'appeared'],
      ],
    );
    assert.deepEqual(await store.inventory.history(estate, 'vpc-none'), []);
  },

  'a claim says when its object was first seen standing, whatever is written or missed later': async (bench) => {
    const { store, estate, later } = bench;
    const worker = await workerOf(store, estate);
    await apply(worker, draftOf('create', 'a'), { effects: [claimOf('a')] });
    await apply(worker, draftOf('create', 'b'), { effects: [claimOf('b')] });
    const seenAt = async (): Promise<readonly (number | undefined)[]> => {
      const { settled } = await store.inventory.knowledge(estate, scope);
      return ['vpc-a', 'vpc-b'].map((id) => settled.get(id)?.seenAt);
    };
    assert.deepEqual(await seenAt(), [undefined, undefined]);
    const dead: Observed = { ...observedOf('b'), condition: { state: 'gone' } };
    await store.inventory.record(estate, look(1000, [observedOf('a'), dead]));
    assert.deepEqual(await seenAt(), [1000, undefined], 'an object that is gone and listed still does not stand');
    await later(1000);
    await apply(worker, draftOf('update', 'a'), { effects: [claimOf('a')] });
    await store.inventory.record(estate, look(2000, [observedOf('b')]));
    await store.inventory.record(estate, look(3000, [observedOf('a'), observedOf('b')]));
    assert.deepEqual(await seenAt(), [1000, 2000]);
    await apply(worker, draftOf('delete', 'a'), { effects: [{ do: 'release', id: 'vpc-a' }] });
    await apply(worker, draftOf('adopt', 'a'), { effects: [claimOf('a')] });
    assert.deepEqual(await seenAt(), [undefined, 2000], 'a claim that was let go begins anew');
  },

  'a claim that was let go is known by its id until it is buried, and no longer counts as ours': async (bench) => {
    const { store, estate } = bench;
    const worker = await workerOf(store, estate);
    const end = (name: string, as: 'deleted' | 'gone') =>
      ({ effects: [{ do: 'end', subject: claimOf(name).subject, as }] }) as const;
    for (const name of ['a', 'b', 'c']) await apply(worker, draftOf('create', name), { effects: [claimOf(name)] });
    await apply(worker, draftOf('delete', 'a'), end('a', 'deleted'));
    await apply(worker, draftOf('forget', 'b'), end('b', 'gone'));
    await apply(worker, draftOf('delete', 'twin'), end('twin', 'deleted'));
    const known = async () => {
      const { settled, ended = new Map<string, Ended>() } = await store.inventory.knowledge(estate, scope);
      const told = [...ended].map(([id, { as, address, kind }]) => [id, as, address, kind].join(' '));
      return { settled: [...settled.keys()].sort(), ended: told.sort() };
    };
    assert.deepEqual(await known(), {
      settled: ['vpc-c'],
      ended: [
        `vpc-a deleted ${addressOf('a')} network`,
        `vpc-b gone ${addressOf('b')} network`,
        `vpc-twin deleted ${addressOf('twin')} network`,
      ],
    });
    assert.deepEqual(await store.estates.holdings(estate), [{ scope, resources: 1 }]);
    assert.equal((await store.generations.spent(estate, 1)).owned, 1);

    // shown again: a deleted object stays deleted, and one that seemed gone is claimed as before
    const at = bench.now() + 1;
    await store.inventory.record(estate, look(at, [observedOf('a'), observedOf('b'), observedOf('c')]));
    const b = (await store.inventory.knowledge(estate, scope)).settled.get('vpc-b');
    assert.deepEqual([b?.address, b?.terms, b?.seenAt], [addressOf('b'), claimOf('b').terms, at]);

    // a reused name is claimed anew, and a person may forget a deleted object
    await apply(worker, draftOf('create', 'a'), { effects: [claimOf('a')] });
    assert.deepEqual((await known()).settled, ['vpc-a', 'vpc-b', 'vpc-c']);
    await apply(worker, draftOf('delete', 'c'), end('c', 'deleted'));
    await store.inventory.buried(estate, scope, ['vpc-twin', 'vpc-b', 'vpc-none']);
    assert.deepEqual(await known(), {
      settled: ['vpc-a', 'vpc-b'],
      ended: [`vpc-c deleted ${addressOf('c')} network`],
    });
    await apply(worker, draftOf('forget', 'c'), { effects: [{ do: 'release', id: 'vpc-c' }] });
    assert.deepEqual(await known(), { settled: ['vpc-a', 'vpc-b'], ended: [] });
  },

  'what is known says when it was read, by the clock that dates what is written': async ({ store, estate, later }) => {
    const worker = await workerOf(store, estate);
    await apply(worker, draftOf('create', 'a'), { effects: [claimOf('a')] });
    const first = await store.inventory.knowledge(estate, scope);
    assert.equal(first.readAt, first.settled.get('vpc-a')?.lastWriteAt);
    await later(1000);
    const second = await store.inventory.knowledge(estate, scope);
    assert.equal((second.readAt ?? 0) - (first.readAt ?? 0), 1000);
  },

  'what a gap hides has not vanished': async ({ store, estate }) => {
    const gaps = [{ kind: 'network', code: 'Throttling', reason: 'listing failed' } as const];
    await store.inventory.record(estate, look(1000, [observedOf('a'), observedOf('b')]));
    await store.inventory.record(estate, look(2000, [observedOf('b')], { gaps }));
    assert.deepEqual(await store.inventory.latest(estate), [look(2000, [observedOf('b')], { gaps })]);
    await store.inventory.record(estate, look(3000, [observedOf('a'), observedOf('b')]));
    assert.deepEqual(await store.inventory.latest(estate), [look(3000, [observedOf('a'), observedOf('b')])]);
    assert.deepEqual(
      (await store.inventory.history(estate, 'vpc-a')).map(({ change }) => change),
      ['appeared'],
    );
  },
};

const look = (at: number, resources: readonly Observed[], rest: Partial<Observation> = {}): Observation => ({
  scope,
  at,
  resources,
  gaps: [],
  pending: [],
  calls: 1,
  ...rest,
});
