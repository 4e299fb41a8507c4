import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backoff } from '../../src/queue/worker-pool.ts';

const ceiling = { firstMs: 1_000, capMs: 30_000 };

const rows = [
  { reason: 'the first pause has the first ceiling', tries: 1, random: 0.999, want: 999 },
  { reason: 'the ceiling doubles with each failure', tries: 3, random: 0.5, want: 2_000 },
  { reason: 'and ends at the cap', tries: 20, random: 0.5, want: 15_000 },
  { reason: 'a pause may be none at all', tries: 5, random: 0, want: 0 },
];

for (const { reason, tries, random, want } of rows)
  test(reason, () =>
    assert.equal(
      backoff(tries, ceiling, () => random),
      want,
    ),
  );
