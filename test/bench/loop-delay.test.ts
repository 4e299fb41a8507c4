import assert from 'node:assert/strict';
import { it } from 'node:test';
import { planBodies, specTexts } from '../../bench/loop-delay/hostile-bodies.ts';
import { longestTurn } from '../../bench/loop-delay/longest-turn.ts';
import { loopDelay } from '../../bench/loop-delay.ts';

it('there are thirty hostile inputs of each class', () => {
  assert.ok(Object.keys(specTexts).length >= 30);
  assert.ok(Object.keys(planBodies).length >= 30);
});

it('a turn that works longer counts for more', async () => {
  const work = (rounds: number) => async (): Promise<void> => {
    let sum = 0;
    for (let n = 0; n < rounds; n += 1) sum += Math.sqrt(n);
    assert.ok(sum > 0);
  };
  await longestTurn(work(1_000_000));
  assert.ok((await longestTurn(work(50_000_000))) > (await longestTurn(work(100_000))));
});

it('every input that was chosen is taken', async () => {
  const [figure] = await loopDelay({ 'no JSON': 'a' }, { brackets: '[[[' });
  assert.equal(figure?.name, 'loop-delay');
  assert.match(figure?.unit ?? '', /of 2 inputs/);
});
