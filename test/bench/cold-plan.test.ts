import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { missed } from '../../bench/bounds.ts';
import { coldPlan, timed } from '../../bench/cold-plan.ts';
import { inScratch, writeFiles } from '../../bench/processes/scratch.ts';

const node = (...args: readonly string[]) => ({ program: process.execPath, args, cwd: '/', env: process.env });

test('a plan and a bare script make the same calls, and both are timed', async () => {
  const [figure, ...others] = await coldPlan(['--cloud', 'aws', '--rounds', '1']);
  assert.deepEqual([figure?.name, figure?.unit, others], ['cold-plan-aws', 'ms', []]);
  assert.ok(figure?.floor !== undefined && figure.floor > 50 && figure.value > 50, JSON.stringify(figure));
  assert.match(missed({ ...figure, ratio: 1.6 }) ?? '', /cold-plan-aws: ratio 1\.6 is over 1\.5/);
});

test('a script that asks less of the cloud is no peer', () =>
  inScratch(async (folder) => {
    await writeFiles(folder, [{ path: 'idle.mjs', text: 'console.log("nothing");' }]);
    const idle = coldPlan(['--cloud', 'gcp', '--rounds', '1'], () => join(folder, 'idle.mjs'));
    await assert.rejects(idle, { code: 'ERR_ASSERTION' });
  }));

test('a cloud that is not there is refused', () =>
  assert.rejects(coldPlan(['--cloud', 'gpc']), /--cloud is one of aws, gcp, azure, not gpc/));

test('what takes longer is told to take longer; what fails is not timed', async () => {
  const longMs = 2_000;
  const [short, long] = await timed([node('-e', ''), node('-e', `setTimeout(() => {}, ${longMs})`)], 3);
  assert.ok(short && long && long.least > longMs && long.least > short.least, JSON.stringify([short, long]));
  assert.ok(long.least <= long.median);
  await assert.rejects(timed([node('-e', 'process.exit(3)')], 1), /ended with 3 and not 0/);
});
