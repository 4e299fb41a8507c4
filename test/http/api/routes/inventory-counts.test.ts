import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { at, now, rowOf, scope, store, web, world } from './inventory-world.ts';

await store.rows.keep(
  { estate: 'acme', scope },
  {
    at: now - 60_000,
    rows: [
      rowOf('core', { called: { labels: { env: 'prod' } } }),
      rowOf('shop', { status: 'Drifted', place: { kind: 'network', targets: ['north', 'south'] } }),
      rowOf('web-0', {
        place: { kind: 'instance' },
        whose: { owner: 'team-web' },
        sides: { observed: web, desired: undefined },
      }),
    ],
    gaps: [],
  },
);
after(world.close);

const counts = async (query: string, who = 'viewer') => {
  const { status, body } = await world.ask(who, `GET /v1/inventory-counts?${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
};

describe('GET /v1/inventory-counts', () => {
  it('counts all of a filter by one property', async () => {
    const items = [
      { value: 'InSync', count: 2 },
      { value: 'Drifted', count: 1 },
    ];
    assert.deepEqual(await counts('by=status'), { by: 'status', total: 3, items, more: 0 });
    assert.deepEqual(await counts('by=status&limit=1'), { by: 'status', total: 3, items: items.slice(0, 1), more: 1 });
    assert.deepEqual(await counts('by=kind&label=env%3Dprod'), {
      by: 'kind',
      total: 1,
      items: [{ value: 'network', count: 1 }],
      more: 0,
    });
    assert.deepEqual(await counts('by=status&drift=yes'), { by: 'status', total: 1, items: items.slice(1), more: 0 });
    assert.deepEqual(await counts('by=kind&status=Failed'), { by: 'kind', total: 0, items: [], more: 0 });
  });

  it('lists the resources behind a count', async () => {
    const network = at('network', 'core');
    const { body } = await world.ask('viewer', `GET /v1/inventory?network=${encodeURIComponent(network)}&origin=ours`);
    assert.deepEqual(Reflect.get(Object(body), 'items').length, 1);
    assert.deepEqual(await counts(`by=owner&network=${encodeURIComponent(network)}`), {
      by: 'owner',
      total: 1,
      items: [{ value: 'team-net', count: 1 }],
      more: 0,
    });
  });

  it('lists the resources without a value under an empty filter', async () => {
    const items = async (filter: string) =>
      Reflect.get(Object((await world.ask('viewer', `GET /v1/inventory?${filter}`)).body), 'items');
    for (const by of ['exposed', 'target', 'scope', 'owner', 'network', 'region'])
      for (const { value, count } of Reflect.get(Object(await counts(`by=${by}`)), 'items'))
        assert.equal((await items(`${by}=${encodeURIComponent(value)}`)).length, count, `${by}=${value}`);
    const { items: exposed } = Object(await counts('by=exposed'));
    assert.deepEqual(exposed, [{ value: '', count: 3 }]);
  });

  it('counts only what the caller sees, and names no other target', async () => {
    const south = { by: 'target', total: 1, items: [{ value: 'south', count: 1 }], more: 0 };
    assert.deepEqual(await counts('by=target', 'south'), south);
    assert.deepEqual(await counts('by=owner', 'owner'), {
      by: 'owner',
      total: 1,
      items: [{ value: 'team-web', count: 1 }],
      more: 0,
    });
  });

  it('refuses a property that it has not, one that is missing, and an estate that the caller does not see', async () => {
    assert.equal((await world.ask('viewer', 'GET /v1/inventory-counts?by=price')).status, 400);
    assert.equal((await world.ask('viewer', 'GET /v1/inventory-counts')).status, 400);
    assert.equal((await world.ask('viewer', 'GET /v1/inventory-counts?by=status&sort=name')).status, 400);
    assert.equal((await world.ask('south', 'GET /v1/inventory-counts?by=status&estate=beta')).status, 404);
  });
});
