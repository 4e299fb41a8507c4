import assert from 'node:assert/strict';
import { groupsOf } from '../../../src/core/inventory/coverage.ts';
import type { Row } from '../../../src/core/inventory/row.ts';
import type { Origin } from '../../../src/core/observed.ts';
import type { Attributes, Kind } from '../../../src/core/resource.ts';
import {
  ForeignCursor,
  type RowCounts,
  type RowDimension,
  type RowQuery,
  rowDimensions,
} from '../../../src/ports/inventory-rows.ts';
import type { Store } from '../../../src/ports/store.ts';
import { addressOf, brokenRule, gapOf, lookOf, namesOf, of, pagesOf, rowOf, scope, start } from '../fixtures.ts';
import type { Laws } from './bench.ts';

/** Laws of queries on the inventory. */
export const rowQueryLaws: Laws = {
  'every order gives every line once, page by page, both ways': async ({ store, estate }) => {
    const names = Array.from({ length: 23 }, (_, i) => `n${String(i).padStart(2, '0')}`);
    const statuses = ['InSync', 'Drifted', 'Missing'] as const;
    const rows = names.map((name, i) =>
      rowOf(name, { status: statuses[i % 3] ?? 'InSync', called: { name: `x${i % 4}`, id: name } }),
    );
    await store.rows.keep({ estate, scope }, lookOf(1000, rows.slice(0, 12)));
    await store.rows.keep({ estate, scope }, lookOf(2000, rows));
    for (const by of ['address', 'name', 'status', 'since'] as const)
      for (const asOf of [undefined, start + 2500]) {
        const ask = (descending: boolean, limit: number) =>
          idsOf(store.rows, {
            ...of(estate, { sort: { by, descending }, limit }),
            ...(asOf === undefined ? {} : { asOf }),
          });
        const [all, small, back] = [await ask(false, 100), await ask(false, 5), await ask(true, 7)];
        assert.deepEqual(all.toSorted(), names);
        assert.deepEqual(small, all, by);
        assert.deepEqual(back, all.toReversed(), by);
      }
  },

  'a count is of all rows of a filter, within what the caller sees': async ({ store, estate }) => {
    const statuses = ['InSync', 'Drifted', 'Missing'] as const;
    const names = Array.from({ length: 9 }, (_, i) => `n${i}`);
    const rows = names.map((name, i) =>
      rowOf(name, {
        status: statuses[i % 3] ?? 'InSync',
        whose: { claim: i < 5 ? 'ours' : 'orphan', owner: i < 4 ? 'team-a' : 'team-b' },
      }),
    );
    await store.rows.keep({ estate, scope }, lookOf(1000, rows));
    await store.rows.keep({ estate, scope }, lookOf(2000, rows.slice(0, 8)));
    const count = (filter: RowQuery['filter'], owners?: readonly string[]) =>
      store.rows.count({
        seen: [{ estates: [estate], ...(owners === undefined ? {} : { owners }) }],
        filter: { estates: [estate], ...filter },
      });
    assert.equal(await count({}), 8);
    assert.equal(await count({ statuses: ['InSync', 'Drifted'] }), 6);
    assert.equal(await count({ statuses: ['InSync', 'Drifted'], claims: ['ours'] }), 4);
    assert.equal(await count({}, ['team-a']), 4);
    assert.equal(await count({ statuses: [] }), 0);
  },

  'rows are counted by each property, exactly as its filter finds them': async ({ store, estate }) => {
    const { shown, unseen } = await keepCounted(store, estate);
    for (const seen of [shown, unseen])
      for (const asOf of [undefined, start + 1500])
        for (const by of rowDimensions) {
          const query = { seen, filter: { estates: [estate] }, ...(asOf === undefined ? {} : { asOf }) };
          const { total, values, more } = await store.rows.countBy({ ...query, by, limit: 100 });
          assert.equal(total, (await namesOf(store.rows, of(estate, query))).length, by);
          assert.equal(more, 0);
          for (const one of values) await assertFilterFinds(store, estate, { ...query, by }, one);
        }
  },

  'counts come the largest first, and say how many values they leave out': async ({ store, estate }) => {
    const { shown } = await keepCounted(store, estate);
    const counts = (by: RowDimension, limit: number, filter: RowQuery['filter'] = {}) =>
      store.rows.countBy({ seen: shown, filter: { estates: [estate], ...filter }, by, limit });
    const network = addressOf('net');
    assert.deepEqual(await counts('network', 100), {
      total: 7,
      values: [
        { value: network, count: 4 },
        { value: 'vpc-9', count: 2 },
        { value: '', count: 1 },
      ],
      more: 0,
    });
    assert.deepEqual(await counts('origin', 1), { total: 7, values: [{ value: 'ours', count: 4 }], more: 2 });
    assert.deepEqual(await counts('origin', 3, { claims: ['unmanaged'] }), {
      total: 3,
      values: [
        { value: 'EKS', count: 2 },
        { value: 'unknown', count: 1 },
      ],
      more: 0,
    });
    assert.deepEqual(await counts('target', 100, { kinds: ['instance'] }), {
      total: 3,
      values: [
        { value: 'edge', count: 2 },
        { value: 'prod', count: 2 },
      ],
      more: 0,
    });
    assert.deepEqual(await counts('status', 100, { statuses: [] }), { total: 0, values: [], more: 0 });
  },

  'existing objects have the origins and networks that are told on the command line': async ({ store, estate }) => {
    const { rows, seen } = await keepObserved(store, estate);
    const scopes = [{ scope, gaps: [], objects: rows.flatMap(countedOf) }];
    for (const by of ['origin', 'network'] as const) {
      const { values } = await store.rows.countBy({ seen, filter: { estates: [estate] }, by, limit: 100 });
      const labelled = values.map(({ value, count }) => [by === 'network' ? labelOf(value, rows) : value, count]);
      const groups = groupsOf(scopes, by, () => true).map(({ group, objects }) => [group, objects]);
      assert.deepEqual(labelled.toSorted(), groups.toSorted(), by);
      for (const one of values) await assertFilterFinds(store, estate, { seen, by }, one);
    }
    const origins = async (targets: readonly string[]) =>
      (
        await store.rows.countBy({
          seen: [{ estates: [estate], targets }],
          filter: { kinds: ['firewall-rule'] },
          by: 'origin',
          limit: 9,
        })
      ).values;
    assert.deepEqual(await origins(['rules']), [
      { value: 'unknown', count: 2 },
      { value: 'provider-default', count: 1 },
    ]);
    assert.deepEqual(await origins(['rules', 'groups']), [
      { value: 'Terraform', count: 1 },
      { value: 'provider-default', count: 1 },
      { value: 'unknown', count: 1 },
    ]);
  },

  'counts name no target and no network that the caller does not see': async ({ store, estate }) => {
    const { unseen } = await keepCounted(store, estate);
    const counts = async (by: RowDimension) =>
      (await store.rows.countBy({ seen: unseen, filter: {}, by, limit: 100 })).values;
    assert.deepEqual(await counts('target'), [{ value: 'edge', count: 2 }]);
    const known = { value: addressOf('net'), count: 1 };
    assert.deepEqual(await counts('network'), [{ value: '', count: 1 }, known], 'the subnet behind an id is not seen');
    assert.deepEqual(await store.rows.countBy({ seen: [], filter: {}, by: 'kind', limit: 9 }), {
      total: 0,
      values: [],
      more: 0,
    });
  },

  'a page goes on where it was, whatever comes and goes': async ({ store, estate }) => {
    const where = { estate, scope };
    await store.rows.keep(
      where,
      lookOf(
        1000,
        ['b', 'd', 'f', 'h'].map((name) => rowOf(name)),
      ),
    );
    const query = of(estate, { limit: 2 });
    const first = await store.rows.page(query);
    await store.rows.keep(
      where,
      lookOf(
        2000,
        ['a', 'b', 'c', 'e', 'f', 'h'].map((name) => rowOf(name)),
      ),
    );
    assert.ok(first.next);
    assert.deepEqual(await namesOf(store.rows, { ...query, after: first.next }), ['e', 'f', 'h']);
    const past = await store.rows.page({ ...query, asOf: start + 1500 });
    assert.ok(past.next);
    const later = { ...query, asOf: start + 2500, after: past.next };
    assert.deepEqual(await pagesOf(store.rows, later), [['f', 'h']], 'of the moment of its first page');
  },

  'a cursor of another question, or of none, is refused': async ({ store, estate }) => {
    await store.rows.keep(
      { estate, scope },
      lookOf(
        1000,
        ['a', 'b'].map((name) => rowOf(name)),
      ),
    );
    const query = of(estate, { limit: 1 });
    const { next = '' } = await store.rows.page(query);
    const foreign: readonly RowQuery[] = [
      { ...query, filter: { ...query.filter, kinds: ['network'] }, after: next },
      { ...query, sort: { by: 'address', descending: true }, after: next },
      { ...query, sort: { by: 'since', descending: false }, after: next },
      { ...query, asOf: start + 1000, after: next },
      { ...query, after: next.slice(0, -4) },
      { ...query, after: 'AAAA' },
      { ...query, after: '' },
      { ...query, after: Buffer.from('[1,2,3]').toString('base64url') },
    ];
    for (const one of foreign) await assert.rejects(store.rows.page(one), ForeignCursor);
    assert.equal((await store.rows.page({ ...query, after: next })).rows.length, 1);
  },

  'what refers to something is found by its address or its id, and the newest looks are told': async ({
    store,
    estate,
  }) => {
    const naming = (name: string, network: string) => ({
      ...rowOf(name, { place: { kind: 'group' } }),
      sides: { diff: [], observed: { attributes: { network, labels: {} }, state: 'ready' as const, parts: [] } },
    });
    const rows = [rowOf('net'), naming('a', addressOf('net')), naming('b', 'vpc-9')];
    await store.rows.keep({ estate, scope }, lookOf(1000, rows, [gapOf('group')]));
    const table = [
      [[addressOf('net')], ['a']],
      [
        [addressOf('net'), 'vpc-9'],
        ['a', 'b'],
      ],
      [['vpc-net'], []],
      [[], []],
    ] as const;
    for (const [refersTo, want] of table)
      assert.deepEqual(await namesOf(store.rows, of(estate, { filter: { refersTo } })), want);
    assert.deepEqual(await store.rows.looks(estate), [{ estate, scope, at: start + 1000, gaps: ['group'] }]);
    assert.ok((await store.rows.looks()).some((look) => look.estate === estate));
  },

  'each filter, alone and together': async ({ store, estate }) => {
    const rows = [
      rowOf('a', {
        called: { labels: { tier: 'web', env: 'prod' } },
        whose: { owner: 'team-a', criticality: 'critical' },
        violations: [brokenRule('labels')],
      }),
      rowOf('b', {
        status: 'Drifted',
        place: { kind: 'instance', targets: ['prod', 'edge'] },
        called: { labels: { tier: 'db' } },
        exposed: { answer: 'unknown', reason: 'a load balancer may forward it' },
        next: { verb: 'update', cause: 'drift', held: 'its mode is plan' },
      }),
    ];
    const there = { scope: 'gcp/acme', cloud: 'gcp', account: 'acme', region: '', targets: [] } as const;
    await store.rows.keep({ estate, scope }, lookOf(1000, rows));
    await store.rows.keep(
      { estate, scope: there.scope },
      lookOf(1000, [
        rowOf('c', {
          place: there,
          whose: { claim: 'unmanaged' },
          next: { verb: 'update', cause: 'drift' },
          violations: [brokenRule('labels'), brokenRule('open')],
        }),
      ]),
    );
    const table: readonly (readonly [RowQuery['filter'], readonly string[]])[] = [
      [{ clouds: ['gcp'] }, ['c']],
      [{ clouds: ['gcp', 'aws'] }, ['a', 'b', 'c']],
      [{ clouds: [] }, []],
      [{ scopes: [there.scope] }, ['c']],
      [{ accounts: ['acme'] }, ['c']],
      [{ regions: [''] }, ['c']],
      [{ kinds: ['instance'] }, ['b']],
      [{ exposed: ['yes', 'unknown'] }, ['b']],
      [{ exposed: ['yes', 'no'] }, []],
      [{ statuses: ['Drifted', 'Missing'] }, ['b']],
      [{ owners: ['team-a'] }, ['a']],
      [{ owners: [''] }, ['b', 'c']],
      [{ targets: ['edge', 'none'] }, ['b']],
      [{ claims: ['unmanaged'] }, ['c']],
      [{ criticalities: ['critical'] }, ['a']],
      [{ criticalities: ['normal', 'low'] }, ['b', 'c']],
      [{ violates: ['*'] }, ['a', 'c']],
      [{ violates: ['open', 'none'] }, ['c']],
      [{ violates: ['none'] }, []],
      [{ held: true }, ['b']],
      [{ held: true, statuses: ['Missing'] }, []],
      [{ drift: true }, ['b', 'c']],
      [{ labels: { tier: 'web' } }, ['a']],
      [{ labels: { tier: '' } }, ['a', 'b']],
      [{ labels: { tier: 'web', env: 'test' } }, []],
      [{ clouds: ['aws'], statuses: ['InSync'], labels: { env: 'prod' } }, ['a']],
      [{ estates: [`${estate}-2`] }, []],
    ];
    for (const [filter, want] of table)
      assert.deepEqual(await namesOf(store.rows, of(estate, { filter })), want, JSON.stringify(filter));
    const counted = (await store.estates.violations()).filter(({ policy }) => ['labels', 'open'].includes(policy));
    const about = { effect: 'deny', mode: 'enforce', count: 1 } as const;
    assert.deepEqual(counted, [
      { cloud: 'aws', policy: 'labels', criticality: 'critical', ...about },
      { cloud: 'gcp', policy: 'labels', criticality: 'normal', ...about },
      { cloud: 'gcp', policy: 'open', criticality: 'normal', ...about },
    ]);
    assert.equal((await store.estates.violations(estate)).length, 3);
    assert.deepEqual(await store.estates.violations(`${estate}-2`), []);
    const outOfSync = (await store.estates.outOfSync()).filter(({ cloud }) => cloud === 'aws');
    assert.ok(outOfSync.some(({ status, criticality }) => status === 'Drifted' && criticality === 'normal'));
    assert.ok(!outOfSync.some(({ status }) => status === 'InSync'));
  },

  'a text is looked for in addresses, names, ids and values of labels, whatever the case, and nothing in it is special':
    async ({ store, estate }) => {
      const rows = [
        rowOf('a', { called: { name: 'Core Net', id: 'vpc-0AB', labels: { tier: '100%_web' } } }),
        rowOf('b', { called: { name: 'b\\c', id: 'vpc-1', labels: {} } }),
      ];
      await store.rows.keep({ estate, scope }, lookOf(1000, rows));
      const table: readonly (readonly [string, number])[] = [
        ['network/a', 1],
        ['core net', 1],
        ['0ab', 1],
        ['VPC-', 2],
        ['0%_W', 1],
        ['%', 1],
        ['_', 1],
        ['b\\c', 1],
        ['a\nc', 0],
        ['tier', 0],
        ['\u0000', 0],
        ["'", 0],
      ];
      for (const [text, found] of table)
        assert.equal((await store.rows.page(of(estate, { filter: { text } }))).rows.length, found, text);
    },

  'who asks sees what lies within, and the rest is not there': async ({ store, estate }) => {
    const rows = [
      rowOf('a', { whose: { owner: 'team-a' }, place: { targets: ['prod'] } }),
      rowOf('b', { whose: { owner: 'team-b' }, place: { targets: ['prod', 'edge'] } }),
      rowOf('c', { place: { targets: [] } }),
    ];
    await store.rows.keep({ estate, scope }, lookOf(1000, rows));
    const table: readonly (readonly [RowQuery['seen'], readonly string[]])[] = [
      [[], []],
      [[{}], ['a', 'b', 'c']],
      [[{ estates: ['elsewhere'] }], []],
      [[{ estates: [estate], owners: ['team-a'] }], ['a']],
      [
        [{ targets: ['edge'] }, { owners: [''] }],
        ['b', 'c'],
      ],
      [[{ targets: ['prod'], owners: ['team-b'] }], ['b']],
      [[{ targets: [] }], []],
    ];
    for (const [seen, want] of table) {
      assert.deepEqual(await namesOf(store.rows, of(estate, { seen })), want, JSON.stringify(seen));
      const found = await store.rows.find({ seen, estate, of: 'vpc-a' });
      assert.equal(found.length, want.includes('a') ? 1 : 0);
      const history = await store.rows.history({ seen, estate, scope, key: addressOf('a'), limit: 5 });
      assert.equal(history.length, want.includes('a') ? 1 : 0);
    }
  },

  'an address or an id is found in every estate and scope; a line keeps its history under a new id': async ({
    store,
    estate,
  }) => {
    const elsewhere = { estate: `${estate}-2`, scope: 'aws/111122223333/us-east-1' };
    const theirs = rowOf('theirs', { place: { scope: elsewhere.scope }, called: { id: 'i-1' } });
    await store.rows.keep(elsewhere, lookOf(1000, [theirs]));
    await store.rows.keep({ estate, scope }, lookOf(1000, [rowOf('a', { called: { id: 'i-1' } })]));
    await store.rows.keep({ estate, scope }, lookOf(2000, [rowOf('a', { called: { id: 'i-2' } })]));
    const estates = [{ estates: [estate, elsewhere.estate] }];
    const ids = async (of: string | readonly string[], asOf?: number) =>
      (await store.rows.find({ seen: estates, of, ...(asOf === undefined ? {} : { asOf }) })).map(({ key }) => key);
    assert.deepEqual(await ids('i-1'), [theirs.key]);
    assert.deepEqual(await ids('i-1', start + 1500), [addressOf('a'), theirs.key].toSorted());
    assert.deepEqual(await ids([addressOf('a'), 'i-1', 'i-2', 'i-3']), [addressOf('a'), theirs.key].toSorted());
    assert.deepEqual(await ids([]), []);
    const history = await store.rows.history({ seen: estates, estate, scope, key: addressOf('a'), limit: 10 });
    assert.deepEqual(
      history.map(({ called }) => called.id),
      ['i-2', 'i-1'],
    );
    const there = { estate, scope: elsewhere.scope };
    await store.rows.keep(there, lookOf(3000, [rowOf('a', { place: { scope: there.scope }, called: { id: 'i-9' } })]));
    const [only, ...others] = await store.rows.history({ seen: estates, ...there, key: addressOf('a'), limit: 10 });
    assert.deepEqual([only?.called.id, others], ['i-9', []], 'a line of another scope has a history of its own');
  },
};

async function idsOf(rows: Parameters<typeof namesOf>[0], query: RowQuery): Promise<readonly string[]> {
  const ids: string[] = [];
  let next: string | undefined;
  do {
    const page = await rows.page({ ...query, ...(next === undefined ? {} : { after: next }) });
    ids.push(...page.rows.map(({ called }) => called.id ?? ''));
    next = page.next;
  } while (next !== undefined);
  return ids;
}

const observedAs = (attributes: Attributes[Kind], origin?: Origin): Row['sides'] => ({
  diff: [],
  observed: { attributes, state: 'ready', parts: [], ...(origin === undefined ? {} : { origin }) },
});
const inside = (network: string) => ({ network, cidr: '10.0.1.0/24', labels: {} });
const machineIn = (subnet: string): Attributes['instance'] => ({
  placement: { subnet, publicIp: false },
  groups: [],
  machine: { image: 'ami-1', size: 's', power: 'running' },
  labels: {},
});
const ruleOf = (network: string, group: string): Attributes['firewall-rule'] => ({
  ...{ network, group, description: '' },
  match: { direction: 'ingress', action: 'allow', protocol: 'tcp', ports: '22', peers: [] },
});

/** Objects with and without marks, origins, networks and groups; all of them exist. */
async function keepObserved(store: Store, estate: string) {
  const eks: Origin = { why: 'service-child', maker: 'EKS', detail: '' };
  const terraform: Origin = { why: 'other-tool', maker: 'Terraform', detail: '' };
  const cloud: Origin = { why: 'provider-default', detail: '' };
  const one = (name: string, kind: Kind, sides: Row['sides'], over: Partial<Row['whose']> = {}): Row => {
    const { claim = 'unmanaged' } = over;
    const status = claim === 'ours' ? 'InSync' : 'Unmanaged';
    const targets = [`${kind === 'firewall-rule' ? 'rule' : kind}s`];
    const row = rowOf(name, { place: { kind, targets }, whose: { claim, ...over }, status });
    const { address: _, ...called } = row.called;
    return { ...row, called: claim === 'ours' ? row.called : called, sides };
  };
  const net = addressOf('net');
  const rows: readonly Row[] = [
    one('net', 'network', observedAs({ cidr: '10.0.0.0/16', labels: {} }), { claim: 'ours' }),
    one('adopted', 'subnet', observedAs(inside(net), eks), { claim: 'ours' }),
    one('copy', 'subnet', observedAs(inside(net), eks), { claim: 'copied-mark' }),
    one('theirs', 'network', observedAs({ cidr: '10.1.0.0/16', labels: {} }, cloud)),
    one('their-subnet', 'subnet', observedAs(inside('vpc-theirs'))),
    one('web', 'instance', observedAs(machineIn(addressOf('adopted'))), { claim: 'ours' }),
    one('node', 'instance', observedAs(machineIn('vpc-their-subnet'), eks)),
    one('lost', 'instance', observedAs(machineIn('subnet-elsewhere'))),
    one('tf', 'group', observedAs({ network: 'vpc-theirs', labels: {} }, terraform)),
    one('own', 'group', observedAs({ network: net, labels: {} }), { claim: 'ours' }),
    one('classic', 'group', observedAs({ network: '', labels: {} })),
    one('of-tf', 'firewall-rule', observedAs(ruleOf('vpc-theirs', 'vpc-tf'))),
    one('of-own', 'firewall-rule', observedAs(ruleOf(net, addressOf('own')))),
    one('default', 'firewall-rule', observedAs(ruleOf('vpc-theirs', 'vpc-tf'), cloud)),
  ];
  await store.rows.keep({ estate, scope }, lookOf(1000, rows));
  return { rows, seen: [{ estates: [estate] }] };
}

function countedOf({ place: { kind }, called: { id = '', name, address }, whose, state, sides }: Row) {
  if (sides.observed === undefined) return [];
  const { attributes, origin } = sides.observed;
  return [{ kind, id, name, address, claim: whose.claim, status: state.status, origin, attributes }];
}

/** The group of the command line for a network of the counts. */
function labelOf(network: string, rows: readonly Row[]): string {
  if (network === '') return 'no network';
  const { name, id } = rows.find(({ called }) => [called.address, called.id].includes(network))?.called ?? {};
  return name === undefined ? network : `${name} (${id})`;
}

/** A network of ours and one of nobody, with their subnets and machines. `unseen`: only the target `edge` is visible. */
async function keepCounted(store: Store, estate: string) {
  const eks: Origin = { why: 'service-child', maker: 'EKS', detail: 'a tag of EKS' };
  const nobodys = (name: string, kind: Kind, sides: Row['sides'], targets: readonly string[] = ['prod']): Row => ({
    ...rowOf(name, { place: { kind, targets }, whose: { claim: 'unmanaged' }, status: 'Unmanaged' }),
    key: `${kind} ${name}-id`,
    called: { name, id: `${name}-id`, labels: {} },
    sides,
  });
  const ours = (name: string, kind: Kind, sides: Row['sides'], targets: readonly string[] = ['prod']): Row => ({
    ...rowOf(name, { place: { kind, targets } }),
    sides,
  });
  const web = machineIn(addressOf('net.app'));
  const rows: readonly Row[] = [
    rowOf('net'),
    ours('net.app', 'subnet', observedAs(inside(addressOf('net')))),
    ours('web', 'instance', {
      diff: [],
      desired: { attributes: web, mode: 'enforce', protect: false, deletionPolicy: 'retain' },
    }),
    { ...ours('db', 'instance', observedAs(web), ['prod', 'edge']), exposed: { answer: 'no', reason: 'no address' } },
    nobodys('lone', 'group', { diff: [] }, []),
    nobodys('their-subnet', 'subnet', observedAs(inside('vpc-9'), eks)),
    nobodys('node', 'instance', observedAs(machineIn('their-subnet-id'), eks), ['edge']),
  ];
  await store.rows.keep({ estate, scope }, lookOf(1000, rows.slice(0, 5)));
  await store.rows.keep({ estate, scope }, lookOf(2000, rows));
  return { shown: [{ estates: [estate] }], unseen: [{ estates: [estate], targets: ['edge'] }] };
}

const filters = {
  status: 'statuses',
  kind: 'kinds',
  scope: 'scopes',
  cloud: 'clouds',
  account: 'accounts',
  region: 'regions',
  criticality: 'criticalities',
  claim: 'claims',
  owner: 'owners',
  target: 'targets',
  exposed: 'exposed',
  network: 'networks',
  origin: 'origins',
} as const satisfies Readonly<Record<RowDimension, keyof RowQuery['filter']>>;

async function assertFilterFinds(
  store: Store,
  estate: string,
  { by, ...query }: Pick<RowQuery, 'seen' | 'asOf'> & { readonly by: RowDimension },
  { value, count }: RowCounts['values'][number],
): Promise<void> {
  const found = await namesOf(store.rows, of(estate, { ...query, filter: { [filters[by]]: [value] } }));
  assert.equal(found.length, count, `${by} ${value}: ${found}`);
}
