import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import type { Document, NetworkDoc } from '../../../src/core/documents/document.ts';
import { isOverlayName, isRead, layerOf, treeOf } from '../../../src/core/documents/overlay.ts';
import { renderProblem } from '../../../src/core/documents/problem.ts';
import { ofKind } from '../../../src/core/documents/spec-set.ts';
import type { Located, Path } from '../../../src/core/documents/tree.ts';
import { parseSpecs } from '../../../src/source/parse-specs.ts';

const today = '2027-01-31';
const base = `apiVersion: setpoint.dev/v1
kind: Estate
metadata: { name: acme }
spec: {}
---
apiVersion: setpoint.dev/v1
kind: Target
metadata: { name: m }
spec: { provider: memory, account: a, region: r }
---
apiVersion: setpoint.dev/v1
kind: Network
metadata: { name: core, labels: { tier: net, cost: shared } }
spec:
  targets: [m]
  cidr: 10.0.0.0/16
  mode: observe
  subnets: [{ name: app, cidr: 10.0.0.0/24 }, { name: db, cidr: 10.0.1.0/24 }]
---
apiVersion: setpoint.dev/v1
kind: Network
metadata: { name: Core-2 }
spec: { targets: [m], cidr: 10.1.0.0/16 }
`;
const over = (text: string) => ({ path: 'overlays/prod/net.yaml', text });
const core = (spec: string, metadata = '{ name: core }'): string =>
  `kind: Network\nmetadata: ${metadata}\nspec: ${spec}\n`;

function read(...texts: readonly string[]) {
  const files = [{ path: 'a.yaml', text: base }, ...texts.map(over)];
  const { documents, problems } = parseSpecs(files, today);
  return { documents, problems, network: named(documents, 'core') };
}

const named = (documents: readonly Located<Document>[], name: string): Located<NetworkDoc> =>
  ofKind(documents, 'Network').find(({ value }) => value.metadata.name === name) ?? assert.fail(name);

const merges: readonly { name: string; over: string; want: Readonly<Record<string, unknown>> }[] = [
  { name: 'a scalar is replaced', over: core('{ cidr: 10.0.0.0/17 }'), want: { cidr: '10.0.0.0/17' } },
  {
    name: 'a list is replaced whole',
    over: core('{ subnets: [{ name: web, cidr: 10.0.2.0/24 }] }'),
    want: { subnets: [{ name: 'web', cidr: '10.0.2.0/24' }] },
  },
  {
    name: 'maps merge key by key, where the base has none too',
    over: core('{ default: { egress: deny } }'),
    want: { default: { ingress: 'deny', egress: 'deny' } },
  },
  { name: 'null removes a key', over: core('{ mode: null }'), want: { mode: undefined } },
  { name: 'what the overlay does not say stays', over: core('{}'), want: { cidr: '10.0.0.0/16', mode: 'observe' } },
];

for (const { name, over: text, want } of merges)
  test(`overlay: ${name}`, () => {
    const { network, problems } = read(text);
    assert.deepEqual(problems, []);
    const spec: Readonly<Record<string, unknown>> = network.value.spec;
    assert.deepEqual(Object.fromEntries(Object.keys(want).map((key) => [key, spec[key]])), want);
  });

test('overlay: labels merge per key, and null takes one away', () => {
  const { network } = read(core('{}', '{ name: core, labels: { cost: null, env: prod } }'));
  assert.deepEqual(network.value.metadata, { name: 'core', labels: { tier: 'net', env: 'prod' } });
});

test('overlay: each value stands where it was written, the document where the base has it', () => {
  const { network } = read(
    'kind: Network\nmetadata:\n  name: core\n  labels: { env: prod }\nspec:\n  cidr: 10.0.0.0/17\n  default: { egress: deny }\n',
  );
  const at = (path?: Path): string => {
    const { file, line, column } = network.at(path);
    return `${file}:${line}:${column}`;
  };
  assert.deepEqual(
    {
      document: at(),
      name: at(['metadata', 'name']),
      kind: at(['kind']),
      tier: at(['metadata', 'labels', 'tier']),
      env: at(['metadata', 'labels', 'env']),
      cidr: at(['spec', 'cidr']),
      mode: at(['spec', 'mode']),
      egress: at(['spec', 'default', 'egress']),
    },
    {
      document: 'a.yaml:11:1',
      name: 'a.yaml:13:19',
      kind: 'a.yaml:12:7',
      tier: 'a.yaml:13:41',
      env: 'overlays/prod/net.yaml:4:18',
      cidr: 'overlays/prod/net.yaml:6:9',
      mode: 'a.yaml:17:9',
      egress: 'overlays/prod/net.yaml:7:22',
    },
  );
});

test('overlay: a document that the base has not is added', () => {
  const { documents, problems } = read(
    'apiVersion: setpoint.dev/v1\nkind: Network\nmetadata: { name: more }\nspec: { targets: [m], cidr: 10.2.0.0/16 }\n',
  );
  assert.deepEqual(problems, []);
  assert.equal(named(documents, 'more').at().file, 'overlays/prod/net.yaml');
});

test('overlay: without one the tree and its order stay', () => {
  const names = (all: readonly Located<Document>[]): readonly string[] => all.map(({ value }) => value.metadata.name);
  assert.deepEqual(names(read().documents), ['acme', 'm', 'core', 'Core-2']);
  assert.deepEqual(names(read(core('{ mode: plan }')).documents), ['acme', 'm', 'core', 'Core-2']);
});

test('overlay: a document that is broken in the base has its problem there alone', () => {
  const broken = base.replace('  mode: observe', '  mode: observe\n  mode: plan');
  const { problems } = parseSpecs([{ path: 'a.yaml', text: broken }, over(core('{ mode: plan }'))], today);
  assert.deepEqual(
    problems.map(({ at, code }) => `${at.file} ${code}`),
    ['a.yaml duplicate-key'],
  );
});

test('overlay: of two documents by one name the first is changed, and the second is reported', () => {
  const { problems, network } = read(core('{ mode: plan }'));
  const again = { path: 'b.yaml', text: base.slice(base.indexOf('---\napiVersion: setpoint.dev/v1\nkind: Network')) };
  const files = [{ path: 'a.yaml', text: base }, again, over(core('{ mode: plan }'))];
  const twice = parseSpecs(files, today);
  assert.deepEqual([problems, network.value.spec.mode], [[], 'plan']);
  assert.equal(named(twice.documents, 'core').value.spec.mode, 'plan');
  assert.ok(twice.problems.some(({ code }) => code === 'duplicate-name'));
});

const trees: readonly { name: string; path: string; want: string }[] = [
  { name: "a team's overlay goes over the team's documents", path: '@web/overlays/prod/x.yaml', want: 'plan' },
  { name: "the estate's overlay changes no team's document", path: 'overlays/prod/x.yaml', want: 'observe' },
  { name: "another team's overlay does not either", path: '@db/overlays/prod/x.yaml', want: 'observe' },
];

for (const { name, path, want } of trees)
  test(`overlay: ${name}`, () => {
    const files = [
      { path: '@web/a.yaml', text: base },
      { path, text: core('{ mode: plan }') },
    ];
    const { documents, problems } = parseSpecs(files, today);
    assert.equal(named(documents, 'core').value.spec.mode, want);
    assert.equal(
      problems.some(({ code }) => code === 'overlay-alone'),
      want === 'observe',
    );
  });

test('overlay: a spec beside the overlays is an error', () => {
  const { problems } = parseSpecs(
    [
      { path: 'a.yaml', text: base },
      { path: 'overlays/prod.yaml', text: core('{ mode: plan }') },
    ],
    today,
  );
  assert.deepEqual(
    problems.map(({ at, code }) => `${at.file}:${at.line} ${code}`),
    ['overlays/prod.yaml:1 overlay-stray'],
  );
});

/** As in golden.test.ts: each `golden/overlays/<case>.yaml` is an overlay's file over `golden/specs/base.yaml`. */
const golden = join(import.meta.dirname, '../../golden');
const text = (path: string): string => readFileSync(join(golden, path), 'utf8');

for (const name of globSync('*.yaml', { cwd: join(golden, 'overlays') }).map((file) => basename(file, '.yaml')))
  test(`problems of the overlay ${name}.yaml read as in ${name}.txt`, () => {
    const files = [
      { path: 'base.yaml', text: text('specs/base.yaml') },
      { path: `overlays/prod/${name}.yaml`, text: text(`overlays/${name}.yaml`) },
    ];
    const got = parseSpecs(files, today)
      .problems.map((problem) => `${renderProblem(problem)}\n`)
      .join('\n');
    const path = join(golden, 'overlays', `${name}.txt`);
    const wanted = existsSync(path) ? readFileSync(path, 'utf8') : undefined;
    if (process.env['GOLDEN'] === 'write' && got !== wanted) writeFileSync(path, got);
    assert.equal(got, wanted);
  });

test('two groups of one name differ by their network', () => {
  const group = (network: string, more = '') =>
    `apiVersion: setpoint.dev/v1\nkind: Group\nmetadata: { name: web }\nspec: { network: ${network}${more} }\n`;
  const files = [
    { path: 'a.yaml', text: `${base}---\n${group('core')}---\n${group('Core-2')}` },
    over('kind: Group\nmetadata: { name: web }\nspec: { network: Core-2, protect: true }\n'),
  ];
  const { documents, problems } = parseSpecs(files, today);
  assert.deepEqual(problems, []);
  const groups = documents.flatMap(({ value }) => (value.kind === 'Group' ? [value.spec] : []));
  assert.deepEqual(
    groups.map(({ network, protect }) => [network, protect]),
    [
      ['core', false],
      ['Core-2', true],
    ],
  );
});

const reads: readonly (readonly [path: string, overlay: string | undefined, want: boolean])[] = [
  ['net.yaml', undefined, true],
  ['net.yaml', 'prod', true],
  ['overlays', undefined, false],
  ['overlays', 'prod', true],
  ['overlays/prod', 'prod', true],
  ['overlays/prod/net/a.yaml', 'prod', true],
  ['overlays/prod-2', 'prod', false],
  ['overlays/staging', 'prod', false],
  ['overlays/staging/a.yaml', 'prod', false],
  ['overlays/prod.yaml', 'prod', true],
  ['overlays/notes.md', 'prod', false],
  ['overlays-old/a.yaml', undefined, true],
  ['net/overlays/a.yaml', undefined, true],
  ['@web', 'prod', true],
  ['@web/overlays', undefined, false],
  ['@web/overlays/prod/a.yaml', 'prod', true],
  ['@web/overlays/staging', 'prod', false],
];

for (const [path, overlay, want] of reads)
  test(`${path} is ${want ? '' : 'not '}read with ${overlay ?? 'no overlay'}`, () =>
    assert.equal(isRead(path, overlay), want));

const layers: readonly (readonly [path: string, layer: string, tree: string])[] = [
  ['net.yaml', 'base', ''],
  ['overlays/prod/net.yaml', 'overlay prod', ''],
  ['overlays/prod.yaml', 'base', ''],
  ['net/overlays/prod/net.yaml', 'base', ''],
  ['@web/net.yaml', 'base', '@web/'],
  ['@web/overlays/prod/net.yaml', 'overlay prod', '@web/'],
];

for (const [path, layer, tree] of layers)
  test(`${path} is of ${layer}`, () => assert.deepEqual([layerOf(path), treeOf(path)], [layer, tree]));

for (const [name, want] of [
  ['prod', true],
  ['eu-1_b', true],
  ['', false],
  ['..', false],
  ['a/b', false],
  ['a@b', false],
  ['-x', false],
  ['x'.repeat(64), false],
] as const)
  test(`"${name}" is ${want ? 'a' : 'no'} name of an overlay`, () => assert.equal(isOverlayName(name), want));
