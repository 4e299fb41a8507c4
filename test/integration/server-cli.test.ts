import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { startSandbox } from '../../sandbox/index.ts';
import { spawned } from '../cli/server/support/spawned.ts';
import { nobodys, workplace } from './support/workplace.ts';

const program = join(import.meta.dirname, '../../bin/setpoint.mjs');

const specs = (url: string): string =>
  [
    { kind: 'Estate', metadata: { name: 'acme' }, spec: { mode: 'enforce' } },
    {
      kind: 'Target',
      metadata: { name: 'aws' },
      spec: { provider: 'aws', account: '111122223333', region: 'eu-west-1', endpoint: url, minReady: 0 },
    },
    {
      kind: 'Network',
      metadata: { name: 'core', labels: { team: 'web', env: 'prod', a: 'first' } },
      spec: { targets: ['aws'], cidr: '10.0.0.0/16', subnets: [{ name: 'app', cidr: '10.0.1.0/24' }] },
    },
    {
      kind: 'FirewallRule',
      metadata: { name: 'web' },
      spec: { network: 'core', protocol: 'tcp', ports: [443], group: 'web', peers: { cidrs: ['0.0.0.0/0'] } },
    },
  ]
    .map((document) => JSON.stringify({ apiVersion: 'setpoint.dev/v1', ...document }))
    .join('\n---\n');

/** Ages are of the moment in which they are told. */
const ageless = (text: string): string =>
  text.replaceAll(/\d[\d.]* (?:ms|s|min) ago/g, 'AGE ago').replaceAll(/"ageSeconds": [\d.]+/g, '"ageSeconds": 0');

/** A user's folder that `setpoint serve` runs in, and somebody elsewhere who has nothing but the command line. */
async function servedPlace() {
  const sandbox = await startSandbox();
  const place = await workplace();
  const home = await mkdtemp(join(tmpdir(), 'setpoint-home-'));
  await place.write({ 'all.yaml': specs(sandbox.url) });
  const args = ['serve', '--allow-endpoint', '--interval', '1h', '--listen', '0', '--health-port', '0'];
  const serve = spawn(process.execPath, [program, ...args], {
    cwd: place.folder,
    env: nobodys,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  after(async () => {
    serve.kill('SIGTERM');
    if (serve.exitCode === null) await once(serve, 'exit');
    await place.leave();
    await sandbox.close();
    await rm(home, { recursive: true, force: true });
  });
  const said = await saying(serve, /setpoint login http\S+\n/, /reconcile ended .*outcome=done/);
  const [, token = '', url = ''] = / {2}(setpoint_\S+)[\s\S]*setpoint login (\S+)\n/.exec(said) ?? [];
  const there = (line: readonly string[], stdin = '') =>
    spawned(line, { env: { XDG_CONFIG_HOME: home }, cwd: home, stdin });
  return { place, url, token, there };
}

/** All that it has said, once all of this was. */
async function saying(child: ChildProcess, ...patterns: readonly RegExp[]): Promise<string> {
  let said = '';
  const heard = new Promise<string>((resolve, reject) => {
    const hear = (piece: Buffer): void => {
      said += String(piece);
      if (patterns.every((pattern) => pattern.test(said))) resolve(said);
    };
    child.stdout?.on('data', hear);
    child.stderr?.on('data', hear);
    child.once('exit', () => reject(new Error(`it ended:\n${said}`)));
  });
  const late = AbortSignal.timeout(120_000);
  const tooLate = once(late, 'abort').then(() => Promise.reject(new Error(`it never said so:\n${said}`)));
  return Promise.race([heard, tooLate]);
}

const { place, url, token, there } = await servedPlace();

test('logs in with the first token', async () => {
  const { code, stdout, stderr } = await there(['login', url, '--token-stdin'], token);
  assert.equal(code, 0, stderr);
  assert.match(stdout, new RegExp(`^Logged in: ${url} as .* · until .* UTC\n {2}admin on everything\n$`));
});

test('looks again by a reconcile, and tells what the store has: byte for byte', async () => {
  const refreshed = await there(['inventory', '--refresh', '--server', 'last', '--json']);
  assert.equal(refreshed.code, 0, refreshed.stderr);
  assert.equal(JSON.parse(refreshed.stdout).scopes[0].complete, true);
  for (const json of [[], ['--json']])
    for (const [mine, its] of [
      [['inventory'], ['inventory']],
      [
        ['inventory', '--kind', 'network', '--claim', 'ours'],
        ['inventory', '--kind', 'network', '--claim', 'ours'],
      ],
      [
        ['explain', 'network/core', '--allow-endpoint'],
        ['explain', 'network/core'],
      ],
      [['drift', '--allow-endpoint'], ['drift']],
      [['ledger'], ['ledger']],
    ] as const) {
      const local = await place.setpoint(...mine, ...json);
      const remote = await there([...its, ...json, '--server', 'last']);
      assert.equal(local.code, 0, local.stderr);
      // why: a server names files by their path in the tree of specs
      assert.equal(
        ageless(remote.stdout),
        ageless(local.stdout.replaceAll('specs/all.yaml', 'all.yaml')),
        mine.join(' '),
      );
    }
});

test('plans, holds still and lets go, and proves the ledger', async () => {
  const plan = await there(['plan', join(place.folder, 'specs'), '--server', 'last', '--detailed-exitcode']);
  assert.deepEqual([plan.code, plan.stdout.split(',')[0]], [0, 'Plan: 0 to add'], plan.stderr);
  const pause = await there(['pause', '--server', 'last', '--reason', 'a freeze', '--address', 'core']);
  assert.match(pause.stdout, /^Paused: everything for address aws\/111122223333\/eu-west-1\/network\/core until/);
  const resume = await there(['resume', '--all', '--server', 'last', '--reason', 'it is over']);
  assert.match(resume.stdout, /^Resumed: everything for address \S+ \(1 pause ended\)\n$/);
  const verdict = await there(['ledger', 'verify', '--server', 'last']);
  assert.match(verdict.stdout, /^Ledger: whole, \d+ entries/);
  const none = await there(['approve', '--server', 'last', '--reason', 'x', '--yes']);
  assert.equal(none.stdout, 'Approved: nothing; no action waits for approval\n', none.stderr);
});

test('says what it may not know any more once it has logged out', async () => {
  assert.equal((await there(['logout'])).code, 0);
  const { code, stderr } = await there(['drift', '--server', url]);
  assert.equal(code, 1);
  assert.match(stderr, /You are not logged in to http/);
});
