import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { Status } from '../../../../src/core/inventory/row.ts';
import { sloRoutes } from '../../../../src/http/api/routes/slo.ts';
import { rowOf, scope } from '../../../store/fixtures.ts';
import { memoryDatabase } from '../../../support/memory-store.ts';
import { virtualClock } from '../../../support/virtual-clock.ts';
import { apiWorld, callerOf } from '../support/api-world.ts';

const day = 86_400_000;
const start = Date.UTC(2026, 0, 1);
const clock = virtualClock(start);
const store = memoryDatabase(clock).connect();

async function look(a: Status, b: Status): Promise<void> {
  const at = clock.now();
  const rows = [
    rowOf('a', { status: a, place: { targets: ['north'] } }),
    rowOf('b', { status: b, place: { targets: ['south'] } }),
  ];
  await store.rows.keep({ estate: 'acme', scope }, { at, rows, gaps: [] });
  await store.inventory.record('acme', { scope, at, resources: [], gaps: [], pending: [], calls: 1 });
}

await store.ledger.note('acme', {});
await look('InSync', 'InSync');
await clock.advance(day);
await look('Drifted', 'InSync');
await clock.advance(60_000);
await look('InSync', 'Pending');
await clock.advance(day);

const world = apiWorld({
  routes: sloRoutes({ figures: store.figures, estates: store.estates.list }),
  callers: { south: callerOf('viewer', { grants: [{ role: 'viewer', estates: ['acme'], targets: ['south'] }] }) },
  clock,
});
after(world.close);

const about = { estate: 'acme', until: new Date(clock.now()).toISOString() };
const north = {
  ...{ target: 'north', kind: 'network', resources: 1, inSync: 0.999653 },
  drift: { count: 1, per100ResourcesADay: 49.983 },
  convergence: { closed: 1, p50Seconds: 60, p95Seconds: 60, maxSeconds: 60, open: 0 },
};
const south = {
  ...{ target: 'south', kind: 'network', resources: 1, inSync: 0.500174 },
  drift: { count: 0, per100ResourcesADay: 0 },
  convergence: { closed: 0, open: 1, openSince: new Date(start + day + 60_000).toISOString() },
};
const observed = { at: new Date(start + day + 60_000).toISOString(), ageSeconds: 86_400, complete: true, gaps: [] };

describe('GET /v1/slo', () => {
  it('tells of a week how long it took and how often it drifted, by target and kind', async () => {
    const { status, body } = await world.ask('viewer', 'GET /v1/slo');
    const since = new Date(clock.now() - 7 * day).toISOString();
    assert.deepEqual([status, body], [200, { ...about, since, items: [north, south], observed }]);
  });

  it('looks at the window that is asked for', async () => {
    const { body } = await world.ask('viewer', 'GET /v1/slo?since=1h');
    // why: the frame has checked it
    const [first] = (body as { items: readonly (typeof north)[] }).items;
    assert.deepEqual(first && [first.inSync, first.drift.count, first.convergence], [1, 0, { closed: 0, open: 0 }]);
  });

  it('counts what the caller sees', async () => {
    const { body } = await world.ask('south', 'GET /v1/slo');
    const since = new Date(clock.now() - 7 * day).toISOString();
    assert.deepEqual(body, { ...about, since, items: [south], observed });
  });

  it('tells of the same window part by part', async () => {
    const { status, body } = await world.ask('viewer', 'GET /v1/slo/history?since=2d&parts=2');
    const { parts, observed: seen } = body as { parts: readonly object[]; observed: object }; // why: the frame has checked it
    assert.deepEqual([status, seen], [200, observed]);
    const [middle, end] = [start + day + 60_000, clock.now()];
    const at = (since: number, until: number) => ({
      since: new Date(since).toISOString(),
      until: new Date(until).toISOString(),
    });
    assert.deepEqual(parts, [
      { ...at(end - 2 * day, end - day), resources: 2, outOfSync: 1, inSync: 0.999653, drifted: 1, closed: 0 },
      { ...at(end - day, end), resources: 2, outOfSync: 1, inSync: 0.5, drifted: 0, closed: 1, p95Seconds: 60 },
    ]);
    assert.equal(end - day, middle);
    const { body: south } = await world.ask('south', 'GET /v1/slo/history?since=2d&parts=1');
    assert.equal((south as { parts: readonly { resources: number }[] }).parts[0]?.resources, 1); // why: as above
  });

  for (const query of ['since=91d', 'parts=0', 'parts=201', 'parts=x'])
    it(`refuses a history with ${query}`, async () =>
      assert.equal((await world.ask('viewer', `GET /v1/slo/history?${query}`)).status, 400));

  for (const since of ['91d', '2030-01-01T00:00:00Z', 'x'])
    it(`refuses since=${since}`, async () =>
      assert.equal((await world.ask('viewer', `GET /v1/slo?since=${since}`)).status, 400));
});
