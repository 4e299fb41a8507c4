import assert from 'node:assert/strict';
import { test } from 'node:test';
import { missed } from '../../bench/bounds.ts';
import type { Figure } from '../../bench/figure.ts';
import { makespan, type Tasks } from '../../bench/makespan.ts';
import { account, region } from '../../bench/world/stage.ts';

const machines = { documents: 1, replicas: 5, tier: 'web' };
const small: Tasks = {
  rules: { networks: 1, subnets: 1, groups: 60, rulesPerGroup: 2, machines: { documents: 60, replicas: 0 } },
  terminations: machines,
  tagChanges: machines,
  launches: { ...machines, replicas: 1000 },
};

const values = (figures: readonly Figure[]) => Object.fromEntries(figures.map(({ name, value }) => [name, value]));

test('each part takes what its budget leaves it, and the figure is the worst share', async () => {
  assert.deepEqual(values(await makespan(small)), {
    'makespan-rules': 2,
    'makespan-terminations': 0,
    'makespan-tags': 1,
    'makespan-launches': 10,
    'makespan-launching': 2.5,
    'makespan-names': 1000,
    'makespan-naming': 90,
    makespan: 1,
  });
});

test('somebody else at the budget of launches costs refused calls and time, and the figure says so', async () => {
  const figures = await makespan(small, ({ budgets }) =>
    budgets.take([
      { kind: 'bucket', rateLimit: `${account}/${region}/RunInstances`, capacity: 5, refill: 2, tokens: 5 },
    ]),
  );
  assert.match(figures.map((figure) => missed(figure) ?? '').join(''), /^makespan: value [\d.]+ is over 1$/);
});
