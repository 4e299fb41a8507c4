import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ActionName, Input, Output } from '../../../providers/memory/cloud/calls.ts';
import { Refusal } from '../../../providers/memory/cloud/refusal.ts';
import { type Caller, type MemoryCloud, makeCloud } from '../../../providers/memory/cloud.ts';
import { storm } from '../../../providers/memory/faults.ts';
import { launchTags, markTags, partTags } from '../../../providers/memory/marks.ts';
import { markFor } from '../../support/fixtures.ts';
import { type VirtualClock, virtualClock } from '../../support/virtual-clock.ts';

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

const network = { cidr: '10.0.0.0/16', tags: {} };

const cases = [
  { name: 'refused: nothing is done', fault: { do: 'refuse', code: 'Denied' }, met: 'Denied', stands: 0 },
  { name: 'lost before: nothing is done', fault: { do: 'lost-before' }, met: 'ConnectionReset', stands: 0 },
  { name: 'lost after: it is done all the same', fault: { do: 'lost-after' }, met: 'ConnectionReset', stands: 1 },
  { name: 'an error after: it is done all the same', fault: { do: 'error-after' }, met: 'InternalError', stands: 1 },
] as const;
for (const { name, fault, met, stands } of cases) {
  test(name, async () => {
    const bench = openBench();
    bench.cloud.faults.add({ on: 'CreateNetwork', fault });
    assert.equal(await bench.met('CreateNetwork', network), met);
    assert.equal(bench.cloud.outside.do('ListNetworks', {}).items.length, stands);
  });
}

test('the nth matching request is struck, and no other; a spent rule strikes no more', async () => {
  const bench = openBench();
  bench.cloud.faults.add({ on: 'writes', nth: 2, fault: { do: 'refuse', code: 'Denied' } });
  bench.cloud.faults.add({ on: 'reads', times: 1, fault: { do: 'refuse', code: 'ServiceUnavailable' } });
  const met: string[] = [];
  for (let i = 0; i < 3; i++) met.push(await bench.met('ListNetworks', {}), await bench.met('CreateNetwork', network));
  assert.deepEqual(met, ['ServiceUnavailable', 'ok', 'ok', 'Denied', 'ok', 'ok']);
});

test('equal seeds meet equal fates, other seeds others', async () => {
  const fate = async (seed: number): Promise<string> => {
    const bench = openBench({ seed });
    bench.cloud.faults.add(...storm(0.1));
    const met: string[] = [];
    await bench.clock.run(async () => {
      for (let i = 0; i < 40; i++)
        met.push(await bench.met('CreateNetwork', network), await bench.met('ListNetworks', {}));
    });
    return met.join();
  };
  assert.equal(await fate(7), await fate(7));
  assert.notEqual(await fate(7), await fate(8));
  assert.match(await fate(7), /ok/);
});

test('a delay passes before the write, a late answer after it', async () => {
  for (const [fault, atOnce] of [
    ['delay', 0],
    ['delay-after', 1],
  ] as const) {
    const bench = openBench();
    bench.cloud.faults.add({ on: 'writes', fault: { do: fault, ms: 3000 } });
    const answer = bench.ask('CreateNetwork', network);
    await bench.clock.advance(0);
    assert.equal(bench.cloud.outside.do('ListNetworks', {}).items.length, atOnce, fault);
    await bench.clock.advance(3000);
    await answer;
    assert.equal(bench.cloud.outside.do('ListNetworks', {}).items.length, 1, fault);
  }
});

test('while a write spreads, reads see it or not; afterwards always', async () => {
  const bench = openBench();
  bench.cloud.faults.add({ on: 'reads', fault: { do: 'lag', ms: 60_000 } });
  const made = await bench.ask('CreateNetwork', network);
  const looks = async (): Promise<ReadonlySet<number>> => {
    const seen = new Set<number>();
    for (let i = 0; i < 30; i++) seen.add((await bench.ask('ListNetworks', {})).items.length);
    return seen;
  };
  await bench.clock.advance(30_000);
  assert.deepEqual(await looks(), new Set([0, 1]), 'it flickers');
  await bench.clock.advance(30_000);
  assert.deepEqual(await looks(), new Set([1]), 'it stands');
  await bench.ask('DeleteNetwork', { id: made.id });
  await bench.clock.advance(30_000);
  assert.deepEqual(await looks(), new Set([0, 1]), 'it lingers');
  await bench.clock.advance(30_000);
  assert.deepEqual(await looks(), new Set([0]), 'it is gone');
});

test('a flickering listing misses some and says nothing; an unreachable zone is said', async () => {
  const bench = openBench();
  for (let i = 0; i < 50; i++) bench.cloud.outside.do('CreateNetwork', network);
  bench.cloud.faults.add({ on: 'ListNetworks', times: 1, fault: { do: 'flicker', share: 0.5 } });
  const flickered = await bench.ask('ListNetworks', {});
  assert.ok(flickered.items.length > 10 && flickered.items.length < 40 && flickered.next === undefined);
  bench.cloud.faults.add({ on: 'ListNetworks', times: 1, fault: { do: 'unreachable' } });
  assert.notEqual((await bench.ask('ListNetworks', {})).unreachable, undefined);
  assert.equal((await bench.ask('ListNetworks', {})).items.length, 50);
});

test('a budget that is spent refuses, says which rate limit, and fills with time', async () => {
  const bench = openBench();
  const { subnet } = furnish(bench);
  const launch = (count: number, token: string): Promise<string> =>
    bench.met('RunInstances', run(subnet, count, token));
  const met = [await launch(999, 'a'), await launch(2, 'b')];
  await bench.clock.advance(1000);
  met.push(await launch(2, 'b'), await launch(1, 'c'), await launch(1, 'd'));
  assert.deepEqual(met, ['ok', 'Throttled', 'ok', 'ok', 'Throttled']);
  const rateLimits = bench.cloud.inspect.overBudget().map(({ answer }) => answer.dryRateLimit);
  assert.deepEqual(rateLimits, Array(2).fill('memory/acme/north/RunInstances/machines'));
});

test('every call with its caller and outcome, every change with the call that did it', async () => {
  const bench = openBench();
  bench.cloud.faults.add({ on: 'CreateNetwork', nth: 1, fault: { do: 'lost-after' } });
  await bench.met('CreateNetwork', { cidr: '10.0.0.0/16', tags: {} });
  await bench.met('CreateNetwork', { cidr: '10.0.0.0/8', tags: {} });
  bench.cloud.outside.do('DeleteNetwork', { id: bench.cloud.inspect.live()[0]?.id ?? '' });
  assert.deepEqual(
    bench.cloud.history.calls.map(({ seq, caller, action, mutating, answer }) => [
      seq,
      caller,
      action,
      mutating,
      answer.outcome,
    ]),
    [
      [1, 'setpoint', 'CreateNetwork', true, 'lost'],
      [2, 'setpoint', 'CreateNetwork', true, 'InvalidValue'],
      [3, 'outside', 'DeleteNetwork', true, 'ok'],
    ],
  );
  const networks = bench.cloud.history.changes.filter(({ id }) => id.startsWith('net-'));
  assert.deepEqual(
    networks.map(({ seq, caller, before, after }) => [seq, caller, before !== undefined, after !== undefined]),
    [
      [1, 'setpoint', false, true],
      [3, 'outside', true, false],
    ],
  );
});

test('live objects by their marks: parts with their part, machines with their own ordinal, dead ones not', () => {
  const bench = openBench();
  const { subnet } = furnish(bench);
  const { outside, inspect } = bench.cloud;
  outside.do('CreateGateway', { tags: partTags(markFor('memory/acme/north/network/core', 'i1'), 'gateway') });
  const machines = outside.do('RunInstances', {
    ...run(subnet, 3),
    tags: launchTags(markFor('memory/acme/north/instance/web-4', 'i2')),
  });
  outside.do('TerminateInstances', { ids: [machines[1]?.id ?? ''] });
  const marked = inspect
    .live()
    .flatMap(({ type, mark, part }) => (mark ? [[type, mark.address?.split('/').at(-1), part]] : []));
  assert.deepEqual(marked, [
    ['gateway', 'core', 'gateway'],
    ['instance', 'web-4', undefined],
    ['instance', 'web-6', undefined],
  ]);
});

test('a copy of a machine bears its mark, and no copy shares its id', () => {
  const bench = openBench();
  const { subnet, group, network } = furnish(bench);
  const { outside, inspect } = bench.cloud;
  const mark = markFor('memory/acme/north/instance/web-0', 'i1');
  const [machine] = outside.do('RunInstances', { ...run(subnet), tags: launchTags(mark) });
  const copy = outside.moreLike(machine?.id ?? '');
  outside.stamp(network, markTags(markFor('memory/acme/north/network/core', 'i0')));
  outside.copyTags(network, group);
  const addresses = inspect.live().flatMap(({ id, mark: found }) => (found ? [[id, found.address]] : []));
  assert.deepEqual(addresses, [
    [network, 'memory/acme/north/network/core'],
    [group, 'memory/acme/north/network/core'],
    [machine?.id, mark.address],
    [copy, mark.address],
  ]);
});

test('every atom with the span of its life', async () => {
  const bench = openBench();
  const { group } = furnish(bench);
  await bench.clock.advance(1000);
  const [rule] = await bench.ask('AuthorizeRules', { group, direction: 'ingress', rules: [tcp(443)] });
  await bench.clock.advance(1000);
  await bench.ask('DescribeRules', {
    group,
    direction: 'ingress',
    rules: [{ id: rule?.id ?? '', description: 'site' }],
  });
  await bench.ask('RevokeRules', { group, direction: 'ingress', ids: [rule?.id ?? ''] });
  await bench.clock.advance(1000);
  await bench.ask('AuthorizeRules', { group, direction: 'ingress', rules: [tcp(443)] });
  const spans = bench.cloud.inspect.atoms().filter(({ key }) => key.startsWith('ingress tcp'));
  const key = 'ingress tcp 443 443 10.9.0.0/16';
  assert.deepEqual(spans, [
    { group, key, from: 1000, until: 2000 },
    { group, key, from: 3000 },
  ]);
});

/** A cloud asked directly, without the provider. */
interface Bench {
  readonly cloud: MemoryCloud;
  readonly clock: VirtualClock;
  ask<A extends ActionName>(action: A, input: Input<A>): Promise<Output<A>>;
  /** The code of the refusal, or `ok`. */
  met<A extends ActionName>(action: A, input: Input<A>): Promise<string>;
}

function openBench(options: { readonly seed?: number; readonly pageSize?: number } = {}): Bench {
  const clock = virtualClock(0);
  const cloud = makeCloud({ clock, ...options });
  const caller: Caller = { name: 'setpoint', scope: 'memory/acme/north', signal: new AbortController().signal };
  const ask: Bench['ask'] = async (action, input) => (await cloud.serve(caller, action, input)).output;
  return {
    cloud,
    clock,
    ask,
    met: async (action, input) => {
      try {
        await ask(action, input);
        return 'ok';
      } catch (error) {
        if (error instanceof Refusal) return error.code;
        throw error;
      }
    },
  };
}

/** A network with a subnet and a group in it. */
function furnish({ cloud: { outside } }: Bench): {
  readonly network: string;
  readonly subnet: string;
  readonly group: string;
} {
  const network = outside.do('CreateNetwork', { cidr: '10.0.0.0/16', tags: {} }).id;
  const subnet = outside.do('CreateSubnet', { network, cidr: '10.0.1.0/24', tags: {} }).id;
  const group = outside.do('CreateGroup', { network, name: 'web', tags: {} }).id;
  return { network, subnet, group };
}

const tcp = (port: number, peer = '10.9.0.0/16') => ({
  protocol: 'tcp',
  from: port,
  to: port,
  peer,
  description: '',
});

const run = (subnet: string, count = 1, token = 'token') => ({
  token,
  count,
  tags: {},
  where: { subnet, publicIp: false, groups: [] },
  hardware: { image: 'img-1', size: 'small', disk: {} },
});
