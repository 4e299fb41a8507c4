import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SpecTree } from '../../src/ports/sources.ts';
import { activeTeams, proposedTree } from '../../src/source/git/team-trees.ts';
import { loadTree } from '../../src/source/load.ts';
import { parseStored, storedSource } from '../../src/source/stored-tree.ts';
import type { TreeSource } from '../../src/source/tree.ts';

const today = '2027-01-31';
const commit = (digit: string): string => digit.repeat(40);
const estate = `apiVersion: setpoint.dev/v1
kind: Estate
metadata: { name: acme }
spec:
  sources:
    - { name: web, repo: /srv/web.git, owners: [team-web] }
    - { name: db, repo: /srv/db.git, owners: [team-db] }
---
apiVersion: setpoint.dev/v1
kind: Target
metadata: { name: here }
spec: { provider: memory, account: "1", region: r }
`;
const network = (name: string, octet: number, owner = 'team-net'): string => `apiVersion: setpoint.dev/v1
kind: Network
metadata: { name: ${name}, owner: ${owner} }
spec: { targets: [here], cidr: 10.${octet}.0.0/16, subnets: [{ name: app, cidr: 10.${octet}.1.0/24 }] }
`;
const machine = (name: string, owner: string): string => `apiVersion: setpoint.dev/v1
kind: Instance
metadata: { name: ${name}, owner: ${owner} }
spec: { targets: [here], network: core, subnet: app, image: i, size: s, userData: { file: boot/up.sh } }
`;

type Files = Readonly<Record<string, string>>;
const held = (files: Files): SpecTree =>
  parseStored(
    {
      specs: Object.entries(files).flatMap(([path, text]) => (path.endsWith('.sh') ? [] : [{ path, text }])),
      userData: Object.entries(files).flatMap(([path, text]) =>
        path.endsWith('.sh') ? [{ path, base64: Buffer.from(text).toString('base64') }] : [],
      ),
    },
    `git:${commit('a')}+db=${commit('d')}+web=${commit('e')}`,
    today,
  );
const active = held({
  'estate.yaml': estate,
  'net/core.yaml': network('core', 1),
  '@web/web.yaml': machine('site', 'team-web'),
  '@web/boot/up.sh': '#!/bin/sh\n# web\n',
  '@db/db.yaml': machine('db', 'team-db'),
  '@db/boot/up.sh': '#!/bin/sh\n# db\n',
});
assert.deepEqual(active.problems, []);

const folder = (files: Files): TreeSource => storedSource(held(files));
const read = async (proposal: Files, team?: string) => {
  const { documents, problems, userData } = await loadTree(proposedTree(folder(proposal), active, team), { today });
  return {
    names: documents.map(({ value, at }) => `${at().file} ${value.metadata.name}`),
    problems: problems.map(({ at, message }) => `${at.file} ${message}`),
    scripts: [...userData].map(([path, { bytes }]) => `${path} ${bytes.toString().slice(12).trim()}`),
  };
};

test("a proposal for the estate's own repository: the teams' stay as they are in force", async () => {
  assert.deepEqual(
    await read({ 'estate.yaml': estate, 'net/core.yaml': network('core', 1), 'net/b.yaml': network('b', 2) }),
    {
      names: [
        '@db/db.yaml db',
        '@web/web.yaml site',
        'estate.yaml acme',
        'estate.yaml here',
        'net/b.yaml b',
        'net/core.yaml core',
      ],
      problems: [],
      scripts: ['@db/boot/up.sh db', '@web/boot/up.sh web'],
    },
  );
});

test("a proposal for a team's repository: its tree is another, and all else as in force", async () => {
  const files = { 'a/site.yaml': machine('site', 'team-web'), 'a/boot/up.sh': '#!/bin/sh\n# new\n' };
  assert.deepEqual(await read(files, 'web'), {
    names: ['@db/db.yaml db', '@web/a/site.yaml site', 'estate.yaml acme', 'estate.yaml here', 'net/core.yaml core'],
    problems: [],
    scripts: ['@db/boot/up.sh db', '@web/a/boot/up.sh new'],
  });
});

test("a team's proposal that plays the root is told where it lies", async () => {
  const { problems } = await read({ 'estate.yaml': estate, 'x.yaml': machine('x', 'team-net') }, 'web');
  assert.ok(
    problems.includes('@web/estate.yaml `@web/` is a tree of a team and cannot hold Estate'),
    problems.join('\n'),
  );
  assert.ok(problems.includes('@web/x.yaml `metadata.owner` is "team-net"'), problems.join('\n'));
});

test("a proposal for the estate's own that holds a team's tree is told", async () => {
  const root = {
    'estate.yaml': estate,
    'net/core.yaml': network('core', 1),
    '@web/web.yaml': machine('other', 'team-web'),
  };
  const { names, problems } = await read(root);
  assert.ok(!names.some((name) => name.endsWith(' other')));
  assert.deepEqual(problems, ['@web this name stands twice in its folder']);
});

test('teams are those of a revision out of git; a folder has them all in one', () => {
  assert.deepEqual(activeTeams(active), ['db', 'web']);
  assert.deepEqual(activeTeams({ revision: 'folder:abc' }), []);
});
