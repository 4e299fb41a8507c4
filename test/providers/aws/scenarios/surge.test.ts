import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aws } from '../../../../providers/aws/index.ts';
import type { Clock } from '../../../../src/ports/clock-and-log.ts';
import { account, openAwsStage, region } from '../../../support/aws-session.ts';
import { machineIn, network } from '../../../support/engine-world/documents.ts';
import { engineWorld } from '../../../support/engine-world/engine-world.ts';

const [first, second] = ['ami-0abc0abc0abc0abc0', 'ami-0abcdef1234567890'];
const machine = machineIn({ image: first, size: 't3.small' });

/** An estate on EC2, and how many of its machines run at each moment that anybody looks at the clock. */
async function world() {
  const stage = await openAwsStage();
  // why: it brings the keys that the sandbox knows
  await stage.open();
  const { instances } = stage.sandbox.control.ec2.region(account, region);
  let least = Number.POSITIVE_INFINITY;
  const running = () => [...instances.values()].filter(({ power }) => power.state === 'running');
  const sample = (): void => {
    least = Math.min(least, running().length);
  };
  const clock: Clock = {
    now: () => {
      sample();
      return stage.clock.now();
    },
    sleep: async (ms, signal) => {
      await stage.clock.sleep(ms, signal);
      sample();
    },
  };
  const here = { metadata: { name: 'here' }, spec: { provider: 'aws', account, region } };
  const engine = engineWorld({ provider: aws, here, quietMs: 600_000 }, { ...stage, clock });
  return {
    engine,
    images: () => running().map(({ launch }) => launch.imageId),
    watch: () => {
      least = Number.POSITIVE_INFINITY;
    },
    least: () => least,
  };
}

test('one replica has no downtime: the new machine runs before the old one ends', async () => {
  const { engine, images, watch, least } = await world();
  await using applied = engine;
  for (const _ of ['made', 'up']) await applied.apply([network(), machine('web')]);
  watch();
  const { outcome, writes, left } = await applied.apply([network(), machine('web', { image: second })]);
  assert.deepEqual([outcome, left.filter((one) => !one.startsWith('unmanaged'))], ['done', []]);
  assert.deepEqual(
    writes.filter((write) => /Run|Terminate/.test(write)),
    ['RunInstances 200', 'TerminateInstances 200'],
  );
  assert.deepEqual([images(), least()], [[second], 1]);
  assert.deepEqual((await applied.apply([network(), machine('web', { image: second })])).writes, []);
});

test('a mistyped image leaves the machine untouched, by surge and by recreate', async () => {
  for (const strategy of ['surge', 'recreate']) {
    const { engine, images, watch, least } = await world();
    await using applied = engine;
    const replace = { strategy };
    for (const _ of ['made', 'up']) await applied.apply([network(), machine('web', { replace })]);
    watch();
    const { rounds: reconciles, writes } = await applied.apply([
      network(),
      machine('web', { replace, image: 'ami-0abc0abc0abc0abc1' }),
    ]);
    assert.deepEqual([writes, images(), least()], [[], [first], 1]);
    const [failed] = reconciles.flatMap((reconcile) => reconcile.failed);
    assert.match(failed?.failure.message ?? '', /image ami-0abc0abc0abc0abc1 cannot be launched here/);
  }
});
