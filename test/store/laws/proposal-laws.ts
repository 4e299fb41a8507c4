import assert from 'node:assert/strict';
import type { Proposal } from '../../../src/ports/queries.ts';
import type { Bench, Laws } from './bench.ts';

const day = 86_400_000;

const summary = {
  create: 1,
  update: 0,
  replace: 0,
  delete: 0,
  adopt: 0,
  drifted: 0,
  unmanaged: 0,
  orphan: 0,
  blocked: 0,
  withheld: 0,
  calls: 1,
};

const proposal = ({ estate, now }: Bench, id: string, caller = 'token-1', keptMs = 7 * day): Proposal => ({
  head: {
    id: `${estate} ${id}`,
    estate,
    generation: 1,
    revision: 'folder:1',
    digest: 'd1',
    summary,
    times: { at: now(), until: now() + keptMs },
    by: { person: 'ada', caller, names: ['ada@acme.example'] },
    of: 'posted',
  },
  planned: { bound: { estate, revision: 'folder:1' }, plans: [], looks: [] },
  problems: [],
  tree: { specs: [{ path: 'a.yaml', text: 'kind: \u2028 "Net"' }], userData: [] },
});

const guards = { limits: { deletes: 5, replaces: 5 }, modes: {}, policies: {}, protected: [] };

/** Laws of proposals, and of the authors of accepted specs. */
export const proposalLaws: Laws = {
  'a proposal is read as it was kept, by any process, until it has run out': async (bench) => {
    const { store, other, estate } = bench;
    const kept = proposal(bench, 'p1');
    await store.proposals.keep(kept, 10);
    assert.deepEqual(await other.proposals.read(`${estate} p1`), kept);
    assert.equal(await other.proposals.read('p1'), undefined);
    await store.proposals.keep(proposal(bench, 'p0', 'token-1', -1), 10);
    assert.equal(await other.proposals.read(`${estate} p0`), undefined);
    const [only, ...others] = await other.proposals.list({ estate, limit: 10 });
    assert.deepEqual([only, others], [kept.head, []]);
  },
  'proposals are listed newest first, in pages, of all or of one caller; the oldest go': async (bench) => {
    const { store, estate } = bench;
    for (const id of ['p1', 'p2', 'p3', 'p4']) await store.proposals.keep(proposal(bench, id, `by ${id}`), 3);
    const ids = async (query: object) =>
      (await store.proposals.list({ estate, limit: 10, ...query })).map(({ id }) => id.replace(`${estate} `, ''));
    assert.deepEqual(await ids({}), ['p4', 'p3', 'p2']);
    assert.deepEqual(await ids({ limit: 1, after: `${estate} p4` }), ['p3']);
    assert.deepEqual(await ids({ by: 'by p3' }), ['p3']);
    assert.deepEqual(await ids({ by: 'by p3', after: `${estate} p3` }), []);
    assert.deepEqual(await store.proposals.list({ estate: 'another', limit: 10 }), []);
  },
  'authors are recorded for a move before it is accepted, are only added to, and belong to that move alone': async ({
    store,
    other,
    estate,
  }) => {
    const move = { estate, revision: 'git:a', after: 0 };
    await store.authors.record(move, { names: ['ada@x', 'bob@x', 'ada@x'], more: false });
    assert.deepEqual(await other.authors.since(estate, 0, 10), []);
    await store.generations.accept(estate, 'git:a', guards, { after: 0 });
    await store.generations.accept(estate, 'folder:b', guards, { after: 1 });
    await other.authors.record(move, { names: ['eve@x'], more: true });
    await other.authors.record(move, { names: [], more: false });
    await other.authors.record({ estate, revision: 'git:a', after: 2 }, { names: [], more: false });
    await store.generations.accept(estate, 'git:a', guards, { after: 2 });
    const first = { generation: 1, authors: { names: ['ada@x', 'bob@x', 'eve@x'], more: true } };
    assert.deepEqual(await store.authors.since(estate, 0, 10), [
      first,
      { generation: 2 },
      { generation: 3, authors: { names: [], more: false } },
    ]);
    assert.deepEqual(await store.authors.since(estate, 0, 1), [first]);
    assert.deepEqual(await store.authors.since(estate, 3, 10), []);
    assert.deepEqual(await store.authors.of(estate, [9, 2, 1, 1]), [first, { generation: 2 }]);
    assert.deepEqual(await store.authors.of(estate, []), []);
  },
};
