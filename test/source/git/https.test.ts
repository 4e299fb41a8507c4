import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import {
  openRepository,
  type Repository,
  type TeamRepositories,
  teamRepositories,
} from '../../../src/source/git/repository.ts';
import type { RepositoryOptions } from '../../../src/source/git/repository-context.ts';
import { assertHidden, canary } from '../../support/canary.ts';
import { gitFolder } from './support/git-folder.ts';
import { type Before, type HttpsForge, httpsForge } from './support/https-forge.ts';

const world = gitFolder();
const basic = `Basic ${Buffer.from(`x-access-token:${canary}`).toString('base64')}`;
let forge: HttpsForge;
let other: HttpsForge;
let head = '';

before(async () => {
  head = world.commit(world.bare('specs.git'), { 'a.yaml': 'x: 1\n' });
  other = await httpsForge(world.dir);
  forge = await httpsForge(world.dir, ({ url = '', headers }): ReturnType<Before> => {
    if (url.startsWith('/moved'))
      return { status: 302, headers: { location: `https://${other.host}/specs.git${url.slice(6)}` } };
    if (url.startsWith('/down')) return { status: 503 };
    if (headers.authorization === basic) return undefined;
    return { status: 401, headers: { 'www-authenticate': 'Basic' } };
  });
});
after(async () => {
  await forge.close();
  await other.close();
  world.remove();
});

let mirrors = 0;

function opened(
  path: string,
  env: Readonly<Record<string, string>>,
  more: Partial<RepositoryOptions> = {},
): Repository {
  mirrors += 1;
  const folder = join(world.dir, `mirrors-${mirrors}`);
  const all = { PATH: process.env['PATH'], SETPOINT_GIT_CA_FILE: forge.certificate, ...env };
  return openRepository({ url: `https://${forge.host}${path}`, folder, allowFile: true, env: all, ...more });
}

const token = { SETPOINT_SECRET_GIT_TOKEN: canary };

const complaint = async (repository: Repository): Promise<string> => {
  const error = await repository.fetch().then(
    (commit) => new Error(`it was fetched: ${commit}`),
    (cause: unknown) => cause,
  );
  assertHidden(error);
  return error instanceof Error ? error.message : String(error);
};

test('with the token it is fetched', async () => {
  assert.equal(await opened('/specs.git', token).fetch(), head);
});

test('without the token it says how to give one, and asks nobody', async () => {
  assert.match(await complaint(opened('/specs.git', {})), /cannot ask for .*specs\.git: .*SETPOINT_SECRET_GIT_TOKEN/);
});

test('a wrong token is told of, and not told', async () => {
  const wrong = { SETPOINT_SECRET_GIT_TOKEN: `${canary}2` };
  assert.match(await complaint(opened('/specs.git', wrong)), /SETPOINT_SECRET_GIT_TOKEN/);
});

test('a token stays with its host', async () => {
  const before = forge.asked.length;
  await complaint(opened('/specs.git', token, { tokenHost: other.host }));
  const sent = forge.asked.slice(before);
  assert.ok(sent.length > 0);
  assert.deepEqual(new Set(sent.map(({ authorization }) => authorization)), new Set([undefined]));
});

test("a team's repository elsewhere is asked without the root's token", async () => {
  const env = { PATH: process.env['PATH'], SETPOINT_GIT_CA_FILE: forge.certificate, ...token };
  const folder = join(world.dir, 'mirrors-team');
  const from = (url: string): TeamRepositories => teamRepositories({ url, folder, allowFile: true, env });
  const source = { name: 'web', repo: `https://${forge.host}/specs.git`, branch: 'main', path: '.', owners: ['web'] };
  const before = forge.asked.length;
  await complaint(from(`https://${other.host}/specs.git`).open(source));
  assert.deepEqual(new Set(forge.asked.slice(before).map(({ authorization }) => authorization)), new Set([undefined]));
  assert.equal((await from(`https://${forge.host}/root.git`).newest(source)).commit, head, 'on the same host with it');
});

test('a redirect is not followed, and nothing is sent where it leads', async () => {
  const before = other.asked.length;
  assert.match(await complaint(opened('/moved', token)), /Redirects are not followed/);
  assert.equal(other.asked.length, before);
});

test('a server that is down is told of', async () => {
  assert.match(await complaint(opened('/down', token)), /returned error: 503/);
});

test('a certificate that nobody vouches for is not taken', async () => {
  const message = await complaint(opened('/specs.git', { ...token, SETPOINT_GIT_CA_FILE: '' }));
  assert.match(message, /SETPOINT_GIT_CA_FILE/);
});

test('no process shows the token in its arguments', async () => {
  const { PATH, lines } = world.watched();
  await opened('/specs.git', { ...token, PATH }).fetch();
  assert.ok(lines().length > 0);
  assertHidden(lines());
});
