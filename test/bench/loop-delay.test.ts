import assert from 'node:assert/strict';
import { it } from 'node:test';
import { hostileAnswers } from '../../bench/loop-delay/hostile-answers.ts';
import { planBodies, specTexts } from '../../bench/loop-delay/hostile-bodies.ts';
import { hostileWebhooks } from '../../bench/loop-delay/hostile-webhooks.ts';
import { longestTurn } from '../../bench/loop-delay/longest-turn.ts';
import { loopDelay } from '../../bench/loop-delay.ts';
import { secret } from '../http/support/front.ts';
import { rsa } from '../http/support/google.ts';
import { github } from '../http/support/sent.ts';

it('there are thirty hostile inputs of each class', () => {
  assert.ok(Object.keys(specTexts).length >= 30);
  assert.ok(Object.keys(planBodies).length >= 30);
  assert.ok(Object.keys(hostileWebhooks(rsa())).length >= 30);
  assert.ok(Object.keys(hostileAnswers).length >= 30);
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

it('every input that was chosen is taken, in each class and in all', async () => {
  const answered: string[] = [];
  const figures = await loopDelay({
    posted: { 'no JSON': 'a' },
    committed: { brackets: '[[[' },
    delivered: () => ({ 'a push': () => ['github', github(secret)] }),
    listed: { gcp: {}, azure: { 'no networks': () => ({ listing: /virtualNetworks/, body: '{"value":[]}' }) } },
    answered: {
      'no networks': () => {
        answered.push('no networks');
        return { listing: /Action=DescribeVpcs&/, body: '<DescribeVpcsResponse/>' };
      },
    },
  });
  assert.deepEqual(
    figures.map(({ name, unit }) => [name, unit]),
    [
      ['loop-delay', 'ms, of all inputs'],
      ...['posted', 'committed', 'delivered', 'answered', 'listed'].map((how) => [
        `loop-delay-${how}`,
        'ms, of 1 inputs',
      ]),
    ],
  );
  assert.deepEqual(answered, ['no networks']);
});
