import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { loadEstate } from '../../../src/source/git/load-estate.ts';
import { openRepository, teamRepositories } from '../../../src/source/git/repository.ts';
import { RepositoryError } from '../../../src/source/git/repository-error.ts';
import { gitFolder } from './support/git-folder.ts';

const world = gitFolder();
after(() => world.remove());

const head = 'apiVersion: setpoint.dev/v1\n';
const source = (name: string, repo: string): string => `{ name: ${name}, repo: ${repo}, owners: [team-${name}] }`;
const estate = (...sources: readonly string[]): string =>
  `${head}kind: Estate\nmetadata: { name: acme }\nspec: { sources: [${sources.join(', ')}] }\n`;
const target = `${head}kind: Target\nmetadata: { name: m }\nspec: { provider: memory, account: a, region: r }\n`;
const network = (name: string, owner: string, net = 0): string =>
  `${head}kind: Network\nmetadata: { name: ${name}, owner: ${owner} }\nspec: { targets: [m], cidr: 10.${net}.0.0/16, subnets: [{ name: app, cidr: 10.${net}.0.0/24 }] }\n`;
const instance = (file: string): string =>
  `${head}kind: Instance\nmetadata: { name: web, owner: team-web }\nspec: { targets: [m], network: web, subnet: app, image: i, size: s, userData: { file: ${file} } }\n`;

interface Made {
  readonly root?: Readonly<Record<string, string>>;
  readonly web?: Readonly<Record<string, string>>;
}

let made = 0;

async function loaded({ root = {}, web = {} }: Made) {
  made += 1;
  const [own, teams] = [world.bare(`root-${made}.git`), world.bare(`web-${made}.git`)];
  const sources = root['estate.yaml'] ?? estate(source('web', teams));
  const commits = {
    root: world.commit(own, { 'target.yaml': target, ...root, 'estate.yaml': sources }),
    web: world.commit(teams, { 'specs/web.yaml': network('web', 'team-web'), 'README.md': '#', ...web }),
  };
  const options = { url: own, folder: join(world.dir, 'mirrors'), allowFile: true, env: process.env };
  const repository = openRepository(options);
  const { newest } = teamRepositories(options);
  const at = { repository, commit: await repository.fetch() };
  return { commits, ...(await loadEstate({ root: at, team: newest, today: '2027-01-31' })) };
}

const told = ({ tree }: Awaited<ReturnType<typeof loaded>>): readonly string[] =>
  tree.problems.map(({ at, code }) => `${at.file} ${code}`);

test("a team's tree lies under its name, and the revision names its commit", async () => {
  const estates = await loaded({ web: { 'specs/schema.json': '{}' } });
  assert.deepEqual(told(estates), []);
  const { tree, teams, commits } = estates;
  assert.deepEqual(
    tree.files.map(({ path }) => path),
    ['@web/web.yaml', 'estate.yaml', 'target.yaml'],
  );
  assert.equal(tree.revision, `git:${commits.root}+web=${commits.web}`);
  assert.deepEqual([...teams.keys()], ['web']);
  assert.equal(teams.get('web')?.commit, commits.web);
});

test('an estate without teams is its own repository', async () => {
  const { tree, teams, commits } = await loaded({ root: { 'estate.yaml': estate() } });
  assert.equal(tree.revision, `git:${commits.root}`);
  assert.equal(teams.size, 0);
  assert.deepEqual(tree.problems, []);
});

const rows: readonly { name: string; made: Made; want: readonly string[] }[] = [
  {
    name: 'user data beside its document in the team’s tree',
    made: { web: { 'specs/i/web.yaml': instance('web.sh'), 'specs/i/web.sh': '#!/bin/sh\n' } },
    want: [],
  },
  {
    name: 'user data of the estate, named by a team',
    made: { web: { 'specs/i.yaml': instance('../web.sh') }, root: { 'web.sh': '#!/bin/sh\n' } },
    want: ['@web/i.yaml bad-value'],
  },
  {
    name: "user data beside the team's specs, out of its path",
    made: { web: { 'specs/i.yaml': instance('../README.md') } },
    want: ['@web/i.yaml bad-value'],
  },
  {
    name: "the estate's own files under a team's name",
    made: { root: { '@web/more.yaml': network('more', 'team-web', 1) } },
    want: ['@web twin-file'],
  },
  {
    name: 'files under the name of no team',
    made: { root: { '@db/more.yaml': network('more', 'team-db', 1) } },
    want: ['@db/more.yaml unknown-source'],
  },
  {
    name: 'a team that holds an estate',
    made: { web: { 'specs/e.yaml': estate() } },
    want: [
      '@web/e.yaml not-here',
      '@web/e.yaml wrong-owner',
      'estate.yaml second-estate',
      'estate.yaml duplicate-name',
    ],
  },
  {
    name: 'a name claimed by two',
    made: { root: { 'net.yaml': network('web', 'team-net', 1) } },
    want: ['net.yaml duplicate-name'],
  },
  { name: 'a team whose folder is gone', made: { web: { 'specs/web.yaml': '' } }, want: ['@web unreadable'] },
  {
    name: 'a team without specs',
    made: { web: { 'specs/web.yaml': '', 'specs/README.md': '#' } },
    want: ['@web empty-tree'],
  },
];

for (const { name, made: files, want } of rows) {
  test(`team trees: ${name}`, async () => assert.deepEqual(told(await loaded(files)), want));
}

test('a team repository that is away is an error that names it: nothing is read without it', async () => {
  const away = join(world.dir, 'away.git');
  await assert.rejects(
    loaded({ root: { 'estate.yaml': estate(source('web', away)) } }),
    (error) => error instanceof RepositoryError && error.trouble === 'away' && error.repository === away,
  );
});

test('repositories of the machine need the root’s leave, and each is opened once', () => {
  const options = { url: 'https://git.acme.example/root', folder: world.dir, env: {} };
  const { open } = teamRepositories(options);
  const web = { name: 'web', branch: 'main', path: 'specs', owners: ['team-web'] };
  assert.throws(
    () => open({ ...web, repo: '/srv/web.git' }),
    /^RepositoryError: source web of the estate: .*--allow-local-repo/,
  );
  assert.equal(
    open({ ...web, repo: 'https://git.acme.example/web' }),
    open({ ...web, repo: 'https://git.acme.example/web' }),
  );
});
