import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Address } from '../../../src/core/resource.ts';
import { editSpecFile } from '../../../src/source/edit-specs.ts';
import { accepting, after, type Change } from './fixture.ts';

const machine = (region: string, ordinal = 0): Address => `aws/111122223333/${region}/instance/web-${ordinal}`;
const web = (spec: string): string => `kind: Instance
metadata: { name: web }
spec:
  targets: [one, two]
  network: core
  subnet: app
  image: ami-0abc
  size: a
${spec}`;

const google = (spec: string): string =>
  web(spec)
    .replace('[one, two]', '[google]')
    .replace('network: core', 'network: edge')
    .replace('ami-0abc', 'projects/acme-prod/global/images/web-1')
    .replace('size: a', 'size: e2-small');

const edited: readonly {
  readonly name: string;
  readonly before: string;
  readonly changes: readonly Change[];
  readonly after: string;
}[] = [
  {
    name: 'one target of two: under `on`, as the other keeps its value',
    before: web(''),
    changes: [{ address: machine('us-east-1'), has: { 'machine.size': 'b' } }],
    after: web('  on: { two: { size: b } }\n'),
  },
  {
    name: 'both targets alike: the line that they share',
    before: web(''),
    changes: [
      { address: machine('us-east-1'), has: { 'machine.size': 'b' } },
      { address: machine('eu-west-1'), has: { 'machine.size': 'b' } },
    ],
    after: web('').replace('size: a', 'size: b'),
  },
  {
    name: 'a target with a line of its own: that line, and the shared one for the other',
    before: web('  on: { two: { size: c } }\n'),
    changes: [
      { address: machine('us-east-1'), has: { 'machine.size': 'd' } },
      { address: machine('eu-west-1'), has: { 'machine.size': 'b' } },
    ],
    after: web('  on: { two: { size: d } }\n').replace('size: a', 'size: b'),
  },
  {
    name: 'the name of a machine, where a label bears it and the document states it',
    before: web('  names: { two: db }\n'),
    changes: [{ address: machine('us-east-1'), has: { 'labels.Name': 'old db' } }],
    after: web('  names: { two: old db }\n'),
  },
  {
    name: 'the label, where the document states no name there',
    before: web('  names: { one: db }\n')
      .replace('name: web', 'name: web, labels: { Name: web }')
      .replace('[one, two]', '[two, one]')
      .replace('names: { one: db }', 'power: running'),
    changes: [
      { address: machine('us-east-1'), has: { 'labels.Name': 'old' } },
      { address: machine('eu-west-1'), has: { 'labels.Name': 'old' } },
    ],
    after: web('  power: running\n')
      .replace('name: web', 'name: web, labels: { Name: old }')
      .replace('[one, two]', '[two, one]'),
  },
  {
    name: 'a default that nobody wrote',
    before: web('').replace('[one, two]', '[one]'),
    changes: [{ address: machine('eu-west-1'), has: { 'placement.publicIp': true, 'machine.power': 'stopped' } }],
    after: `${web('').replace('[one, two]', '[one]')}  publicIp: true\n  power: stopped\n`,
  },
  {
    name: 'a disk, an identity that was taken away, and another subnet',
    before: web('  disk: { size: 20 }\n  identity: shop\n').replace('[one, two]', '[one]'),
    changes: [
      {
        address: machine('eu-west-1'),
        has: {
          'disk.size': 40,
          'machine.identity': undefined,
          'placement.subnet': 'aws/111122223333/eu-west-1/subnet/core.db',
        },
      },
    ],
    after: web('  disk: { size: 40 }\n').replace('[one, two]', '[one]').replace('subnet: app', 'subnet: db'),
  },
  {
    name: 'groups: those that went and those that came',
    before: web('  groups: [ssh, web]\n').replace('[one, two]', '[one]'),
    changes: [
      {
        address: machine('eu-west-1'),
        has: { groups: ['all', 'db', 'web'].map((name) => `aws/111122223333/eu-west-1/group/core.${name}`) },
      },
    ],
    after: web('  groups: [web, db]\n').replace('[one, two]', '[one]'),
  },
  {
    name: 'network tags of Google Cloud: of a group that states one, and of a name',
    before: google('  groups: [ssh]\n'),
    changes: [
      {
        address: 'gcp/acme-prod/europe-west1-b/instance/web-0',
        has: { groups: ['tag:edge-all', 'tag:edge-db', 'tag:http-server'] },
      },
    ],
    after: google('  groups: [db, front]\n'),
  },
  {
    name: 'a group that is a service account stays: no tag stands for it',
    before: google('  groups: [batch, ssh]\n'),
    changes: [
      {
        address: 'gcp/acme-prod/europe-west1-b/instance/web-0',
        has: { groups: ['tag:edge-all', 'tag:http-server'] },
      },
    ],
    after: google('  groups: [batch, front]\n'),
  },
  {
    name: 'a network and a subnet of it',
    before: web(''),
    changes: [{ address: 'aws/111122223333/eu-west-1/subnet/core.db', has: { cidr: '10.0.3.0/24' } }],
    after: web(''),
  },
  {
    name: 'the texts of a rule',
    before: `kind: FirewallRule\nmetadata: { name: https }\nspec: { network: edge, protocol: tcp, ports: [443], peers: { cidrs: [10.0.0.0/8] }, description: site, log: true }\n`,
    changes: [
      {
        address: 'gcp/acme-prod/global/firewall-rule/edge.https',
        has: { description: '', 'order.log': false, 'order.disabled': true, 'order.priority': 900 },
      },
    ],
    after: `kind: FirewallRule\nmetadata: { name: https }\nspec: { network: edge, protocol: tcp, ports: [443], peers: { cidrs: [10.0.0.0/8] }, log: false, priority: 900, disabled: true }\n`,
  },
];

describe('the line that decides a field is edited', () => {
  for (const row of edited)
    test(row.name, () => {
      const all = accepting(row.before, row.changes);
      if (row.name.startsWith('a network')) {
        const text = editSpecFile(all.file, all.found.edits).text;
        assert.equal(text, all.text.replace('10.0.2.0/24', '10.0.3.0/24'));
      } else assert.equal(after(all), row.after);
    });
});

describe('what no line can state is refused, with the reason', () => {
  const one = web('').replace('[one, two]', '[one]');
  const eu = machine('eu-west-1');
  const rows: readonly (readonly [name: string, before: string, has: Change, why: RegExp])[] = [
    [
      'a script',
      one.replace('size: a\n', 'size: a\n  userData: { file: web.sh }\n'),
      { address: eu, has: { 'boot.userData': 'h9' } },
      /never leaves the cloud as text/,
    ],
    [
      'a subnet of another network',
      one,
      { address: eu, has: { 'placement.subnet': 'subnet-9' } },
      /no subnet of the network core/,
    ],
    [
      'a group that nobody names',
      one,
      { address: eu, has: { groups: ['aws/111122223333/eu-west-1/group/core.all', 'sg-9'] } },
      /in sg-9, which is no group/,
    ],
    ['the group of all machines', one, { address: eu, has: { groups: [] } }, /group all is no longer/],
    [
      'a value that one target of two lost',
      web('  identity: shop\n'),
      { address: eu, has: { 'machine.identity': undefined } },
      /several targets, and it is gone on one only/,
    ],
    [
      'another identity than the service account of its group',
      google('  groups: [batch]\n'),
      {
        address: 'gcp/acme-prod/europe-west1-b/instance/web-0',
        has: { 'machine.identity': 'x@y.iam.gserviceaccount.com' },
      },
      /runs as x@y.*its group batch is the service account batch@acme-prod/,
    ],
    [
      'the gateway of a network, half there',
      one,
      { address: 'aws/111122223333/eu-west-1/network/core', has: { internet: ['partial'] } },
      /no single value/,
    ],
  ];
  for (const [name, before, change, why] of rows)
    test(name, () => {
      const { found } = accepting(before, [change]);
      assert.deepEqual(found.edits, []);
      assert.match(found.refused[0]?.reason ?? '', why);
      assert.ok((found.refused[0]?.at?.line ?? 0) > 1);
    });
});

describe('rules that are gone', () => {
  const rule = (spec: string): string =>
    `kind: FirewallRule\nmetadata: { name: https }\nspec:\n  network: core\n  targets: [one]\n  protocol: tcp\n  group: web\n${spec}`;
  const atom = (port: string, peer: string): Address =>
    `aws/111122223333/eu-west-1/firewall-rule/core.web.ingress.tcp.${port}.${peer}`;
  const [ten, eleven] = ['10.0.0.0/8', '11.0.0.0/8'];
  const both = rule(`  ports: [80, 443-444, 445]\n  peers:\n    cidrs: [${ten}, ${eleven}]\n    groups: [db] # jobs\n`);
  const all = [ten, eleven, 'group:core.db'];

  test('a peer, and a range of two entries', () => {
    const gone = [...all.map((peer) => atom('443-445', peer)), atom('80', ten)];
    assert.equal(
      after(accepting(both, [], { gone })),
      both.replace('[80, 443-444, 445]', '[80]').replace(`[${ten}, ${eleven}]`, `[${eleven}]`),
    );
  });

  test('the last peer of a list takes the list along', () => {
    const gone = ['80', '443-445'].map((ports) => atom(ports, 'group:core.db'));
    assert.equal(after(accepting(both, [], { gone })), both.replace('    groups: [db] # jobs\n', ''));
  });

  test('the rest that no lists state is refused, and so is a part of what is gone', () => {
    for (const gone of [[atom('80', ten)], [atom('80', ten), atom('80', eleven)]]) {
      const { found } = accepting(both, [], { gone });
      assert.deepEqual(found.edits, []);
      assert.match(found.refused[0]?.reason ?? '', /no list of ports and peers states the rest: \S+80\S+/);
    }
  });

  test('all of it on one of two targets is refused; a document with `protect` too', () => {
    const wide = rule(`  ports: [80]\n  peers: { cidrs: [${ten}] }\n`);
    const onBoth = accepting(wide.replace('targets: [one]', 'targets: [one, two]'), [], { gone: [atom('80', ten)] });
    assert.match(onBoth.found.refused[0]?.reason ?? '', /states the rest/);
    const kept = accepting(`${wide}  protect: true\n`, [], { gone: [atom('80', ten)] });
    assert.match(kept.found.refused[0]?.reason ?? '', /`protect: true`/);
    assert.equal(after(accepting(wide, [], { gone: [atom('80', ten)] })), '');
  });

  test('a protocol of several goes with its ports, and a side with its rules', () => {
    const several = rule(
      `  protocols:\n    - { protocol: tcp, ports: [80] }\n    - { protocol: udp, ports: [53] } # names\n  appliesTo: { groups: [web, db] }\n  peers: { cidrs: [${ten}] }\n`,
    ).replace('  protocol: tcp\n  group: web\n', '');
    const udp = ['web', 'db'].map((group) => atom('53', ten).replace('web.ingress.tcp', `${group}.ingress.udp`));
    assert.equal(
      after(accepting(several, [], { gone: [...udp, atom('80', ten).replace('web.', 'db.')] })),
      several.replace('    - { protocol: udp, ports: [53] } # names\n', '').replace('[web, db]', '[web]'),
    );
  });

  test('every port: the key `ports` never goes alone, as the rule would then mean all ports', () => {
    const { found } = accepting(rule(`  ports: [80]\n  peers: { any: true }\n`), [], { gone: [atom('80', '::/0')] });
    assert.deepEqual(found.edits, []);
    assert.match(found.refused[0]?.reason ?? '', /states the rest/);
  });
});

describe('settings of adopted machines, networks and subnets', () => {
  const vpc = (spec: string): string => `kind: Network
metadata: { name: old, adopt: { one: vpc-1 } }
spec:
  targets: [one]
  cidr: 10.5.0.0/16
  internet: unmanaged
${spec}`;
  const network: Address = 'aws/111122223333/eu-west-1/network/old';
  const subnet: Address = 'aws/111122223333/eu-west-1/subnet/old.app';
  const nat = { destination: '0.0.0.0/0', nextHop: 'nat-1' };
  const far = { destination: '10.9.0.0/16', nextHop: 'pcx-1' };
  const routes = `  subnets:
    - name: db
      cidr: 10.5.2.0/24
      adopt: { one: subnet-2 }
    - name: app
      cidr: 10.5.1.0/24
      settings:
        publicIpOnLaunch: true # for tests
        routes:
          - { destination: 10.9.0.0/16, nextHop: pcx-1 }
          # the way out
          - { destination: 0.0.0.0/0, nextHop: nat-1 }
      adopt: { one: subnet-1 }
`;
  const rows: readonly {
    readonly name: string;
    readonly before: string;
    readonly address: Address;
    readonly has: Change['has'];
    readonly after: string;
  }[] = [
    {
      name: 'a route more, and a flag of a subnet',
      before: vpc(routes),
      address: subnet,
      has: {
        'settings.routes': [nat, far, { destination: 'pl-1', nextHop: 'vpce-1' }],
        'settings.publicIpOnLaunch': false,
      },
      after: vpc(
        routes
          .replace('true #', 'false #')
          .replace('nat-1 }\n', 'nat-1 }\n          - { destination: pl-1, nextHop: vpce-1 }\n'),
      ),
    },
    {
      name: 'another next hop in its place, and a route less',
      before: vpc(routes),
      address: subnet,
      has: { 'settings.routes': [{ ...far, nextHop: 'pcx-2' }] },
      after: vpc(
        routes.replace('pcx-1', 'pcx-2').replace('          - { destination: 0.0.0.0/0, nextHop: nat-1 }\n', ''),
      ),
    },
    {
      name: 'no route any more: the list stays, and stays compared',
      before: vpc(routes.replace('          # the way out\n', '')),
      address: subnet,
      has: { 'settings.routes': [] },
      after: vpc(routes.replace(/routes:\n(?: {10}.*\n)+/, 'routes: []\n')),
    },
    {
      name: 'lists of a network: of maps and of texts, and an empty one',
      before: vpc(
        '  settings: { natGateways: [nat-1, nat-2], peerings: [{ name: pcx-1, network: vpc-2 }], secondaryCidrs: [] }\n',
      ),
      address: network,
      has: {
        'settings.natGateways': ['nat-2', 'nat-3'],
        'settings.peerings': [
          { name: 'pcx-1', network: 'vpc-2' },
          { name: 'pcx-2', network: 'vpc-3' },
        ],
        'settings.secondaryCidrs': ['100.64.0.0/16'],
      },
      after: vpc(
        '  settings: { natGateways: [nat-2, nat-3], peerings: [{ name: pcx-1, network: vpc-2 }, { name: pcx-2, network: vpc-3 }], secondaryCidrs: [100.64.0.0/16] }\n',
      ),
    },
    {
      name: 'blocks in another spelling are the same',
      before: vpc('  settings: { ipv6Cidrs: [2001:DB8:0::/56] }\n'),
      address: network,
      has: { 'settings.ipv6Cidrs': ['2001:db8:0:100::/56', '2001:db8::/56'] },
      after: vpc('  settings: { ipv6Cidrs: [2001:DB8:0::/56, 2001:db8:0:100::/56] }\n'),
    },
    {
      name: 'a machine: a disk more, another key pair, and an interface that it lost',
      before: `${web('  settings: { keyPair: ops, dataDisks: [vol-1], interfaces: [eni-1, eni-2] }\n').replace('[one, two]', '[one]').replace('name: web', 'name: web, adopt: { one: i-1 }')}`,
      address: machine('eu-west-1'),
      has: {
        'settings.keyPair': undefined,
        'settings.dataDisks': ['vol-1', 'vol-2'],
        'settings.interfaces': ['eni-2'],
      },
      after: `${web('  settings: { dataDisks: [vol-1, vol-2], interfaces: [eni-2] }\n').replace('[one, two]', '[one]').replace('name: web', 'name: web, adopt: { one: i-1 }')}`,
    },
    {
      name: 'a list of a machine that one of two targets has otherwise: whole, under `on`',
      before: web('  settings: { dataDisks: [vol-1] }\n').replace(
        'name: web',
        'name: web, adopt: { one: i-1, two: i-2 }',
      ),
      address: machine('us-east-1'),
      has: { 'settings.dataDisks': ['vol-1', 'vol-2'] },
      after: web(
        '  settings: { dataDisks: [vol-1] }\n  on: { two: { settings: { dataDisks: [vol-1, vol-2] } } }\n',
      ).replace('name: web', 'name: web, adopt: { one: i-1, two: i-2 }'),
    },
  ];
  for (const { name, before, address, has, after: want } of rows)
    test(name, () => assert.equal(after(accepting(before, [{ address, has }])), want));
});
