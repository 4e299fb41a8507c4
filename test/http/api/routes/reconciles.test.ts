import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { reconcilesRoutes } from '../../../../src/http/api/routes/reconciles.ts';
import type { ReconcileDraft, ReconcileEnding } from '../../../../src/ports/reconciles.ts';
import { rowOf } from '../../../store/fixtures.ts';
import { memoryDatabase } from '../../../support/memory-store.ts';
import { virtualClock } from '../../../support/virtual-clock.ts';
import { apiWorld, callerOf } from '../support/api-world.ts';

const clock = virtualClock(Date.UTC(2026, 0, 2));
const store = memoryDatabase(clock).connect();
const now = clock.now();

const groundOf = (targets: readonly string[]) => ({
  ...{ targets, generation: 3, revision: 'r3' },
  lease: { holder: 'w-1', epoch: 4 },
});

const draftOf = (id: string, rest: Partial<ReconcileDraft> = {}): ReconcileDraft => ({
  ...{ id, estate: 'acme', scope: 'aws/1/eu', began: now - 60_000, reason: 'ann: try' },
  ground: groundOf(['north']),
  ...rest,
});

const at = now - 59_900;
const ending: ReconcileEnding = {
  ...{ ended: now - 50_000, outcome: 'partly', why: 'withheld: mode 1', quiet: false },
  account: {
    counts: { reads: 3, writes: 1, settled: 1, failed: 0, withheld: 1, waitedMs: 40 },
    timeline: [
      { at, what: 'call', action: 'RunInstances', mutating: true, lanes: ['a'], durationMs: 30, requestId: 'q-1' },
      { at, what: 'wait', reason: 'budget', detail: 'RunInstances', durationMs: 40 },
      { at, what: 'listed', kind: 'network', count: 2 },
      { at, what: 'planned', look: 1, actions: 1, findings: 1 },
      { at, what: 'sent', kind: 'instance', verb: 'create', count: 1, addresses: ['x'] },
      { at, what: 'settled', kind: 'instance', verb: 'create', address: 'x' },
      { at, what: 'withheld', code: 'mode', why: 'observed only' },
    ],
    rest: { call: 9 },
  },
};

await store.reconciles.end(draftOf('p-1'), ending);
await store.reconciles.end(draftOf('p-2', { began: now - 30_000 }), { ...ending, outcome: 'done' });
await store.reconciles.end(draftOf('p-4', { estate: 'shared', ground: groundOf(['east', 'west']) }), {
  ...ending,
  account: {
    ...ending.account,
    timeline: [
      { at, what: 'call', action: 'RunInstances', mutating: true, lanes: ['a'], durationMs: 30 },
      { at, what: 'wait', reason: 'visible', detail: 'instance w', durationMs: 40 },
      { at, what: 'sent', kind: 'instance', verb: 'create', count: 2, addresses: ['e', 'w'] },
      { at, what: 'sent', kind: 'network', verb: 'create', count: 1, addresses: ['w'] },
      ...['e', 'w'].flatMap((address) => [
        {
          at,
          what: 'settled',
          kind: 'instance',
          verb: 'create',
          address,
          code: 'Denied',
          why: `no ${address}`,
        } as const,
        { at, what: 'withheld', code: 'mode', address, why: 'observed only' } as const,
      ]),
      { at, what: 'withheld', code: 'incomplete', why: 'w was not listed' },
    ],
  },
});
const rowAt = (address: string, target: string) =>
  rowOf(address, { called: { address }, place: { scope: 'aws/1/eu', targets: [target] } });
const rows = [rowAt('e', 'east'), rowAt('w', 'west')];
await store.rows.keep({ estate: 'shared', scope: 'aws/1/eu' }, { at: now, rows, gaps: [] });
await store.reconciles.end(draftOf('p-3', { estate: 'other', began: now - 20_000 }), ending);

const world = apiWorld({
  routes: reconcilesRoutes({
    reconciles: store.reconciles,
    figures: store.figures,
    estates: async () => ['acme', 'other', 'shared'],
  }),
  callers: {
    south: callerOf('viewer', { grants: [{ role: 'viewer', estates: ['acme'], targets: ['south'] }] }),
    owner: callerOf('viewer', { grants: [{ role: 'viewer', estates: ['acme'], owners: ['ann'] }] }),
    whole: callerOf('viewer', { grants: [{ role: 'viewer', estates: ['shared'] }] }),
    both: callerOf('viewer', { grants: [{ role: 'viewer', estates: ['shared'], targets: ['east', 'west'] }] }),
    east: callerOf('viewer', { grants: [{ role: 'viewer', estates: ['shared'], targets: ['east'] }] }),
  },
  clock,
});
after(world.close);

// why: the test compares every field that it reads
const items = (body: unknown) => (body as { items: readonly { reconcileId: string }[] }).items;
const idsOf = async (who: string, query = '') => {
  const { status, body } = await world.ask(who, `GET /v1/reconciles${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  return items(body).map(({ reconcileId }) => reconcileId);
};

describe('GET /v1/reconciles', () => {
  it('lists those of an estate that the caller sees, newest first', async () =>
    assert.deepEqual(await idsOf('viewer'), ['p-2', 'p-1']));

  const filters = [
    ['?outcome=done,failed', ['p-2']],
    ['?outcome=partial', ['p-1']],
    ['?target=north&scope=aws/1/eu', ['p-2', 'p-1']],
    ['?target=south', []],
    ['?since=40s', ['p-2']],
    ['?until=40s', ['p-1']],
    [`?since=${new Date(now - 60_000).toISOString()}`, ['p-2', 'p-1']],
  ] as const;
  for (const [query, ids] of filters)
    it(`${query} filters`, async () => assert.deepEqual(await idsOf('viewer', query), ids));

  it('goes on where a page ended', async () => {
    const { body } = await world.ask('viewer', 'GET /v1/reconciles?limit=1');
    // why: as above
    const { next } = body as { next: string };
    assert.deepEqual(await idsOf('viewer', `?limit=1&after=${next}`), ['p-1']);
    const { status, text } = await world.ask('viewer', 'GET /v1/reconciles?after=zzz');
    assert.deepEqual([status, text.includes('"at":"after"')], [400, true]);
  });

  it('shows nothing to those whose targets or owners they are not', async () => {
    assert.deepEqual(await idsOf('south'), []);
    assert.deepEqual(await idsOf('owner'), []);
  });

  it('refuses what is no outcome, and no time', async () => {
    for (const query of ['outcome=well', 'since=yesterday', 'limit=0', 'reason=x']) {
      const { status } = await world.ask('viewer', `GET /v1/reconciles?${query}`);
      assert.equal(status, 400, query);
    }
  });
});

describe('GET /v1/reconciles/{id}', () => {
  it('tells every line of the timeline', async () => {
    const { status, body } = await world.ask('viewer', 'GET /v1/reconciles/p-1');
    assert.equal(status, 200);
    const iso = new Date(at).toISOString();
    const entries = ending.account.timeline.map(({ what: type, ...entry }) => {
      const {
        lanes: rateLimits,
        look: observation,
        why: reason,
        ...same
      } = { lanes: undefined, look: undefined, why: undefined, ...entry };
      const told = type === 'wait' ? 'rate-limit' : reason;
      const renamed = { rateLimits, observation, ...(told !== undefined && { reason: told }) };
      return { type, ...JSON.parse(JSON.stringify({ ...same, ...renamed })), at: iso };
    });
    assert.deepEqual(body, {
      ...{ reconcileId: 'p-1', estate: 'acme', scope: 'aws/1/eu', targets: ['north'], state: 'ended' },
      ...{ reason: 'ann: try', generation: 3, revision: 'r3', worker: 'w-1', outcome: 'partial' },
      ...{ startedAt: new Date(now - 60_000).toISOString(), endedAt: new Date(now - 50_000).toISOString() },
      ...{ durationMs: 10_000, message: 'withheld: mode 1', counts: ending.account.counts },
      timeline: { entries, omitted: { call: 9 } },
    });
  });

  it('is the same 404 for what is foreign and what is missing', async () => {
    const asked = ['viewer GET p-3', 'south GET p-1', 'owner GET p-1', 'viewer GET p-9'];
    const texts = await Promise.all(
      asked.map(async (one) => {
        const [who = '', , id] = one.split(' ');
        return (await world.ask(who, `GET /v1/reconciles/${id}`)).text;
      }),
    );
    assert.equal(new Set(texts).size, 1);
    assert.match(texts[0] ?? '', /"status":404/);
  });
});

interface Told {
  readonly targets: readonly string[];
  readonly reason?: string;
  readonly message?: string;
  readonly counts: object;
  readonly timeline: { readonly entries: readonly Readonly<Record<string, unknown>>[] };
}

describe('a reconcile of several targets', () => {
  const read = async (who: string): Promise<Told> => {
    const { status, body, text } = await world.ask(who, 'GET /v1/reconciles/p-4');
    assert.equal(status, 200, text);
    // why: its schema has checked it
    return body as Told;
  };

  it('tells who sees one of them nothing of what is done in others', async () => {
    const { targets, counts, timeline } = await read('east');
    assert.deepEqual([targets, counts], [['east'], ending.account.counts]);
    assert.deepEqual(
      timeline.entries.map(({ type, addresses, address, detail }) => [type, addresses ?? address ?? detail]),
      [
        ['call', undefined],
        ['wait', undefined],
        ['sent', ['e']],
        ['settled', 'e'],
        ['withheld', 'e'],
      ],
    );
  });

  it('tells all steps to who sees all of them', async () => {
    assert.deepEqual((await read('both')).timeline, (await read('whole')).timeline);
    assert.equal((await read('both')).timeline.entries.length, 9);
  });

  it('tells who asked for it, and why, to who sees all of the estate; what it left open to who sees all of the reconcile', async () => {
    for (const who of ['whole', 'both', 'east'] as const) {
      const [one] = items((await world.ask(who, 'GET /v1/reconciles')).body);
      const { reason, message } = await read(who);
      assert.deepEqual([Reflect.get(one ?? {}, 'reason'), Reflect.get(one ?? {}, 'message')], [reason, message]);
    }
    const said = await Promise.all(['whole', 'both', 'east'].map(read));
    assert.deepEqual(
      said.map(({ reason, message }) => [reason, message]),
      [
        ['ann: try', 'withheld: mode 1'],
        [undefined, 'withheld: mode 1'],
        [undefined, undefined],
      ],
    );
  });
});
