import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Hostile } from '../../bench/loop-delay/answering.ts';
import { hostileAnswers, hostileAzure, hostileGoogle } from '../../bench/loop-delay/hostile-answers.ts';
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
  assert.ok(Object.keys(hostileGoogle).length >= 30);
  assert.ok(Object.keys(hostileAzure).length >= 30);
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
  const noted = (name: string, listing: RegExp, body: string) => (): Hostile => {
    answered.push(name);
    return { listing, body };
  };
  const figures = await loopDelay({
    posted: { 'no JSON': 'a' },
    committed: { brackets: '[[[' },
    delivered: () => ({ 'a push': () => ['github', github(secret)] }),
    listed: { gcp: {}, azure: { 'no networks': () => ({ listing: /virtualNetworks/, body: '{"value":[]}' }) } },
    answered: { aws: noted('aws', /Action=DescribeVpcs&/, '<DescribeVpcsResponse/>') },
    'answered-gcp': { gcp: noted('gcp', /networks/, '{"kind":"compute#networkList"}') },
    'answered-azure': { azure: noted('azure', /virtualNetworks/, '{"value":[]}') },
  });
  const [livez, firstUse] = figures.slice(-2);
  assert.equal(livez?.name, 'loop-delay-livez');
  assert.ok(livez.value > 0);
  assert.match(firstUse?.unit ?? '', /^ms: aws \d+, loaded in \d+; gcp \d+, loaded in \d+; azure \d+, loaded in \d+$/);
  assert.deepEqual(
    figures.slice(0, -2).map(({ name, unit }) => [name, unit]),
    [
      ['loop-delay', 'ms, of all inputs'],
      ...['posted', 'committed', 'delivered', 'answered', 'answered-gcp', 'answered-azure', 'listed'].map((how) => [
        `loop-delay-${how}`,
        'ms, of 1 inputs',
      ]),
    ],
  );
  assert.deepEqual(answered, ['aws', 'gcp', 'azure']);
});
