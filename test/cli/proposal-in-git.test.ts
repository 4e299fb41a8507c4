import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { loadProvider } from '../../providers/index.ts';
import { acceptSpecs, openEstate } from '../../src/estate/load.ts';
import { loadEstate } from '../../src/source/git/load-estate.ts';
import { openRepository, teamRepositories } from '../../src/source/git/repository.ts';
import { gitFolder } from '../source/git/support/git-folder.ts';
import { loopbackCanary } from './support/canary.ts';
import { commandLine } from './support/in-process.ts';
import { sandboxed } from './support/sandboxed.ts';

const { sandbox } = await sandboxed();
const canary = await loopbackCanary();
const run = commandLine();
const folder = gitFolder();
after(() => folder.remove());
const root = folder.bare('root.git');
const web = folder.bare('web.git');
const today = '2027-01-31';

const estate = (endpoint: string, owner = 'team-web'): string => `apiVersion: setpoint.dev/v1
kind: Estate
metadata: { name: acme }
spec: { sources: [{ name: web, repo: "${web}", owners: [${owner}] }] }
---
apiVersion: setpoint.dev/v1
kind: Target
metadata: { name: aws-prod }
spec: { provider: aws, account: "111122223333", region: eu-west-1, endpoint: "${endpoint}" }
`;
const network = (name: string, octet: number): string => `apiVersion: setpoint.dev/v1
kind: Network
metadata: { name: ${name} }
spec: { targets: [aws-prod], cidr: 10.${octet}.0.0/16, subnets: [{ name: app, cidr: 10.${octet}.1.0/24 }] }
`;
const machine = (name: string, more = ''): string => `apiVersion: setpoint.dev/v1
kind: Instance
metadata: { name: ${name}, owner: team-web }
spec: { targets: [aws-prod], network: core, subnet: app, image: ami-0abcdef1234567890, size: t3.small${more} }
`;

const specs = { 'specs/estate.yaml': estate(sandbox.url), 'specs/net.yaml': network('core', 1) };
const first = folder.commit(root, specs);
const site = folder.commit(web, { 'specs/site.yaml': machine('site') });
const proposed = {
  more: folder.commit(root, { ...specs, 'specs/more.yaml': network('more', 2) }, 'more'),
  site: folder.commit(web, { 'specs/site.yaml': machine('site'), 'specs/two.yaml': machine('two') }, 'two'),
};
folder.git(root, ['update-ref', 'refs/pull/7/head', proposed.more]);
const hostile = (branch: string, files: Readonly<Record<string, string>>): string =>
  folder.commit(root, { ...specs, ...files }, branch);
hostile('endpoint', { 'specs/estate.yaml': estate(canary.url) });
hostile('source', {
  'specs/estate.yaml': estate(sandbox.url).replace(web, `${canary.url.replace('http', 'https')}/x.git`),
});
folder.commit(web, { 'specs/target.yaml': estate(canary.url) }, 'target');
folder.commit(
  web,
  { 'specs/site.yaml': machine('site', ', access: { user: ops, password: { env: SETPOINT_SECRET_X } }') },
  'password',
);

/** As a worker that follows them has brought them into force. */
const options = { url: root, path: 'specs', folder: join(folder.dir, 'mirrors'), allowFile: true, env: process.env };
const repository = openRepository(options);
const commit = await repository.fetch();
const { tree } = await loadEstate({ root: { repository, commit }, team: teamRepositories(options).newest, today });
assert.deepEqual([tree.revision, tree.problems], [`git:${first}+web=${site}`, []]);
const store = run.database.connect();
await acceptSpecs(await openEstate(tree, loadProvider, today), store);
const again = commandLine({ database: run.database });

const plan = (proposal: string, url: string, ...more: readonly string[]) => {
  const where = ['--repo', url, '--allow-local-repo', '--dir', folder.dir];
  return again(['plan', '--proposal', proposal, ...where, '--allow-endpoint', ...more]);
};
const created = (stdout: string): readonly string[] =>
  JSON.parse(stdout)
    .actions.map(
      ({ verb, address }: { verb: string; address: string }) => `${verb} ${address.split('/').slice(-2).join(' ')}`,
    )
    .filter((action: string) => /(?:instance|network) /.test(action))
    .toSorted();

test("a pull request of the estate's own repository is planned beside its teams' as they are in force", async () => {
  const { code, stdout, stderr } = await plan('refs/pull/7/head', root, '--json');
  assert.equal(code, 0, stderr);
  assert.deepEqual(created(stdout), ['create instance site-0', 'create network core', 'create network more']);
  assert.equal(JSON.parse(stdout).revision, `git:${proposed.more}+web=${site}`);
});

test("a pull request of a team's repository is planned beside all else as it is in force", async () => {
  const { code, stdout, stderr } = await plan('two', web, '--team', 'web', '--json');
  assert.equal(code, 0, stderr);
  assert.deepEqual(created(stdout), ['create instance site-0', 'create instance two-0', 'create network core']);
  assert.equal(JSON.parse(stdout).revision, `git:${first}+web=${proposed.site}`);
});

test('a commit of the repository that the folder lies in is planned, and nothing is checked out', async () => {
  const clone = join(folder.dir, 'clone');
  execFileSync('git', ['clone', '--quiet', '--template=', root, clone], { env: { PATH: process.env['PATH'] ?? '' } });
  const args = ['plan', join(clone, 'specs'), '--proposal', 'origin/more', '--allow-endpoint', '--json'];
  const { code, stdout, stderr } = await again(args);
  assert.equal(code, 0, stderr);
  assert.deepEqual(created(stdout), ['create instance site-0', 'create network core', 'create network more']);
});

const refused: readonly (readonly [name: string, args: Parameters<typeof plan>, code: number, says: RegExp])[] = [
  ['another endpoint', ['endpoint', root], 3, /estate\.yaml:9:\d+: error: a proposal may not change `spec\.endpoint`/],
  ['another source', ['source', root], 3, /may not change `spec\.sources` of the Estate acme/],
  [
    "a target in a team's tree",
    ['target', web, '--team', 'web'],
    1,
    /@web\/target\.yaml:7:7: error: .* cannot hold Target/,
  ],
  ["a secret in a team's tree", ['password', web, '--team', 'web'], 1, /a tree of a team names no secret/],
  ["a team's own repository as the estate's", ['two', web], 1, /these specs have no Estate/],
  ['a team that is none', ['two', web, '--team', 'db'], 1, /the active specs have no team db; they have: web/],
  ['a commit that is not there', ['nowhere', root], 1, /cannot be read[\s\S]*nothing called nowhere/],
  ['a name that is an option', ['--upload-pack=x', root], 1, /.+/],
];

for (const [name, args, want, says] of refused)
  test(`${name} is refused, and nobody is called`, async () => {
    const asked = sandbox.control.log.entries().length;
    const { code, stdout, stderr } = await plan(...args);
    assert.deepEqual([code, stdout], [want, ''], stderr);
    assert.match(stderr, says);
    assert.deepEqual([canary.connections(), sandbox.control.log.entries().length], [0, asked]);
  });

test('of a repository the commit must be said', async () => {
  const { code, stderr } = await again(['plan', '--proposal', '--repo', root, '--allow-local-repo']);
  assert.equal(code, 1);
  assert.match(stderr, /no commit\.[\s\S]*--proposal refs\/pull\/7\/head/);
});
