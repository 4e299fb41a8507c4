import { after } from 'node:test';
import type pg from 'pg';
import type { Clock } from '../../src/ports/clock-and-log.ts';
import type { Store } from '../../src/ports/store.ts';
import { openStore } from '../../src/store/open-store.ts';
import { owner } from './owner.ts';
import { removeFolder, temporaryFolder } from './temporary-folder.ts';

/** A store on a database of its own for the tests of one file; it goes after the last of them. */
export interface OwnStore {
  readonly folder: string;
  readonly store: Store;
  /** A connection that may do anything. */
  readonly admin: pg.Client;
}

export async function ownStore(clock: Clock): Promise<OwnStore> {
  const folder = await temporaryFolder();
  const store = await openStore({ folder, clock, databaseClock: clock, create: true });
  const admin = await owner(folder);
  after(async () => {
    await admin.end();
    await store.close();
    await removeFolder(folder);
  });
  return { folder, store, admin };
}
