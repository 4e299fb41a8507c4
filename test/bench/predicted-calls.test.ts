import assert from 'node:assert/strict';
import { test } from 'node:test';
import { missed } from '../../bench/bounds.ts';
import { examples, predictedCalls } from '../../bench/predicted-calls.ts';

const onClouds = examples.filter(({ name }) => name.startsWith('specs on'));

test('a plan of the example predicts the calls that change something, on three clouds', async () => {
  assert.equal(onClouds.length, 3);
  const [figure] = await predictedCalls(onClouds);
  assert.equal(figure && missed(figure), undefined);
  assert.equal(figure?.unit, '% at worst, of 15 plans');
});

test('a call that is refused and sent again is not predicted, and the figure says so', async () => {
  const [figure] = await predictedCalls(onClouds.slice(0, 1), ({ sandbox: { control } }) =>
    control.faults.add({ match: { action: 'RunInstances', times: 2 }, effect: { kind: 'throttle' } }),
  );
  assert.match(figure === undefined ? '' : (missed(figure) ?? ''), /^predicted-calls: value [\d.]+ is over 5$/);
});
