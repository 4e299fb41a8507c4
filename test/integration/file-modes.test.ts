import assert from 'node:assert/strict';
import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { it } from 'node:test';
import { startSandbox } from '../../sandbox/index.ts';
import { run } from './support/child.ts';
import { nobodys } from './support/workplace.ts';

const program = join(import.meta.dirname, '../../bin/setpoint.mjs');

const specs = (endpoint: string): string => `
apiVersion: setpoint.dev/v1
kind: Estate
metadata: { name: acme }
spec: {}
---
apiVersion: setpoint.dev/v1
kind: Target
metadata: { name: aws }
spec: { provider: aws, account: "111122223333", region: eu-west-1, endpoint: "${endpoint}" }
---
apiVersion: setpoint.dev/v1
kind: Network
metadata: { name: core }
spec: { targets: [aws], cidr: 10.20.0.0/16 }
`;

/**
 * The rights of other accounts to files and folders, by path. Under root the database runs under an account of its own: that account
 * passes through the folder, and reads PostgreSQL's programs.
 */
async function openIn(folder: string): Promise<readonly string[]> {
  const inside = await readdir(folder, { recursive: true });
  const isRoot = process.getuid?.() === 0;
  const found: string[] = [];
  for (const path of ['', ...inside]) {
    const state = await lstat(join(folder, path)).catch(() => undefined);
    if (state === undefined || state.isSymbolicLink()) continue;
    if (isRoot && (path === 'native' || path.startsWith('native/'))) continue;
    const allowed = isRoot && path === '' ? 0o011 : 0;
    if ((state.mode & 0o077 & ~allowed) !== 0) found.push(`${(state.mode & 0o777).toString(8)} ${relative('', path)}`);
  }
  return found;
}

it('every file in .setpoint is its user’s alone, whatever the umask', async () => {
  const sandbox = await startSandbox({ clock: { rate: 100 }, budgets: false });
  const folder = await mkdtemp(join(tmpdir(), 'setpoint-modes-'));
  await chmod(folder, 0o711);
  await mkdir(join(folder, 'specs'));
  await writeFile(join(folder, 'specs/estate.yaml'), specs(sandbox.url));
  const git = (...args: readonly string[]) =>
    run('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      cwd: folder,
      env: nobodys,
      timeoutMs: 60_000,
    });
  for (const args of [
    ['init', '-q', '-b', 'main'],
    ['add', 'specs'],
    ['commit', '-qm', 'specs'],
  ])
    assert.equal((await git(...args)).code, 0);
  const before = process.umask(0);
  try {
    for (const args of [
      ['apply', '--yes', '--allow-endpoint'],
      ['plan', '--allow-endpoint', '--out', '.setpoint/next.plan'],
      ['pause', '--reason', 'a freeze'],
      ['ledger', 'export', '--out', '.setpoint/ledger.jsonl'],
      ['plan', '--proposal', 'main', '--repo', folder, '--path', 'specs', '--allow-local-repo', '--allow-endpoint'],
      ['ledger', 'verify'],
    ]) {
      const ran = await run(process.execPath, [program, ...args], { cwd: folder, env: nobodys, timeoutMs: 120_000 });
      assert.equal(ran.code, 0, `${args.join(' ')}: ${ran.stdout}${ran.stderr}`);
    }
    const inside = join(folder, '.setpoint');
    const names = await readdir(inside);
    for (const name of ['keys', 'passwords.json', 'checkpoints.jsonl', 'next.plan', 'ledger.jsonl'])
      assert.ok(names.includes(name), name);
    assert.deepEqual(await openIn(inside), []);
    const elsewhere = await readFile(join(inside, 'home'), 'utf8').catch(() => undefined);
    if (elsewhere !== undefined) assert.deepEqual(await openIn(elsewhere.trim()), []);
    if (elsewhere !== undefined) await rm(elsewhere.trim(), { recursive: true, force: true, maxRetries: 3 });
  } finally {
    process.umask(before);
    await sandbox.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
});
