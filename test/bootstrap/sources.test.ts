import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { followedRepository } from '../../src/bootstrap/sources.ts';
import type { CurrentRevision } from '../../src/fleet/worker-context.ts';
import { gitFolder } from '../source/git/support/git-folder.ts';
import { sshKey } from '../support/fixtures.ts';

const folder = gitFolder('setpoint-followed-');
after(() => folder.remove());

const doc = (kind: string, name: string, rest: object): string =>
  JSON.stringify({ apiVersion: 'setpoint.dev/v1', kind, metadata: { name, owner: 'team-web' }, ...rest });

const estate = (sources: readonly object[]): string =>
  [
    JSON.stringify({ apiVersion: 'setpoint.dev/v1', kind: 'Estate', metadata: { name: 'acme' }, spec: { sources } }),
    JSON.stringify({
      apiVersion: 'setpoint.dev/v1',
      kind: 'Target',
      metadata: { name: 'here' },
      spec: { provider: 'memory', account: 'acme', region: 'north' },
    }),
    doc('Network', 'core', { spec: { targets: ['here'], cidr: '10.0.0.0/16' } }),
  ].join('\n---\n');

const rule = (port: number): string =>
  doc('FirewallRule', 'web', {
    spec: { network: 'core', protocol: 'tcp', ports: [port], group: 'web', peers: { cidrs: ['192.0.2.0/24'] } },
  });

const now = new AbortController().signal;

/** A repository with these files on main, and its follower. */
function following(name: string, files: Readonly<Record<string, string>>) {
  const repository = folder.bare(`${name}.git`);
  const commit = folder.commit(repository, files);
  const place = { url: `file://${repository}`, branch: 'main', path: 'specs', pollMs: 1_000, allowLocal: true };
  const grounds = { folder: `${folder.dir}/${name}-store`, env: process.env, today: () => '2027-01-31' };
  const source = followedRepository(place, grounds);
  const judge = async (to: string, after: Partial<CurrentRevision>) => {
    assert.ok(source.history);
    return source.history.judge(to, { mayRewrite: false, ...after });
  };
  return { repository, commit, source, judge };
}

describe('a repository that is followed', () => {
  it('is read with its teams’ trees; what nobody pushed to is not parsed again', async () => {
    const team = folder.bare('web.git');
    const first = folder.commit(team, { 'specs/web.yaml': rule(443) });
    const sources = [{ name: 'web', repo: `file://${team}`, owners: ['team-web'] }];
    const { commit, source } = following('root', { 'specs/all.yaml': estate(sources) });
    const tree = await source.read(now);
    assert.deepEqual(
      tree.problems.filter(({ severity }) => severity === 'error'),
      [],
    );
    assert.equal(tree.revision, `git:${commit}+web=${first}`);
    assert.equal(await source.read(now), tree);
    const second = folder.commit(team, { 'specs/web.yaml': rule(444) });
    assert.equal((await source.read(now)).revision, `git:${commit}+web=${second}`);
    const verdict = await source.history?.judge(`git:${commit}+web=${second}`, {
      revision: `git:${commit}+web=${first}`,
      mayRewrite: false,
    });
    assert.deepEqual(verdict, { state: 'followed', why: '' });
  });

  it('says which head is no descendant of what is in force, and lets a person take it on', async () => {
    const { repository, commit, source, judge } = following('rewritten', { 'specs/all.yaml': estate([]) });
    await source.read(now);
    folder.git(repository, ['update-ref', '-d', 'refs/heads/main']);
    const other = folder.commit(repository, { 'specs/all.yaml': `${estate([])}\n---\n${rule(22)}` });
    await source.read(now);
    const verdict = await judge(`git:${other}`, { revision: `git:${commit}` });
    assert.equal(verdict.state, 'rewritten');
    assert.match(
      verdict.why,
      new RegExp(`${commit.slice(0, 12)}, which is active, is no ancestor.*--history ${other.slice(0, 12)} `),
    );
    assert.equal((await judge(`git:${other}`, { revision: `git:${commit}`, mayRewrite: true })).state, 'followed');
    assert.equal((await judge(`git:${other}`, {})).state, 'followed');
  });

  it('wants every commit since what is in force signed where that asks for it', async () => {
    const { repository, commit, source, judge } = following('signed', { 'specs/all.yaml': estate([]) });
    const signers = [{ name: 'ada', email: 'ada@acme.example', ssh: sshKey }];
    const next = folder.commit(repository, { 'specs/web.yaml': rule(443) });
    await source.read(now);
    const asked = (required: boolean) =>
      judge(`git:${next}`, { revision: `git:${commit}`, signatures: { required, signers } });
    assert.equal((await asked(false)).state, 'followed');
    const verdict = await asked(true);
    assert.equal(verdict.state, 'unsigned');
    assert.match(verdict.why, new RegExp(`signed\\.git: commit ${next.slice(0, 12)}: .*sign it as one of the signers`));
    const same = { revision: `git:${next}`, signatures: { required: true, signers } };
    assert.equal((await judge(`git:${next}`, same)).state, 'followed');
  });
});
