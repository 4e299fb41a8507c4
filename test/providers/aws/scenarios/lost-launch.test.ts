import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aws } from '../../../../providers/aws/index.ts';
import type { Clock } from '../../../../src/ports/clock-and-log.ts';
import { account, openAwsStage, region } from '../../../support/aws-session.ts';
import { machineIn, network } from '../../../support/engine-world/documents.ts';
import { engineWorld } from '../../../support/engine-world/engine-world.ts';

const machine = machineIn({ image: 'ami-0abc0abc0abc0abc0', size: 't3.small', minReady: 0 });

/** An estate on EC2 that sent a launch of three, and whose process ended before the answer. */
async function lost(effect: 'reset-before' | 'reset-after') {
  const stage = await openAwsStage();
  // why: it brings the keys that the sandbox knows
  await stage.open();
  const { sandbox } = stage;
  const launched = () => sandbox.control.log.entries({ action: 'RunInstances' });
  const ended = new AbortController();
  const clock: Clock = {
    now: () => stage.clock.now(),
    sleep: (ms, signal) => {
      if (launched().length > 0) ended.abort(new Error('the process died'));
      return stage.clock.sleep(ms, signal);
    },
  };
  const here = { metadata: { name: 'here' }, spec: { provider: 'aws', account, region } };
  const engine = engineWorld({ provider: aws, here, quietMs: 1000 }, { ...stage, clock });
  await engine.apply([network()]);
  sandbox.control.faults.add({ match: { action: 'RunInstances', times: 1 }, effect: { kind: effect } });
  const { outcome } = await engine.apply([network(), machine('web', { replicas: 3 })], { signal: ended.signal });
  assert.deepEqual([outcome, launched().length], ['stopped', 1]);
  // why: the next observation misses every existing machine
  sandbox.control.faults.add({
    match: { action: 'DescribeInstances', times: 1 },
    effect: { kind: 'flicker', share: 1 },
  });
  const { instances } = sandbox.control.ec2.region(account, region);
  return { engine, clock: stage.clock, standing: () => [...instances.values()] };
}

for (const effect of ['reset-before', 'reset-after'] as const)
  test(`${effect}: a launch that no listing shows is sent again under its token, and EC2 makes three in all`, async () => {
    const { engine, clock, standing } = await lost(effect);
    await using applied = engine;
    const from = clock.now();
    const { outcome, writes } = await applied.apply([network(), machine('web', { replicas: 3 })]);
    const naming = Array.from({ length: 3 }, () => 'CreateTags 200');
    assert.deepEqual([outcome, writes], ['done', ['RunInstances 200', ...naming]]);
    assert.ok(clock.now() - from < 120_000, `${clock.now() - from} ms`);
    const made = standing();
    assert.deepEqual([made.length, new Set(made.map(({ launch }) => launch.clientToken)).size], [3, 1]);
    assert.deepEqual(made.map(({ launch }) => launch.index).sort(), [0, 1, 2]);
    assert.deepEqual((await applied.apply([network(), machine('web', { replicas: 3 })])).writes, []);
  });

test('one machine fewer is wanted by now: the launch is looked for, and nothing is sent under its token nor another', async () => {
  const { engine, standing } = await lost('reset-after');
  await using applied = engine;
  const { writes, outcome } = await applied.apply([network(), machine('web', { replicas: 2 })]);
  assert.deepEqual([outcome, writes.filter((write) => write.startsWith('RunInstances'))], ['done', []]);
  assert.equal(standing().filter(({ power }) => ['pending', 'running'].includes(power.state)).length, 2);
});
