import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { type Ran, run } from '../integration/support/child.ts';
import { redisMissing } from '../support/redis.ts';
import { readCompose, serviceOf } from './support/compose-file.ts';
import { program, type RunningFleet, up } from './support/fleet-of-compose.ts';

/** A command beside a worker, as with `docker compose exec`. */
const exec = ({ beside: { env, cwd } }: RunningFleet, ...args: readonly string[]): Promise<Ran> =>
  run(process.execPath, [program, ...args], { cwd, env, timeoutMs: 60_000 });

/** Each worker's answer there. */
const asked = ({ loopback }: RunningFleet, path: string): Promise<readonly string[]> =>
  Promise.all([9464, 9465].map(async (port) => (await fetch(`http://127.0.0.1:${loopback.port(port)}${path}`)).text()));

const saidBy = ({ workers }: RunningFleet): string => workers.map((each) => each.said()).join('\n');

/** A plan's counts of differences from the specs. An action that waits for another's work is blocked, and no change. */
const amiss = ['create', 'update', 'replace', 'delete', 'adopt', 'drifted', 'blocked', 'withheld'] as const;

/** Plans again until nothing differs, for two minutes at most; returns the last differences. */
async function untilNothingIsAmiss(fleet: RunningFleet): Promise<readonly string[]> {
  for (const end = performance.now() + 120_000; ; await pause(1000)) {
    const { stdout, stderr } = await exec(fleet, 'plan', fleet.beside.specs, '--allow-endpoint', '--json');
    const summary: Record<string, number> | undefined = JSON.parse(stdout).summary;
    const found = summary === undefined ? [stdout + stderr] : amiss.filter((name) => summary[name] !== 0);
    if (found.length === 0 || performance.now() > end) return found;
  }
}

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
    assert.deepEqual(settings.flat(), ['maxmemory-policy', 'noeviction', 'appendonly', 'yes']);
  });

  it('brings the estate to what its specs say, and then finds nothing to do', async () => {
    assert.deepEqual(await untilNothingIsAmiss(fleet), [], saidBy(fleet));
    assert.match(saidBy(fleet), /settled .*verb=create .*address=aws\/111122223333\/eu-west-1\/instance\/web-0/);
  });

  it('shows what it did, and the budgets that it used', async () => {
    const metrics = (await asked(fleet, '/metrics')).join();
    const settled = metrics.matchAll(/setpoint_intents_total\{cloud="aws",outcome="settled"\} (\d+)/g);
    const count = [...settled].reduce((sum, [, value]) => sum + Number(value), 0);
    assert.ok(count > 5, `${count} by both\n${saidBy(fleet)}`);
    assert.match(metrics, /setpoint_rate_limit_fill_ratio\{cloud="aws",action="RunInstances"\} \d/);
    assert.match((await asked(fleet, '/rate-limits')).join(), /"key":"aws\/111122223333\/eu-west-1\/RunInstances"/);
  });

  it('answers what it did over the API, to whoever has a token', async () => {
    const { code, stdout, stderr } = await exec(fleet, 'token', 'make', '--name', 'me', '--role', 'viewer', '--json');
    assert.equal(code, 0, stderr);
    const api = await fleet.startApi();
    const [token] = /setpoint_[\w-]+/.exec(stdout) ?? [];
    const url = `http://127.0.0.1:${fleet.loopback.port(7420)}`;
    const answer = await fetch(`${url}/v1/reconciles?limit=1`, { headers: { authorization: `Bearer ${token}` } });
    assert.equal(answer.status, 200, api.said());
    assert.match(await answer.text(), /"scope":"aws\/111122223333\/eu-west-1"/);
    assert.equal((await fetch(`${url}/v1/reconciles`)).status, 401);
    assert.equal((await api.stop(30_000)).code, 0, api.said());
  });

  it('starts no worker on a port that is taken, and leaves nothing of it running', async () => {
    const { code, stderr } = await exec(fleet, 'worker', '--health-port', String(fleet.loopback.port(9464)));
    assert.equal(code, 1, 'it ended by itself');
    assert.match(stderr, /cannot start[\s\S]*health port \d+ of 127\.0\.0\.1[\s\S]*--health-port/);
  });

  it('stops on SIGTERM within the time that the file gives, with nothing wrong, and is then not healthy', async () => {
    const grace = serviceOf(readCompose(), 'worker-1').stop_grace_period ?? 10;
    for (const { code, ms } of await Promise.all(fleet.workers.map((each) => each.stop(grace * 1000)))) {
      assert.equal(code, 0, saidBy(fleet));
      assert.ok(ms < 30_000, `${ms} ms`);
    }
    assert.equal((await fleet.sandbox.stop(30_000)).code, 0);
    for (const each of [...fleet.workers, fleet.sandbox]) assert.equal(await each.isHealthy(), false);
  });
});
