import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { inTurns } from '../../src/queries/estate-view.ts';
import { inForce } from './support/change.ts';

const paths = ['/v1/drift', '/v1/approvals'];

test('all that plans stands in one line, and what waits there for the same is planned once', async () => {
  const world = await inForce();
  const looked = mock.method(world.store.inventory, 'latest');
  const asked = Array.from({ length: 12 }, (_, i) => world.api.ask('bob', `GET ${paths[i % 2]}`));
  const answers = await Promise.all(asked);
  const statuses = answers.map(({ status }) => status).sort();
  assert.deepEqual(statuses, [...Array.from({ length: 9 }, () => 200), 429, 429, 429]);
  assert.equal(answers.find(({ status }) => status === 429)?.headers['retry-after'], '2');
  assert.equal(looked.mock.callCount(), 1);
  assert.equal((await world.api.ask('bob', 'GET /v1/drift')).status, 200);
  assert.equal(looked.mock.callCount(), 2, 'nothing is kept for those who come later');
});

test('who waits in the line for what was changed meanwhile is told of that', async () => {
  const world = await inForce();
  const { fleet, inventory } = world.store;
  const { latest } = inventory;
  const until = world.clock.now() + 3_600_000;
  const draft = { what: 'healing', of: { by: 'estate' }, person: 'root', reason: 'a release', until } as const;
  const looked = mock.method(inventory, 'latest', async (estate: string) => {
    if (looked.mock.callCount() === 0) await fleet.pauses.begin('acme', draft);
    return latest(estate);
  });
  const asked = [1, 2].map(() => world.api.ask('bob', 'GET /v1/drift'));
  for (const { status } of await Promise.all(asked)) assert.equal(status, 200);
  assert.equal(looked.mock.callCount(), 2);
});

test('a process does what else it has to do between two steps of a plan', async () => {
  const order: string[] = [];
  function* steps(): Generator<undefined, string, undefined> {
    for (const step of ['a', 'b', 'c']) {
      order.push(step);
      setImmediate(() => order.push(`after ${step}`));
      yield;
    }
    return 'done';
  }
  assert.equal(await inTurns(steps()), 'done');
  assert.deepEqual(order, ['a', 'after a', 'b', 'after b', 'c', 'after c']);
});
