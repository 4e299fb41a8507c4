import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { run } from '../integration/support/child.ts';
import { redisMissing } from '../support/redis.ts';
import { mountOf, readCompose, serviceOf } from './support/compose-file.ts';
import { type RunningFleet, up } from './support/fleet-of-compose.ts';
import { program } from './support/program.ts';

const file = readCompose();
const workers = ['worker-1', 'worker-2'].map((name) => serviceOf(file, name));
const [worker, other] = workers;
assert.ok(worker && other);
const sandbox = serviceOf(file, 'sandbox');
const ours = [...workers, sandbox];

describe('docker-compose.yml', () => {
  it('has two workers, alike but for the port that they answer on, which they cannot share', () => {
    const { command: first, healthcheck: checked, ...rest } = worker;
    const { command: second, healthcheck: _, ...others } = other;
    assert.deepEqual(rest, others);
    assert.deepEqual(first?.slice(0, 3), ['worker', '/specs', '--allow-endpoint']);
    assert.deepEqual(
      [first, second].map((command) => command?.at(-1)),
      ['9464', '9465'],
    );
    assert.match(checked.test.join(' '), /:9464\/readyz/);
    assert.deepEqual(Object.keys(file.services).sort(), ['postgres', 'redis', 'sandbox', 'worker-1', 'worker-2']);
  });

  it('lets them reach the sandbox on 127.0.0.1, and start when all that they need is healthy', () => {
    for (const { network_mode, depends_on, ports } of workers) {
      assert.equal(network_mode, 'service:sandbox');
      assert.deepEqual(Object.keys(depends_on).sort(), ['postgres', 'redis', 'sandbox']);
      assert.deepEqual(ports, [], 'refused by compose beside network_mode');
    }
  });

  it('gives them as long to stop as they may take', () => assert.ok((worker.stop_grace_period ?? 10) > 30));

  it('lets nothing of ours write but to its folder, nor gain rights', () => {
    for (const { build, read_only, cap_drop, security_opt, tmpfs } of ours)
      assert.deepEqual(
        { build, read_only, cap_drop, security_opt, tmpfs },
        { build: '.', read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'], tmpfs: ['/tmp'] },
      );
  });

  it('mounts the example estate, or the folder that SETPOINT_SPECS names', () => {
    assert.equal(mountOf(worker, '/specs'), './specs');
    const others = serviceOf(readCompose({ SETPOINT_SPECS: '/home/me/estate' }), 'worker-2');
    assert.equal(mountOf(others, '/specs'), '/home/me/estate');
  });

  it('shows nothing to other machines', () => {
    for (const { ports } of Object.values(file.services))
      for (const port of ports) assert.match(port, /^127\.0\.0\.1:/);
  });

  it('names every volume that it uses', () => {
    const named = Object.values(file.services).flatMap(({ volumes }) =>
      volumes.map((text) => text.split(':', 1).join('')).filter((name) => !name.startsWith('.')),
    );
    assert.deepEqual([...new Set(named)].sort(), Object.keys(file.volumes).sort());
  });
});

describe('what docker-compose.yml describes, as processes', { skip: redisMissing() }, () => {
  let fleet: RunningFleet;
  before(async () => {
    fleet = await up();
  });
  after(() => fleet?.down());

  it('has a Redis that refuses writes when it is full, and keeps what it took', async () => {
    const redis = new Redis(fleet.redis.url);
    const settings = await Promise.all(['maxmemory-policy', 'appendonly'].map((name) => redis.config('GET', name)));
    redis.disconnect();
    assert.deepEqual(settings, [
      ['maxmemory-policy', 'noeviction'],
      ['appendonly', 'yes'],
    ]);
  });

  it('brings the estate to what its specs say, and then finds nothing to do', async () => {
    const { env, cwd, specs } = fleet.beside;
    const plan = ['plan', specs, '--allow-endpoint', '--detailed-exitcode'];
    const planned = () => run(process.execPath, [program, ...plan], { cwd, env, timeoutMs: 60_000 });
    let last = await planned();
    for (const end = performance.now() + 120_000; last.code !== 0 && performance.now() < end; last = await planned())
      await pause(1000);
    const said = fleet.workers.map((each) => each.said()).join('\n');
    assert.equal(last.code, 0, `${last.stdout}${last.stderr}\n${said}`);
    assert.match(said, /settled .*verb=create .*address=aws\/111122223333\/eu-west-1\/instance\/web-0/);
  });

  /** What each worker answers there. */
  const asked = (path: string): Promise<readonly string[]> =>
    Promise.all(
      [9464, 9465].map(async (port) => (await fetch(`http://127.0.0.1:${fleet.loopback.port(port)}${path}`)).text()),
    );

  it('shows what it did, by metrics', async () => {
    const texts = await asked('/metrics');
    const settled = texts.map((text) => /setpoint_intents_total\{cloud="aws",outcome="settled"\} (\d+)/.exec(text));
    assert.ok(
      settled.some((match) => Number(match?.[1]) > 5),
      texts.join('\n'),
    );
  });

  it('shows the budgets that it used', async () => {
    const keys = (await asked('/lanes')).flatMap((text) =>
      JSON.parse(text).lanes.map(({ key }: { key: string }) => key),
    );
    assert.ok(keys.includes('aws/111122223333/eu-west-1/RunInstances'), keys.join('\n'));
    assert.match(
      (await asked('/metrics')).join(),
      /setpoint_budget_fill_ratio\{cloud="aws",action="RunInstances"\} \d/,
    );
  });

  it('stops on SIGTERM within the time that the file gives, with nothing wrong, and is then not healthy', async () => {
    const graceMs = (worker.stop_grace_period ?? 10) * 1000;
    const stopped = await Promise.all(fleet.workers.map((each) => each.stop(graceMs)));
    for (const { code, ms } of stopped) {
      assert.equal(code, 0, fleet.workers.map((each) => each.said()).join('\n'));
      assert.ok(ms < 30_000, `${ms} ms`);
    }
    assert.equal((await fleet.sandbox.stop(10_000)).code, 0);
    for (const each of [...fleet.workers, fleet.sandbox]) assert.equal(await each.isHealthy(), false);
  });
});
