import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { type Document, schemas } from '../../src/core/documents/document.ts';
import { guarded, LOOPBACK } from '../../src/core/documents/fields.ts';
import { secretRef } from '../../src/core/documents/secret-ref.ts';
import type { Located } from '../../src/core/documents/tree.ts';
import { fieldsIn, type GuardedField, type Guards, guardsOf, leading, refusalsOf } from '../../src/core/trust.ts';
import { parseSpecs } from '../../src/source/parse-specs.ts';

type Files = Readonly<Record<string, string>>;

const document = (kind: string, metadata: string, spec: string): string =>
  `---\napiVersion: setpoint.dev/v1\nkind: ${kind}\nmetadata: ${metadata}\nspec: ${spec}\n`;

const estate = document(
  'Estate',
  '{ name: acme }',
  '{ limits: { deletes: 5 }, sources: [{ name: web, repo: /srv/web.git, owners: [w] }, { name: db, repo: /srv/db.git, owners: [d] }], hooks: [{ name: h, from: hmac, secret: { env: SETPOINT_SECRET_H } }] }',
);
const target = document(
  'Target',
  '{ name: azure }',
  '{ provider: azure, account: 00000000-0000-0000-0000-000000000001, region: westeurope, resourceGroup: acme, endpoint: "http://127.0.0.1:1", credentials: { env: SETPOINT_SECRET_A } }',
);
const network = document(
  'Network',
  '{ name: core, owner: n }',
  '{ targets: [azure], cidr: 10.0.0.0/16, subnets: [{ name: app, cidr: 10.0.1.0/24 }] }',
);
const machine = (name: string, access = '', metadata = ''): string =>
  document(
    'Instance',
    `{ name: ${name}${metadata} }`,
    `{ targets: [azure], network: core, subnet: app, image: "a:b:c:latest", size: Standard_B2s, access: { user: ops, sshKeys: ["ssh-ed25519 AAAA"]${access} } }`,
  );
const PASSWORD = ', password: { file: login }';

const active: Files = {
  'estate.yaml': estate + target + network,
  'machines.yaml': machine('jump', PASSWORD) + machine('plain'),
  '@web/web.yaml': machine('web', '', ', owner: w') + machine('shop', '', ', owner: w, was: [store]'),
  '@db/db.yaml': machine('db', '', ', owner: d'),
};

/** Sound, as refusals are asked for of sound specs only; a row that is not tests nothing. */
function documentsOf(files: Files): readonly Located<Document>[] {
  const { documents, problems } = parseSpecs(
    Object.entries(files).map(([path, text]) => ({ path, text })),
    '2027-01-31',
  );
  assert.deepEqual(
    problems.filter(({ severity }) => severity === 'error').map(({ message }) => message),
    [],
  );
  return documents;
}

const swap = (file: string, from: string, to: string): Files => {
  const text = active[file] ?? '';
  assert.ok(text.includes(from), from);
  return { ...active, [file]: text.replace(from, to) };
};

const rows: readonly { name: string; files: Files; want: readonly string[] }[] = [
  { name: 'the same', files: active, want: [] },
  {
    name: 'in other files, another order and other words',
    files: {
      '@web/web.yaml': active['@web/web.yaml'] ?? '',
      '@db/db.yaml': active['@db/db.yaml'] ?? '',
      'a.yaml': machine('plain') + machine('jump', PASSWORD) + network,
      'b.yaml': (target + estate).replace('{ deletes: 5 }', '{ share: 10%, deletes: 5 }'),
    },
    want: [],
  },
  { name: 'a machine more', files: { ...active, 'x.yaml': machine('x') }, want: [] },
  {
    name: 'a group more',
    files: { ...active, 'x.yaml': document('Group', '{ name: x }', '{ network: core }') },
    want: [],
  },
  { name: 'a machine less', files: swap('machines.yaml', machine('plain'), ''), want: [] },
  { name: 'a machine with a password less', files: swap('machines.yaml', machine('jump', PASSWORD), ''), want: [] },
  { name: 'a machine changed beside its password', files: swap('machines.yaml', 'B2s', 'B4s'), want: [] },
  { name: 'a wider network', files: swap('estate.yaml', '10.0.0.0/16', '10.0.0.0/15'), want: [] },
  {
    name: 'a machine more, with a password',
    files: { ...active, 'x.yaml': machine('x', PASSWORD) },
    want: ['x.yaml:5 a proposal may not add `spec.access.password` of the Instance x'],
  },
  {
    name: 'a password more',
    files: swap('machines.yaml', machine('plain'), machine('plain', PASSWORD)),
    want: ['machines.yaml:10 a proposal may not add `spec.access.password` of the Instance plain'],
  },
  {
    name: 'a password less',
    files: swap('machines.yaml', PASSWORD, ''),
    want: ['machines.yaml:5 a proposal may not remove `spec.access.password` of the Instance jump'],
  },
  {
    name: 'another password',
    files: swap('machines.yaml', '{ file: login }', '{ env: SETPOINT_SECRET_GIT_TOKEN }'),
    want: ['machines.yaml:5 a proposal may not change `spec.access.password` of the Instance jump'],
  },
  {
    name: 'a password for one target',
    files: swap(
      'machines.yaml',
      'spec: { targets',
      'spec: { on: { azure: { access: { password: { file: b } } } }, targets',
    ),
    want: ['machines.yaml:5 a proposal may not add `spec.on.azure.access.password` of the Instance jump'],
  },
  {
    name: "a machine with a password by another name: it is another document's",
    files: swap('machines.yaml', '{ name: jump }', '{ name: hop, was: [jump] }'),
    want: ['machines.yaml:5 a proposal may not add `spec.access.password` of the Instance hop'],
  },
  {
    name: 'another endpoint',
    files: swap('estate.yaml', '127.0.0.1:1"', '127.0.0.1:2"'),
    want: ['estate.yaml:10 a proposal may not change `spec.endpoint` of the Target azure'],
  },
  {
    name: 'no endpoint',
    files: swap('estate.yaml', 'endpoint: "http://127.0.0.1:1", ', ''),
    want: ['estate.yaml:10 a proposal may not change `spec.endpoint` of the Target azure'],
  },
  {
    name: 'other credentials',
    files: swap('estate.yaml', '{ env: SETPOINT_SECRET_A }', '{ env: SETPOINT_SECRET_B }'),
    want: ['estate.yaml:10 a proposal may not change `spec.credentials.env` of the Target azure'],
  },
  {
    name: 'credentials of another form',
    files: swap('estate.yaml', '{ env: SETPOINT_SECRET_A }', '{ file: a }'),
    want: [
      'estate.yaml:10 a proposal may not change `spec.credentials.env` of the Target azure',
      'estate.yaml:10 a proposal may not change `spec.credentials.file` of the Target azure',
    ],
  },
  {
    name: 'another region and a mode',
    files: swap('estate.yaml', 'region: westeurope', 'region: northeurope, mode: observe'),
    want: [
      'estate.yaml:10 a proposal may not change `spec.region` of the Target azure',
      'estate.yaml:10 a proposal may not change `spec.mode` of the Target azure',
    ],
  },
  {
    name: 'a target more',
    files: {
      ...active,
      'x.yaml': target.replace('azure }', 'b }').replace('westeurope', 'northeurope'),
    },
    want: ['x.yaml:2 a proposal may not add the Target b'],
  },
  {
    name: 'a target less',
    files: { 'estate.yaml': estate },
    want: ['estate.yaml:2 a proposal may not remove the Target azure, active at estate.yaml:7'],
  },
  {
    name: 'a target by another name',
    files: { 'estate.yaml': estate + target.replace('azure }', 'b }') },
    want: [
      'estate.yaml:2 a proposal may not remove the Target azure, active at estate.yaml:7',
      'estate.yaml:7 a proposal may not add the Target b',
    ],
  },
  {
    name: 'the estate by another name',
    files: swap('estate.yaml', '{ name: acme }', '{ name: acme2 }'),
    want: [
      'estate.yaml:2 a proposal may not add the Estate acme2',
      'estate.yaml:2 a proposal may not remove the Estate acme, active at estate.yaml:2',
    ],
  },
  {
    name: 'looser limits, a mode, another secret of a hook, signers',
    files: {
      ...active,
      'estate.yaml': (active['estate.yaml'] ?? '')
        .replace('{ deletes: 5 }', '{ deletes: 500 }')
        .replace('SETPOINT_SECRET_H', 'SETPOINT_SECRET_A')
        .replace(
          'hooks',
          'mode: enforce, signatures: { required: false, signers: [{ name: a, email: a@b, ssh: ssh-ed25519 AAAAAAAAAAAAAAAA }] }, hooks',
        ),
    },
    want: ['limits.deletes', 'mode', 'signatures', 'hooks'].map(
      (field) => `estate.yaml:5 a proposal may not change \`spec.${field}\` of the Estate acme`,
    ),
  },
  {
    name: 'another owner of a source',
    files: swap('estate.yaml', 'owners: [w]', 'owners: [w, d]'),
    want: ['estate.yaml:5 a proposal may not change `spec.sources` of the Estate acme'],
  },
  {
    name: 'a team renames its own',
    files: swap('@web/web.yaml', '{ name: web, owner: w }', '{ name: site, owner: w, was: [web] }'),
    want: [],
  },
  {
    name: 'a team takes over what another one gave up in the same commit',
    files: {
      ...active,
      '@db/db.yaml': '',
      '@web/web.yaml': (active['@web/web.yaml'] ?? '').replace('name: web, owner: w', 'name: web, owner: w, was: [db]'),
    },
    want: ['@web/web.yaml:4 `db` is active in no file of `@web/`'],
  },
  {
    name: 'a team takes over what nobody has in force: an orphan may be of anyone',
    files: swap('@web/web.yaml', '{ name: web, owner: w }', '{ name: web, owner: w, was: [gone] }'),
    want: ['@web/web.yaml:4 `gone` is active in no file of `@web/`'],
  },
  {
    name: 'the root takes over what a team had',
    files: { ...active, '@db/db.yaml': '', 'x.yaml': machine('x', '', ', was: [db]') },
    want: [],
  },
  {
    name: 'a document with a former name is handed over',
    files: {
      ...active,
      '@web/web.yaml': machine('web', '', ', owner: w'),
      '@db/db.yaml': machine('db', '', ', owner: d') + machine('shop', '', ', owner: d, was: [store]'),
    },
    want: [],
  },
];

for (const { name, files, want } of rows)
  test(`a proposal: ${name}: ${want.length === 0 ? 'planned' : 'refused'}`, () => {
    const found = refusalsOf(documentsOf(active), documentsOf(files));
    assert.deepEqual(
      found.map(({ at, message }) => `${at.file}:${at.line} ${message}`),
      want,
    );
  });

test('nothing that a refusal says repeats a reference', () => {
  const secret = swap('machines.yaml', '{ file: login }', '{ file: hunter2 }');
  assert.ok(!JSON.stringify(refusalsOf(documentsOf(active), documentsOf(secret))).includes('hunter2'));
});

/** The guarded fields of a schema, `*` for any key or place in a list. */
function places(here: Guards, path = ''): readonly string[] {
  if (here.guards !== undefined) return [`${path} ${here.guards}`];
  const { properties = {}, items, additionalProperties, oneOf = [], anyOf = [] } = here;
  const any = [items, additionalProperties].filter((one) => typeof one === 'object');
  return [
    ...Object.entries(properties).flatMap(([key, below]) => places(below, `${path}.${key}`)),
    ...any.flatMap((below) => places(below, `${path}.*`)),
    ...[...oneOf, ...anyOf].flatMap((one) => places(one, path)),
  ];
}

test('these are the guarded fields of all kinds; one more is found without a line anywhere', () => {
  const found = Object.entries(schemas).flatMap(([kind, schema]) => places(guardsOf(schema), kind));
  assert.deepEqual(found, [
    'Estate.spec.sources.*.repo address',
    'Estate.spec.hooks.*.secret secret',
    'Estate.spec.hooks.*.keys address',
    'Target.spec.endpoint address',
    'Target.spec.credentials secret',
    'Instance.spec.access.password secret',
    'Instance.spec.on.*.access.password secret',
  ]);
});

test('no form of a secret or an address stands in a schema unguarded', () => {
  const loose = Object.entries(schemas).flatMap(([kind, schema]) => unguarded(guardsOf(schema), kind));
  assert.deepEqual(loose, []);
});

/** Objects with a variable or a URI of a secret, and texts that are a loopback address, wherever they stand. */
function unguarded(node: unknown, path: string): readonly string[] {
  if (typeof node !== 'object' || node === null || 'guards' in node) return [];
  const has = (key: string): boolean => 'properties' in node && Object.hasOwn(Object(node.properties), key);
  const isSecret = has('env') || has('uri') || has('assumeRole');
  const isAddress = 'pattern' in node && node.pattern === LOOPBACK.source;
  return [
    ...(isSecret || isAddress ? [path] : []),
    ...Object.entries(node).flatMap(([key, below]) => unguarded(below, `${path}.${key}`)),
  ];
}

/** Keywords of JSON Schema that can hold another schema and are not followed. */
const UNKNOWN = ['allOf', '$ref', 'prefixItems', 'patternProperties', 'if', 'then', 'else', 'not', 'contains'];

test('the schemas use nothing of JSON Schema that guarded fields are not looked for in', () => {
  const used = Object.values(schemas).flatMap((schema) => keywordsOf(guardsOf(schema)));
  assert.deepEqual(
    UNKNOWN.filter((keyword) => used.includes(keyword)),
    [],
  );
});

/** The keys of all schemas in a schema; those of `properties` are names of fields and no keywords. */
function keywordsOf(node: unknown): readonly string[] {
  if (typeof node !== 'object' || node === null) return [];
  if (Array.isArray(node)) return node.flatMap(keywordsOf);
  return Object.entries(node).flatMap(([key, below]) => [
    key,
    ...(key === 'properties' ? Object.values(Object(below)).flatMap(keywordsOf) : keywordsOf(below)),
  ]);
}

const ref = { env: 'SETPOINT_SECRET_A' };
const address = () => z.string().register(guarded, { guards: 'address' });
const nested: readonly { name: string; schema: z.ZodType; value: unknown; want: readonly string[] }[] = [
  { name: 'optional', schema: z.object({ a: secretRef().optional() }), value: { a: ref }, want: ['a'] },
  { name: 'left out', schema: z.object({ a: secretRef().optional() }), value: {}, want: [] },
  {
    name: 'described',
    schema: z.object({ a: secretRef().meta({ description: 'x' }) }),
    value: { a: ref },
    want: ['a'],
  },
  { name: 'in a list', schema: z.object({ a: z.array(secretRef()) }), value: { a: [ref, ref] }, want: ['a.0', 'a.1'] },
  { name: 'in a map', schema: z.record(z.string(), secretRef()), value: { b: ref }, want: ['b'] },
  {
    name: 'in a map of its own names',
    schema: z.record(z.string(), secretRef()),
    value: { toString: ref },
    want: ['toString'],
  },
  {
    name: 'in a part',
    schema: z.object({ a: z.object({ b: secretRef() }).partial() }),
    value: { a: { b: ref } },
    want: ['a.b'],
  },
  {
    name: 'one form of two',
    schema: z.object({ a: z.union([z.boolean(), secretRef()]) }),
    value: { a: ref },
    want: ['a'],
  },
  {
    name: 'in one of two maps',
    schema: z.discriminatedUnion('k', [z.object({ k: z.literal(1) }), z.object({ k: z.literal(2), a: address() })]),
    value: { k: 2, a: 'x' },
    want: ['a'],
  },
  {
    name: 'beside another map',
    schema: z.object({ a: z.object({}).extend({ b: address() }) }),
    value: { a: { b: '' } },
    want: ['a.b'],
  },
  { name: 'with a default', schema: z.object({ a: address().default('x') }), value: { a: 'y' }, want: ['a'] },
];

for (const { name, schema, value, want } of nested)
  test(`a guarded field is found ${name}`, () => {
    const found = (guards: Guards) =>
      fieldsIn(value, guards, []).map(({ path }: GuardedField) => path.map(String).join('.'));
    assert.deepEqual(found(guardsOf(schema)), want);
    assert.deepEqual(found(leading(guardsOf(schema)) ?? {}), want, 'by what leads to it alone');
  });

test('nothing leads to a guarded field where there is none', () => {
  assert.equal(leading(guardsOf(schemas.FirewallRule)), undefined);
  assert.equal(leading(guardsOf(z.object({ a: z.array(z.object({ b: z.string() })) }))), undefined);
});

test('a property without a guard is no additional one', () => {
  const schema = z.object({ a: z.object({ b: z.string() }) }).catchall(z.string());
  const guards: Guards = { ...guardsOf(schema), additionalProperties: { guards: 'address' } };
  assert.deepEqual(fieldsIn({ a: { b: '' } }, leading(guards) ?? {}, []), []);
});
