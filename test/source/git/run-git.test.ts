import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gitEnvironment } from '../../../src/source/git/git-environment.ts';
import { refusedName } from '../../../src/source/git/refs.ts';
import { gitErrorMessage } from '../../../src/source/git/repository-error.ts';
import { readRepositoryUrl } from '../../../src/source/git/repository-url.ts';
import { type GitLimits, type GitResult, runGit } from '../../../src/source/git/run-git.ts';
import { assertHidden, canary } from '../../support/canary.ts';
import { until } from '../../support/until.ts';

const cwd = mkdtempSync(join(tmpdir(), 'setpoint-run-git-'));
after(() => rmSync(cwd, { recursive: true, force: true }));

/** An ordinary git; an alias makes it start a program that it would start by itself, such as ssh. */
const run = (script: string, bounds: Partial<GitLimits> = {}): Promise<GitResult> =>
  runGit({
    args: ['-c', `alias.x=!${script}`, 'x'],
    env: { PATH: process.env['PATH'] ?? '', GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' },
    cwd,
    bounds: { timeoutMs: 60_000, mostBytes: 100, ...bounds },
  });

/** Not one that has ended and that nobody has asked for yet. */
const lives = (pid: number): boolean => {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)]);
  return /^[^Z]/.test(stdout.toString().trim());
};

test('what it says, and how it ended', async () => {
  const { code, stdout, stderr, why } = await run('echo out; echo err >&2; exit 3');
  assert.deepEqual([code, stdout.toString(), stderr, why], [3, 'out\n', 'err\n', undefined]);
});

const endings: readonly { name: string; script: string; bounds: (ms: number) => Partial<GitLimits>; why: string }[] = [
  {
    name: 'time is up',
    script: 'sleep 300 & echo $!; wait',
    bounds: (timeoutMs) => ({ timeoutMs }),
    why: 'too long',
  },
  {
    name: 'time is up and it will not end',
    script: "trap '' TERM; (trap '' TERM; sleep 300) & echo $!; wait; wait",
    bounds: (timeoutMs) => ({ timeoutMs }),
    why: 'too long',
  },
  {
    name: 'it is called off',
    script: 'sleep 300 & echo $!; wait',
    bounds: (ms) => ({ signal: AbortSignal.timeout(ms) }),
    why: 'aborted',
  },
];

for (const { name, script, bounds, why } of endings) {
  test(`${name}: it ends, and what it started with it`, async () => {
    const end = await endOfBegun(script, bounds);
    assert.equal(end.why, why);
    assert.equal(end.code, undefined);
    const pid = Number(end.stdout.toString().trim());
    assert.ok(pid > 0, `no process was told of: ${end.stdout}`);
    // why: one that was killed is on its way out for a moment; one that was not lives on for five minutes.
    await until(`${pid} is gone`, () => !lives(pid));
  });
}

/** On a busy machine a program may not have begun when its time is up. It is started again and given longer. */
async function endOfBegun(script: string, bounds: (ms: number) => Partial<GitLimits>): ReturnType<typeof run> {
  let end = await run(script, bounds(1_000));
  for (let ms = 3_000; end.stdout.length === 0 && ms < 100_000; ms *= 3) end = await run(script, bounds(ms));
  return end;
}

test('too much is cut, and it ends', async () => {
  const { why, stdout } = await run('yes');
  assert.equal(why, 'too much');
  assert.ok(stdout.length <= 100);
});

test('of what it complains the beginning is kept', async () => {
  const { stderr, code } = await run('head -c 100000 /dev/zero | tr "\\\\0" x >&2');
  assert.deepEqual([stderr.length, code], [16_384, 0]);
});

test('what is called off before it begins does not begin', async () => {
  const { why, stdout } = await run('echo out', { signal: AbortSignal.abort() });
  assert.deepEqual([why, stdout.length], ['aborted', 0]);
});

test('a git that is not there is said to be', async () => {
  const bounds = { timeoutMs: 1000, mostBytes: 1 };
  assert.equal((await runGit({ args: [], env: { PATH: '/nonexistent' }, cwd, bounds })).why, 'not installed');
});

const token = { value: canary, url: 'https://git.acme.example/' };
const env = gitEnvironment('/srv/mirror', { isFile: false, token }, { PATH: '/bin' });
const complaint = (stderr: string): string => gitErrorMessage({ code: 128, stdout: Buffer.alloc(0), stderr }, env);

const complaintRows: readonly { said: string; want: RegExp }[] = [
  {
    said: "fatal: unable to access 'https://h/x/': Could not resolve host: h",
    want: /Could not resolve host: h\. Is the host written right/,
  },
  {
    said: "fatal: could not read Username for 'https://h': terminal prompts disabled",
    want: /SETPOINT_SECRET_GIT_TOKEN/,
  },
  { said: "fatal: unable to access 'https://h/x/': The requested URL returned error: 403", want: /TOKEN/ },
  { said: "fatal: unable to access 'https://h/x/': The requested URL returned error: 302", want: /not followed/ },
  { said: 'Host key verification failed.\nfatal: Could not read from remote repository.', want: /known_hosts/ },
  {
    said: 'git@h: Permission denied (publickey).\nfatal: Could not read from remote repository.',
    want: /ssh agent, or set SETPOINT_GIT_SSH_COMMAND/,
  },
  { said: "fatal: detected dubious ownership in repository at '/srv/x'", want: /run this as that user/ },
  { said: 'error: object abc: hasDotgit: contains .git\nfatal: fsck error in packed object', want: /git fsck/ },
  { said: "fatal: unable to access 'https://h/': SSL certificate problem: self-signed certificate", want: /CA_FILE/ },
  { said: "error: unknown option `batch-command'", want: /git 2\.36/ },
  { said: 'hint: think\nsomething new', want: /^something new$/ },
  { said: '', want: /^git ended with 128$/ },
];

for (const { said, want } of complaintRows)
  test(`git says ${JSON.stringify(said.slice(0, 60))}`, () => assert.match(complaint(said), want));

test('no complaint shows a credential or moves a cursor, whatever the server says', () => {
  const basic = Buffer.from(`x-access-token:${canary}`).toString('base64');
  const lines = [
    `fatal: bad ${canary}`,
    `fatal: unable to access 'https://ada:${canary}@h/x'`,
    `fatal: sent Authorization: Basic ${basic}`,
    `fatal: ${basic}`,
  ];
  for (const line of lines) assertHidden(complaint(line));
  assert.equal(complaint('fatal: a\u001b[2J\u202eb'), 'a [2J b');
  assert.ok(complaint(`fatal: ${'x'.repeat(10_000)}`).length < 400);
});

const urlRows: readonly { text: string; url?: string; host: string; allowFile?: boolean }[] = [
  { text: 'https://git.acme.example/team/specs.git', host: 'git.acme.example' },
  { text: 'HTTPS://Git.Acme.Example/Team/specs', url: 'https://git.acme.example/Team/specs', host: 'git.acme.example' },
  { text: 'https://git.acme.example:8443/x', host: 'git.acme.example:8443' },
  { text: 'https://dev.azure.com/acme/My%20Project/_git/specs', host: 'dev.azure.com' },
  { text: 'https://git.acme.example/~ada/x', host: 'git.acme.example' },
  { text: 'https://192.0.1.5/x', host: '192.0.1.5' },
  { text: 'https://[2606:4700::1111]/x', host: '[2606:4700::1111]' },
  { text: 'ssh://git@git.acme.example/x.git', host: 'git.acme.example' },
  { text: 'ssh://git.acme.example:2222/~/x', host: 'git.acme.example:2222' },
  { text: 'git@git.acme.example:team/specs.git', host: 'git.acme.example' },
  { text: 'git@forge:team/specs.git', host: 'forge' },
  { text: 'git.acme.example:specs', host: 'git.acme.example' },
  { text: 'git@ssh.dev.azure.com:v3/acme/My%20Project/specs', host: 'ssh.dev.azure.com' },
  { text: '/srv/specs.git', host: '', allowFile: true },
  { text: 'file:///srv/my%20specs.git', url: '/srv/my specs.git', host: '', allowFile: true },
  { text: 'https://127.1:8443/x', url: 'https://127.0.0.1:8443/x', host: '127.0.0.1:8443', allowFile: true },
  { text: 'git@localhost:x', host: 'localhost', allowFile: true },
];

for (const { text, url = text, host, allowFile = false } of urlRows) {
  test(`an address that git is given: ${text}`, () => {
    const read = readRepositoryUrl(text, allowFile);
    assert.equal(read.refused, undefined);
    assert.deepEqual([read.url?.url, read.url?.name, read.url?.host], [url, url, host]);
  });
}

test('no refusal repeats the address: somebody may have put a password there', () => {
  for (const text of [
    'https://ada:k4nary@git.acme.example/x',
    'http://ada:k4nary@h/x',
    'ssh://a:k4nary@h/x',
    'k4nary',
  ]) {
    const { refused } = readRepositoryUrl(text, false);
    assert.ok(refused !== undefined && !refused.includes('k4nary'), text);
  }
});

for (const name of [
  'main',
  'release/2.0',
  'feature/JIRA-1_x',
  'größe',
  'a.b',
  'v1.0-rc.1',
  'fix#7',
  'a@b',
  'refs/pull/7/head',
])
  test(`a name that git is given: ${name}`, () => assert.equal(refusedName(name), undefined));
