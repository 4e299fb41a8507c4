import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dialect } from '../../../providers/aws/dialect.ts';
import {
  type CompiledScope,
  compile,
  governing,
  uniteAllowed,
  uniteDesired,
} from '../../../src/core/compile/compile.ts';
import { placedAt } from '../../../src/core/compile/placed-at.ts';
import type { Desired, Terms } from '../../../src/core/desired.ts';
import type { TargetDoc } from '../../../src/core/documents/document.ts';
import { ofKind } from '../../../src/core/documents/spec-set.ts';
import { parseSpecs } from '../../../src/source/parse-specs.ts';
import { attributes, desired } from '../../support/actions.ts';
import { at, vpc, want } from '../plan/fixture.ts';

const base = (ofTarget = '') => `
apiVersion: setpoint.dev/v1
kind: Estate
metadata: { name: acme }
spec: {}
---
apiVersion: setpoint.dev/v1
kind: Target
metadata: { name: prod }
spec: { provider: aws, account: "1111", region: eu-1${ofTarget} }
---
`;
const network = (more = '') => `
apiVersion: setpoint.dev/v1
kind: Network
metadata: { name: core, labels: { team: net } }
spec: { targets: [prod], cidr: 10.20.0.0/16, subnets: [{ name: app, cidr: 10.20.1.0/24 }]${more} }
---
`;
const rule = (name: string, more: string) => `
apiVersion: setpoint.dev/v1
kind: FirewallRule
metadata: { name: ${name} }
spec: { network: core, ${more} }
---
`;
const instance = (more = '') => `
apiVersion: setpoint.dev/v1
kind: Instance
metadata: { name: web }
spec: { targets: [prod], network: core, subnet: app, image: ami-1, size: t3.small${more} }
---
`;

function compiled(text: string, ofTarget = ''): CompiledScope {
  const { documents } = parseSpecs([{ path: 'specs/a.yaml', text: base(ofTarget) + text }], '2026-01-01');
  const [estate] = ofKind(documents, 'Estate');
  assert.ok(estate, 'the estate parses');
  const hashes = { userData: (_: string, file: string) => `hash of ${file}`, access: () => 'hash of access' };
  const { scopes } = compile({
    estate: estate.value,
    documents,
    dialects: { aws: dialect },
    hashes,
    today: '2026-01-01',
  });
  const [scope] = scopes;
  assert.ok(scope, 'there is a scope');
  return scope;
}

const prefix = 'aws/1111/eu-1/';
const names = ({ wanted }: CompiledScope): string[] =>
  wanted.desired.map(
    ({ address, terms }) => `${address.slice(prefix.length)}${terms.presence ? ` (${terms.presence})` : ''}`,
  );
function one(scope: CompiledScope, name: string): Desired {
  const found = scope.wanted.desired.find(({ address }) => address === prefix + name);
  assert.ok(found, `${name} is wanted`);
  return found;
}

test('a network is itself, its subnets, the group all, and its default atoms', () => {
  assert.deepEqual(names(compiled(network())), [
    'network/core',
    'subnet/core.app',
    'group/core.all',
    'firewall-rule/core.all.egress.all.all.0.0.0.0/0 (implied)',
    'firewall-rule/core.all.egress.all.all.::/0 (tolerated)',
  ]);
});

test('egress deny wants no default atom, and says so to new groups', () => {
  const scope = compiled(network(', default: { egress: deny }'));
  assert.deepEqual(names(scope), ['network/core', 'subnet/core.app', 'group/core.all']);
  assert.equal(Reflect.get(one(scope, 'group/core.all').attributes, 'defaultEgress'), 'deny');
});

test('a group exists as soon as anybody names it: a rule, a peer, an instance', () => {
  const text =
    network() +
    rule('a', 'protocol: tcp, ports: [22], group: web, peers: { groups: [lb] }') +
    instance(', groups: [db]');
  const groups = names(compiled(text)).filter((name) => name.startsWith('group/'));
  assert.deepEqual(groups, ['group/core.all', 'group/core.db', 'group/core.lb', 'group/core.web']);
});

const group = (name: string, more = '', metadata = '') => `
apiVersion: setpoint.dev/v1
kind: Group
metadata: { name: ${name}${metadata} }
spec: { network: core${more} }
---
`;

test('a document makes its group, and one without fields leaves a named group as it is, but for its documents', () => {
  const rules = rule('a', 'protocol: tcp, ports: [22], group: web, peers: { any: true }');
  const strict = ', mode: observe, protect: true, deletionPolicy: delete, default: { egress: deny }';
  const bare = one(compiled(network(strict) + rules), 'group/core.web');
  const scope = compiled(network(strict) + rules + group('web') + group('db'));
  const { documents, ...web } = one(scope, 'group/core.web');
  assert.deepEqual({ ...web, documents: documents.slice(1) }, bare);
  assert.deepEqual(
    documents.map(({ address }) => address),
    [`${prefix}group/core.web`, `${prefix}network/core`],
  );
  assert.equal(one(scope, 'group/core.db').name, 'core-db');
  assert.equal(scope.wanted.documents.get(`${prefix}group/core.web`)?.protect, true);
  assert.equal(scope.wanted.documents.get(`${prefix}group/core.web`)?.mode, 'observe');
});

test('a document of a group says its name, description, labels, id and terms; where its network is stricter, that holds', () => {
  const more = `, names: { prod: web servers }, description: shop, mode: enforce, protect: true, deletionPolicy: delete`;
  const ignores = ', ignore: [{ field: labels.x, owner: o, reason: r, until: 2026-12-31 }]';
  const metadata = ', owner: shop, labels: { tier: web }, adopt: { prod: sg-1 }, was: [www]';
  const scope = compiled(network(', mode: enforce') + group('web', more + ignores, metadata));
  const { name, attributes, terms } = one(scope, 'group/core.web');
  assert.deepEqual(
    [name, Reflect.get(attributes, 'description'), Reflect.get(attributes, 'labels')],
    ['web servers', 'shop', { tier: 'web' }],
  );
  assert.deepEqual(terms, {
    ...{ mode: 'enforce', protect: true, deletionPolicy: 'delete', ignore: ['labels.x'], named: true },
    claim: { adopt: 'sg-1', was: [`${prefix}group/core.www`] },
  });
  assert.equal(one(scope, 'network/core').terms.protect, false);
  assert.equal(one(compiled(network() + group('web', ', mode: enforce')), 'group/core.web').terms.mode, 'plan');
});

test('a group document that is of another target leaves the group to its network, with the id of its entry', () => {
  const entry = network(', groups: [{ name: web, adopt: { prod: sg-1 } }]');
  const elsewhere = one(compiled(entry + group('web', ', targets: [test], names: { test: x }')), 'group/core.web');
  assert.deepEqual([elsewhere.name, elsewhere.documents.length, elsewhere.terms.claim?.adopt], ['core-web', 1, 'sg-1']);
  assert.equal(one(compiled(entry + group('web')), 'group/core.web').terms.claim?.adopt, 'sg-1');
});

test("a group's own words bind neither its network nor the network's other groups", () => {
  const web = one(compiled(network() + group('web', ', protect: true')), 'group/core.web');
  assert.deepEqual(governing(web), [`${prefix}group/core.web`]);
  const { documents } = parseSpecs(
    [{ path: 'a.yaml', text: base() + network(', mode: enforce') + group('web', ', mode: observe, protect: true') }],
    '2026-01-01',
  );
  const [estate] = ofKind(documents, 'Estate');
  assert.ok(estate);
  const hashes = { userData: () => '', access: () => '' };
  const { guards } = compile({
    estate: estate.value,
    documents,
    dialects: { aws: dialect },
    hashes,
    today: '2026-01-01',
  });
  assert.deepEqual(guards.protected, [`${prefix}group/core.web`]);
  assert.equal(guards.modes[`${prefix}network/core`], 'enforce');
  assert.equal(guards.modes[`${prefix}group/core.web`], 'observe');
});

test('an atom that two documents want is one atom with both documents; what is stated outweighs what is implied', () => {
  const text =
    network() +
    rule('a', 'protocol: tcp, ports: [80, 443], group: web, peers: { cidrs: [10.0.0.0/8] }') +
    rule('b', 'protocol: tcp, ports: [443, 8080], group: web, peers: { cidrs: [10.0.0.0/8] }') +
    rule('out', 'direction: egress, protocol: all, peers: { cidrs: [0.0.0.0/0] }');
  const scope = compiled(text);
  const shared = one(scope, 'firewall-rule/core.web.ingress.tcp.443.10.0.0.0/8');
  assert.deepEqual(
    shared.documents.map(({ address }) => address),
    [`${prefix}firewall-rule/core.a`, `${prefix}firewall-rule/core.b`],
  );
  const out = one(scope, 'firewall-rule/core.all.egress.all.all.0.0.0.0/0');
  assert.equal(out.terms.presence, undefined);
  assert.deepEqual(
    out.documents.map(({ address }) => address),
    [`${prefix}firewall-rule/core.out`, `${prefix}network/core`],
  );
});

test('replicas are numbered, are in all, and boot with hashes', () => {
  const scope = compiled(network() + instance(', replicas: 2, groups: [web], userData: { file: web.sh }'));
  assert.deepEqual(
    names(scope).filter((name) => name.startsWith('instance/')),
    ['instance/web-0', 'instance/web-1'],
  );
  assert.deepEqual(one(scope, 'instance/web-1').attributes, {
    placement: { subnet: `${prefix}subnet/core.app`, publicIp: false },
    groups: [`${prefix}group/core.all`, `${prefix}group/core.web`],
    machine: { image: 'ami-1', size: 't3.small', power: 'running' },
    boot: { userData: 'hash of web.sh' },
    labels: {},
  });
});

test('an identity by its ARN and by its name are one', () => {
  const identity = (text: string) =>
    Reflect.get(one(compiled(network() + instance(`, identity: "${text}"`)), 'instance/web-0').attributes, 'machine')
      .identity;
  assert.equal(identity('arn:aws:iam::1111:instance-profile/team/web'), 'web');
  assert.equal(identity('web'), 'web');
});

test('no replicas: the document still speaks of this scope, so that its machines are scaled down, not orphaned', () => {
  const scope = compiled(network() + instance(', replicas: 0'));
  assert.ok(scope.wanted.documents.has(`${prefix}instance/web`));
  assert.deepEqual(
    names(scope).filter((name) => name.startsWith('instance/')),
    [],
  );
});

test('a document says whose it is, and for which target', () => {
  const { wanted } = compiled(network().replace('name: core,', 'name: core, owner: team-net,') + instance());
  const said = [...wanted.documents].map(([address, { owner, targets }]) => [
    address.slice(prefix.length),
    owner,
    targets,
  ]);
  assert.deepEqual(said, [
    ['network/core', 'team-net', ['prod']],
    ['instance/web', undefined, ['prod']],
  ]);
  assert.deepEqual(wanted.targets, ['prod']);
});

test('waves: of a document its own, of a target those of its scope, and `on` wins', () => {
  const waves = ', rollout: { canary: 1, then: [10%, rest] }';
  const rolloutOf = (text: string, name: string) => compiled(text).wanted.documents.get(prefix + name)?.rollout;
  assert.deepEqual(rolloutOf(network() + instance(waves), 'instance/web'), [1, { share: 0.1 }, 'rest']);
  assert.deepEqual(rolloutOf(network(', rollout: { canary: 2 }'), 'network/core'), [2]);
  assert.equal(rolloutOf(network() + instance(), 'instance/web'), undefined);
  const on = `${waves}, on: { prod: { rollout: { then: [5, rest] } } }`;
  assert.deepEqual(rolloutOf(network() + instance(on), 'instance/web'), [5, 'rest']);
  assert.equal(compiled(network()).wanted.rollout, undefined);
  const target = compiled(network(), ', rollout: { canary: 3 }');
  assert.deepEqual(target.wanted.rollout, [3]);
});

test('`on` holds for its target', () => {
  const scope = compiled(network() + instance(', on: { prod: { size: t3.large } }'));
  assert.deepEqual(Reflect.get(one(scope, 'instance/web-0').attributes, 'machine'), {
    image: 'ami-1',
    size: 't3.large',
    power: 'running',
  });
});

test('an ignored field is named as our attributes name it, until its day', () => {
  const ignore = (until: string) =>
    compiled(network() + instance(`, ignore: [{ field: size, owner: ops, reason: resizing, until: ${until} }]`));
  assert.deepEqual(one(ignore('2026-01-01'), 'instance/web-0').terms.ignore, ['machine.size'], 'its last day');
  assert.equal(one(ignore('2025-12-31'), 'instance/web-0').terms.ignore, undefined, 'the day after');
});

test('modes: the strictest of resource, target and estate; plan where none is set', () => {
  assert.equal(one(compiled(network()), 'network/core').terms.mode, 'plan');
  assert.equal(one(compiled(network(', mode: enforce')), 'network/core').terms.mode, 'enforce');
  assert.equal(one(compiled(network(', mode: observe')), 'subnet/core.app').terms.mode, 'observe');
});

test('a renamed network renames what stands in it', () => {
  const scope = compiled(network().replace('name: core,', 'name: core, was: [old],'));
  assert.deepEqual(one(scope, 'subnet/core.app').terms.claim, { was: [`${prefix}subnet/old.app`] });
  assert.deepEqual(one(scope, 'group/core.all').terms.claim, { was: [`${prefix}group/old.all`] });
});

test('rules go with their document by default, networks stay', () => {
  const scope = compiled(network() + rule('a', 'protocol: icmp, icmp: { type: 8 }, peers: { any: true }'));
  assert.equal(one(scope, 'firewall-rule/core.all.ingress.icmp.8/all.0.0.0.0/0').terms.deletionPolicy, 'delete');
  assert.equal(one(scope, 'network/core').terms.deletionPolicy, 'retain');
});

test("what says a network's default stays with the network: its machines stay too", () => {
  const open = ', default: { ingress: allow, egress: allow }';
  const everybody = 'firewall-rule/core.all.ingress.all.all.0.0.0.0/0';
  assert.equal(one(compiled(network(open)), everybody).terms.deletionPolicy, 'retain');
  assert.equal(one(compiled(network(`${open}, deletionPolicy: delete`)), everybody).terms.deletionPolicy, 'delete');
});

test('an atom of two documents is protected and retained if one of them says so', () => {
  const same = 'protocol: tcp, ports: [443], peers: { cidrs: [10.0.0.0/8] }';
  const kept = rule('b', `${same}, protect: true, deletionPolicy: retain`);
  const { protect, deletionPolicy } = one(
    compiled(network() + rule('a', same) + kept),
    'firewall-rule/core.all.ingress.tcp.443.10.0.0.0/8',
  ).terms;
  assert.deepEqual([protect, deletionPolicy], [true, 'retain']);
});

const core = at('network', 'core');

test("a network's protection and policy do not bind the atoms that say its default", () => {
  const match = { direction: 'egress', action: 'allow', protocol: 'all', ports: 'all', peers: [] } as const;
  const atom = want('firewall-rule', 'x', { network: core, match, description: '' });
  assert.deepEqual(governing({ ...atom, documents: [{ address: core, file: '', line: 1 }] }), []);
});

test('a rule is governed by its own document, a network by its own', () => {
  assert.deepEqual(governing(want('network', 'core', vpc())), [core]);
  const match = { direction: 'ingress', action: 'allow', protocol: 'tcp', ports: '22', peers: [] } as const;
  const rule = want('firewall-rule', 'core.ssh', { network: core, match, description: '' });
  assert.deepEqual(governing(rule), [at('firewall-rule', 'core.ssh')]);
});

const head = 'apiVersion: setpoint.dev/v1\n';

function read(...targets: readonly string[]) {
  const text = [
    `${head}kind: Estate\nmetadata: { name: acme }\nspec: {}\n`,
    ...targets.map((spec) => `${head}kind: Target\nmetadata: { name: here }\nspec: ${spec}\n`),
  ].join('---\n');
  return parseSpecs([{ path: 'a.yaml', text }], '2027-01-31').documents;
}

const cases: readonly { name: string; from: string; to: string; want: Partial<TargetDoc['spec']>; moved: string[] }[] =
  [
    {
      name: 'elsewhere: the place of the other, and all else of its own',
      from: '{ provider: memory, account: a, region: r, mode: plan }',
      to: '{ provider: memory, account: b, region: s, mode: enforce }',
      want: { provider: 'memory', account: 'b', region: 's', mode: 'plan' },
      moved: ['here memory/a/r memory/b/s'],
    },
    {
      name: 'a zone that the other has not is left out',
      from: '{ provider: gcp, account: acme-test, region: europe-west1, zone: europe-west1-b }',
      to: '{ provider: gcp, account: acme-prod, region: europe-west1 }',
      want: { provider: 'gcp', account: 'acme-prod', region: 'europe-west1' },
      moved: ['here gcp/acme-test/europe-west1/europe-west1-b gcp/acme-prod/europe-west1'],
    },
    {
      name: 'at one place already',
      from: '{ provider: memory, account: a, region: r, mode: plan }',
      to: '{ provider: memory, account: a, region: r, mode: enforce }',
      want: { provider: 'memory', account: 'a', region: 'r', mode: 'plan' },
      moved: [],
    },
    {
      name: 'on another cloud: nothing can be compared there',
      from: '{ provider: memory, account: a, region: r }',
      to: '{ provider: aws, account: "111122223333", region: eu-west-1 }',
      want: { provider: 'memory', account: 'a', region: 'r' },
      moved: [],
    },
  ];

for (const { name, from, to, want, moved } of cases)
  test(`a target ${name}`, () => {
    const places = ofKind(read(to), 'Target').map(({ value }) => value);
    const placed = placedAt(read(from), places);
    const [target] = ofKind(placed.documents, 'Target');
    assert.deepEqual(target?.value.spec, want);
    assert.deepEqual(
      placed.moved.map((one) => [one.target, one.from, one.to].join(' ')),
      moved,
    );
  });

test('a target that only one environment has stays where it is', () => {
  const documents = read('{ provider: memory, account: a, region: r }');
  assert.deepEqual(placedAt(documents, []), { documents, moved: [] });
});

const said = (terms: Partial<Terms>) => {
  const one = desired('network', 'core', attributes.network());
  return { ...one, terms: { ...one.terms, ...terms } };
};

test('what either of two targets says of one thing holds', () => {
  const rows: readonly (readonly [Partial<Terms>, Partial<Terms>, Partial<Terms>])[] = [
    [{ claim: { adopt: 'net-1' } }, {}, { claim: { adopt: 'net-1' } }],
    [{ claim: { was: ['a'] } }, { claim: { was: ['a', 'b'] } }, { claim: { was: ['a', 'b'] } }],
    [{ protect: true }, { protect: false }, { protect: true }],
    [{ deletionPolicy: 'retain' }, { deletionPolicy: 'delete' }, { deletionPolicy: 'retain' }],
    [{ mode: 'observe' }, { mode: 'enforce' }, { mode: 'observe' }],
  ];
  for (const [a, b, want] of rows) {
    for (const both of [
      [a, b],
      [b, a],
    ] as const) {
      const united = uniteDesired(both.map(said));
      assert.deepEqual(
        united.map(({ terms }) => terms),
        [said(want).terms],
      );
    }
  }
});

test('what only one of them names is as it says', () => {
  const other = desired('network', 'lab', attributes.network());
  assert.deepEqual(uniteDesired([said({}), other, said({})]), [said({}), other]);
});

test('the stricter mode and protection hold for the documents too, which are of both targets', () => {
  const allowed = uniteAllowed([
    ['net', { mode: 'enforce', protect: true, owner: 'team-net', targets: ['west'] }],
    ['web', { mode: 'enforce', protect: false, targets: ['west'] }],
    ['net', { mode: 'plan', protect: false, owner: 'team-net', targets: ['east'] }],
  ]);
  assert.deepEqual(Object.fromEntries(allowed), {
    net: { mode: 'plan', protect: true, owner: 'team-net', targets: ['west', 'east'] },
    web: { mode: 'enforce', protect: false, targets: ['west'] },
  });
});
