import assert from 'node:assert/strict';
import type { Observation, Observed } from '../../../src/core/observed.ts';
import { observedOf, scope } from '../fixtures.ts';
import type { Laws } from '../store-laws.ts';

export const inventoryLaws: Laws = {
  'the newest look at each scope is kept as it was, sorted, with its age and gaps': async ({
    store,
    other,
    estate,
  }) => {
    const gaps = [{ kind: 'subnet', code: 'Throttling', reason: 'listing failed' } as const];
    const odd = observedOf('odd', { 'a"\u0000\ud800': '\u{1f512}' });
    const looked = look(1000, [observedOf('b'), odd, observedOf('a')], { gaps, pending: ['vpc-z'], calls: 7 });
    const elsewhere = { ...look(900, [observedOf('x')]), scope: 'aws/1/us-east-1' };
    await store.inventory.record(estate, looked);
    await store.inventory.record(estate, elsewhere);
    const sorted = { ...looked, resources: [observedOf('a'), observedOf('b'), odd] };
    assert.deepEqual(
      await other.inventory.latest(estate),
      [elsewhere, sorted].sort((a, b) => (a.scope < b.scope ? -1 : 1)),
    );
    assert.deepEqual(await other.inventory.latest(estate, scope), [sorted]);
    assert.deepEqual(await other.inventory.latest(estate, 'aws/1/nowhere'), []);
    assert.deepEqual(await store.inventory.latest(`${estate}-2`), []);
  },

  'an older look does not overwrite a newer one': async ({ store, estate }) => {
    const newer = look(2000, [observedOf('a')]);
    await store.inventory.record(estate, newer);
    await store.inventory.record(estate, look(1000, []));
    assert.deepEqual(await store.inventory.latest(estate), [newer]);
  },

  'history says when an object appeared, changed and vanished, and nothing of what stayed the same': async (bench) => {
    const { store, estate } = bench;
    const plain = observedOf('a');
    const labelled = observedOf('a', { tier: 'web' });
    const seen: readonly (readonly Observed[])[] = [[plain], [plain, observedOf('b')], [labelled], [], [plain]];
    for (const [i, resources] of seen.entries()) await store.inventory.record(estate, look(1000 * (i + 1), resources));
    assert.deepEqual(await store.inventory.history(estate, 'vpc-a'), [
      { at: 5000, scope, change: 'appeared', resource: plain },
      { at: 4000, scope, change: 'vanished', resource: labelled },
      { at: 3000, scope, change: 'changed', resource: labelled },
      { at: 1000, scope, change: 'appeared', resource: plain },
    ]);
    assert.deepEqual(
      (await store.inventory.history(estate, 'vpc-b')).map(({ at, change }) => [at, change]),
      [
        [3000, 'vanished'],
        [2000, 'appeared'],
      ],
    );
    assert.deepEqual(await store.inventory.history(estate, 'vpc-none'), []);
  },

  'what a gap hides has not vanished': async ({ store, estate }) => {
    const gaps = [{ kind: 'network', code: 'Throttling', reason: 'listing failed' } as const];
    await store.inventory.record(estate, look(1000, [observedOf('a'), observedOf('b')]));
    await store.inventory.record(estate, look(2000, [observedOf('b')], { gaps }));
    assert.deepEqual(await store.inventory.latest(estate), [look(2000, [observedOf('b')], { gaps })]);
    await store.inventory.record(estate, look(3000, [observedOf('a'), observedOf('b')]));
    assert.deepEqual(await store.inventory.latest(estate), [look(3000, [observedOf('a'), observedOf('b')])]);
    assert.deepEqual(
      (await store.inventory.history(estate, 'vpc-a')).map(({ change }) => change),
      ['appeared'],
    );
  },
};

const look = (at: number, resources: readonly Observed[], rest: Partial<Observation> = {}): Observation => ({
  scope,
  at,
  resources,
  gaps: [],
  pending: [],
  calls: 1,
  ...rest,
});
