import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { dialect as aws } from '../../../providers/aws/dialect.ts';
import { dialect as gcp } from '../../../providers/gcp/dialect.ts';
import { importDocuments } from '../../../src/core/import/documents.ts';
import type { ImportScope } from '../../../src/core/import/scope-import.ts';
import type { Selection } from '../../../src/core/import/selection.ts';
import type { Ownership } from '../../../src/core/inventory/ownership.ts';
import type { Condition, Observed, Signs } from '../../../src/core/observed.ts';
import type { Attributes, Kind } from '../../../src/core/resource.ts';

const all: Selection = { networks: [], kinds: [], ids: [], labels: [] };

interface More {
  readonly name?: string;
  readonly signs?: Signs;
  readonly condition?: Partial<Condition>;
}

const seen = <K extends Kind>(kind: K, id: string, attributes: Attributes[K], more: More = {}): Observed<K> => ({
  kind,
  id,
  name: more.name ?? id,
  attributes,
  signs: more.signs ?? {},
  condition: { state: 'ready', ...more.condition },
});

const vpc = (id: string, labels = {}, more: More = {}) => seen('network', id, { cidr: '10.0.0.0/16', labels }, more);
const subnet = (id: string, network: string, labels = {}) =>
  seen('subnet', id, { network, cidr: '10.0.1.0/24', labels });
const group = (id: string, network: string, more: More = {}) => seen('group', id, { network, labels: {} }, more);
/** A rule in its group: incoming HTTPS from a peer, or all that goes out. */
const rule = (id: string, group: Observed<'group'>, peer: string) => {
  const match =
    peer === 'out'
      ? ({ direction: 'egress', action: 'allow', protocol: 'all', ports: 'all', peers: ['0.0.0.0/0'] } as const)
      : ({ direction: 'ingress', action: 'allow', protocol: 'tcp', ports: '443', peers: [peer] } as const);
  const attributes = { network: group.attributes.network, group: group.id, match, description: '' };
  return seen('firewall-rule', id, attributes, { signs: { container: group.id } });
};
const machine = (id: string, subnetId: string, groups: readonly string[], more: More = {}) =>
  seen(
    'instance',
    id,
    {
      placement: { subnet: subnetId, publicIp: false },
      groups,
      machine: { image: 'ami-1', size: 't3.small', power: 'running' },
      labels: {},
    },
    more,
  );

const free = (observed: Observed): Ownership => ({
  scope: 'aws/1/r',
  observed,
  claim: 'unmanaged',
  why: 'nobody claims it',
});

const scopeOf = (objects: readonly (Observed | Ownership)[], more: Partial<ImportScope> = {}): ImportScope => ({
  scope: 'aws/1/r',
  targets: [{ name: 'aws', place: { account: '1', region: 'r' } }],
  dialect: aws,
  objects: objects.map((one) => ('claim' in one ? one : free(one))),
  gaps: new Set(),
  adopted: new Map(),
  documentTargets: new Map(),
  ...more,
});

function imported(
  scope: ImportScope,
  more: { readonly excluded?: ReadonlyMap<string, string>; readonly selection?: Selection } = {},
) {
  const input = { scopes: [scope], selection: all, names: { Network: [], FirewallRule: [], Instance: [] } };
  const found = importDocuments({ ...input, excluded: new Map(), ...more });
  return {
    documents: found.documents.map(({ kind, name }) => `${kind} ${name}`),
    // why: a test reads one field of one document, by its path
    at: (name: string, ...path: readonly (string | number)[]): unknown =>
      path.reduce<unknown>(
        (value, key) => Reflect.get(Object(value), key),
        found.documents.find((one) => one.name === name)?.value,
      ),
    uncovered: Object.fromEntries(found.uncovered.map(({ id, reason }) => [id, reason])),
    covered: found.covered.map(({ id }) => id).toSorted(),
  };
}

describe('documents for existing objects', () => {
  test('labels of a network are those that its subnets and groups have, too', () => {
    const labels = { env: 'prod', team: 'net', Name: 'core', 'aws:x': '1', 'setpoint:estate': 'a' };
    const { at } = imported(scopeOf([vpc('core', labels), subnet('app', 'core', { env: 'prod', team: 'web' })]));
    assert.deepEqual(at('core', 'metadata', 'labels'), { env: 'prod' });
  });

  test('a rule whose peer is in another network names it by its id; what is no id is left out', () => {
    const db = group('db', 'b');
    const objects = [vpc('a'), vpc('b'), group('sg-0a', 'a'), db];
    const { uncovered, at } = imported(
      scopeOf([
        ...objects,
        rule('r1', db, 'group:sg-0a'),
        rule('r2', db, 'group:111122223333/sg-0b'),
        rule('r3', db, 'group:gone'),
      ]),
    );
    assert.deepEqual(uncovered, { r3: 'No rule of this network can name its peer group:gone.' });
    assert.deepEqual(at('db-https', 'spec', 'peers'), { groupIds: ['111122223333/sg-0b', 'sg-0a'] });
  });

  test('the default of egress is deny once a group lacks the rule that allow would make', () => {
    const [web, db] = [group('web', 'a'), group('db', 'a')];
    const objects = [vpc('a'), web, db];
    const open = imported(scopeOf([...objects, rule('r1', web, 'out'), rule('r2', db, 'out')]));
    assert.deepEqual([open.at('a', 'spec', 'default'), open.documents], [undefined, ['Network a']]);
    assert.deepEqual(open.covered, ['a', 'db', 'r1', 'r2', 'web']);
    const shut = imported(scopeOf([...objects, rule('r1', web, 'out')]));
    assert.deepEqual(shut.at('a', 'spec', 'default'), { ingress: 'deny', egress: 'deny' });
    assert.deepEqual(shut.documents, ['Network a', 'FirewallRule web-to-all']);
  });
});

describe('the default of egress where a part of the network was chosen', () => {
  const [web, db] = [group('web', 'a'), group('db', 'a')];
  const closed = [vpc('a'), web, rule('r1', web, 'out'), db];
  const egress = (objects: typeof closed, selection: Partial<Selection>, gaps: readonly Kind[] = []) =>
    imported(scopeOf(objects, { gaps: new Set(gaps) }), { selection: { ...all, ...selection } }).at(
      'a',
      'spec',
      'default',
    );

  test('is deny if a group lets nothing out, also one that was not chosen: a line for it later opens nothing', () => {
    const deny = { ingress: 'deny', egress: 'deny' };
    assert.deepEqual(egress(closed, { kinds: ['network'] }), deny);
    assert.deepEqual(egress(closed, { ids: ['web'] }), deny);
    assert.equal(egress([...closed, rule('r2', db, 'out')], { kinds: ['network'] }), undefined);
  });

  test('is deny if the groups were not listed', () => {
    assert.deepEqual(egress([vpc('a')], {}, ['group']), { ingress: 'deny', egress: 'deny' });
    assert.equal(egress([vpc('a')], {}), undefined);
  });
});

describe('objects without a document', () => {
  test('no group is taken whose rules could not be listed: its network would say too little', () => {
    const objects = [vpc('a'), subnet('app', 'a'), group('web', 'a'), machine('i', 'app', ['web'])];
    const { uncovered, covered } = imported(scopeOf(objects, { gaps: new Set(['firewall-rule']) }));
    assert.deepEqual(uncovered, {
      web: 'Firewall rules were not listed completely.',
      i: 'Its group web has no document.',
    });
    assert.deepEqual(covered, ['a', 'app']);
  });

  test('what others own, made or share is left out with the reason, and so is all that hangs on it', () => {
    const shared = vpc('shared', {}, { signs: { origin: { why: 'shared', detail: 'shared by 999' } } });
    const child = machine('child', 'app', [], {
      signs: { origin: { why: 'service-child', detail: 'launched by fleet f' } },
    });
    const other: Ownership = { ...free(vpc('other')), claim: 'other', why: 'it bears the mark of the estate b' };
    const copied: Ownership = { ...free(vpc('copied')), claim: 'copied-mark', why: 'it bears a copy of our mark' };
    const dead = machine('dead', 'app', [], { condition: { state: 'gone' } });
    const objects = [shared, subnet('s', 'shared'), vpc('a'), subnet('app', 'a'), child, other, copied, dead];
    assert.deepEqual(imported(scopeOf(objects)).uncovered, {
      shared: 'It belongs to another account: shared by 999.',
      s: 'Its network shared has no document.',
      child: 'A service owns it: launched by fleet f.',
      other: 'it bears the mark of the estate b.',
      copied: 'it bears a copy of our mark.',
    });
  });

  test('a machine in a network of ours gets a document, and a subnet there does not', () => {
    const own = (observed: Observed, address: string): Ownership => ({
      ...free(observed),
      claim: 'ours',
      address,
      why: 'wanted',
    });
    const objects = [
      own(vpc('a'), 'aws/1/r/network/core'),
      own(subnet('app', 'a'), 'aws/1/r/subnet/core.app'),
      own(group('all', 'a'), 'aws/1/r/group/core.all'),
      subnet('more', 'a'),
      machine('i', 'app', ['all']),
    ];
    const { at, uncovered, covered } = imported(scopeOf(objects));
    assert.deepEqual(covered, ['i']);
    assert.deepEqual(
      [at('i', 'spec', 'network'), at('i', 'spec', 'subnet'), at('i', 'spec', 'groups')],
      ['core', 'app', undefined],
    );
    assert.equal(
      uncovered['more'],
      'Its network has the document core. Add to its subnets: { name: more, cidr: 10.0.1.0/24, adopt: { aws: more } }',
    );
  });

  test('a machine whose group lies in another network has no document: it would name a group of its own network', () => {
    const objects = [vpc('a'), vpc('b'), subnet('app', 'a'), group('web', 'b'), machine('i', 'app', ['web'])];
    assert.match(imported(scopeOf(objects)).uncovered['i'] ?? '', /web/);
  });

  test('a group brings its rules, and a network alone brings none', () => {
    const web = group('web', 'a');
    const objects = [vpc('a'), web, rule('r1', web, '10.0.0.0/8')];
    const chosen = (kind: Kind) => imported(scopeOf(objects), { selection: { ...all, kinds: [kind] } });
    assert.deepEqual([chosen('group').covered, chosen('network').covered], [['a', 'r1', 'web'], ['a']]);
  });

  test('an ignored object is left out, and so is all in it; who names an id gets it with all that it needs', () => {
    const until = { owner: 'team-net', reason: 'the old shop', until: '2027-03-31' };
    const old: Ownership = { ...free(vpc('a')), ignored: until };
    const objects = [old, subnet('app', 'a'), machine('i', 'app', []), vpc('b')];
    const { uncovered, documents } = imported(scopeOf(objects));
    assert.deepEqual(documents, ['Network b']);
    assert.match(uncovered['a'] ?? '', /2027-03-31.*the old shop/);
    assert.equal(uncovered['i'], 'Its subnet app has no document.');
    const named = imported(scopeOf(objects), { selection: { ...all, ids: ['i'] } });
    assert.deepEqual([named.documents, named.uncovered], [['Network a', 'Instance i'], {}]);
  });

  test('an object that could not be adopted is left out with its reason, and all that needs it', () => {
    const objects = [vpc('a'), subnet('app', 'a'), machine('i', 'app', [])];
    const { uncovered, documents } = imported(scopeOf(objects), { excluded: new Map([['app', 'It differs.']]) });
    assert.deepEqual(uncovered, { app: 'It differs.', i: 'Its subnet app has no document.' });
    assert.deepEqual(documents, ['Network a']);
  });
});

describe('network tags and images', () => {
  test('a network tag becomes a group that adopts it, for machines and for rules', () => {
    const { at, uncovered } = imported(
      scopeOf([vpc('a'), subnet('app', 'a'), machine('i', 'app', ['tag:Web-1', 'tag:a-db'])]),
    );
    assert.deepEqual(uncovered, {});
    assert.deepEqual(at('a', 'spec', 'groups'), [
      { name: 'Web-1', adopt: { aws: 'Web-1' } },
      { name: 'db', adopt: { aws: 'a-db' } },
    ]);
    assert.deepEqual(at('i', 'spec', 'groups'), ['Web-1', 'db']);
  });

  test('a machine whose network has a document already is left out if no group stands for its tag', () => {
    const own = (observed: Observed, address: string): Ownership => ({
      ...free(observed),
      claim: 'ours',
      address,
      why: 'wanted',
    });
    const objects = [
      own(vpc('a'), 'aws/1/r/network/core'),
      own(subnet('app', 'a'), 'aws/1/r/subnet/core.app'),
      machine('i', 'app', ['tag:web']),
    ];
    assert.deepEqual(imported(scopeOf(objects)).uncovered, {
      i: 'No group of core stands for its network tag web.',
    });
  });

  test('an image that the cloud does not tell is not stated', () => {
    const nameless = machine('i', 'app', []);
    const { machine: hardware } = nameless.attributes;
    const one = { ...nameless, attributes: { ...nameless.attributes, machine: { ...hardware, image: '' } } };
    const { at, uncovered } = imported(scopeOf([vpc('a'), subnet('app', 'a'), one]));
    assert.deepEqual([uncovered, at('i', 'spec', 'image')], [{}, undefined]);
  });
});

describe('names and places in documents', () => {
  test('names that differ in case only, or that say nothing, are made different', () => {
    const objects = [
      vpc('vpc-1', {}, { name: 'Core' }),
      vpc('vpc-2', {}, { name: 'core' }),
      vpc('vpc-3', {}, { name: '' }),
      vpc('vpc-4', {}, { name: '日本' }),
      group('sg-1', 'vpc-4', { name: '~' }),
    ];
    const { documents, at } = imported(scopeOf(objects));
    assert.deepEqual(documents, ['Network vpc-3', 'Network Core', 'Network core-2', 'Network vpc-4']);
    assert.equal(at('vpc-4', 'spec', 'groups', 0, 'name'), 'sg-1');
  });

  test('a name that an object of another estate bears in its mark is not given: its address would be the same', () => {
    const mark = (address: string) => ({ mark: { estate: 'b', store: 's', address } });
    const theirs = (observed: Observed): Ownership => ({ ...free(observed), claim: 'other', why: 'it is of b' });
    const objects = [
      theirs(vpc('vpc-1', {}, { name: 'x', signs: mark('aws/1/r/network/core') })),
      theirs(machine('i-1', 'app', [], { name: 'y', signs: mark('aws/1/r/instance/web-0') })),
      vpc('vpc-2', {}, { name: 'core' }),
      subnet('app', 'vpc-2'),
      machine('i-2', 'app', [], { name: 'web' }),
    ];
    assert.deepEqual(imported(scopeOf(objects)).documents, ['Network core-2', 'Instance web-2']);
  });

  test('Google: the targets of a network are those of its subnets, and its block contains them', () => {
    const place = (name: string, region: string, zone: string) => ({ name, place: { account: 'p', region, zone } });
    const targets = [place('east', 'us-east1', 'us-east1-b'), place('west', 'europe-west1', 'europe-west1-b')];
    const at = (id: string, region: string, cidr: string) =>
      seen('subnet', id, { network: 'net', cidr, labels: {} }, { signs: { slot: `gcp/p/${region}/subnet/${id}` } });
    const objects = [
      seen('network', 'net', { labels: {} }, { signs: { slot: 'gcp/p/global/network/net' } }),
      at('s1', 'us-east1', '10.1.0.0/20'),
      at('s2', 'europe-west1', '10.6.0.0/20'),
      at('s3', 'asia-east1', '10.7.0.0/20'),
    ];
    const { at: field, uncovered } = imported(scopeOf(objects, { dialect: gcp, targets }));
    assert.deepEqual(field('net', 'spec', 'targets'), ['east', 'west']);
    assert.equal(field('net', 'spec', 'cidr'), '10.0.0.0/13');
    assert.deepEqual(field('net', 'spec', 'subnets', 1), {
      name: 's2',
      cidr: '10.6.0.0/20',
      target: 'west',
      adopt: { west: 's2' },
    });
    assert.equal(
      uncovered['s3'],
      'No target of the specs has its region asia-east1. Add a target with region: asia-east1, then import again.',
    );
  });
});

test('Google: a machine in a zone of no target names that zone', () => {
  const targets = [{ name: 'west', place: { account: 'p', region: 'europe-west1', zone: 'europe-west1-b' } }];
  const objects = [machine('i', 's', [], { signs: { slot: 'gcp/p/europe-west1-c/instance/i' } })];
  assert.match(
    imported(scopeOf(objects, { dialect: gcp, targets })).uncovered['i'] ?? '',
    /^No target of the specs has its zone europe-west1-c\. Add a target with zone: europe-west1-c, /,
  );
});

describe('equal machines', () => {
  const objects = (
    names: readonly string[],
    more: (name: string, at: number) => Partial<Observed<'instance'>> = () => ({}),
  ) => [
    vpc('a'),
    subnet('app', 'a'),
    ...names.map((name, at) => ({ ...machine(`i-${at}`, 'app', [], { name }), ...more(name, at) })),
  ];
  const slot = (name: string, at: number) => ({ id: `i-${at}`, signs: { slot: `aws/1/r/instance/${name}` } });

  const cases: readonly (readonly [name: string, given: ReturnType<typeof objects>, documents: readonly string[]])[] = [
    ['one name and ordinals', objects(['web-1', 'web-0', 'web-2']), ['web i-1 i-0 i-2']],
    ['one name for all, as a scaling group gives it', objects(['web', 'web']), ['web i-0 i-1']],
    ['no name', objects(['', '']), ['app i-0 i-1']],
    ['ordinals with a gap, where a name is a label', objects(['web-4', 'web-7']), ['web i-0 i-1']],
    ['ordinals with a gap, where names are unique', objects(['web-0', 'web-2'], slot), ['web i-0', 'web-2 i-1']],
    ['ordinals from 0, where names are unique', objects(['web-1', 'web-0'], slot), ['web i-1 i-0']],
    ['other names', objects(['web-0', 'db-0']), ['db i-1', 'web i-0']],
    ['a version that looks like an ordinal', objects(['web-2024', 'web-2025']), ['web-2024 i-0', 'web-2025 i-1']],
    [
      'another label',
      objects(['web-0', 'web-1'], (name) => {
        const { attributes } = machine('i', 'app', []);
        return { attributes: { ...attributes, labels: { own: name } } };
      }),
      ['web i-0', 'web-1 i-1'],
    ],
  ];
  for (const [name, given, want] of cases)
    test(name, () => {
      const found = imported(scopeOf(given));
      const documents = found.documents.filter((one) => one.startsWith('Instance ')).map((one) => one.slice(9));
      const ids = (document: string) => [found.at(document, 'metadata', 'adopt', 'aws')].flat().join(' ');
      assert.deepEqual(documents.map((document) => `${document} ${ids(document)}`).toSorted(), want);
    });
});

describe('exact names of machines', () => {
  const slot = (name: string) => ({ signs: { slot: `gcp/p/z/instance/${name}` } });
  const rows: readonly {
    readonly name: string;
    readonly machines: readonly { readonly name: string; readonly id: string }[];
    readonly document: string;
    readonly want: unknown;
  }[] = [
    {
      name: 'another than the document gives',
      machines: [{ name: 'Legacy DB', id: 'i-0' }],
      document: 'Legacy-DB',
      want: { aws: 'Legacy DB' },
    },
    { name: 'one without an ordinal', machines: [{ name: 'db', id: 'i-0' }], document: 'db', want: { aws: 'db' } },
    {
      name: 'one with another ordinal',
      machines: [{ name: 'db-7', id: 'i-0' }],
      document: 'db-7',
      want: { aws: 'db-7' },
    },
    {
      name: 'the name that the document gives',
      machines: [{ name: 'db-0', id: 'i-0' }],
      document: 'db',
      want: undefined,
    },
    { name: 'no name', machines: [{ name: '', id: 'i-0' }], document: 'i-0', want: undefined },
    {
      name: 'one that no document can hold',
      machines: [{ name: 'a\u0007', id: 'i-0' }],
      document: 'a',
      want: undefined,
    },
    {
      name: 'several in one document',
      machines: [
        { name: 'db-0', id: 'i-0' },
        { name: 'db-1', id: 'i-1' },
      ],
      document: 'db',
      want: undefined,
    },
  ];
  for (const { name, machines, document, want } of rows)
    test(name, () => {
      const objects = machines.map((one) => machine(one.id, 'subnet-1', ['sg-1'], { name: one.name }));
      const { at } = imported(scopeOf([vpc('vpc-1'), subnet('subnet-1', 'vpc-1'), group('sg-1', 'vpc-1'), ...objects]));
      assert.equal(at(document, 'metadata', 'name'), document);
      assert.deepEqual(at(document, 'spec', 'names'), want);
    });

  test('a document that got another name keeps that of the machine', () => {
    const objects = ['db', 'db-0'].map((name, index) =>
      machine(`i-${index}`, 'subnet-1', ['sg-1'], { name, ...slot(name) }),
    );
    const targets = [{ name: 'gcp', place: { account: 'p', region: 'r', zone: 'z' } }];
    const dialect = { ...aws, names: gcp.names };
    const place = [vpc('vpc-1'), subnet('subnet-1', 'vpc-1'), group('sg-1', 'vpc-1')];
    const { at, documents } = imported(scopeOf([...place, ...objects], { dialect, targets }));
    assert.deepEqual(
      documents.filter((one) => one.startsWith('Instance')),
      ['Instance db', 'Instance db-2'],
    );
    assert.deepEqual(at('db', 'spec', 'names'), { gcp: 'db' });
    assert.deepEqual(at('db-2', 'spec', 'names'), { gcp: 'db-0' });
  });
});

describe('settings of machines', () => {
  const plain = {
    spot: false,
    ipForwarding: false,
    metadataTokens: 'optional',
    dataDisks: [],
    interfaces: [],
  } as const;
  const network = vpc('vpc-1');
  const app = subnet('subnet-1', 'vpc-1');
  const web = group('sg-1', 'vpc-1');
  const answersV1 = { field: 'metadataOptions', detail: 'answers IMDSv1', statedBy: 'metadataTokens' as const };
  const forwards = { field: 'sourceDestCheck', detail: 'forwards', statedBy: 'ipForwarding' as const };
  const having = (id: string, settings: Attributes['instance']['settings'], more: More = {}) => {
    const one = machine(id, 'subnet-1', ['sg-1'], more);
    return { ...one, attributes: { ...one.attributes, settings } };
  };

  test('those of a plain machine are left out; equal machines fold', () => {
    const found = imported(
      scopeOf([network, app, web, having('i-0', plain, { name: 'web-0' }), having('i-1', plain, { name: 'web-1' })]),
    );
    assert.equal(found.at('web', 'spec', 'replicas'), 2);
    assert.equal(found.at('web', 'spec', 'settings'), undefined);
  });

  test('others are stated, and machines that differ in them do not fold', () => {
    const other = { ...plain, ipForwarding: true, metadataTokens: 'required', dataDisks: ['vol-2'] } as const;
    const found = imported(
      scopeOf([network, app, web, having('i-0', plain, { name: 'web-0' }), having('i-1', other, { name: 'web-1' })]),
    );
    assert.equal(found.at('web', 'spec', 'settings'), undefined);
    assert.deepEqual(found.at('web-1', 'spec', 'settings'), {
      ipForwarding: true,
      metadataTokens: 'required',
      dataDisks: ['vol-2'],
    });
  });

  test('addresses are stated where people reserved them, and such machines do not fold', () => {
    const own = (privateIp: string, staticPublicIp: string) => ({ ...plain, privateIp, staticPublicIp });
    const condition = { assigned: ['privateIp'] as const };
    const found = imported(
      scopeOf([
        ...[network, app, web],
        having('i-0', own('10.0.0.5', '203.0.113.10'), { name: 'web-0', condition }),
        having('i-1', own('10.0.0.6', '203.0.113.11'), { name: 'web-1', condition }),
      ]),
    );
    assert.deepEqual(found.at('web', 'spec', 'settings'), { staticPublicIp: '203.0.113.10' });
    assert.deepEqual(found.at('web-1', 'spec', 'settings'), { staticPublicIp: '203.0.113.11' });
  });

  test('a comment tells a setting only where the document does not state it', () => {
    const settings = { ...plain, ipForwarding: true };
    const one = having('i-0', settings, { name: 'nat', condition: { unstated: [answersV1, forwards] } });
    const input = { scopes: [scopeOf([network, app, web, one])], selection: all };
    const { documents } = importDocuments({
      ...input,
      names: { Network: [], FirewallRule: [], Instance: [] },
      excluded: new Map(),
    });
    const comments = documents.find(({ name }) => name === 'nat')?.comments;
    assert.deepEqual(comments, ['nat (i-0): answers IMDSv1']);
  });

  for (const [count, want] of [
    [3, ['web-0 (i-0): can hibernate', 'web-1 (i-1): can hibernate', 'web-2 (i-2): can hibernate']],
    [4, ['web-0 (i-0) and 3 others: can hibernate']],
  ] as const)
    test(`a comment tells a setting that no document can state: of ${count} machines`, () => {
      const condition = { inexpressible: [{ field: 'HibernationOptions', detail: 'can hibernate' }] };
      const machines = Array.from({ length: count }, (_, i) =>
        having(`i-${i}`, plain, { name: `web-${i}`, condition }),
      );
      const { documents } = importDocuments({
        scopes: [scopeOf([network, app, web, ...machines])],
        selection: all,
        names: { Network: [], FirewallRule: [], Instance: [] },
        excluded: new Map(),
      });
      assert.deepEqual(documents.find(({ name }) => name === 'web')?.comments, want);
    });
});

describe('settings of networks and subnets', () => {
  const peering = { name: 'pcx-1', network: 'vpc-2' };
  const route = { destination: '0.0.0.0/0', nextHop: 'igw-1' };
  const launches = { field: 'mapPublicIpOnLaunch', detail: 'gives addresses', statedBy: 'publicIpOnLaunch' as const };
  const unlisted = [{ setting: 'natGateways', code: 'UnauthorizedOperation', reason: 'not allowed' }] as const;
  const network = vpc('vpc-1');
  const app = subnet('subnet-1', 'vpc-1');
  const found = importDocuments({
    scopes: [
      scopeOf([
        {
          ...network,
          attributes: { ...network.attributes, settings: { secondaryCidrs: [], peerings: [peering] } },
          condition: { ...network.condition, unlisted },
        },
        {
          ...app,
          attributes: { ...app.attributes, settings: { publicIpOnLaunch: true, ipv6Cidrs: [], routes: [route] } },
          condition: { ...app.condition, unstated: [launches] },
        },
      ]),
    ],
    selection: all,
    names: { Network: [], FirewallRule: [], Instance: [] },
    excluded: new Map(),
  });
  const document = found.documents.find(({ kind }) => kind === 'Network');
  const spec = Object(document?.value)['spec'];

  test('those that a plain one lacks are stated', () => {
    assert.deepEqual(spec['settings'], { peerings: [peering] });
    assert.deepEqual(Object.keys(spec['subnets'][0]), ['name', 'cidr', 'adopt', 'settings']);
    assert.deepEqual(spec['subnets'][0]['settings'], { publicIpOnLaunch: true, routes: [route] });
  });

  test('a comment tells the settings that could not be listed, and none that is stated', () => {
    assert.deepEqual(document?.comments, ['vpc-1: its natGateways could not be listed or stated: not allowed']);
  });
});
