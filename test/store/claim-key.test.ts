import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { openStore } from '../../src/store/open-store.ts';
import { virtualClock } from '../support/virtual-clock.ts';
import { apply, draftOf, workerOf } from './fixtures.ts';
import { urlOf } from './old-database.ts';
import { ownStore } from './own-store.ts';
import { owner } from './owner.ts';

const clock = virtualClock();
const { folder, store, admin } = await ownStore(clock);

test('a store of its own signs with its own key', async () => {
  await store.ledger.note('acme', { a: 1 });
  const { rows } = await admin.query('SELECT signing_key FROM setpoint.store');
  assert.equal(rows[0].signing_key, await store.audit.ownKey());
  assert.equal((await store.audit.verify('acme')).ok, true);
});

test('on a shared database the first process that works there chooses the key, and words of people choose none', async () => {
  await admin.query('CREATE DATABASE shared');
  const client = await owner(folder, 'shared');
  const databaseUrl = urlOf(client);
  const person = await openStore({ folder: join(folder, 'person'), databaseUrl, clock, create: true });
  const worker = await openStore({ folder: join(folder, 'worker'), databaseUrl, clock, create: true });
  const signer = async () => (await client.query('SELECT signing_key FROM setpoint.store')).rows[0].signing_key;
  try {
    await person.ledger.note('acme', { a: 1 });
    await assert.rejects(person.audit.checkpoint('acme'), /no key signs this ledger yet/);
    assert.equal(await signer(), null);
    await apply(await workerOf(worker, 'acme'), draftOf('create', 'core'));
    await worker.close();
    assert.notEqual(await signer(), null);
    await assert.rejects(person.audit.checkpoint('acme'), /another|rekey/);
  } finally {
    await client.end();
    await person.close();
  }
});
