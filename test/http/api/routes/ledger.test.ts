import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { Grant } from '../../../../src/core/access/grant.ts';
import { ledgerRoutes } from '../../../../src/http/api/routes/ledger.ts';
import { addressOf, apply, draftOf, lookOf, rowOf, scope, workerOf } from '../../../store/fixtures.ts';
import { memoryDatabase } from '../../../support/memory-store.ts';
import { virtualClock } from '../../../support/virtual-clock.ts';
import { apiWorld, callerOf } from '../support/api-world.ts';

const clock = virtualClock(Date.UTC(2026, 0, 2));
const store = memoryDatabase(clock).connect();
const estate = 'acme';

/** In an estate of its own web was team-a's first, and is team-b's from the second look on. */
const moved = await workerOf(store, 'moved', { approver: 'ann' });
const ownedBy = (owner: string) => rowOf('web', { place: { targets: ['north'] }, whose: { owner } });
const where = { estate: 'moved', scope };
await apply(moved, draftOf('create', 'web'));
await store.rows.keep(where, { ...lookOf(0, [ownedBy('team-a')]), at: clock.now() });
await clock.advance(60_000);
await store.rows.keep(where, { ...lookOf(1, [ownedBy('team-b')]), at: clock.now() });
await apply(moved, draftOf('update', 'web'));

const worker = await workerOf(store, estate, { approver: 'ann' });
await apply(worker, draftOf('create', 'core'));
await apply(worker, draftOf('create', 'edge'));
const wordOn = (of: object) => store.ledger.note(estate, { pause: { of, person: 'eve', reason: 'freeze' } });
await wordOn({ by: 'estate' });
await wordOn({ by: 'address', name: addressOf('core') });
await wordOn({ by: 'target', name: 'south' });
await wordOn({ by: 'owner', name: 'team-a' });
await clock.advance(60_000);
await store.ledger.note(estate, { approval: { by: { person: 'ann' } } });
await store.rows.keep(
  { estate, scope },
  lookOf(0, [
    rowOf('core', { place: { targets: ['north'] }, whose: { owner: 'team-a' } }),
    rowOf('edge', { place: { targets: ['south'] }, whose: { owner: 'team-b' } }),
  ]),
);
await store.ledger.note('other', { pause: { person: 'eve' } });

const viewerWithin = (bounds: Partial<Grant>) =>
  callerOf('viewer', { grants: [{ role: 'viewer', estates: [estate], ...bounds }] });

const world = apiWorld({
  routes: ledgerRoutes({ ...store, estates: async () => [estate, 'other', 'moved'] }),
  callers: {
    north: viewerWithin({ targets: ['north'] }),
    south: viewerWithin({ targets: ['south'] }),
    owner: viewerWithin({ owners: ['team-a'] }),
    ...Object.fromEntries(
      ['team-a', 'team-b'].map((owner) => [owner, viewerWithin({ estates: ['moved'], owners: [owner] })]),
    ),
    both: callerOf('viewer', { grants: [{ role: 'viewer' }] }),
  },
  clock,
});
after(world.close);

interface Page {
  readonly items: readonly { readonly seq: number; readonly at: string }[];
  readonly next?: string;
  readonly total?: number;
}

async function pageOf(who: string, query = ''): Promise<Page> {
  const { status, body, text } = await world.ask(who, `GET /v1/ledger${query}`);
  assert.equal(status, 200, text);
  // why: the schema of the answer has been checked by the frame
  return body as Page;
}

const seqsOf = async (who: string, query = '') => (await pageOf(who, query)).items.map(({ seq }) => seq);

describe('GET /v1/ledger', () => {
  const questions = [
    ['', [9, 8, 7, 6, 5, 4, 3, 2, 1]],
    ['?order=oldest&limit=2', [1, 2]],
    ['?verb=create&type=intent', [3, 1]],
    [`?address=${addressOf('edge')}`, [4, 3]],
    ['?actor=ann', [9, 4, 3, 2, 1]],
    ['?reconcileId=r1&type=settlement', [4, 2]],
    ['?since=30s', [9]],
    ['?until=30s&type=note', [8, 7, 6, 5]],
    ['?after=8&limit=2', [7, 6]],
  ] as const;
  for (const [query, seqs] of questions)
    it(`${query || 'all'}`, async () => assert.deepEqual(await seqsOf('viewer', query), seqs));

  it('refuses a verb that there is not, for an empty answer would say that it never was done', async () => {
    const { status, text } = await world.ask('viewer', 'GET /v1/ledger?verb=destroy');
    assert.equal(status, 400);
    assert.match(text, /"at":"verb"/);
  });

  it('gives an entry as it was written, with its place in the chain', async () => {
    const { items } = await pageOf('viewer', '?order=oldest&limit=1');
    for await (const entry of store.ledger.entries({ estate, limit: 1 }))
      assert.deepEqual(items, [{ ...entry, at: new Date(entry.at).toISOString() }]);
  });

  it('goes on after a page, and counts where that is asked for', async () => {
    const first = await pageOf('viewer', '?limit=4&total=true');
    assert.deepEqual([first.total, first.next], [9, '6']);
    assert.deepEqual(await seqsOf('viewer', `?limit=10&after=${first.next}`), [5, 4, 3, 2, 1]);
    assert.equal((await pageOf('viewer', `?total=true&address=${addressOf('core')}`)).total, 2);
  });

  it('of one estate: who sees several names it', async () => {
    assert.equal((await world.ask('both', 'GET /v1/ledger')).status, 400);
    assert.deepEqual(await seqsOf('both', '?estate=other'), [1]);
    assert.equal((await world.ask('viewer', 'GET /v1/ledger?estate=other')).status, 404);
  });

  const bounded = [
    ['north', [6, 2, 1]],
    ['south', [7, 4, 3]],
    ['owner', [8, 6, 2, 1]],
  ] as const;
  for (const [who, seqs] of bounded)
    it(`tells ${who} of what lies within, and of words about that alone`, async () => {
      assert.deepEqual(await seqsOf(who), seqs);
      assert.equal((await pageOf(who, '?total=true')).total, undefined);
    });

  it('tells a new owner nothing of the owner before, and the former owner nothing any more', async () => {
    assert.deepEqual(await seqsOf('team-b', '?estate=moved'), [4, 3]);
    assert.deepEqual(await seqsOf('team-b', `?estate=moved&address=${addressOf('web')}`), [4, 3]);
    assert.deepEqual(await seqsOf('team-a', '?estate=moved'), []);
    assert.deepEqual(await seqsOf('both', '?estate=moved'), [4, 3, 2, 1]);
  });

  it('tells who sees a part of it nothing of how much else there is', async () => {
    const nothing = (await world.ask('north', `GET /v1/ledger?limit=1&address=${addressOf('none')}`)).text;
    for (const query of [`address=${addressOf('edge')}`, 'actor=eve&type=intent', 'verb=delete', 'reconcileId=r2'])
      assert.equal((await world.ask('north', `GET /v1/ledger?limit=1&${query}`)).text, nothing, query);
    const first = await pageOf('north', '?limit=2');
    assert.deepEqual([first.items.map(({ seq }) => seq), first.next], [[6, 2], '2']);
    const last = await pageOf('north', `?limit=2&after=${first.next}`);
    assert.deepEqual([last.items.map(({ seq }) => seq), last.next], [[1], undefined]);
  });
});

describe('the ledger as a whole', () => {
  it('is exported as the command line does', async () => {
    const { status, headers, text } = await world.ask('viewer', 'GET /v1/ledger/export');
    const want: string[] = [];
    for await (const line of store.audit.export(estate)) want.push(`${line}\n`);
    assert.deepEqual([status, headers['content-type'], text], [200, 'application/x-ndjson', want.join('')]);
  });

  it('is verified', async () => {
    const { status, body } = await world.ask('viewer', 'GET /v1/ledger/verify');
    assert.equal(status, 200);
    const verdict = await store.audit.verify(estate);
    assert.ok(verdict.ok && verdict.unsigned, 'nobody signs here');
    const unsigned = { ...verdict.unsigned, at: new Date(verdict.unsigned.at).toISOString() };
    assert.deepEqual(body, JSON.parse(JSON.stringify({ ...verdict, unsigned })));
  });

  it('tells how far signatures reach', async () => {
    const { status, body } = await world.ask('viewer', 'GET /v1/ledger/signatures');
    const { unsigned, ...reach } = await store.audit.reach(estate);
    assert.ok(unsigned, 'nobody signs here');
    const want = { estate, ...reach, unsigned: { ...unsigned, at: new Date(unsigned.at).toISOString() } };
    assert.deepEqual([status, body], [200, want]);
  });

  it('is not there for those who see a part of it', async () => {
    for (const what of ['export', 'verify', 'signatures']) {
      const missing = await world.ask('viewer', `GET /v1/ledger/${what}?estate=none`);
      for (const who of ['north', 'owner']) {
        const { status, text } = await world.ask(who, `GET /v1/ledger/${what}`);
        assert.deepEqual([status, text], [404, missing.text]);
      }
    }
  });
});

describe('a verdict', () => {
  it('is found out once for all who ask meanwhile', async () => {
    let readings = 0;
    const verify = async () => {
      readings += 1;
      await new Promise((resolve) => setImmediate(resolve));
      return store.audit.verify(estate);
    };
    const dependencies = { ...store, audit: { ...store.audit, verify }, estates: async () => [estate] };
    const other = apiWorld({ routes: ledgerRoutes(dependencies), clock });
    const answers = await Promise.all(Array.from({ length: 5 }, () => other.ask('viewer', 'GET /v1/ledger/verify')));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200, 200, 200],
    );
    assert.equal(readings, 1);
    await other.ask('viewer', 'GET /v1/ledger/verify');
    assert.equal(readings, 2);
    await other.close();
  });
});
