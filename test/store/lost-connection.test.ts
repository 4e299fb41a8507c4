import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Declined } from '../../src/ports/queries.ts';
import { until } from '../support/until.ts';
import { virtualClock } from '../support/virtual-clock.ts';
import { apply, draftOf, scope, workerOf } from './fixtures.ts';
import { ownStore } from './own-store.ts';
import { owner } from './owner.ts';

const clock = virtualClock();
const { folder, store, admin } = await ownStore(clock);

/** Ends every connection of the application, as a server does when it stops. */
async function endAllWhileOneWaits(): Promise<void> {
  const waiting = "SELECT pid FROM pg_stat_activity WHERE application_name = 'setpoint' AND wait_event_type = 'Lock'";
  await until('somebody waits for a lock', async () => (await admin.query(waiting)).rowCount !== 0);
  await admin.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'setpoint' AND pid <> pg_backend_pid()",
  );
}

// An error of a connection that is in use has no other listener: it would end this very process, and every worker.
test('a write whose connection is lost in the middle of its transaction is made over another one, once', async () => {
  const worker = await workerOf(store, 'cut');
  await apply(worker, draftOf('create', 'a'));
  await admin.query('BEGIN');
  await admin.query("SELECT 1 FROM setpoint.chains WHERE estate = 'cut' FOR UPDATE");
  const intended = store.ledger.intend(worker.reconcile, [draftOf('create', 'b')]);
  await endAllWhileOneWaits();
  await admin.query('COMMIT');
  assert.deepEqual(
    (await intended).map((one) => one.ok && one.attempt),
    [1],
  );
  assert.equal((await store.audit.verify('cut')).ok, true);
});

test('a question that loses its connection is declined, to be asked again', async () => {
  // why: in a transaction of its own `admin` would see for ever who was there at first
  const locker = await owner(folder);
  await locker.query('BEGIN');
  await locker.query('LOCK TABLE setpoint.versions');
  const asked = { seen: [{}], of: 'vpc-a' };
  const lost = assert.rejects(store.rows.find(asked), (error) => error instanceof Declined && error.because === 'away');
  await endAllWhileOneWaits();
  await lost;
  await locker.end();
  // why: each cut connection may fail its next user once more
  const answers = () => store.rows.find(asked).catch(() => undefined);
  await until('an answer', async () => (await answers())?.length === 0);
});

test('a read of all that is known loses its connection in the middle of its transaction, and is made over another one', async () => {
  const locker = await owner(folder);
  await locker.query('BEGIN');
  await locker.query('LOCK TABLE setpoint.births');
  const known = store.inventory.knowledge('cut', scope);
  await endAllWhileOneWaits();
  await locker.end();
  assert.equal((await known).estate, 'cut');
});
