import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { type GitBounds, type GitEnd, runGit } from '../../../src/source/git/run-git.ts';
import { until } from '../../support/until.ts';

const cwd = mkdtempSync(join(tmpdir(), 'setpoint-run-git-'));
after(() => rmSync(cwd, { recursive: true, force: true }));

/** git as anybody has it; an alias makes it start what it would start by itself, such as ssh. */
const run = (script: string, bounds: Partial<GitBounds> = {}): Promise<GitEnd> =>
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

const endings: readonly { name: string; script: string; bounds: (ms: number) => Partial<GitBounds>; why: string }[] = [
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
async function endOfBegun(script: string, bounds: (ms: number) => Partial<GitBounds>): ReturnType<typeof run> {
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
