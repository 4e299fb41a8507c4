import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import type { Store } from '../../src/ports/store.ts';
import { openStore } from '../../src/store/open-store.ts';
import { virtualClock } from '../support/virtual-clock.ts';
import { apply, draftOf, workerOf } from './fixtures.ts';
import { owner } from './owner.ts';
import { removeFolder, temporaryFolder } from './temporary-folder.ts';

const folder = await temporaryFolder();
const clock = virtualClock();
let store: Store;
let admin: pg.Client;
before(async () => {
  store = await openStore({ folder, clock, create: true });
  admin = await owner(folder);
});
after(async () => {
  await admin.end();
  await store.close();
  await removeFolder(folder);
});

/** As a server that goes away does: every connection of the application ends, whatever it is doing. */
async function endAllWhileOneWaits(): Promise<void> {
  const waiting = "SELECT pid FROM pg_stat_activity WHERE application_name = 'setpoint' AND wait_event_type = 'Lock'";
  for (const end = performance.now() + 5000; (await admin.query(waiting)).rowCount === 0; await pause(5))
    if (performance.now() > end) throw new Error('nobody waits for a lock');
  await admin.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'setpoint' AND pid <> pg_backend_pid()",
  );
}

// An error of a connection that is in use has no other listener: it would end this very process, and every worker.
test('a connection that is lost in the middle of a transaction fails that write, and the next one gets another', async () => {
  const worker = await workerOf(store, 'cut');
  await apply(worker, draftOf('create', 'a'));
  await admin.query('BEGIN');
  await admin.query("SELECT 1 FROM setpoint.estates WHERE name = 'cut' FOR UPDATE");
  const lost = assert.rejects(store.ledger.intend(worker.pass, [draftOf('create', 'b')]));
  await endAllWhileOneWaits();
  await lost;
  await admin.query('COMMIT');
  assert.ok((await apply(worker, draftOf('create', 'b'))).ok);
  assert.equal((await store.audit.verify('cut')).ok, true);
});
