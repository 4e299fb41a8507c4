import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dialect } from '../../providers/memory/dialect.ts';
import { type CompiledScope, compile } from '../../src/core/compile/compile.ts';
import { type Cadence, type Criticality, intervalBy, intervalOf } from '../../src/core/criticality.ts';
import { endedFileName } from '../../src/core/documents/overlay.ts';
import { ofKind } from '../../src/core/documents/spec-set.ts';
import { criticalitiesOf } from '../../src/core/plan/criticalities.ts';
import { plan } from '../../src/core/plan/plan.ts';
import { parseSpecs } from '../../src/source/parse-specs.ts';
import { attributes, observed } from '../support/actions.ts';
import { allow, input, looked, ours, at as planAt, see, vpc, want } from './plan/fixture.ts';

const head = 'apiVersion: setpoint.dev/v1\n';
const estate = `${head}kind: Estate\nmetadata: { name: acme }\nspec: {}\n`;
const target = (name: string, more = '') =>
  `${head}kind: Target\nmetadata: { name: ${name} }\nspec: { provider: memory, account: a, region: r${more} }\n`;
const network = (targets: string, more = '', name = 'core') =>
  `${head}kind: Network\nmetadata: { name: ${name} }\nspec: { targets: [${targets}], cidr: 10.0.0.0/16, subnets: [{ name: app, cidr: 10.0.0.0/24 }]${more} }\n`;
const rule = (name: string, more = '') =>
  `${head}kind: FirewallRule\nmetadata: { name: ${name} }\nspec: { network: core, protocol: tcp, ports: [22], group: web, peers: { any: true }${more} }\n`;
const group = (name: string, more = '') =>
  `${head}kind: Group\nmetadata: { name: ${name} }\nspec: { network: core${more} }\n`;
const machine = (targets: string, more = '') =>
  `${head}kind: Instance\nmetadata: { name: web }\nspec: { targets: [${targets}], network: core, subnet: app, image: i, size: s${more} }\n`;

const scopeOf = (...documents: readonly string[]): CompiledScope => compiledOf(documents);

function compiledOf(documents: readonly string[], endedFiles: readonly string[] = []): CompiledScope {
  const ends = endedFiles.map((text, i) => ({ path: endedFileName(i), text }));
  const file = { path: 'a.yaml', text: [estate, ...documents].join('---\n') };
  const read = parseSpecs([file, ...ends], '2027-01-31');
  assert.deepEqual(
    read.problems.filter(({ severity }) => severity === 'error'),
    [],
  );
  const [of] = ofKind(read.documents, 'Estate');
  assert.ok(of);
  const hashes = { userData: () => 'x', access: () => 'x' };
  const { scopes } = compile({
    ...{ estate: of.value, documents: read.documents, ended: read.ended, dialects: { memory: dialect }, hashes },
    today: '2027-01-31',
  });
  return scopes[0] ?? assert.fail('no scope');
}

const usualMs = 300_000;

const decided = ({ criticality, decidedBy }: Cadence): string =>
  `${criticality}${decidedBy === undefined ? '' : ` by ${decidedBy.document} at line ${decidedBy.at.line}`}`;

const cases: readonly {
  readonly name: string;
  readonly documents: readonly string[];
  readonly want: string;
  readonly everyMs: number;
}[] = [
  { name: 'nobody states anything', documents: [target('m'), network('m')], want: 'normal', everyMs: 300_000 },
  {
    name: 'the target is low, and its documents with it',
    documents: [target('m', ', criticality: low'), network('m')],
    want: 'low by Target m at line 9',
    everyMs: 1_800_000,
  },
  {
    name: 'one document is critical: one look covers all of them',
    documents: [target('m', ', criticality: low'), network('m'), machine('m', ', criticality: critical')],
    want: 'critical by Instance web at line 19',
    everyMs: 60_000,
  },
  {
    name: 'a document lowers itself, and not the others',
    documents: [target('m', ', criticality: high'), network('m', ', criticality: low')],
    want: 'high by Target m at line 9',
    everyMs: 150_000,
  },
  {
    name: 'the target states its interval: it holds, whatever is critical there',
    documents: [target('m', ', every: 10m'), network('m', ', criticality: critical')],
    want: 'critical by Network core at line 14',
    everyMs: 600_000,
  },
  {
    name: 'two targets of one scope: the shortest interval',
    documents: [target('m', ', every: 10m'), target('n', ', every: 90s'), network('m'), network('n', '', 'other')],
    want: 'normal',
    everyMs: 90_000,
  },
  {
    name: 'one of two states a longer interval than the other has by default',
    documents: [target('m', ', every: 1h'), target('n'), network('m'), network('n', '', 'other')],
    want: 'normal',
    everyMs: 300_000,
  },
  {
    name: 'a critical document is in one of two targets only',
    documents: [
      target('m', ', every: 1h'),
      target('n', ', every: 2h'),
      network('m'),
      network('n', ', criticality: critical', 'other'),
    ],
    want: 'critical by Network other at line 24',
    everyMs: 3_600_000,
  },
];

for (const { name, documents, want, everyMs } of cases)
  test(`cadence: ${name}`, () => {
    const { cadence } = scopeOf(...documents);
    assert.equal(decided(cadence), want);
    assert.equal(intervalOf(cadence, usualMs).everyMs, everyMs);
  });

test('an interval by criticality is in proportion to that of workers, and never under 15 s unless theirs is', () => {
  const by = (usual: number) =>
    (['critical', 'high', 'normal', 'low'] as const).map((one: Criticality) => intervalBy(one, usual) / 1000);
  assert.deepEqual(by(300_000), [60, 150, 300, 1_800]);
  assert.deepEqual(by(30_000), [15, 15, 30, 180]);
  assert.deepEqual(by(5_000), [5, 5, 5, 30]);
  assert.deepEqual(by(24 * 3_600_000), [17_280, 43_200, 86_400, 86_400]);
});

test('every: bounds, units, and nothing else', () => {
  const errors = (every: string) =>
    parseSpecs(
      [{ path: 'a.yaml', text: `${estate}---\n${target('m', `, every: ${every}`)}` }],
      '2027-01-31',
    ).problems.filter(({ severity }) => severity === 'error').length;
  for (const every of ['15s', '1m', '24h', '1440m', '1d']) assert.equal(errors(every), 0, every);
  for (const every of ['14s', '0m', '25h', '86401s', '2d', '5', '-1m', '1.5m']) assert.equal(errors(every), 1, every);
});

/** By name; normal is left out. */
const grades = (scope: CompiledScope) =>
  Object.fromEntries(
    scope.wanted.desired.map(({ kind, address, terms }) => [
      `${kind} ${address.slice(address.lastIndexOf('/') + 1).replace(/[-_][0-9a-f]{8,}$/, '')}`,
      terms.criticality,
    ]),
  );

test('each resource is as its document, else as its target; a group as its own document, its network, its target', () => {
  const scope = scopeOf(
    target('m', ', criticality: high'),
    network('m', ', criticality: low'),
    machine('m', ', criticality: normal, groups: [web, db], replicas: 2'),
    group('db', ', criticality: critical'),
    group('cache', ', criticality: normal'),
    group('plain'),
  );
  const found = grades(scope);
  assert.equal(found['network core'], 'low');
  assert.equal(found['subnet core.app'], 'low');
  assert.equal(found['group core.web'], 'low');
  assert.equal(found['group core.db'], 'critical');
  assert.equal(found['group core.cache'], undefined);
  assert.equal(found['group core.plain'], 'low');
  assert.equal(found['instance web-0'], undefined);
  assert.equal(scope.wanted.criticality, 'high');
});

test('an atom of two rules is as the more critical of them', () => {
  const scope = scopeOf(
    target('m'),
    network('m', ', groups: []'),
    rule('a', ', criticality: low'),
    rule('b', ', criticality: critical'),
  );
  const atoms = scope.wanted.desired.filter(
    ({ kind, documents }) => kind === 'firewall-rule' && documents.length === 2,
  );
  assert.deepEqual(
    atoms.map(({ terms }) => terms.criticality),
    ['critical', 'critical'],
  );
});

test('an object without a document has the criticality of its former document, else of its group or network, else of its target', () => {
  const scope = scopeOf(
    target('m', ', criticality: low'),
    network('m', ', criticality: high'),
    machine('m', ', criticality: critical, groups: [web]'),
    group('web', ', criticality: normal'),
  );
  const grade = criticalitiesOf(scope);
  const prefix = 'memory/a/r';
  const inGroup = (group: string, net = `${prefix}/network/core`) => {
    const rule = observed('firewall-rule', 'sgr-1', { ...attributes.rule('web'), network: net, group });
    return grade.of({ observed: rule }).criticality;
  };
  assert.equal(grade.of({ address: `${prefix}/instance/web-7` }).criticality, 'critical', 'a replica too many');
  assert.equal(inGroup(`${prefix}/group/core.web`), undefined, 'a rule in a group of ours');
  assert.equal(inGroup('sg-0'), 'high', 'a rule in somebody else’s group, in a network of ours');
  assert.equal(inGroup('sg-0', 'vpc-0'), 'low');
  assert.equal(grade.of({ address: `${prefix}/network/gone` }).criticality, 'low');
  assert.equal(grade.scope.criticality, 'critical');
});

test('an object of a document that has ended is as that document, and so is its scope not', () => {
  const documents = [
    target('m', ', criticality: low'),
    network('m', ', criticality: high'),
    machine('m', ', criticality: critical, groups: [web], ttl: 8h'),
    group('web', ', ttl: 8h'),
  ];
  const ended = [
    '{ "kind": "Instance", "metadata": { "name": "web" } }',
    '{ "kind": "Group", "metadata": { "name": "web" }, "spec": { "network": "core" } }',
  ];
  const scope = compiledOf(documents, ended);
  assert.equal(
    scope.wanted.desired.some(({ kind }) => kind === 'instance'),
    false,
  );
  const grade = criticalitiesOf(scope);
  assert.equal(grade.of({ address: 'memory/a/r/instance/web-1' }).criticality, 'critical');
  assert.equal(scope.wanted.ended?.get('memory/a/r/group/core.web')?.criticality, 'high', 'as its network');
  assert.equal(grade.scope.criticality, 'high');
});

test('an unmanaged rule is as critical as its group, which the cloud names by an id', () => {
  const net = ours('network', 'core', 'vpc-1', vpc());
  const web = ours('group', 'core.web', 'sg-1', { network: 'vpc-1', labels: {} });
  const ssh = see(
    'firewall-rule',
    'sgr-1',
    { ...allow('sg-1', '22', ['0.0.0.0/0']), network: 'vpc-1' },
    {
      signs: { container: 'sg-1' },
    },
  );
  const desired = [
    want('network', 'core', vpc()),
    want('group', 'core.web', { network: planAt('network', 'core'), labels: {} }, { criticality: 'critical' }),
  ];
  const { wanted, ...rest } = input(desired, looked([net, web, ssh]));
  const { findings } = plan({
    ...rest,
    wanted: { ...wanted, criticality: 'low', additive: new Set([planAt('network', 'core')]) },
  });
  assert.deepEqual(
    findings.map((one) => ('id' in one ? [one.type, one.id, one.criticality] : [])),
    [['unmanaged', 'sgr-1', 'critical']],
  );
});
