import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { settingListings } from '../../providers/shared/listed-settings.ts';
import { type Failure, maxAttempts } from '../../src/core/failure.ts';
import { ListingFailed } from '../../src/ports/provider.ts';
import { recordedCall } from '../support/fixtures.ts';

const base = { code: 'Busy', message: 'busy' };

/** One listing that fails so often with this failure. */
async function asked(failure: Failure | undefined, failures = Number.POSITIVE_INFINITY) {
  const waits: number[] = [];
  const clock = { now: () => 0, sleep: async (ms: number) => void waits.push(ms) };
  const { ask, unlisted } = settingListings({ clock }, { ...recordedCall(), settings: new Set(['routes']) });
  let tries = 0;
  const items = await ask('routes', async () => {
    tries += 1;
    if (tries <= failures) throw new ListingFailed('Busy', 'busy', failure);
    return ['route'];
  });
  return { items, tries, waits, unlisted: unlisted().map(({ setting, code }) => `${setting} ${code}`) };
}

describe('a listing that fails', () => {
  const lost = ['routes Busy'];
  const rows: readonly (readonly [string, Failure | undefined, number, readonly number[]])[] = [
    ['for good', { kind: 'terminal', ...base }, 1, []],
    ['for an unknown reason', undefined, 1, []],
    ['as throttled', { kind: 'throttled', ...base }, maxAttempts, []],
    ['without an answer', { kind: 'ambiguous', ...base }, maxAttempts, [1000, 2000, 4000, 8000, 16_000]],
    ['and may pass', { kind: 'retryable', ...base }, maxAttempts, [1000, 2000, 4000, 8000, 16_000]],
    [
      'and says how long to wait',
      { kind: 'retryable', ...base, retryAfterMs: 5000 },
      maxAttempts,
      [5000, 5000, 5000, 8000, 16_000],
    ],
  ];
  for (const [name, failure, tries, waits] of rows)
    test(`${name} is unlisted after ${tries}`, async () =>
      assert.deepEqual(await asked(failure), { items: undefined, tries, waits, unlisted: lost }));

  test('and then answers is listed', async () =>
    assert.deepEqual(await asked({ kind: 'throttled', ...base }, maxAttempts - 1), {
      ...{ items: ['route'], tries: maxAttempts, waits: [], unlisted: [] },
    }));
});

test('nobody asks for a setting that no document states', async () => {
  const clock = { now: () => 0, sleep: () => assert.fail() };
  const { ask, unlisted } = settingListings({ clock }, recordedCall());
  assert.equal(await ask('routes', () => assert.fail()), undefined);
  assert.deepEqual(unlisted(), []);
});
