import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, test } from 'node:test';
import type pg from 'pg';
import type { Store } from '../../src/ports/store.ts';
import { openStore } from '../../src/store/open-store.ts';
import { virtualClock } from '../support/virtual-clock.ts';
import { addressOf, scope } from './fixtures.ts';
import { oldDatabase, urlOf } from './old-database.ts';
import { ownStore } from './own-store.ts';

/** The newest migration of the versions that kept no `adopted` with a claim. */
const lastOld = 27;

const clock = virtualClock();
const { folder } = await ownStore(clock);

const terms = { deletionPolicy: 'retain', protect: true, storeOnly: false };

/** Claims and intents in the older version's own words. */
const oldClaim = (old: pg.Client, id: string) =>
  old.query(
    "INSERT INTO setpoint.claims (estate, scope, id, kind, address, last_write_at, terms) VALUES ('acme', $1, $2, 'network', $3, 1, $4)",
    [scope, id, addressOf(id), JSON.stringify(terms)],
  );

async function oldIntent(old: pg.Client, verb: string, id: string, in_: { scope?: string; open?: boolean } = {}) {
  const open = in_.open ?? false;
  await old.query(
    `INSERT INTO setpoint.intents (intent, estate, scope, verb, kind, address, id, attempt, at, generation, fields, details, open, settled, guard_epoch)
     VALUES (gen_random_uuid(), 'acme', $1, $2, 'network', $3, $4, 1, 0, 1, '', $5, $6, $7, 0)`,
    [
      in_.scope ?? scope,
      verb,
      addressOf(id),
      verb === 'create' ? '' : id,
      JSON.stringify(verb === 'delete' ? {} : { attributes: { cidr: '10.0.0.0/16' }, terms }),
      open,
      open ? null : 'hash',
    ],
  );
}

let upgraded: Store;
before(async () => {
  const old = await oldDatabase(folder, lastOld);
  await old.query("INSERT INTO setpoint.estates VALUES ('acme', 0, '')");
  for (const id of ['adopted', 'updating', 'made', 'elsewhere']) await oldClaim(old, id);
  await oldIntent(old, 'adopt', 'adopted');
  await oldIntent(old, 'adopt', 'updating');
  await oldIntent(old, 'update', 'updating', { open: true });
  await oldIntent(old, 'create', 'made');
  await oldIntent(old, 'update', 'made');
  await oldIntent(old, 'update', 'made', { open: true });
  await oldIntent(old, 'adopt', 'elsewhere', { scope: 'aws/111122223333/us-east-1' });
  await oldIntent(old, 'adopt', 'adopting', { open: true });
  await oldIntent(old, 'delete', 'adopted', { open: true });
  upgraded = await openStore({ folder: join(folder, 'upgraded'), databaseUrl: urlOf(old), clock, create: true });
});

test('an upgrade marks the claims of adopted objects, and no others', async () => {
  try {
    const { settled, pending } = await upgraded.inventory.knowledge('acme', scope);
    assert.deepEqual(Object.fromEntries([...settled].map(([id, { terms: now }]) => [id, now])), {
      adopted: { ...terms, adopted: true },
      updating: { ...terms, adopted: true },
      made: terms,
      elsewhere: terms,
    });
    assert.deepEqual(
      Object.fromEntries(pending.map(({ verb, draft }) => [`${verb} ${draft.id}`, draft.details['terms']])),
      {
        'adopt adopting': { ...terms, adopted: true },
        'update updating': { ...terms, adopted: true },
        'update made': terms,
        'delete adopted': undefined,
      },
      'an open intent writes its own terms when it settles',
    );
  } finally {
    await upgraded.close();
  }
});
