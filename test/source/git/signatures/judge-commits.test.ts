import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { withPrivateFolder } from '../../../../src/source/git/signatures/program.ts';
import type { Signer } from '../../../../src/source/git/signatures/signers.ts';
import { signatureOf, verifyCommits } from '../../../../src/source/git/signatures/verify-commits.ts';
import { ada, commitText, openCast, TODAY, withSignature } from './cast.ts';
import { hasGpg } from './keys.ts';

const cast = openCast();
const folder = mkdtempSync(join(tmpdir(), 'setpoint-judge-'));
after(() => {
  cast.close();
  rmSync(folder, { recursive: true, force: true });
});

const { repository, ssh } = cast;
const adas: readonly Signer[] = [{ name: 'ada', email: ada, ssh: ssh.ada.line }];
const needsGpg = { skip: hasGpg || process.env['CI'] ? false : 'gpg is not installed: install the package gnupg' };
const gpgSigners = (): readonly Signer[] => [...adas, { name: 'ada-gpg', email: ada, gpg: cast.gpg().blocks.ada }];

const textOf = (number: number): string => commitText({ tree: repository.tree, message: `change ${number}\n` });
const bySsh = (number: number): string => repository.store(withSignature(textOf(number), ssh.ada.sign(textOf(number))));
const byGpg = (number: number): string =>
  repository.store(withSignature(textOf(number), cast.gpg().home.sign(textOf(number), cast.gpg().ada)));
const unsigned = (number: number): string => repository.store(textOf(number));
const judge = (commits: readonly string[], signers = adas, options = {}) =>
  verifyCommits(repository.folder, commits, signers, { today: TODAY, ...options });

/** A search path that holds these programs only. */
function pathWith(...programs: readonly string[]): string {
  const path = mkdtempSync(join(folder, 'path-'));
  for (const name of programs)
    symlinkSync(execFileSync('which', [name], { encoding: 'utf8' }).trim(), join(path, name));
  return path;
}

/** Work while these variables of ours are others. */
async function within<T>(variables: Readonly<Record<string, string>>, work: () => Promise<T>): Promise<T> {
  const before = Object.keys(variables).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, variables);
  try {
    return await work();
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
}

describe('a list of commits', () => {
  it('holds where every one does, and says by whom', needsGpg, async () => {
    const commits = [bySsh(1), byGpg(2), bySsh(3)];
    assert.deepEqual(await judge(commits, gpgSigners()), { ok: true, signers: ['ada', 'ada-gpg', 'ada'] });
  });

  it('of none holds', async () => assert.deepEqual(await judge([]), { ok: true, signers: [] }));

  it('is refused for the first that does not hold, though later ones are worse', async () => {
    const commits = [bySsh(1), bySsh(2), unsigned(3), bySsh(4), 'no name', unsigned(5)];
    const judgement = await judge(commits);
    assert.ok(!judgement.ok);
    assert.equal(judgement.commit, commits[2]);
    assert.equal(judgement.code, 'unsigned');
    assert.match(judgement.why, new RegExp(`^commit ${commits[2]?.slice(0, 12)}: it is not signed; sign it as `));
  });

  it('may hold what is no name: git is not asked for it', async () => {
    for (const name of ['HEAD', '--batch-all-objects', `${bySsh(1)}^{tree}`, '']) {
      const judgement = await judge([name]);
      assert.match(judgement.ok ? '' : judgement.why, /: this is no full name; /);
    }
  });

  it('is refused for its last', async () => {
    const commits = [...Array.from({ length: 9 }, (_, number) => bySsh(number)), unsigned(9)];
    const judgement = await judge(commits);
    assert.equal(judgement.ok ? '' : judgement.commit, commits[9]);
  });

  it('is judged by its order, in which a commit may come twice', async () => {
    const commit = bySsh(1);
    assert.deepEqual(await judge([commit, commit]), { ok: true, signers: ['ada', 'ada'] });
  });

  it('longer than git is asked for at once is judged to its end', async () => {
    const one = bySsh(1);
    const commits = [...new Array<string>(51).fill(one), unsigned(2)];
    const judgement = await judge(commits);
    assert.equal(judgement.ok ? '' : judgement.commit, commits[51]);
  });
});

describe('a program that is not installed', () => {
  const missing = [
    { name: 'git', has: ['ssh-keygen'], commit: bySsh, says: 'install the package git;' },
    { name: 'ssh-keygen', has: ['git'], commit: bySsh, says: 'install the package openssh-client;' },
    { name: 'gpg', has: ['git', 'ssh-keygen'], commit: byGpg, says: 'install the package gnupg;' },
  ];
  for (const { name, has, commit, says } of missing)
    it(`${name}: refused, with what to install`, name === 'gpg' ? needsGpg : {}, async () => {
      const path = pathWith(...has);
      const signers = name === 'gpg' ? gpgSigners() : adas;
      const verdict = await signatureOf(repository.folder, commit(1), signers, { today: TODAY, path });
      assert.ok(!verdict.ok);
      assert.equal(verdict.code, 'no-program');
      assert.ok(verdict.why.includes(`${name} is not installed: ${says}`), verdict.why);
    });

  it('and is not needed is not missed', async () => {
    const path = pathWith('git', 'ssh-keygen');
    assert.deepEqual(await judge([bySsh(1)], adas, { path }), { ok: true, signers: ['ada'] });
  });
});

describe('a program that is not what its name says', () => {
  /** A search path where one program is a script. */
  const scripted = (name: string, script: string): string => {
    const path = pathWith(...['git', 'ssh-keygen'].filter((other) => other !== name));
    writeFileSync(join(path, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    return path;
  };
  const status = 'NEWSIG;GOODSIG F Ada;VALIDSIG F 2026-11-22 1795306916 0 4 0 22 8 00 F';
  const echoes = `IMPORT_OK 1 F;${status}`.split(';').map((line) => `echo '[GNUPG:] ${line}'`);
  const rows = [
    { name: 'ssh-keygen', does: 'says nothing and ends well', script: 'exit 0', code: 'bad-signature' },
    {
      name: 'ssh-keygen',
      does: 'says good and ends badly',
      script: `echo 'Good "git" signature for signer with '; exit 1`,
      code: 'bad-signature',
    },
    {
      name: 'ssh-keygen',
      does: 'finds no account to run as',
      script: 'echo "No user exists for uid 10001" >&2; exit 255',
      code: 'no-program',
    },
    { name: 'gpg', does: 'says good and ends badly', script: [...echoes, 'exit 2'].join('\n'), code: 'bad-signature' },
    { name: 'git', does: 'has no end', script: 'exec tr "\\000" x < /dev/zero', code: 'no-commit' },
    { name: 'git', does: 'knows no such repository', script: 'exit 128', code: 'no-commit' },
  ] as const;
  for (const { name, does, script, code } of rows)
    it(`${name} ${does}: ${code}`, { ...(name === 'gpg' ? needsGpg : {}), timeout: 300_000 }, async () => {
      const [commit, signers] = name === 'gpg' ? [byGpg(1), gpgSigners()] : [bySsh(1), adas];
      const options = { today: TODAY, path: `${scripted(name, script)}:/usr/bin:/bin` };
      const verdict = await signatureOf(repository.folder, commit, signers, options);
      assert.equal(verdict.ok ? '' : verdict.code, code);
    });
});

describe('the machine around', () => {
  it('has settings of git and gpg that nobody here reads', needsGpg, async () => {
    const commits = [bySsh(1), byGpg(2)];
    const home = join(folder, 'home');
    mkdirSync(join(home, '.gnupg'), { recursive: true });
    writeFileSync(join(home, '.gitconfig'), 'broken = [');
    writeFileSync(join(home, '.gnupg/gpg.conf'), 'no-such-option\n');
    const hostile = { HOME: home, GNUPGHOME: join(home, '.gnupg'), GIT_DIR: '/nowhere', GIT_CONFIG_COUNT: 'x' };
    const judgement = await within(hostile, () => judge(commits, gpgSigners()));
    assert.deepEqual(judgement, { ok: true, signers: ['ada', 'ada-gpg'] });
  });

  it('may call the mirror by a relative path', async () => {
    const before = process.cwd();
    process.chdir(join(repository.folder, '..'));
    try {
      const verdict = await signatureOf('mirror.git', bySsh(1), adas, { today: TODAY });
      assert.deepEqual(verdict, { ok: true, signer: 'ada' });
    } finally {
      process.chdir(before);
    }
  });

  it('keeps nothing: no folder and no agent of gpg', needsGpg, async () => {
    const commits = [bySsh(1), byGpg(2), unsigned(3)];
    cast.gpg().home.close();
    const temporary = mkdtempSync(join(folder, 'tmp-'));
    const judgement = await within({ TMPDIR: temporary }, () => judge(commits, gpgSigners()));
    assert.equal(judgement.ok, false);
    assert.deepEqual(readdirSync(temporary), []);
    const running = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' });
    assert.ok(!running.includes(temporary), running);
  });

  it('cannot look into the folder that keys are written to, and finds it gone after a failure too', async () => {
    let seen = '';
    const failing = withPrivateFolder(async (own) => {
      seen = own;
      assert.equal(statSync(own).mode & 0o777, 0o700);
      throw new Error('on the way');
    });
    await assert.rejects(failing, /on the way/);
    assert.throws(() => statSync(seen), /ENOENT/);
  });
});

it('100 commits are judged', needsGpg, async (test) => {
  const made = [bySsh(1), byGpg(2)];
  const commits = Array.from({ length: 100 }, (_, index) => made[index % 2] ?? '');
  const began = performance.now();
  assert.equal((await judge(commits, gpgSigners())).ok, true);
  const took = performance.now() - began;
  // why: told and not judged, since each commit starts programs, which a busy machine delays without limit.
  test.diagnostic(`${took.toFixed(0)} ms for 50 by SSH and 50 by GPG`);
});
