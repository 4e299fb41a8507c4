import assert from 'node:assert/strict';
import { test } from 'node:test';
import { missed } from '../../bench/bounds.ts';
import { throttleStorm } from '../../bench/throttle-storm.ts';

const small = { networks: 4, subnets: 1, groups: 80, rulesPerGroup: 1, machines: { documents: 0, replicas: 0 } };
const brief = { share: 0.5, forMs: 60_000 };

test('a storm of a minute: nothing fails, few calls are made twice, and the rate is back', async () => {
  const figures = await throttleStorm(small, brief);
  assert.deepEqual(
    figures.map((figure) => missed(figure)),
    figures.map(() => undefined),
  );
  const recovery = figures.find(({ name }) => name === 'throttle-storm-recovery');
  assert.ok((recovery?.value ?? 0) > 20, `${recovery?.value} s: it was slowed at all`);
});

test('what is denied after the storm has failed, and the figure says so', async () => {
  const figures = await throttleStorm(small, brief, ({ faults }) =>
    faults.add({ match: { action: 'CreateSecurityGroup', times: 1 }, effect: { kind: 'access-denied' } }),
  );
  const misses = figures.map((figure) => missed(figure));
  assert.match(misses.join(), /throttle-storm-failed: value [1-9]/);
});
