import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mountOf, readCompose, serviceOf } from './support/compose-file.ts';

const file = readCompose();
const workers = ['worker-1', 'worker-2'].map((name) => serviceOf(file, name));
const [worker, other] = workers;
assert.ok(worker && other);
const sandbox = serviceOf(file, 'sandbox');
const api = serviceOf(file, 'api');
const ours = [...workers, api, sandbox];

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
    assert.deepEqual(Object.keys(file.services).sort(), [
      'api',
      'postgres',
      'redis',
      'sandbox',
      'worker-1',
      'worker-2',
    ]);
  });

  it('lets them reach the sandbox on 127.0.0.1, and start when all that they need is healthy', () => {
    for (const { network_mode, depends_on, ports } of workers) {
      assert.equal(network_mode, 'service:sandbox');
      assert.deepEqual(Object.keys(depends_on).sort(), ['postgres', 'redis', 'sandbox']);
      assert.deepEqual(ports, [], 'refused by compose beside network_mode');
    }
  });

  it('has the API, on the databases of the workers, for those who ask for it and with no credential of a cloud', () => {
    const { profiles, ports, environment, depends_on, healthcheck } = api;
    assert.deepEqual([profiles, ports], [['api'], ['127.0.0.1:7420:7420']]);
    const { DATABASE_URL, REDIS_URL } = worker.environment;
    assert.deepEqual(environment, { DATABASE_URL, REDIS_URL });
    assert.deepEqual(Object.keys(depends_on).sort(), ['postgres', 'redis']);
    assert.match(healthcheck.test.join(' '), /:7420\/readyz/);
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
