import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { smallWorld } from '../support/small-world.ts';

const network = (tier?: string) => ({
  kind: 'Network',
  metadata: { name: 'core', ...(tier === undefined ? {} : { labels: { tier } }) },
  spec: { targets: ['here'], cidr: '10.0.0.0/16', deletionPolicy: 'delete' },
});

describe('a pass of an older generation', () => {
  it('leaves alone what a newer one has applied, and says so once', async () => {
    const world = smallWorld();
    await world.apply([network('old')]);
    await world.apply([network('new')]);
    const late = await world.apply([network('old')], { generation: 1 });
    assert.deepEqual([late.outcome, late.writes, late.passes.length], ['failed', [], 1]);
    const [finding] = late.passes.flatMap(({ findings }) => findings);
    assert.ok(finding?.type === 'withheld' && finding.code === 'stale');
    assert.match(finding.why, /generation 2 is already in force .*plan again with the newest specs/);
  });

  it('does not make again what a newer one has removed', async () => {
    const world = smallWorld();
    await world.apply([network()]);
    const gone = await world.apply([]);
    assert.ok(gone.writes.includes('DeleteNetwork'));
    assert.deepEqual((await world.apply([network()], { generation: 1 })).writes, []);
    assert.ok((await world.apply([network()])).writes.includes('CreateNetwork'));
  });
});

describe('what stands as a new spec wants it already', () => {
  /** A person relabels by hand what the next spec wants so; the window of our own write is over. */
  async function relabelled(how: { readonly afterMs: number }) {
    const world = smallWorld();
    await world.apply([network('old')]);
    await world.clock.advance(how.afterMs);
    const live = world.cloud.inspect.live().filter(({ mark }) => mark !== undefined);
    const stamp = (tier: string) => {
      for (const { id } of live) world.cloud.outside.stamp(id, { tier });
    };
    stamp('new');
    const met = await world.apply([network('new')]);
    assert.deepEqual(met.writes, []);
    const { applied } = await world.store.inventory.knowledge('acme', met.scope.scope);
    const address = met.scope.wanted.desired.find(({ kind }) => kind === 'network')?.address ?? '';
    return { world, stamp, applied: applied.get(address) };
  }

  it('is applied without a call, so that what differs later is drift', async () => {
    const { world, stamp, applied } = await relabelled({ afterMs: 400_000 });
    assert.deepEqual([applied?.generation, Reflect.get(applied?.attributes ?? {}, 'labels')], [2, { tier: 'new' }]);
    stamp('other');
    const { passes, last } = await world.apply([network('new')], { job: { passes: 0 } });
    assert.deepEqual(passes, []);
    assert.deepEqual(new Set(last?.plan.actions.map(({ cause }) => cause)), new Set(['drift']));
  });

  it('is not believed while a listing may lag behind our own write', async () => {
    const { applied } = await relabelled({ afterMs: 100_000 });
    assert.equal(applied?.generation, 1);
  });
});
