import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requestReconcile } from '../../src/queries/requests.ts';
import { network } from '../support/engine-world/documents.ts';
import { atOnce, fleetWorld, where } from '../support/fleet-world.ts';

const app = { name: 'app', cidr: '10.20.1.0/24' };
const old = { name: 'old', cidr: '10.20.2.0/24' };
const documents = (...subnets: object[]) => [network({ internet: false, deletionPolicy: 'delete', subnets })];
const estate = { mode: 'enforce', ...atOnce };

/** A subnet is to go, and something that no listing has stands in it: the first reconcile has found that out. */
async function stuck() {
  const world = fleetWorld();
  const { clock, cloud, store } = world;
  const reconcile = async () => {
    const before = cloud.history.calls.length;
    const { ended, outcome } = await clock.run(() => world.reconcile());
    const calls = cloud.history.calls.slice(before).map(({ action }) => action);
    return { ended, outcome, calls: calls.length, deletes: calls.filter((action) => action === 'DeleteSubnet').length };
  };
  const later = (ms: number) => clock.run(() => clock.sleep(ms, new AbortController().signal));
  await world.accept(documents(app, old), estate);
  await reconcile();
  await later(600_000);
  const idle = await reconcile();
  cloud.faults.add({ on: 'DeleteSubnet', fault: { do: 'refuse', code: 'InUse' } });
  await world.accept(documents(app), estate);
  const first = await reconcile();
  const held = async () => (await store.fleet.backoffs.list(where)).map(({ failures, waits }) => ({ failures, waits }));
  return { ...world, pass: reconcile, later, idle, first, held };
}

test('a subnet that can never be deleted is tried a few times, then not before its wait is over, and nothing asks for it at once', async () => {
  const { pass: reconcile, later, idle, first, held, said } = await stuck();
  assert.ok(first.deletes >= 3 && first.deletes <= 12, `${first.deletes} deletes in the first pass`);
  assert.ok(first.calls <= 150, `${first.calls} calls in the first pass`);
  assert.deepEqual([first.outcome, first.ended], ['partly', 'done']);
  const second = await reconcile();
  assert.equal(second.deletes, 0);
  assert.ok(
    second.calls <= idle.calls,
    `${second.calls} calls of a look while it waits, ${idle.calls} of one with nothing to do`,
  );
  assert.match(said().at(-1) ?? '', /withheld: backoff 1/);
  await later(61_000);
  assert.ok((await reconcile()).deletes > 0, 'after a minute');
  assert.deepEqual(await held(), [{ failures: 2, waits: true }]);
  await later(61_000);
  assert.equal((await reconcile()).deletes, 0, 'the second wait is longer');
  for (let hours = 0; hours < 12; hours++) {
    await later(3_600_001);
    assert.ok((await reconcile()).deletes > 0, 'never longer than an hour');
  }
});

test('a person who asks for a reconcile, and a new generation, have it tried at once', async () => {
  const { pass: reconcile, store, accept } = await stuck();
  assert.equal((await reconcile()).deletes, 0);
  await requestReconcile(where, 'ann looked into it', store);
  assert.ok((await reconcile()).deletes > 0);
  assert.equal((await reconcile()).deletes, 0);
  await accept(
    [...documents(app), network({ internet: false, cidr: '10.21.0.0/16', subnets: [] }, { name: 'other' })],
    estate,
  );
  assert.ok((await reconcile()).deletes > 0);
});

test('a changed observation ends the backoff', async () => {
  const { pass: reconcile, cloud } = await stuck();
  const { items } = cloud.outside.do('ListSubnets', {});
  const subnet = items.find(({ cidr }) => cidr === old.cidr) ?? assert.fail('it stands');
  cloud.outside.stamp(subnet.id, { tier: 'emptied' });
  assert.ok((await reconcile()).deletes > 0);
});

test('once it can go, it goes, and nothing is kept of it', async () => {
  const { pass: reconcile, later, cloud, held } = await stuck();
  cloud.faults.clear();
  await later(61_000);
  assert.equal((await reconcile()).deletes, 1);
  assert.deepEqual(await held(), []);
});

test('an approval that ends while it backs off is not outlived by the wait: nothing is sent without one', async () => {
  const { pass: reconcile, later, store, accept, clock } = await stuck();
  const [{ digest } = assert.fail('it waits')] = await store.fleet.backoffs.list(where);
  const generation = await accept(documents(app), { ...estate, mode: 'plan' });
  const by = { person: 'ann', reason: 'seen' };
  const until = clock.now() + 600_000;
  await store.fleet.approvals.give({ ...where, generation, digest, actions: [digest], destroys: 1, by, until });
  assert.ok((await reconcile()).deletes > 0, 'it is approved');
  assert.equal((await reconcile()).deletes, 0, 'it was refused, and waits');
  await later(2 * 3_600_000);
  assert.equal((await reconcile()).deletes, 0, 'the wait is over, and so is the approval');
});
