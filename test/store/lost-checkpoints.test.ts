import assert from 'node:assert/strict';
import { appendFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { canonical } from '../../src/core/ledger/canonical.ts';
import { isSignedCheckpoint } from '../../src/core/ledger/chain.ts';
import type { Store } from '../../src/ports/store.ts';
import { openStore } from '../../src/store/open-store.ts';
import { trustedKeys } from '../../src/store/signing.ts';
import { verifyExport } from '../../src/store/verify-export.ts';
import { virtualClock } from '../support/virtual-clock.ts';
import { draftOf, scope, workerOf } from './fixtures.ts';
import { ownStore } from './own-store.ts';
import { replicaOf } from './replica.ts';

const estate = 'acme';

async function write(store: Store, ...names: readonly string[]): Promise<void> {
  const { reconcile, lease } = await workerOf(store, estate);
  await store.ledger.intend(
    reconcile,
    names.map((name) => draftOf('create', name)),
  );
  // why: a reconcile that ends signs
  await lease.release();
}

const lostIn = async (store: Store) => (await store.inventory.knowledge(estate, scope)).lost;

test('a database that went back: found, recorded for all processes, and given up by a person alone', async () => {
  const clock = virtualClock();
  const { store, admin, folder } = await ownStore(clock);
  await write(store, 'kept');
  const failOver = await replicaOf(admin);
  await write(store, 'lost-1');
  await write(store, 'lost-2');
  const before = (await store.audit.checkpoints(estate)).filter(isSignedCheckpoint);
  assert.deepEqual(await store.audit.lost(), []);
  await failOver();

  const [held, signed, signedAt] = [1, 3, before.at(-1)?.at];
  assert.equal(await lostIn(store), undefined, 'nobody has looked yet');
  assert.deepEqual(await store.audit.lost(), [{ estate, held, signed, signedAt }]);
  assert.deepEqual(await lostIn(store), { held, signed, signedAt });
  const told: string[] = [];
  const again = await openStore({ folder, clock, databaseClock: clock, create: true, onProgress: (l) => told.push(l) });
  assert.match(told.join('\n'), /the ledger of acme ends before its checkpoint 3: .*accept-loss/);
  await again.close();
  await write(store, 'new-1');
  await assert.rejects(store.audit.checkpoint(estate), /was cut: checkpoint 3 was signed here/);
  assert.equal((await store.audit.verify(estate)).ok, false);

  const accepted = await store.audit.acceptLoss(estate);
  assert.deepEqual([accepted.number, accepted.restoredTo], [4, 1]);
  assert.deepEqual(await store.audit.lost(), []);
  assert.equal(await lostIn(store), undefined);
  await assert.rejects(store.audit.acceptLoss(estate), /has no checkpoint of acme after 4/);
  await write(store, 'new-2');
  const verdict = await store.audit.verify(estate);
  assert.ok(verdict.ok, JSON.stringify(verdict));
  assert.deepEqual([verdict.lost, verdict.unsigned], [[{ first: 2, last: 3, at: accepted.at }], undefined]);

  const checkpoints = await store.audit.checkpoints(estate);
  const lines: string[] = [];
  for await (const line of store.audit.export(estate)) lines.push(line);
  const keys = await trustedKeys(join(folder, '.setpoint/keys'));
  const copy = await verifyExport(lines, { checkpoints, keys, now: clock.now() });
  assert.ok(copy.ok, JSON.stringify(copy));

  await admin.query('ALTER TABLE setpoint.ledger DISABLE TRIGGER ALL');
  await admin.query("UPDATE setpoint.ledger SET body = replace(body, 'new-1', 'new-9') WHERE estate = $1", [estate]);
  assert.equal((await store.audit.verify(estate)).ok, false, 'entries signed since the restore are proven as ever');
});

test('a process without those checkpoints in its folder cannot give up the loss, and is told where to do it', async () => {
  const clock = virtualClock();
  const { store, admin, folder } = await ownStore(clock);
  await write(store, 'kept');
  const failOver = await replicaOf(admin);
  await write(store, 'lost');
  await failOver();
  await store.audit.lost();
  await rm(join(folder, '.setpoint/checkpoints.jsonl'));
  const other = await openStore({ folder, clock, databaseClock: clock, create: true });
  const found = (await other.audit.lost()).map(({ signed }) => signed);
  assert.deepEqual(found, [2], 'by the record of the process that found it');
  await assert.rejects(other.audit.acceptLoss(estate), /has no checkpoint of acme after 1.*the signer's folder/);
  await other.close();
});

test('a checkpoint that goes back is worth nothing without the key', async () => {
  const clock = virtualClock();
  const { store, folder } = await ownStore(clock);
  await write(store, 'a');
  await write(store, 'b');
  const [first, second] = (await store.audit.checkpoints(estate)).filter(isSignedCheckpoint);
  assert.ok(first && second);
  const forged = { ...second, number: 3, previous: 'x', restoredTo: 1 };
  await appendFile(join(folder, '.setpoint/checkpoints.jsonl'), `${canonical(forged)}\n`);
  const verdict = await store.audit.verify(estate);
  assert.ok(!verdict.ok);
  assert.match(verdict.reason, /no valid signature/);
});
