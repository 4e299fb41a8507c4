import { runMigrations } from 'bullmq';
import pg from 'pg';

/** BullMQ's own: a pool that is given to it has to find this one. */
export const queueSchema = 'bullmq';

export interface QueueSchema {
  /** A user who may create a schema. */
  readonly owner: pg.ClientConfig;
  /** Who will work in it, where that is somebody else: gets rights in this schema and nothing more: BullMQ makes a sequence there for each queue. */
  readonly role?: string;
}

/** Makes or upgrades the tables of BullMQ in a schema of their own. Safe while others do the same. About 0.3 s the first time. */
export async function prepareQueueSchema({ owner, role }: QueueSchema): Promise<void> {
  const client = new pg.Client({ connectionTimeoutMillis: 10_000, ...owner });
  // why: a connection lost in use is told here too; whoever waits for an answer is told anyway, and nobody listening would end the process
  client.on('error', () => {});
  await client.connect();
  try {
    await runMigrations(client, queueSchema);
    if (role !== undefined) await client.query(rights(pg.escapeIdentifier(queueSchema), pg.escapeIdentifier(role)));
  } finally {
    await client.end();
  }
}

const rights = (schema: string, role: string): string => `
  GRANT USAGE, CREATE ON SCHEMA ${schema} TO ${role};
  GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO ${role};
  GRANT USAGE ON ALL SEQUENCES IN SCHEMA ${schema} TO ${role};
  GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA ${schema} TO ${role};
`;
