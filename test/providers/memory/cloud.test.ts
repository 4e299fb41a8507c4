import assert from 'node:assert/strict';
import { test } from 'node:test';
import { furnish, openBench, run, tcp } from './bench.ts';

test('a group is born with everything out, a network with a default group that admits its own', () => {
  const bench = openBench();
  const { cloud } = bench;
  const { network, group } = furnish(bench);
  const groups = cloud.outside.do('ListGroups', {}).items.filter((each) => each.network === network);
  const born = groups.find(({ isDefault }) => isDefault)?.id;
  const rules = cloud.outside
    .do('ListRules', {})
    .items.map(({ group: own, match }) => [own, match.direction, match.peer]);
  assert.deepEqual(
    rules.toSorted(),
    [
      [born, 'egress', '0.0.0.0/0'],
      [born, 'ingress', `group:${born}`],
      [group, 'egress', '0.0.0.0/0'],
    ].toSorted(),
  );
});

test('what is in use cannot be deleted, and says by what', async () => {
  const bench = openBench();
  const { network, subnet, group } = furnish(bench);
  const [machine] = bench.cloud.outside.do('RunInstances', {
    ...run(subnet),
    where: { subnet, publicIp: false, groups: [group] },
  });
  const other = bench.cloud.outside.do('CreateGroup', { network, name: 'lb', tags: {} }).id;
  bench.cloud.outside.do('AuthorizeRules', {
    group: other,
    direction: 'ingress',
    rules: [tcp(443, `group:${group}`)],
  });
  const met = [
    await bench.met('DeleteNetwork', { id: network }),
    await bench.met('DeleteSubnet', { id: subnet }),
    await bench.met('DeleteGroup', { id: group }),
  ];
  bench.cloud.outside.do('TerminateInstances', { ids: [machine?.id ?? ''] });
  met.push(await bench.met('DeleteSubnet', { id: subnet }), await bench.met('DeleteGroup', { id: group }));
  bench.cloud.outside.do('DeleteGroup', { id: other });
  met.push(await bench.met('DeleteGroup', { id: group }), await bench.met('DeleteNetwork', { id: network }));
  assert.deepEqual(met, ['InUse', 'InUse', 'InUse', 'ok', 'InUse', 'ok', 'ok']);
  assert.deepEqual(bench.cloud.outside.do('ListRules', {}).items, [], 'rules go with their group');
});

const refusals: readonly {
  readonly name: string;
  readonly ask: (bench: ReturnType<typeof openBench>, home: ReturnType<typeof furnish>) => Promise<string>;
  readonly want: string;
}[] = [
  {
    name: 'the same rule twice in a group',
    want: 'DuplicateRule',
    ask: (b, { group }) =>
      b.met('AuthorizeRules', { group, direction: 'ingress', rules: [tcp(1), { ...tcp(1), protocol: '6' }] }),
  },
  {
    name: 'the same rule in the other direction',
    want: 'ok',
    ask: (b, { group }) => b.met('AuthorizeRules', { group, direction: 'egress', rules: [tcp(1)] }),
  },
  {
    name: 'a peer that is not there',
    want: 'NotFound',
    ask: (b, { group }) =>
      b.met('AuthorizeRules', { group, direction: 'ingress', rules: [tcp(1, 'group:grp-999999')] }),
  },
  {
    name: 'more rules than a group may hold',
    want: 'QuotaExceeded',
    ask: (b, { group }) =>
      b.met('AuthorizeRules', { group, direction: 'ingress', rules: Array.from({ length: 61 }, (_, i) => tcp(i)) }),
  },
  {
    name: 'an address without a mask',
    want: 'InvalidValue',
    ask: (b, { group }) => b.met('AuthorizeRules', { group, direction: 'ingress', rules: [tcp(1, '10.0.0.1')] }),
  },
  {
    name: 'a rule revoked with one that is not there',
    want: 'NotFound',
    ask: (b, { group }) => b.met('RevokeRules', { group, direction: 'egress', ids: ['rul-999999'] }),
  },
  {
    name: 'a group of a name that is taken',
    want: 'DuplicateName',
    ask: (b, { network }) => b.met('CreateGroup', { network, name: 'web', tags: {} }),
  },
  {
    name: 'a block that overlaps another',
    want: 'BlockTaken',
    ask: (b, { network }) => b.met('CreateSubnet', { network, cidr: '10.0.1.128/25', tags: {} }),
  },
  {
    name: 'a block outside its network',
    want: 'InvalidValue',
    ask: (b, { network }) => b.met('CreateSubnet', { network, cidr: '10.1.0.0/24', tags: {} }),
  },
  {
    name: 'two networks of one block',
    want: 'ok',
    ask: (b) => b.met('CreateNetwork', { cidr: '10.0.0.0/16', tags: {} }),
  },
  {
    name: 'the default group of a network',
    want: 'Denied',
    ask: (b, { network }) =>
      b.met('DeleteGroup', {
        id: b.cloud.outside.do('ListGroups', {}).items.find((g) => g.network === network && g.isDefault)?.id ?? '',
      }),
  },
  {
    name: 'a tag of the cloud’s own',
    want: 'InvalidValue',
    ask: (b, { network }) => b.met('TagObjects', { ids: [network], tags: { 'cloud:made-by': 'me' } }),
  },
  {
    name: 'tags of one that is there and one that is not',
    want: 'NotFound',
    ask: (b, { network }) => b.met('TagObjects', { ids: [network, 'net-999999'], tags: { a: 'b' } }),
  },
  {
    name: 'a machine resized while it runs',
    want: 'WrongState',
    ask: async (b, { subnet }) =>
      b.met('ResizeInstance', { id: (await b.ask('RunInstances', run(subnet)))[0]?.id ?? '', size: 'large' }),
  },
  {
    name: 'a disk made smaller',
    want: 'InvalidValue',
    ask: async (b, { subnet }) =>
      b.met('ModifyDisk', { id: (await b.ask('RunInstances', run(subnet)))[0]?.id ?? '', size: 4 }),
  },
  {
    name: 'a token used for something else',
    want: 'TokenReused',
    ask: async (b, { subnet }) => {
      await b.ask('RunInstances', run(subnet));
      return b.met('RunInstances', run(subnet, 2));
    },
  },
  {
    name: 'machines of which one is not there',
    want: 'NotFound',
    ask: async (b, { subnet }) =>
      b.met('TerminateInstances', {
        ids: [...(await b.ask('RunInstances', run(subnet))).map(({ id }) => id), 'ins-999999'],
      }),
  },
];
for (const { name, ask, want } of refusals) {
  test(`${name}: ${want}`, async () => {
    const bench = openBench();
    const home = furnish(bench);
    const before = JSON.stringify([
      bench.cloud.outside.do('ListRules', {}),
      bench.cloud.outside.do('ListNetworks', {}),
    ]);
    assert.equal(await ask(bench, home), want);
    const after = JSON.stringify([bench.cloud.outside.do('ListRules', {}), bench.cloud.outside.do('ListNetworks', {})]);
    if (want !== 'ok') assert.equal(after, before, 'a refusal changes nothing');
  });
}

test('machines take their time, and dead ones stay listed for an hour', async () => {
  const bench = openBench();
  const { subnet } = furnish(bench);
  const ids = (await bench.ask('RunInstances', run(subnet))).map(({ id }) => id);
  const states: (string | undefined)[] = [];
  const look = async (afterMs: number): Promise<void> => {
    await bench.clock.advance(afterMs);
    states.push((await bench.ask('ListInstances', {})).items[0]?.state);
  };
  await look(0);
  await look(5_000);
  await bench.ask('StopInstances', { ids });
  await look(0);
  await look(10_000);
  await bench.ask('StartInstances', { ids });
  await look(0);
  await bench.ask('TerminateInstances', { ids });
  await look(0);
  await look(10_000);
  await look(3_600_000);
  assert.deepEqual(states, [
    'pending',
    'running',
    'stopping',
    'stopped',
    'pending',
    'shutting-down',
    'terminated',
    undefined,
  ]);
});

test('the same token answers the same machines, even dead ones', async () => {
  const bench = openBench();
  const { subnet } = furnish(bench);
  const first = await bench.ask('RunInstances', run(subnet, 3));
  await bench.ask('TerminateInstances', { ids: first.map(({ id }) => id) });
  const again = await bench.ask('RunInstances', run(subnet, 3));
  assert.deepEqual(
    again.map(({ id, launch, state }) => [id, launch.index, state]),
    first.map(({ id }, index) => [id, index, 'shutting-down']),
  );
});

test('pages are followed to the end, each from where the last one stopped', async () => {
  const bench = openBench({ pageSize: 2 });
  for (let i = 0; i < 5; i++) bench.cloud.outside.do('CreateNetwork', { cidr: `10.${i}.0.0/16`, tags: {} });
  const sizes: number[] = [];
  let after: string | undefined;
  do {
    const page = await bench.ask('ListNetworks', after === undefined ? {} : { after });
    sizes.push(page.items.length);
    after = page.next;
  } while (after !== undefined);
  assert.deepEqual(sizes, [2, 2, 1]);
});

test('a table asked for twice with one token is one table', async () => {
  const bench = openBench();
  const { network } = furnish(bench);
  const asked = { token: 'table', network, tags: {} };
  const ids = [await bench.ask('CreateRouteTable', asked), await bench.ask('CreateRouteTable', asked)].map(
    ({ id }) => id,
  );
  assert.equal(ids[0], ids[1]);
});
