import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KeptRow, Rows } from '../../src/ports/rows.ts';
import { lookOf, rowOf } from '../store/row-fixtures.ts';
import { network, rule } from '../support/engine-world/documents.ts';
import { type FleetWorld, fleetWorld, where } from '../support/fleet-world.ts';

const core = 'memory/acme/north/network/core';

async function rowsIn({ store }: FleetWorld): Promise<readonly KeptRow[]> {
  const sort = { by: 'address', descending: false } as const;
  return (await store.rows.page({ seen: [{}], filter: {}, sort, limit: 1000 })).rows;
}

/** The statuses that a thing had, look by look: in virtual time all looks of a pass are at one moment, and the last one counts. */
function watched(world: FleetWorld, of = core): () => readonly string[] {
  const { rows } = world.store;
  const statuses: string[] = [];
  const keep: Rows['keep'] = async (at, look) => {
    statuses.push(look.rows.find(({ key }) => key === of)?.state.status ?? 'absent');
    await rows.keep(at, look);
  };
  Object.assign(world.store, { rows: { ...rows, keep } });
  return () => statuses.splice(0);
}

describe('the lines of the inventory, beside a pass', () => {
  it('are kept at its first look and at its last', async () => {
    const world = fleetWorld();
    const seen = watched(world);
    await world.accept([network({ internet: false }), rule('https')]);
    await world.pass();
    assert.deepEqual(seen(), ['Pending', 'InSync']);
    assert.ok((await rowsIn(world)).every(({ state, whose }) => state.status === 'InSync' || whose.claim !== 'ours'));
  });

  it('show drift before it is healed, and are kept once where nothing is to be done', async () => {
    const world = fleetWorld();
    await world.accept([network({ internet: false }, { labels: { tier: 'web' } })]);
    await world.pass();
    const seen = watched(world);
    await world.pass();
    assert.deepEqual(seen(), ['InSync']);
    const [standing] = await world.store.rows.find({ seen: [{}], of: core });
    world.cloud.outside.do('TagObjects', { ids: [standing?.called.id ?? ''], tags: { tier: 'db' } });
    await world.pass();
    assert.deepEqual(seen(), ['Drifted', 'InSync']);
  });

  it('say what failed, also at the looks before it is tried again', async () => {
    const world = fleetWorld();
    const seen = watched(world);
    world.cloud.faults.add({ on: 'CreateNetwork', fault: { do: 'refuse', code: 'Denied' } });
    await world.accept([network({ internet: false })]);
    await world.pass();
    assert.deepEqual(seen(), ['Pending', 'Failed']);
    await world.pass();
    assert.deepEqual(seen(), ['Failed', 'Failed']);
    await world.pass();
    assert.deepEqual(seen(), ['Blocked'], 'refused twice: it waits, and its reason quotes the cloud');
    world.cloud.faults.clear();
    await world.clock.run(() => world.clock.sleep(61_000, new AbortController().signal));
    await world.pass();
    assert.equal(seen().at(-1), 'InSync');
  });

  it('say so too where a thousand lines of other scopes failed before them', async () => {
    const world = fleetWorld();
    const failed = Array.from({ length: 1001 }, (_, i) => rowOf(`n${i}`, { status: 'Failed' }));
    await world.store.rows.keep({ ...where, scope: 'aws/111122223333/eu-west-1' }, lookOf(0, failed));
    world.cloud.faults.add({ on: 'CreateNetwork', fault: { do: 'refuse', code: 'Denied' } });
    await world.accept([network({ internet: false })]);
    await world.pass();
    const seen = watched(world);
    await world.pass();
    assert.deepEqual(seen(), ['Failed', 'Failed']);
  });

  it('show what was healed while a newer generation waits', async () => {
    const world = fleetWorld();
    await world.accept([network({ internet: false }, { labels: { tier: 'web' } })]);
    await world.pass();
    await world.accept([network({ internet: false }, { labels: { tier: 'web', more: 'x' } })]);
    const until = world.clock.now() + 3_600_000;
    const hold = { what: 'rollout', of: { by: 'estate' }, reason: 'a freeze', person: 'ada', until } as const;
    await world.store.fleet.pauses.begin(where.estate, hold);
    const [standing] = await world.store.rows.find({ seen: [{}], of: core });
    world.cloud.outside.do('TagObjects', { ids: [standing?.called.id ?? ''], tags: { tier: 'db' } });
    assert.deepEqual((await world.pass()).writes, ['TagObjects']);
    const [row] = await world.store.rows.find({ seen: [{}], of: core });
    assert.deepEqual([row?.state.status, row?.state.code], ['Paused', 'paused']);
    assert.equal(row?.called.labels['tier'], 'web');
  });
});

describe('keeping the lines of the inventory', () => {
  it('changes none where a listing failed', async () => {
    const world = fleetWorld();
    await world.accept([network({ internet: false }), rule('https')]);
    await world.pass();
    const before = (await rowsIn(world)).map(({ key, state }) => [key, state]);
    world.cloud.faults.add({ on: 'ListRules', fault: { do: 'refuse', code: 'Denied' } });
    await world.pass();
    const after = await rowsIn(world);
    assert.deepEqual(
      after.map(({ key, state }) => [key, state]),
      before,
    );
    assert.ok(after.some(({ place, observed }) => place.kind === 'firewall-rule' && !observed.complete));
  });

  it('fails no pass', async () => {
    const world = fleetWorld();
    const broken: Rows = {
      ...world.store.rows,
      keep: async () => {
        throw new Error('the database is full');
      },
    };
    Object.assign(world.store, { rows: broken });
    await world.accept([network({ internet: false })]);
    assert.equal((await world.pass()).outcome, 'done');
    assert.deepEqual(await rowsIn(world), []);
  });

  it('is of the scope and estate of the pass', async () => {
    const world = fleetWorld();
    const number = await world.accept([network({ internet: false })]);
    await world.pass();
    for (const row of await rowsIn(world)) {
      assert.deepEqual([row.estate, row.place.scope], [where.estate, where.scope]);
      if (row.whose.claim === 'ours') assert.equal(row.state.generation, number);
    }
  });
});
