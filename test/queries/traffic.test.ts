import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { answersOf } from '../../src/bootstrap/http-server.ts';
import { callerOf } from '../http/api/support/api-world.ts';
import { network, rule } from '../support/engine-world/documents.ts';
import { answersWorld, machine } from './support/answers-world.ts';

const callers = {
  web: callerOf('viewer', { grants: [{ role: 'viewer', estates: ['acme'], owners: ['team-web'] }] }),
  elsewhere: callerOf('viewer', { grants: [{ role: 'viewer', estates: ['other'] }] }),
  others: callerOf('viewer', { grants: [{ role: 'viewer', estates: ['acme'], targets: ['there'] }] }),
};

const documents = [
  network({ internet: true }),
  rule('https'),
  machine('web', { publicIp: true, replicas: 2 }, { owner: 'team-web' }),
  machine('db', {}, { owner: 'team-db', labels: { tier: 'a' } }),
];

interface Reach {
  readonly answer: string;
  readonly scopes: readonly {
    readonly notes: readonly string[];
    readonly ways: readonly { readonly to: readonly string[] }[];
  }[];
  readonly observed: { readonly complete: boolean };
}

interface Map {
  readonly nodes: readonly {
    readonly id: string;
    readonly kind: string;
    readonly name: string;
    readonly instances: number;
  }[];
  readonly edges: readonly {
    readonly from: string;
    readonly to: string;
    readonly rules: readonly { readonly address: string }[];
  }[];
  readonly hidden: readonly { readonly what: string; readonly count: number }[];
  readonly unknown: readonly { readonly reason: string }[];
  readonly outsideGrants: boolean;
}

async function world() {
  const made = answersWorld(callers);
  await made.accept(documents);
  await made.reconcile();
  const ask = (who: string, what: string) => made.api.ask(who, `GET /v1/${what}`);
  const reach = async (who: string, query: string): Promise<Reach> =>
    JSON.parse((await ask(who, `reach?${query}`)).text);
  const map = async (who: string, query = ''): Promise<Map> => {
    const { status, text } = await ask(who, `map?${query}`);
    assert.equal(status, 200, text);
    return JSON.parse(text);
  };
  return { ...made, ask, reach, map };
}

describe('reach, out of the store', () => {
  it('answers yes, no and unknown, with the rule', async () => {
    const { reach } = await world();
    const { answer, observed, scopes } = await reach('viewer', 'from=internet&to=web-0&port=443');
    assert.deepEqual([answer, observed.complete], ['yes', true]);
    assert.match(JSON.stringify(scopes), /"address":"memory\/acme\/north\/firewall-rule\/[^"]*443/);
    assert.equal((await reach('viewer', 'from=internet&to=web-0&port=22')).answer, 'no');
    assert.equal((await reach('viewer', 'from=internet&to=db-0&port=443')).answer, 'no');
  });

  it('refuses a port that is none, a name that nothing has, and two ends outside', async () => {
    const { ask } = await world();
    const statuses = [
      'from=internet&to=web-0&port=x',
      'from=internet&to=nothing',
      'from=internet&to=198.51.100.7',
      'from=internet',
    ];
    assert.deepEqual(
      await Promise.all(statuses.map(async (query) => (await ask('viewer', `reach?${query}`)).status)),
      [400, 404, 422, 400],
    );
  });

  it('knows nothing before the first observation', async () => {
    const { accept, api } = answersWorld(callers);
    await accept(documents);
    const reach = await api.ask('viewer', 'GET /v1/reach?from=internet&to=web-0');
    assert.match(reach.text, /"answer":"unknown".*no reconcile has observed this scope yet/);
    const focus = await api.ask('viewer', 'GET /v1/map?focus=web-0');
    assert.match(focus.text, /"unknown":\[\{"scope":"memory\/acme\/north","reason":"no reconcile has observed/);
    const { text } = await api.ask('viewer', 'GET /v1/map');
    assert.match(text, /no reconcile has observed this scope yet/);
  });

  it('keeps resources that Setpoint wrote since the observation, and says so', async () => {
    const { accept, reconcile, clock, context, store } = await world();
    const before = await store.inventory.latest('acme');
    const db = machine('db', {}, { owner: 'team-db', labels: { tier: 'b' } });
    await accept([...documents.slice(0, 3), db]);
    await clock.advance(60_000);
    await reconcile();
    const inventory = { ...store.inventory, latest: async () => before };
    const { traffic } = answersOf({ ...context, store: { ...store, inventory } });
    const asked = { estate: 'acme', seen: [{}] };
    const { scopes } = await traffic.reach({ ...asked, from: 'web-0', to: 'db-0' });
    assert.equal(scopes[0]?.answer, 'yes');
    assert.match(scopes[0]?.notes.join() ?? '', /Setpoint changed resources here since the observation/);
    const { map } = await traffic.map({ ...asked, limits: { nodes: 300, edges: 300 } });
    assert.match(map.unknown.map(({ reason }) => reason).join(), /Setpoint changed resources here/);
  });

  it('is answered within the bounds of the caller', async () => {
    const { ask, reach } = await world();
    const { scopes } = await reach('web', 'from=internet&to=group:core.web');
    assert.deepEqual(scopes[0]?.ways[0]?.to, ['web-0', 'web-1']);
    assert.match(scopes[0]?.notes.join() ?? '', /some ends may be outside of them/);
    const text = JSON.stringify(scopes);
    assert.match(text, /"address":"","name":"a rule outside of your grants"/);
    assert.doesNotMatch(text, /db-0|https|core\.app/);
    const [foreign, missing] = [
      await ask('web', 'reach?from=web-0&to=db-0'),
      await ask('web', 'reach?from=web-0&to=xx-0'),
    ];
    assert.deepEqual([foreign.status, foreign.text], [404, missing.text]);
    assert.equal((await ask('elsewhere', 'reach?from=internet&to=web-0')).status, 404);
    assert.equal((await ask('others', 'reach?from=internet&to=web-0')).status, 404);
    assert.equal((await reach('viewer', 'from=internet&to=web-0')).scopes[0]?.notes.join(), '');
  });
});

describe('the map, out of the store', () => {
  it('has nodes, edges and the rules between them, the worst first', async () => {
    const { map } = await world();
    const { nodes, edges, hidden, unknown, outsideGrants } = await map('viewer');
    assert.deepEqual(
      nodes.slice(0, 3).map(({ kind }) => kind),
      ['internet', 'scope', 'network'],
    );
    const named = nodes.filter(({ kind }) => kind === 'instance').map(({ name }) => name);
    assert.deepEqual(named.toSorted(), ['db-0', 'web-0', 'web-1']);
    assert.match(edges[0]?.rules[0]?.address ?? '', /\/firewall-rule\//);
    assert.equal(edges[0]?.from, 'internet');
    assert.deepEqual([hidden, unknown, outsideGrants], [[], [], false]);
  });

  it('tells the status of a resource that somebody changed', async () => {
    const { map, meddle, reconcile, clock, accept } = await world();
    await accept(documents, { mode: 'plan' });
    await clock.advance(60_000);
    meddle('mine');
    await reconcile();
    assert.match(JSON.stringify((await map('viewer')).nodes), /"name":"db-0"[^}]*"status":"Drifted"/);
  });

  it('tells the status of all of a scope, whichever of its targets is asked for', async () => {
    const { map, meddle, reconcile, clock, accept } = await world();
    const spec = { provider: 'memory', account: 'acme', region: 'north' };
    await accept([...documents, { kind: 'Target', metadata: { name: 'beside' }, spec }], { mode: 'plan' });
    await clock.advance(60_000);
    meddle('mine');
    await reconcile();
    for (const query of ['target=here', 'target=beside', ''])
      assert.match(JSON.stringify((await map('viewer', query)).nodes), /"name":"db-0"[^}]*"status":"Drifted"/, query);
  });

  it('counts drift that a pause withholds', async () => {
    const { map, meddle, reconcile, clock, store } = await world();
    const pause = { what: 'all', of: { by: 'estate' }, reason: 'a freeze', person: 'ada' } as const;
    await store.fleet.pauses.begin('acme', { ...pause, until: clock.now() + 86_400_000 });
    await clock.advance(60_000);
    meddle('mine');
    await reconcile();
    assert.match(
      JSON.stringify((await map('viewer')).nodes),
      /"name":"db-0"[^}]*"status":"Paused"[^}]*"counts":\{[^}]*"drifted":1/,
    );
  });

  it('narrows to a network, a group, one end or a rule', async () => {
    const { map, ask } = await world();
    const whole = await map('viewer');
    const rules = whole.edges.flatMap((edge) => edge.rules.map(({ address }) => address)).filter((one) => one !== '');
    const of = await map('viewer', `rule=${encodeURIComponent(rules[0] ?? '')}`);
    assert.ok(of.edges.length > 0 && of.edges.every((edge) => edge.rules.some(({ address }) => address === rules[0])));
    const focus = await map('viewer', 'focus=web-1');
    const id = focus.nodes.find(({ name }) => name === 'web-1')?.id;
    assert.ok(
      focus.edges.length > 0 && focus.edges.every(({ from, to }) => from === id || to === id),
      JSON.stringify(focus),
    );
    assert.ok((await map('viewer', 'focus=internet')).edges.every(({ from, to }) => [from, to].includes('internet')));
    const address = (await map('viewer', 'focus=8.8.8.8')).edges.map(({ from, to }) => [from, to]);
    assert.ok(address.length > 0 && address.every((ends) => ends.includes('block 8.8.8.8/32')), address.join('\n'));
    assert.equal((await map('viewer', 'group=core.web')).nodes.filter(({ kind }) => kind === 'instance').length, 3);
    for (const query of ['focus=nothing', 'network=nothing', 'group=nothing', 'rule=nothing'])
      assert.equal((await ask('viewer', `map?${query}`)).status, 404, query);
    assert.equal((await ask('viewer', 'map?limit=301')).status, 400);
  });
});

describe('the map, for one caller and another', () => {
  it('has at most as many nodes as asked for, and counts the others', async () => {
    const { accept, reconcile, map, clock } = await world();
    await accept([...documents.slice(0, 2), machine('web', { replicas: 30 })]);
    for (let n = 0; n < 5; n += 1) {
      await clock.advance(60_000);
      await reconcile();
    }
    const { nodes, hidden } = await map('viewer', 'limit=10');
    assert.ok(nodes.length <= 10);
    const drawn = nodes.filter(({ kind }) => kind === 'instance').length;
    const all = nodes.find(({ kind }) => kind === 'scope')?.instances ?? 0;
    assert.ok(all > 10);
    assert.equal(hidden.find(({ what }) => what === 'instances')?.count, all - drawn);
  });

  it('answers each caller by their own bounds, and anew after each change', async () => {
    const { accept, reconcile, map, clock } = await world();
    const namesFor = async (who: string) =>
      (await map(who)).nodes.flatMap(({ kind, name }) => (kind === 'instance' ? [name] : [])).toSorted();
    assert.deepEqual(await namesFor('viewer'), ['db-0', 'web-0', 'web-1']);
    assert.deepEqual(await namesFor('web'), ['web-0', 'web-1']);
    assert.deepEqual(await namesFor('viewer'), ['db-0', 'web-0', 'web-1']);
    await accept([
      ...documents.slice(0, 2),
      machine('web', { replicas: 3 }, { owner: 'team-web' }),
      ...documents.slice(3),
    ]);
    for (let n = 0; n < 3; n += 1) {
      await clock.advance(60_000);
      await reconcile();
    }
    assert.deepEqual(await namesFor('viewer'), ['db-0', 'web-0', 'web-1', 'web-2']);
  });

  it('is drawn within the bounds of the caller', async () => {
    const { map, ask } = await world();
    const { nodes, outsideGrants } = await map('web');
    assert.ok(outsideGrants);
    assert.deepEqual(
      nodes.filter(({ kind }) => kind === 'instance').map(({ name }) => name),
      ['web-0', 'web-1'],
    );
    assert.equal(nodes.find(({ kind }) => kind === 'scope')?.instances, 2);
    const { text } = await ask('web', 'map');
    assert.doesNotMatch(text, /db-0|https|team-db/);
    assert.deepEqual(
      (await map('others')).nodes.map(({ kind }) => kind),
      ['internet'],
    );
    for (const query of ['focus=db-0', 'network=core', 'rule=https'])
      assert.equal((await ask('others', `map?${query}`)).status, 404, query);
    assert.equal((await ask('web', 'map?focus=db-0')).status, 404);
    assert.equal((await ask('elsewhere', 'map')).status, 404);
  });
});

describe('the map, asked for again and again', () => {
  it('reads the estate once for each of several callers who ask in turn', async () => {
    const { context, store, clock, reconcile } = await world();
    let reads = 0;
    const latest: typeof store.inventory.latest = (...given) => {
      reads += 1;
      return store.inventory.latest(...given);
    };
    const { traffic } = answersOf({ ...context, store: { ...store, inventory: { ...store.inventory, latest } } });
    const limits = { nodes: 300, edges: 300 };
    const [all, own] = [[{}], [{ owners: ['team-web'] }]];
    const askBoth = async () => {
      for (const seen of [all, own, all, own]) await traffic.map({ estate: 'acme', seen, limits });
    };
    await askBoth();
    await traffic.reach({ estate: 'acme', seen: all, from: 'web-0', to: 'db-0' });
    assert.equal(reads, 2);
    await clock.advance(60_000);
    await reconcile();
    await askBoth();
    assert.equal(reads, 4);
    for (let n = 0; n < 9; n += 1) await traffic.map({ estate: 'acme', seen: [{ owners: [`team-${n}`] }], limits });
    await traffic.map({ estate: 'acme', seen: all, limits });
    assert.equal(reads, 14);
  });

  it('keeps no traffic that leaves no memory for the estate that it reads next', async () => {
    const { context, store } = await world();
    let instances = 29_997;
    let reads = 0;
    const count: typeof store.rows.count = async ({ filter }) => {
      assert.deepEqual(filter, { estates: ['acme'], kinds: ['instance'] });
      return instances;
    };
    const latest: typeof store.inventory.latest = (...given) => {
      reads += 1;
      return store.inventory.latest(...given);
    };
    const rows = { ...store.rows, count };
    const { traffic } = answersOf({ ...context, store: { ...store, rows, inventory: { ...store.inventory, latest } } });
    const readsFor = async (owner: string): Promise<number> => {
      await traffic.map({ estate: 'acme', seen: [{}, { owners: [owner] }], limits: { nodes: 300, edges: 300 } });
      return reads;
    };
    assert.deepEqual([await readsFor('a'), await readsFor('b'), await readsFor('b')], [1, 2, 2]);
    instances += 1;
    assert.equal(await readsFor('c'), 3, 'this drops those that are kept');
    assert.deepEqual([await readsFor('c'), await readsFor('b')], [3, 4]);
  });

  it('never keeps people from approving', async () => {
    const { context, store } = await world();
    const gate = Promise.withResolvers<void>();
    const page: typeof store.rows.page = async (query) => {
      await gate.promise;
      return store.rows.page(query);
    };
    const { traffic, approvals } = answersOf({ ...context, store: { ...store, rows: { ...store.rows, page } } });
    const asked = { estate: 'acme', seen: [{}], limits: { nodes: 300, edges: 300 } };
    const maps = Array.from({ length: 9 }, () => traffic.map(asked));
    await assert.rejects(async () => traffic.reach({ ...asked, from: 'web-0', to: 'db-0' }), {
      message: 'Too many questions about traffic are in progress. Retry in a few seconds.',
    });
    const by = { person: 'bob', caller: 'bob', names: ['bob'] };
    assert.deepEqual((await approvals.offer({ ...asked, by })).authors, { unknown: true });
    gate.resolve();
    assert.equal((await Promise.all(maps)).length, 9);
  });

  it('draws one map at a time', async () => {
    const { context, store } = await world();
    let [begun, open] = [0, () => {}];
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const page: typeof store.rows.page = async (query) => {
      begun += 1;
      await gate;
      return store.rows.page(query);
    };
    const { traffic } = answersOf({ ...context, store: { ...store, rows: { ...store.rows, page } } });
    const asked = { estate: 'acme', seen: [{}], limits: { nodes: 300, edges: 300 } };
    const maps = [traffic.map(asked), traffic.map(asked)];
    while (begun < 3) await setImmediate();
    for (let n = 0; n < 20; n += 1) await setImmediate();
    assert.equal(begun, 3);
    open();
    const drawn = await Promise.all(maps);
    assert.deepEqual(drawn[0], drawn[1]);
    assert.equal(begun, 6);
  });
});
