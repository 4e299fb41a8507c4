import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { leftRows } from '../../../../src/core/inventory/row.ts';
import { at, now, rowOf, scope, store, web, world } from './inventory-world.ts';

const acme = { estate: 'acme', scope };
const minute = 60_000;
const drifted = rowOf('shop', {
  status: 'Drifted',
  called: { labels: { tier: 'db', env: 'prod' } },
  sides: { next: { verb: 'update', cause: 'drift', held: 'paused' }, diff: [{ field: 'labels.tier', to: 'web' }] },
});
const rows = [
  rowOf('core'),
  drifted,
  rowOf('web-0', {
    place: { kind: 'instance', targets: ['south'] },
    whose: { owner: 'team-web' },
    sides: {
      observed: web,
      desired: { attributes: web.attributes, mode: 'plan', protect: false, deletionPolicy: 'retain' },
    },
  }),
];
await store.rows.keep(acme, {
  at: now - 10 * minute,
  rows: [rowOf('core'), rowOf('shop'), ...rows.slice(2)],
  gaps: [],
});
await store.rows.keep(acme, { at: now - minute, rows, gaps: [{ kind: 'group', code: 'Throttled', reason: 'page 2' }] });
await store.rows.keep(
  { estate: 'beta', scope: 'gcp/acme' },
  {
    at: now - 2 * minute,
    rows: [rowOf('theirs', { place: { scope: 'gcp/acme', cloud: 'gcp', account: 'acme', region: '' } })],
    gaps: [],
  },
);
after(world.close);

interface Page {
  readonly items: readonly { readonly name: string; readonly [key: string]: unknown }[];
  readonly next?: string;
  readonly observed: Readonly<Record<string, unknown>>;
}

async function list(who: string, query = ''): Promise<Page> {
  const { status, body } = await world.ask(who, `GET /v1/inventory${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body as Page; // why: what a test reads of it is what it then compares
}

const names = async (query: string, who = 'viewer') => (await list(who, query)).items.map(({ name }) => name);

describe('GET /v1/inventory', () => {
  it('tells each line flat, with its age and when its scope is next', async () => {
    const { items } = await list('viewer', '?status=Drifted');
    assert.deepEqual(items, [
      {
        address: at('network', 'shop'),
        id: 'id-shop',
        name: 'shop',
        kind: 'network',
        cloud: 'aws',
        account: '1',
        region: 'eu-1',
        scope,
        estate: 'acme',
        targets: ['north'],
        claim: 'ours',
        owner: 'team-net',
        criticality: 'normal',
        labels: { tier: 'db', env: 'prod' },
        status: 'Drifted',
        reason: 'As it is asked for.',
        since: new Date(now - minute).toISOString(),
        generation: 7,
        nextAttempt: new Date(now + minute).toISOString(),
        next: { verb: 'update', cause: 'drift', reason: 'paused' },
        observed: { at: new Date(now - minute).toISOString(), ageSeconds: 60, complete: true },
      },
    ]);
  });

  it('says what it rests on, also where it found nothing', async () => {
    const told = { at: new Date(now - minute).toISOString(), ageSeconds: 60 };
    const gaps = [{ scope, kind: 'group' }];
    assert.deepEqual((await list('viewer')).observed, { ...told, complete: false, gaps });
    assert.deepEqual((await list('viewer', '?kind=network')).observed, { ...told, complete: true, gaps: [] });
    assert.deepEqual((await list('viewer', '?q=nothing')).observed, { ...told, complete: false, gaps });
    assert.deepEqual((await list('viewer', '?cloud=azure')).observed, { complete: false, gaps: [] });
    assert.equal((await list('both', '?cloud=gcp')).observed['ageSeconds'], 120);
  });
});

describe('GET /v1/inventory, each filter and order', () => {
  const filters: readonly (readonly [string, readonly string[]])[] = [
    ['?cloud=aws', ['web-0', 'core', 'shop']],
    ['?cloud=gcp,azure', []],
    ['?account=1&region=eu-1', ['web-0', 'core', 'shop']],
    ['?kind=instance', ['web-0']],
    ['?status=Drifted,Missing', ['shop']],
    ['?owner=team-web', ['web-0']],
    ['?owner=', []],
    ['?target=south', ['web-0']],
    ['?claim=unmanaged', []],
    ['?label=tier', ['web-0', 'core', 'shop']],
    ['?label=tier=db', ['shop']],
    ['?label=tier=db&label=env=prod', ['shop']],
    ['?label=tier=db&label=env=test', []],
    ['?q=SHO', ['shop']],
    ['?estate=acme&sort=-name', ['web-0', 'shop', 'core']],
    ['?sort=-since', ['shop', 'core', 'web-0']],
    ['?asOf=5m&status=Drifted', []],
    ['?asOf=30m', []],
  ];
  for (const [query, want] of filters) it(query, async () => assert.deepEqual(await names(query), want));
});

describe('GET /v1/inventory, as who asks', () => {
  it('goes on page by page, and refuses a place of another question', async () => {
    const first = await list('viewer', '?limit=2');
    assert.deepEqual(await names(`?limit=2&after=${first.next}`), ['shop']);
    const { status, body } = await world.ask('viewer', `GET /v1/inventory?kind=network&after=${first.next}`);
    assert.equal(status, 400);
    assert.match(JSON.stringify(body), /"at":"after"/);
  });

  it('shows who asks what they may see, and nothing of others', async () => {
    assert.deepEqual(await names('', 'south'), ['web-0']);
    assert.deepEqual(await names('', 'owner'), ['web-0']);
    assert.deepEqual(await names('?cloud=gcp', 'both'), ['theirs']);
    assert.deepEqual(await names('?q=theirs'), []);
    for (const estate of ['beta', 'none'])
      assert.equal((await world.ask('viewer', `GET /v1/inventory?estate=${estate}`)).status, 404);
    assert.equal((await world.ask('', 'GET /v1/inventory')).status, 401);
  });

  it('what was of a line in an estate that is bounded says nothing of the rest of it', async () => {
    assert.deepEqual((await list('owner', '?q=none')).observed, { complete: false, gaps: [] });
  });

  it('rests on no look at a place that no target names any more', async () => {
    const left = { scope: 'aws/9/old', account: '9' };
    const row = rowOf('stale', { place: left });
    const where = { estate: 'beta', scope: left.scope };
    await store.rows.keep(where, { at: now - 90 * minute, rows: [row], gaps: [] });
    assert.equal((await list('both', '?account=9')).observed['ageSeconds'], 5400);
    await store.rows.keep(where, { at: now - minute, rows: leftRows([row]), gaps: [], left: true });
    for (const query of ['?estate=beta', '?estate=beta&asOf=1s']) {
      const { items, observed } = await list('both', query);
      assert.deepEqual([items.length, observed['ageSeconds'], observed['complete']], [2, 120, true], query);
    }
    assert.deepEqual((await list('both', '?account=9')).items[0]?.['observed'], {
      at: new Date(now - 90 * minute).toISOString(),
      ageSeconds: 5400,
      complete: false,
    });
  });

  const wrong: readonly (readonly [string, string])[] = [
    ['?limit=0', 'limit'],
    ['?limit=1001', 'limit'],
    ['?cloud=moon', 'cloud'],
    ['?status=Fine', 'status'],
    ['?sort=colour', 'sort'],
    ['?asOf=yesterday', 'asOf'],
    ['?kind=network&kind=group', 'kind'],
    ['?wat=1', 'wat'],
    ['?q=', 'q'],
    ['?format=xls', 'format'],
  ];
  for (const [query, field] of wrong)
    it(`${query} is refused by name`, async () => {
      const { status, body } = await world.ask('viewer', `GET /v1/inventory${query}`);
      assert.equal(status, 400);
      assert.match(JSON.stringify(body), new RegExp(`"at":"${field}`));
    });
});

describe('GET /v1/inventory, as it was', () => {
  it('a time before what is kept is refused, and it is said since when it is', async () => {
    const since = new Date(now - 90 * 24 * 60 * minute).toISOString();
    for (const path of ['', `/${at('network', 'shop')}`, '?format=csv']) {
      const ask = (ago: string) =>
        world.ask('viewer', `GET /v1/inventory${path}${path.includes('?') ? '&' : '?'}asOf=${ago}`);
      const { status, body } = await ask('91d');
      assert.deepEqual([status, (await ask('1m')).status], [400, 200], path);
      assert.match(JSON.stringify(body), new RegExp(`kept since ${since}.*"at":"asOf"`));
    }
  });

  it('a time that is still to come is refused, but for what two clocks may be apart', async () => {
    for (const path of ['', `/${at('network', 'shop')}`]) {
      const ask = (ms: number) =>
        world.ask('viewer', `GET /v1/inventory${path}?asOf=${new Date(now + ms).toISOString()}`);
      const { status, body } = await ask(2 * minute);
      assert.deepEqual([status, (await ask(minute / 2)).status], [400, 200], path);
      assert.match(JSON.stringify(body), /"at":"asOf","expected":"a time that has been"/);
    }
  });
});
