import { join } from 'node:path';
import { after } from 'node:test';
import pg from 'pg';
import { prepareQueueSchema } from '../../src/queue/postgres-schema.ts';
import { joinEmbedded } from '../../src/store/embedded/embedded.ts';
import { removeFolder, temporaryFolder } from '../store/temporary-folder.ts';
import { queueLaws } from './queue-laws.ts';
import type { Harness } from './support/harness.ts';

const folder = await temporaryFolder();
const role = 'queue_worker';
let leave: (() => Promise<void>) | undefined;
after(async () => {
  await leave?.();
  await removeFolder(folder);
});

/** BullMQ works as a user who may do nothing but that, as in an embedded store. */
queueLaws('postgres', async () => {
  const joined = await joinEmbedded({ folder: join(folder, '.setpoint'), create: true, onProgress: () => {} });
  if (!joined) throw new Error('no database was made');
  leave = joined.leave;
  const there = { host: '127.0.0.1', port: joined.port, database: 'postgres' };
  const owner = { ...there, user: joined.superuser, password: joined.passwords.owner };
  await asked(owner, `CREATE ROLE ${role} LOGIN PASSWORD 'w'`);
  await prepareQueueSchema({ owner, role });
  await prepareQueueSchema({ owner, role });
  return harnessOn(owner, { ...there, user: role, password: 'w' });
});

function harnessOn(owner: pg.ClientConfig, worker: pg.ClientConfig): Harness {
  return {
    backend: { postgres: worker },
    stealLocks: async (name) => {
      const taken = await asked(
        owner,
        "UPDATE bullmq.job SET lock_token = 'thief', locked_until_ms = 0 WHERE queue = $1 AND state = 'active'",
        [name],
      );
      if (taken === 0) throw new Error(`no locks in ${name}`);
    },
    cut: async () => {
      await asked(owner, 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $1', [role]);
    },
  };
}

/** How many rows the statement was about. */
async function asked(config: pg.ClientConfig, statement: string, values: readonly string[] = []): Promise<number> {
  const client = new pg.Client(config);
  await client.connect();
  try {
    return (await client.query(statement, [...values])).rowCount ?? 0;
  } finally {
    await client.end();
  }
}
