import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { keepInForce } from '../../src/estate/active-spec.ts';
import { generationsOf } from '../../src/fleet/generations.ts';
import { rowOf } from '../store/row-fixtures.ts';
import { network } from '../support/engine-world/documents.ts';
import { fleetWorld, where } from '../support/fleet-world.ts';

describe('what a person saw, kept as the inventory', () => {
  it('leaves the lines of scopes that the specs in force do not name', async () => {
    const world = fleetWorld();
    const { store, clock } = world;
    await world.accept([network()]);
    const current = await store.generations.current('acme');
    assert.ok(current);
    const estate = await generationsOf(world.yard).open('acme', current);
    const [scope] = estate.compiled.scopes;
    assert.ok(scope);
    const observed = { attributes: { labels: {} }, state: 'ready', parts: [] } as const;
    const ours = { ...rowOf('a'), sides: { observed, diff: [] } };
    await store.rows.keep(
      { estate: 'acme', scope: ours.place.scope },
      { at: clock.now() - 1000, rows: [ours], gaps: [] },
    );
    const observation = { scope: where.scope, at: clock.now(), resources: [], gaps: [], pending: [], calls: 1 };
    const knowledge = { estate: 'acme', settled: new Map(), pending: [], applied: new Map(), unstuck: new Map() };
    assert.equal(await keepInForce(estate, [{ scope, observation, knowledge }], store), true);
    const [row] = await store.rows.find({ seen: [{}], of: 'vpc-a' });
    assert.deepEqual([row?.state.status, row?.state.code], ['Orphan', 'no-target']);
    assert.deepEqual(
      (await store.rows.looks()).map((look) => look.scope),
      [where.scope],
    );
  });
});
