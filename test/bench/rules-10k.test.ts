import assert from 'node:assert/strict';
import { test } from 'node:test';
import { missed } from '../../bench/bounds.ts';
import { rules10k } from '../../bench/rules-10k.ts';

const small = { networks: 1, subnets: 1, groups: 60, rulesPerGroup: 2, machines: { documents: 60, replicas: 0 } };

test('sixty groups take the two seconds that a bucket of 50 and 5 a second leave them', async () => {
  const [time, throttles] = await rules10k(small);
  assert.deepEqual(time, { name: 'rules-10k', value: 2, unit: 's of virtual time', floor: 2, ratio: 1 });
  assert.equal(throttles?.value, 0);
});

test('somebody else at the same budget costs throttles and time, and both figures say so', async () => {
  const figures = await rules10k(small, ({ budgets }) =>
    budgets.take([
      {
        kind: 'bucket',
        rateLimit: '111122223333/eu-west-1/AuthorizeSecurityGroupIngress',
        capacity: 50,
        refill: 5,
        tokens: 30,
      },
    ]),
  );
  assert.deepEqual(
    figures.map((figure) => missed(figure)?.replace(/[\d.]+ is/, 'N is')),
    ['rules-10k: ratio N is over 1.1', 'rules-10k-throttles: value N is over 0'],
  );
});
