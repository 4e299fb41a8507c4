import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Document } from '../../src/core/documents/document.ts';
import type { Located } from '../../src/core/documents/tree.ts';
import { refusalsOf } from '../../src/core/trust.ts';
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

const inForce: Files = {
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
  const text = inForce[file] ?? '';
  assert.ok(text.includes(from), from);
  return { ...inForce, [file]: text.replace(from, to) };
};

const rows: readonly { name: string; files: Files; want: readonly string[] }[] = [
  { name: 'the same', files: inForce, want: [] },
  {
    name: 'in other files, another order and other words',
    files: {
      '@web/web.yaml': inForce['@web/web.yaml'] ?? '',
      '@db/db.yaml': inForce['@db/db.yaml'] ?? '',
      'a.yaml': machine('plain') + machine('jump', PASSWORD) + network,
      'b.yaml': (target + estate).replace('{ deletes: 5 }', '{ share: 10%, deletes: 5 }'),
    },
    want: [],
  },
  { name: 'a machine more', files: { ...inForce, 'x.yaml': machine('x') }, want: [] },
  { name: 'a machine less', files: swap('machines.yaml', machine('plain'), ''), want: [] },
  { name: 'a machine with a password less', files: swap('machines.yaml', machine('jump', PASSWORD), ''), want: [] },
  { name: 'a machine changed beside its password', files: swap('machines.yaml', 'B2s', 'B4s'), want: [] },
  { name: 'a wider network', files: swap('estate.yaml', '10.0.0.0/16', '10.0.0.0/15'), want: [] },
  {
    name: 'a machine more, with a password',
    files: { ...inForce, 'x.yaml': machine('x', PASSWORD) },
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
      ...inForce,
      'x.yaml': target.replace('azure }', 'b }').replace('westeurope', 'northeurope'),
    },
    want: ['x.yaml:2 a proposal may not add the Target b'],
  },
  {
    name: 'a target less',
    files: { 'estate.yaml': estate },
    want: ['estate.yaml:2 a proposal may not remove the Target azure, in force at estate.yaml:7'],
  },
  {
    name: 'a target by another name',
    files: { 'estate.yaml': estate + target.replace('azure }', 'b }') },
    want: [
      'estate.yaml:2 a proposal may not remove the Target azure, in force at estate.yaml:7',
      'estate.yaml:7 a proposal may not add the Target b',
    ],
  },
  {
    name: 'the estate by another name',
    files: swap('estate.yaml', '{ name: acme }', '{ name: acme2 }'),
    want: [
      'estate.yaml:2 a proposal may not add the Estate acme2',
      'estate.yaml:2 a proposal may not remove the Estate acme, in force at estate.yaml:2',
    ],
  },
  {
    name: 'looser limits, a mode, another secret of a hook, signers',
    files: {
      ...inForce,
      'estate.yaml': (inForce['estate.yaml'] ?? '')
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
      ...inForce,
      '@db/db.yaml': '',
      '@web/web.yaml': (inForce['@web/web.yaml'] ?? '').replace(
        'name: web, owner: w',
        'name: web, owner: w, was: [db]',
      ),
    },
    want: ['@web/web.yaml:4 `db` is in force in no file of `@web/`'],
  },
  {
    name: 'a team takes over what nobody has in force: an orphan may be of anyone',
    files: swap('@web/web.yaml', '{ name: web, owner: w }', '{ name: web, owner: w, was: [gone] }'),
    want: ['@web/web.yaml:4 `gone` is in force in no file of `@web/`'],
  },
  {
    name: 'the root takes over what a team had',
    files: { ...inForce, '@db/db.yaml': '', 'x.yaml': machine('x', '', ', was: [db]') },
    want: [],
  },
  {
    name: 'a document with a former name is handed over',
    files: {
      ...inForce,
      '@web/web.yaml': machine('web', '', ', owner: w'),
      '@db/db.yaml': machine('db', '', ', owner: d') + machine('shop', '', ', owner: d, was: [store]'),
    },
    want: [],
  },
];

for (const { name, files, want } of rows)
  test(`a proposal: ${name}: ${want.length === 0 ? 'planned' : 'refused'}`, () => {
    const found = refusalsOf(documentsOf(inForce), documentsOf(files));
    assert.deepEqual(
      found.map(({ at, message }) => `${at.file}:${at.line} ${message}`),
      want,
    );
  });

test('nothing that a refusal says repeats a reference', () => {
  const secret = swap('machines.yaml', '{ file: login }', '{ file: hunter2 }');
  assert.ok(!JSON.stringify(refusalsOf(documentsOf(inForce), documentsOf(secret))).includes('hunter2'));
});
