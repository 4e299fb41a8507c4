import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../support/until.ts';
import { commandLine } from './support/in-process.ts';
import { sandboxed } from './support/sandboxed.ts';

test('inventory tells which machines the internet reaches, and --exposed by which rules', async () => {
  const run = commandLine();
  const place = await sandboxed();
  assert.equal((await run(['apply', place.specs, '--allow-endpoint', '--yes'])).code, 0);
  // why: apply does not wait for machines to run
  const reread = () => run(['inventory', place.specs, '--refresh', '--allow-endpoint']);
  await until('the machines run', async () => !(await reread()).stdout.includes('Settling'));
  const all = await run(['inventory', place.specs]);
  assert.match(all.stdout, /instance +web-0 +InSync +ours +yes +i-/);
  assert.match(all.stdout, /instance +db-0 +InSync +ours +unknown +i-/, 'a load balancer may serve the office');
  const { stdout } = await run(['inventory', place.specs, '--exposed']);
  assert.match(stdout, /^Inventory: 4 objects in 1 scope/);
  assert.match(
    stdout,
    /web-0 +InSync +ours +yes +443\/tcp from internet by core\.web\.ingress\.tcp\.443\.0\.0\.0\.0\/0; 22\/tcp/,
  );

  const { rows } = run.database.connect();
  const asked = { seen: [{}], sort: { by: 'address', descending: false }, limit: 9 } as const;
  const kept = async (exposed: readonly string[]): Promise<readonly string[]> =>
    (await rows.page({ ...asked, filter: { exposed } })).rows.map(({ called }) => called.name);
  assert.deepEqual(await kept(['yes']), ['web-0', 'web-1', 'web-2']);
  assert.deepEqual(await kept(['unknown']), ['db-0']);
  assert.deepEqual(await kept(['no']), []);
});
