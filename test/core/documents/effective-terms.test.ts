import assert from 'node:assert/strict';
import { test } from 'node:test';
import { instanceOn } from '../../../src/core/documents/document.ts';
import {
  activeIgnores,
  effectiveDeletionPolicy,
  effectiveMode,
  type ResourceDoc,
} from '../../../src/core/documents/effective-terms.ts';
import { ofKind } from '../../../src/core/documents/spec-set.ts';
import type { Located } from '../../../src/core/documents/tree.ts';
import { parseSpecs } from '../../../src/source/parse-specs.ts';

const head = 'apiVersion: setpoint.dev/v1\n';

function read(text: string) {
  const { documents, problems } = parseSpecs([{ path: 'x.yaml', text }], '2027-01-31');
  assert.deepEqual(
    problems.filter(({ severity, code }) => severity === 'error' && code !== 'no-estate'),
    [],
  );
  return documents;
}

function only<T>(documents: readonly T[]): T {
  assert.equal(documents.length, 1);
  return documents[0] ?? assert.fail();
}

const modes: readonly { name: string; set: Readonly<Record<string, string>>; want: string }[] = [
  { name: 'nobody says anything: plan', set: {}, want: 'plan, nobody' },
  { name: 'the estate alone', set: { estate: 'enforce' }, want: 'enforce, Estate acme x.yaml:4' },
  { name: 'the target is stricter', set: { estate: 'enforce', target: 'plan' }, want: 'plan, Target m x.yaml:9' },
  {
    name: 'the estate is stricter',
    set: { estate: 'observe', target: 'enforce' },
    want: 'observe, Estate acme x.yaml:4',
  },
  {
    name: 'the resource is stricter',
    set: { estate: 'enforce', target: 'plan', network: 'observe' },
    want: 'observe, Network core x.yaml:14',
  },
  {
    name: 'a resource cannot loosen',
    set: { target: 'observe', network: 'enforce' },
    want: 'observe, Target m x.yaml:9',
  },
  {
    name: 'of two alike the nearer is named',
    set: { estate: 'plan', network: 'plan' },
    want: 'plan, Network core x.yaml:14',
  },
  {
    name: 'plan where unset does not hold against enforce',
    set: { network: 'enforce' },
    want: 'enforce, Network core x.yaml:14',
  },
];

for (const { name, set, want } of modes) {
  test(`mode: ${name}`, () => {
    const said = (who: string): string => (set[who] === undefined ? '' : `, mode: ${set[who]}`);
    const documents = read(
      [
        `${head}kind: Estate\nmetadata: { name: acme }\nspec: { limits: {}${said('estate')} }\n`,
        `${head}kind: Target\nmetadata: { name: m }\nspec: { provider: memory, account: a, region: r${said('target')} }\n`,
        `${head}kind: Network\nmetadata: { name: core }\nspec: { targets: [m], cidr: 10.0.0.0/16${said('network')} }\n`,
      ].join('---\n'),
    );
    const { mode, decidedBy } = effectiveMode(
      [only(ofKind(documents, 'Network'))],
      only(ofKind(documents, 'Target')),
      only(ofKind(documents, 'Estate')),
    );
    const who = decidedBy ? `${decidedBy.document} ${decidedBy.at.file}:${decidedBy.at.line}` : 'nobody';
    assert.equal(`${mode}, ${who}`, want);
  });
}

const target = `${head}kind: Target\nmetadata: { name: m }\nspec: { provider: memory, account: a, region: r }\n---\n`;
const network = `${target}${head}kind: Network\nmetadata: { name: core }\nspec: { targets: [m], cidr: 10.0.0.0/16, subnets: [{ name: app, cidr: 10.0.0.0/24 }, { name: db, cidr: 10.0.1.0/24 }] }\n---\n`;

const resource = (kind: ResourceDoc['kind'], more: string): Located<ResourceDoc> => {
  const bodies = {
    Network: `metadata: { name: other }\nspec: { targets: [m], cidr: 10.9.0.0/16${more} }`,
    Group: `metadata: { name: g }\nspec: { network: core${more} }`,
    FirewallRule: `metadata: { name: r }\nspec: { network: core, protocol: tcp, peers: { any: true }${more} }`,
    Instance: `metadata: { name: i }\nspec: { targets: [m], network: core, subnet: app, image: i, size: s${more} }`,
  };
  const documents = read(`${network}${head}kind: ${kind}\n${bodies[kind]}\n`);
  return ofKind(documents, kind).at(-1) ?? assert.fail();
};

const estate = only(ofKind(read(`${head}kind: Estate\nmetadata: { name: acme }\nspec: {}\n`), 'Estate')).value.spec;
const ending = { ...estate, ttl: 60_000 };

const policies: readonly { kind: ResourceDoc['kind']; said: string; want: string }[] = [
  { kind: 'Network', said: '', want: 'retain' },
  { kind: 'Instance', said: '', want: 'retain' },
  { kind: 'Group', said: '', want: 'retain' },
  { kind: 'FirewallRule', said: '', want: 'delete' },
  { kind: 'Network', said: ', deletionPolicy: delete', want: 'delete' },
  { kind: 'FirewallRule', said: ', deletionPolicy: retain', want: 'retain' },
  { kind: 'Network', said: ', ttl: 8h', want: 'delete' },
  { kind: 'Instance', said: ', ttl: 8h', want: 'delete' },
];

test('in an estate with an end everything goes, unless it is stated', () => {
  assert.equal(effectiveDeletionPolicy(resource('Network', '').value, { spec: ending }), 'delete');
  assert.equal(
    effectiveDeletionPolicy(resource('Instance', ', deletionPolicy: retain').value, { spec: ending }),
    'retain',
  );
});

for (const { kind, said, want } of policies) {
  test(`deletion policy of ${kind}${said || ', left out'}: ${want}`, () => {
    assert.equal(effectiveDeletionPolicy(resource(kind, said).value, { spec: estate }), want);
  });
}

test('an ignore holds on its last day and no longer', () => {
  const { value } = resource('Instance', ', ignore: [{ field: size, owner: x, reason: y, until: 2027-01-31 }]');
  assert.equal(activeIgnores(value, '2027-01-30').length, 1);
  assert.equal(activeIgnores(value, '2027-01-31').length, 1);
  assert.equal(activeIgnores(value, '2027-02-01').length, 0);
});

test('on: a target gets its own values, disk by key and lists whole', () => {
  const { value } = resource(
    'Instance',
    ', groups: [a, b], disk: { size: 20, type: gp3 }, on: { m: { subnet: db, groups: [c], disk: { size: 40 }, replicas: 2 } }',
  );
  assert.ok(value.kind === 'Instance');
  const made = instanceOn(value, 'm');
  assert.deepEqual(
    { subnet: made?.subnet, groups: made?.groups, disk: made?.disk, replicas: made?.replicas, image: made?.image },
    { subnet: 'db', groups: ['c'], disk: { size: 40, type: 'gp3' }, replicas: 2, image: 'i' },
  );
  assert.ok(made && !('on' in made));
  assert.equal(instanceOn(value, 'elsewhere')?.subnet, 'app');
  assert.equal(instanceOn(value, 'toString')?.subnet, 'app', 'a name that every object has is no target');
});

test('on: absent fields stay absent', () => {
  const { value } = resource('Instance', '');
  assert.ok(value.kind === 'Instance');
  const made = instanceOn(value, 'm') ?? {};
  assert.deepEqual(
    ['groups', 'disk', 'access', 'userData', 'identity'].filter((field) => field in made),
    [],
  );
});

test('defaults are filled in, and marked as such', () => {
  const rule = resource('FirewallRule', '');
  assert.ok(rule.value.kind === 'FirewallRule');
  const { direction, action, ports, priority, disabled, log } = rule.value.spec;
  assert.deepEqual(
    { direction, action, ports, priority, disabled, log },
    { direction: 'ingress', action: 'allow', ports: undefined, priority: 1000, disabled: false, log: false },
  );
  assert.equal(rule.wrote(['spec', 'direction']), false);
  assert.equal(rule.wrote(['spec', 'protocol']), true);
  assert.deepEqual(
    rule.at(['spec', 'direction']),
    rule.at(['spec']),
    'a left-out field is placed at what would hold it',
  );
});
