import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Condition, Setting } from '../../../src/core/observed.ts';
import { plan } from '../../../src/core/plan/plan.ts';
import type { MachineSettings, NetworkSettings } from '../../../src/core/resource.ts';
import { appliedAs, at, input, looked, ours, see, summary, want } from './fixture.ts';

const machineAt = (settings?: MachineSettings) => ({
  placement: { subnet: 'subnet-1', publicIp: false },
  groups: [],
  machine: { image: 'i', size: 's', power: 'running' as const },
  ...(settings === undefined ? {} : { settings }),
  labels: {},
});

const forwards: Setting = { field: 'canIpForward', detail: 'may forward packets of others', statedBy: 'ipForwarding' };

interface Row {
  readonly name: string;
  readonly spec?: MachineSettings;
  readonly cloud: MachineSettings;
  readonly unstated?: readonly Setting[];
  readonly unlisted?: Condition['unlisted'];
  /** As it was applied last; default: as it is wanted. */
  readonly before?: MachineSettings;
  readonly want: readonly string[];
}

const blocked = 'blocked instance/web-0: immutable';
const rows: readonly Row[] = [
  { name: 'nothing stated', cloud: { spot: true, ipForwarding: true }, want: [] },
  { name: 'stated as it is', spec: { spot: true }, cloud: { spot: true, ipForwarding: true }, want: [] },
  { name: 'stated off, and on there', spec: { ipForwarding: false }, cloud: { ipForwarding: true }, want: [blocked] },
  { name: 'stated on, and off there', spec: { ipForwarding: true }, cloud: { ipForwarding: false }, want: [blocked] },
  { name: 'stated, and not told', spec: { keyPair: 'ops' }, cloud: {}, want: [blocked] },
  { name: 'a spec moved it', spec: { spot: true }, before: { spot: false }, cloud: { spot: false }, want: [blocked] },
  { name: 'stated no more', before: { spot: true }, cloud: { spot: false }, want: [] },
  { name: 'another address', spec: { privateIp: '10.0.0.5' }, cloud: { privateIp: '10.0.0.6' }, want: [blocked] },
  {
    name: 'another Elastic IP address',
    spec: { staticPublicIp: '203.0.113.10' },
    cloud: { staticPublicIp: '203.0.113.11' },
    want: [blocked],
  },
  { name: 'an Elastic IP address that nobody states', cloud: { staticPublicIp: '203.0.113.11' }, want: [] },
  {
    name: 'a public address, and its listing was short',
    spec: { staticPublicIp: '203.0.113.10' },
    cloud: {},
    unlisted: [{ setting: 'staticPublicIp', code: 'NoPublicAddress', reason: 'it was not listed' }],
    want: ['blocked instance/web-0: not-observed'],
  },
  { name: 'equal lists', spec: { interfaces: ['a', 'b'] }, cloud: { interfaces: ['a', 'b'] }, want: [] },
  { name: 'an interface more', spec: { interfaces: ['a'] }, cloud: { interfaces: ['a', 'b'] }, want: [blocked] },
  {
    name: 'told where it is not stated',
    cloud: { ipForwarding: true },
    unstated: [forwards],
    want: ['unmanaged i-1/canIpForward'],
  },
  {
    name: 'not told where it is',
    spec: { ipForwarding: true },
    cloud: { ipForwarding: true },
    unstated: [forwards],
    want: [],
  },
  {
    name: 'told where another one is stated',
    spec: { spot: false },
    cloud: { spot: false, ipForwarding: true },
    unstated: [forwards],
    want: ['unmanaged i-1/canIpForward'],
  },
];

function planned({ spec, cloud, unstated = [], unlisted = [], before = spec }: Row) {
  const desired = want('instance', 'web-0', machineAt(spec), { mode: 'enforce' });
  const seen = ours('instance', 'web-0', 'i-1', machineAt(cloud));
  const observed = { ...seen, condition: { ...seen.condition, unstated, unlisted } };
  const knowledge = appliedAs([observed], [want('instance', 'web-0', machineAt(before))]);
  return plan(input([desired], looked([observed]), { knowledge }));
}

describe('settings are compared where a document states them, and never changed', () => {
  for (const row of rows) test(row.name, () => assert.deepEqual(summary(planned(row)), row.want));

  test('the finding has the values, the reason and the line', () => {
    const says = (before: MachineSettings): string | undefined =>
      planned({ name: '', spec: { spot: false }, cloud: { spot: true }, before, want: [] }).findings[0]?.why;
    const told = (keep: string): string =>
      `settings.spot is true, wanted false. Setpoint compares this and does not change it yet. Keep the current value: ${keep}, or change it on the cloud.`;
    assert.equal(says({ spot: false }), told(`setpoint accept ${at('instance', 'web-0')}`));
    assert.equal(says({ spot: true }), told('write `settings: { spot: true }` in specs/a.yaml:1'), 'a spec moved it');
  });

  test('a machine that cannot be launched anew is not replaced', () => {
    const spec = { ...machineAt({ spot: false }), machine: { image: 'j', size: 's', power: 'running' as const } };
    const desired = want('instance', 'web-0', spec, { unlaunchable: 'it states settings' });
    const observed = ours('instance', 'web-0', 'i-1', machineAt({ spot: false }));
    const knowledge = appliedAs([observed], [want('instance', 'web-0', machineAt({ spot: false }))]);
    const { actions, findings } = plan(input([desired], looked([observed]), { knowledge }));
    assert.deepEqual(actions, []);
    assert.match(findings[0]?.why ?? '', /machine\.image would need a new machine.*it states settings/);
  });

  test('a larger disk beside it has a finding of its own', () => {
    const spec = { ...machineAt({ spot: false }), disk: { size: 10 } };
    const observed = ours('instance', 'web-0', 'i-1', { ...machineAt({ spot: true }), disk: { size: 20 } });
    const { findings } = plan(input([want('instance', 'web-0', spec)], looked([observed])));
    assert.equal(findings.length, 2);
    assert.deepEqual(
      findings.map(({ why }) => /does not change it yet/.test(why)),
      [false, true],
    );
  });

  for (const [spot, wish] of [
    [true, 'adopt instance/web-0'],
    [false, blocked],
  ] as const)
    test(`adoption of a spot machine whose document says spot: ${spot}`, () => {
      const desired = want('instance', 'web-0', machineAt({ spot }), { claim: { adopt: 'i-1' } });
      const given = input([desired], looked([see('instance', 'i-1', machineAt({ spot: true }))]));
      const [decision] = [...plan(given).actions, ...plan(given).findings];
      assert.equal(decision && 'address' in decision ? decision.address : '', at('instance', 'web-0'));
      assert.deepEqual(
        summary(plan(given)).map((line) => line.replace(': depends', '')),
        [wish],
      );
    });
});

test('an adoption tells each kind of difference by itself, with its own way out', () => {
  const settled = want('instance', 'web-0', machineAt({ spot: false }), { claim: { adopt: 'i-1' }, named: true });
  const observed = see('instance', 'i-1', machineAt({ spot: true }), { name: 'old-db', signs: { slot: 'old-db' } });
  const desired = { ...settled, name: 'new-db', attributes: { ...settled.attributes, disk: { size: 10 } } };
  const attributes = { ...observed.attributes, disk: { size: 20 } };
  const { actions, findings } = plan(input([desired], looked([{ ...observed, attributes }])));
  assert.deepEqual(actions, []);
  assert.deepEqual(
    findings.map(({ why = '' }) => why.replace(/\. Keep.*/, '')),
    [
      'disk.size is 20, wanted 10. An existing machine cannot be changed so without losing its data',
      'name is "old-db", wanted "new-db". The cloud fixes the name of a machine at its creation',
      'settings.spot is true, wanted false. Setpoint compares this and does not change it yet',
    ],
  );
});

test('an adoption tells a stated setting whose listing was short', () => {
  const desired = want('instance', 'web-0', machineAt({ staticPublicIp: '203.0.113.10' }), { claim: { adopt: 'i-1' } });
  const unlisted = [{ setting: 'staticPublicIp', code: 'NoPublicAddress', reason: 'it was not listed' }] as const;
  const observed = see('instance', 'i-1', machineAt({}), { condition: { state: 'ready', unlisted } });
  assert.deepEqual(summary(plan(input([desired], looked([observed])))), [
    'adopt instance/web-0',
    'blocked instance/web-0: not-observed',
  ]);
});

interface NetworkRow {
  readonly name: string;
  readonly spec?: NetworkSettings;
  readonly cloud: NetworkSettings;
  readonly condition?: Partial<Condition>;
  /** Default: the first block. */
  readonly cidr?: string;
  readonly want: readonly string[];
}
const peering = { name: 'pcx-1', network: 'vpc-2' };
const stopped = 'blocked network/core: immutable';
const denied = { setting: 'peerings', code: 'UnauthorizedOperation', reason: 'not allowed' } as const;
const networkRows: readonly NetworkRow[] = [
  { name: 'nothing', cloud: { peerings: [peering] }, want: [] },
  { name: 'as it is', spec: { peerings: [peering] }, cloud: { peerings: [{ ...peering }] }, want: [] },
  { name: 'none, and one is there', spec: { peerings: [] }, cloud: { peerings: [peering] }, want: [stopped] },
  { name: 'one, and none is there', spec: { peerings: [peering] }, cloud: { peerings: [] }, want: [stopped] },
  {
    name: 'another network behind it',
    spec: { peerings: [peering] },
    cloud: { peerings: [{ ...peering, network: 'vpc-3' }] },
    want: [stopped],
  },
  {
    name: 'one, and its listing failed: it is not gone',
    spec: { peerings: [peering], natGateways: ['nat-1'] },
    cloud: { natGateways: ['nat-1'] },
    condition: { unlisted: [denied] },
    want: ['blocked network/core: not-observed'],
  },
  { name: 'nothing, and a listing failed', cloud: {}, condition: { unlisted: [denied] }, want: [] },
  {
    name: 'no blocks, and one is there',
    cloud: { secondaryCidrs: ['10.1.0.0/16'] },
    condition: { furtherBlocks: ['10.1.0.0/16'] },
    want: ['unmanaged vpc-1/10.1.0.0/16'],
  },
  {
    name: 'its block',
    spec: { secondaryCidrs: ['10.1.0.0/16'] },
    cloud: { secondaryCidrs: ['10.1.0.0/16'] },
    condition: { furtherBlocks: ['10.1.0.0/16'] },
    want: [],
  },
  {
    name: 'its block, where the cloud lists it first',
    cidr: '10.1.0.0/16',
    spec: { secondaryCidrs: ['10.0.0.0/16'], ipv6Cidrs: ['2001:db8::/56'] },
    cloud: { secondaryCidrs: ['10.1.0.0/16'], ipv6Cidrs: ['2001:db8::/56'] },
    condition: { furtherBlocks: ['10.1.0.0/16', '2001:db8::/56'] },
    want: [],
  },
  {
    name: 'its IPv4 block, and an IPv6 one is there too',
    spec: { secondaryCidrs: ['10.1.0.0/16'] },
    cloud: { secondaryCidrs: ['10.1.0.0/16'], ipv6Cidrs: ['2001:db8::/56'] },
    condition: { furtherBlocks: ['10.1.0.0/16', '2001:db8::/56'] },
    want: ['unmanaged vpc-1/2001:db8::/56'],
  },
];
describe('settings of a network', () => {
  for (const { name, spec, cloud, condition = {}, cidr = '10.0.0.0/16', want: wanted } of networkRows)
    test(`a network states ${name}`, () => {
      const attributes = (settings?: NetworkSettings, block = cidr) => ({
        cidr: block,
        ...(settings === undefined ? {} : { settings }),
        labels: {},
      });
      const desired = want('network', 'core', attributes(spec), { mode: 'enforce' });
      const seen = ours('network', 'core', 'vpc-1', attributes(cloud, '10.0.0.0/16'));
      const observed = { ...seen, condition: { ...seen.condition, ...condition } };
      const knowledge = appliedAs([observed], [desired]);
      assert.deepEqual(summary(plan(input([desired], looked([observed]), { knowledge }))), wanted);
    });
});

test('the way to keep a setting of a subnet names its place, and counts no networks as machines', () => {
  const documents = [{ address: at('network', 'core'), file: 'specs/a.yaml', line: 1 }];
  const subnetAt = (publicIpOnLaunch: boolean) => ({
    network: at('network', 'core'),
    cidr: '10.0.1.0/24',
    settings: { publicIpOnLaunch },
    labels: {},
  });
  const [core, app] = [
    { ...want('network', 'core', { cidr: '10.0.0.0/16', labels: {} }), documents },
    { ...want('subnet', 'core.app', subnetAt(false)), documents },
  ];
  const observed = ours('subnet', 'core.app', 'subnet-1', { ...subnetAt(true), network: 'vpc-1' });
  const network = ours('network', 'core', 'vpc-1', { cidr: '10.0.0.0/16', labels: {} });
  const knowledge = appliedAs([observed, network], [{ ...app, attributes: subnetAt(true) }, core]);
  const { findings } = plan(input([core, app], looked([network, observed]), { knowledge }));
  assert.match(
    findings[0]?.why ?? '',
    /write `settings: \{ publicIpOnLaunch: true \}` in the subnet app of specs\/a\.yaml:1, or change/,
  );
});

describe('a setting that a document does not state, and how to compare it', () => {
  const keys: Setting = { field: 'ssh-keys', detail: 'has other keys' };
  const elastic: Setting = { field: 'elastic address', detail: 'has an address', statedBy: 'staticPublicIp' };
  const line = '`settings: { ipForwarding: true }` in specs/a.yaml:1';
  const cloud = { ipForwarding: true, staticPublicIp: '203.0.113.10' };
  for (const [name, unstated, adopted, wish] of [
    ['the document adopts its machine', forwards, ['web-0'], `; to compare it, write ${line}.`],
    ['it makes its machine', forwards, [], ', until somebody changes it on the cloud.'],
    [
      'it adopts both machines',
      forwards,
      ['web-0', 'web-1'],
      `; to compare it, write ${line} (it then applies to all 2 machines of the document).`,
    ],
    ['it adopts one of its two machines', forwards, ['web-0', '-web-1'], '.'],
    ['no document can state it', keys, ['web-0'], '.'],
    [
      'an address of one machine',
      elastic,
      ['web-0'],
      '; to compare it, write `settings: { staticPublicIp: 203.0.113.10 }` in specs/a.yaml:1.',
    ],
    ['an address, of two machines', elastic, ['web-0', 'web-1'], '.'],
  ] as const)
    test(name, () => {
      const documents = [{ address: at('instance', 'web'), file: 'specs/a.yaml', line: 1 }];
      const names = ['web-0', ...adopted.filter((one) => !one.endsWith('web-0')).map((one) => one.replace(/^-/, ''))];
      const desired = names.map((one) => ({
        ...want('instance', one, machineAt(), adopted.some((id) => id === one) ? { claim: { adopt: one } } : {}),
        documents,
      }));
      const observed = names.map((one) => {
        const seen = ours('instance', one, one, machineAt(cloud));
        return { ...seen, condition: { ...seen.condition, unstated: one === 'web-0' ? [unstated] : [] } };
      });
      const { findings } = plan(input(desired, looked(observed), { knowledge: appliedAs(observed, desired) }));
      assert.deepEqual(
        findings.map(({ why }) => why.slice(why.indexOf('It stays'))),
        [`It stays as it is${wish}`],
      );
    });
});

describe('a public address that is asked for, and a reserved one that is there', () => {
  const asked = { ...machineAt(), placement: { subnet: 'subnet-1', publicIp: true } };
  const withheld = ['withheld instance/web-0: destructive-drift'];
  for (const { name, cloud, assigned, before, want: wish } of [
    { name: 'it is that', cloud: { staticPublicIp: '203.0.113.10' }, before: true, want: [] },
    { name: 'it is that, also where the spec asks for it newly', cloud: { staticPublicIp: '203.0.113.10' }, want: [] },
    { name: 'none is there', cloud: {}, before: true, want: withheld },
    {
      name: 'the cloud may have chosen it',
      cloud: { staticPublicIp: '203.0.113.10' },
      assigned: ['staticPublicIp'] as const,
      before: true,
      want: withheld,
    },
  ])
    test(name, () => {
      const seen = ours('instance', 'web-0', 'i-1', machineAt(cloud));
      const observed = { ...seen, condition: { ...seen.condition, ...(assigned ? { assigned } : {}) } };
      const desired = want('instance', 'web-0', asked, { mode: 'enforce' });
      const knowledge = appliedAs([observed], [before ? desired : want('instance', 'web-0', machineAt())]);
      assert.deepEqual(summary(plan(input([desired], looked([observed]), { knowledge }))), wish);
    });

  test('it is compared where none is asked for', () => {
    const seen = ours('instance', 'web-0', 'i-1', machineAt({ staticPublicIp: '203.0.113.10' }));
    const observed = { ...seen, attributes: { ...seen.attributes, placement: asked.placement } };
    const desired = want('instance', 'web-0', machineAt(), { mode: 'enforce' });
    const knowledge = appliedAs([observed], [desired]);
    assert.deepEqual(summary(plan(input([desired], looked([observed]), { knowledge }))), withheld);
  });
});
