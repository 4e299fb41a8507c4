import pg from 'pg';
import { type DatabaseServer, openStore } from '../../src/store/open-store.ts';
import { realClock } from '../../test/cli/support/in-process.ts';
import { grounds, rowAt, scopeOf } from './estate.ts';

const day = 86_400_000;

/** When each scope was looked at: each look but the first found a third of the lines otherwise. */
const looksBefore = [60 * day, 45 * day, 10 * day];

export const estate = 'bench';
const inScope = 2000;

/**
 * Fills the store in a folder with 100,000 lines, of which a third has three versions, as passes would. A minute or two.
 * Counts them at the end, as the server does by itself within a minute: by its counts it chooses how to look.
 */
export async function fill(folder: string): Promise<void> {
  let owner: pg.ClientConfig = {};
  const onServer = async (server: DatabaseServer): Promise<void> => {
    owner = server.owner;
  };
  const store = await openStore({ folder, clock: realClock, create: true, onServer });
  try {
    const now = Date.now();
    for (const [round, before] of looksBefore.entries())
      for (const ground of grounds) {
        const rows = Array.from({ length: inScope }, (_, index) => rowAt(ground, index, round));
        await store.rows.keep({ estate, scope: scopeOf(ground) }, { at: now - before, rows, gaps: [] });
      }
    await count(owner);
  } finally {
    await store.close();
  }
}

async function count(owner: pg.ClientConfig): Promise<void> {
  const client = new pg.Client(owner);
  await client.connect();
  await client.query('ANALYZE setpoint.versions');
  await client.end();
}
