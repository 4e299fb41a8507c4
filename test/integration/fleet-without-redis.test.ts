import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startDatabase } from '../../chaos/database.ts';
import { type Sandbox, startSandbox } from '../../sandbox/index.ts';
import { until } from '../support/until.ts';
import { startWorkerProcess } from './support/fleet-place.ts';
import { nobodys, workplace } from './support/workplace.ts';

const estate = (name: string, url: string, subnets: number): string =>
  [
    { kind: 'Estate', metadata: { name }, spec: { mode: 'enforce' } },
    {
      kind: 'Target',
      metadata: { name: 'aws' },
      spec: { provider: 'aws', account: '111122223333', region: 'eu-west-1', endpoint: url },
    },
    {
      kind: 'Network',
      metadata: { name: 'core' },
      spec: {
        targets: ['aws'],
        cidr: '10.0.0.0/16',
        subnets: Array.from({ length: subnets }, (_, i) => ({ name: `s${i}`, cidr: `10.0.${i}.0/24` })),
      },
    },
  ]
    .map((document) => JSON.stringify({ apiVersion: 'setpoint.dev/v1', ...document }))
    .join('\n---\n');

const subnetsIn = ({ control }: Sandbox): number =>
  control.log.entries().filter(({ action, status }) => action === 'CreateSubnet' && status === 200).length;

describe('two workers on one PostgreSQL, without Redis', () => {
  it('when one is killed in the middle, the other ends its work; the cloud refuses nothing', async () => {
    const [sandbox, database, place] = [await startSandbox(), await startDatabase(), await workplace()];
    await place.write({ 'all.yaml': estate('acme', sandbox.url, 80) });
    const env = { ...nobodys, DATABASE_URL: database.url };
    const start = (...args: readonly string[]) =>
      startWorkerProcess(['worker', ...args, '--allow-endpoint', '--interval', '2s', '--dir', database.dir], {
        cwd: place.folder,
        env,
      });
    const first = start('specs');
    const workers = [first];
    try {
      await first.says(/worker started/);
      await until('it is in the middle', () => subnetsIn(sandbox) >= 5);
      const second = start();
      workers.push(second);
      await second.says(/worker started/);
      first.child.kill('SIGKILL');
      assert.ok(subnetsIn(sandbox) < 80, 'the first did not end its work');
      await second.says(/reconcile ended .*outcome=done settled=[1-9]/);
      assert.equal(subnetsIn(sandbox), 80);
      const refused = sandbox.control.log.entries().filter(({ status }) => status === 503);
      assert.deepEqual(refused, []);
      const { rows } = await database.owner.query('SELECT lane FROM setpoint.budgets');
      assert.ok(
        rows.some(({ lane: rateLimit }) => /CreateSubnet/.test(String(rateLimit))),
        JSON.stringify(rows),
      );
      assert.equal(await second.end('SIGTERM'), 0);
    } finally {
      for (const { child } of workers) child.kill('SIGKILL');
      await place.leave();
      await database.close();
      await sandbox.close();
    }
  });
});
