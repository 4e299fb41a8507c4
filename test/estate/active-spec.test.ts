import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import type { CompiledScope } from '../../src/core/compile/compile.ts';
import type { PauseSubject } from '../../src/core/pause.ts';
import { heldStill, keepActive } from '../../src/estate/active-spec.ts';
import { generationsOf } from '../../src/fleet/generations.ts';
import { rowOf } from '../store/fixtures.ts';
import { attributes, observed, remove } from '../support/actions.ts';
import { network } from '../support/engine-world/documents.ts';
import { fleetWorld, where } from '../support/fleet-world.ts';

const scopeAt = (scope: string, target: string): CompiledScope => ({
  scope,
  targets: [],
  regions: [],
  cadence: { criticality: 'normal', targets: [] },
  wanted: { desired: [], documents: new Map(), additive: new Set(), mode: 'enforce', targets: [target] },
  launches: new Map(),
});
const scopes = [scopeAt('memory/acme/here', 'prod'), scopeAt('memory/acme/here-too', 'lab')];

/** It has no document any more, so only its place shows its owner. */
const gone = (prefix: string) => ({
  ...remove('old', observed('network', 'vpc-9', attributes.network())),
  address: `${prefix}/network/old`,
});

const rows: readonly (readonly [name: string, of: PauseSubject, at: string, held: boolean])[] = [
  ['a target of its own scope', { by: 'target', name: 'prod' }, 'memory/acme/here', true],
  ['a target of another scope', { by: 'target', name: 'lab' }, 'memory/acme/here', false],
  ['a scope whose name begins alike', { by: 'target', name: 'prod' }, 'memory/acme/here-too', false],
  ['a place that no spec names: it may be of any target', { by: 'target', name: 'lab' }, 'memory/acme/there', true],
  ['the whole estate', { by: 'estate' }, 'memory/acme/there', true],
  ['its owner in the generation before', { by: 'owner', name: 'net' }, 'memory/acme/here', true],
  ['another owner', { by: 'owner', name: 'web' }, 'memory/acme/here', false],
];
const before = { owners: { 'memory/acme/here/network/old': 'net' } };

for (const [name, of, at, held] of rows)
  test(`${held ? 'held' : 'not held'} by a pause of ${name}`, () => {
    const hold = heldStill([{ what: 'all', of, reason: 'x', person: 'ann', until: 1 }], scopes, before);
    assert.equal(hold(gone(at))?.code, held ? 'paused' : undefined);
  });

describe('observations of a person, kept as the inventory', () => {
  it('leaves the lines of scopes that the specs in force do not name', async () => {
    const world = fleetWorld();
    const { store, clock } = world;
    await world.accept([network()]);
    const current = await store.generations.current('acme');
    assert.ok(current);
    const estate = await generationsOf(world.context).open('acme', current);
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
    assert.equal(await keepActive(estate, [{ scope, observation, knowledge }], store), true);
    const [row] = await store.rows.find({ seen: [{}], of: 'vpc-a' });
    assert.deepEqual([row?.state.status, row?.state.code], ['Orphan', 'no-target']);
    assert.deepEqual(
      (await store.rows.looks()).map((look) => look.scope),
      [where.scope],
    );
  });
});
