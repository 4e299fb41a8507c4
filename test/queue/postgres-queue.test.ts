import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import pg from 'pg';
import { prepareQueueSchema } from '../../src/queue/connection.ts';
import { openQueue } from '../../src/queue/queue.ts';
import { joinEmbedded } from '../../src/store/embedded/embedded.ts';
import { removeFolder, temporaryFolder } from '../store/temporary-folder.ts';
import { until } from '../support/until.ts';
import { queueLaws } from './queue-laws.ts';
import { type Harness, quickPace } from './support/harness.ts';
import { at, quiet, shop, working } from './support/shop.ts';

const folder = await temporaryFolder();
const role = 'queue_worker';
let leave: (() => Promise<void>) | undefined;
after(async () => {
  await leave?.();
  await removeFolder(folder);
});

/** BullMQ works as a user who may do nothing but that, as in an embedded store. */
let made: ReturnType<typeof make> | undefined;
const database = (): ReturnType<typeof make> => {
  made ??= make();
  return made;
};

async function make() {
  const joined = await joinEmbedded({ folder: join(folder, '.setpoint'), create: true, onProgress: () => {} });
  if (!joined) throw new Error('no database was made');
  leave = joined.leave;
  const there = { host: '127.0.0.1', port: joined.port, database: 'postgres' };
  const owner = { ...there, user: joined.superuser, password: joined.passwords.owner };
  await asked(owner, `CREATE ROLE ${role} LOGIN PASSWORD 'w'`);
  await prepareQueueSchema({ owner, role });
  await prepareQueueSchema({ owner, role });
  return { owner, ...harnessOn(owner, { ...there, user: role, password: 'w' }) };
}

queueLaws('postgres', database);

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

/** The number of rows of the statement. */
async function asked(config: pg.ClientConfig, statement: string, values: readonly string[] = []): Promise<number> {
  const client = new pg.Client(config);
  await client.connect();
  try {
    return (await client.query(statement, [...values])).rowCount ?? 0;
  } finally {
    await client.end();
  }
}

test('postgres: a worker whose queries fail waits between them, and goes on when they no longer do', async () => {
  const { backend, owner } = await database();
  const troubles: string[] = [];
  const queue = await openQueue(backend, {
    clouds: ['aws'],
    name: 'broken',
    pace: quickPace,
    onTrouble: (told: string) => troubles.push(told),
  });
  const isTold = (): boolean =>
    troubles.some((told) => told.startsWith("broken-aws: the queue's server fails: permission denied"));
  const seen = shop();
  await working(queue, seen, async () => {
    await queue.request(at('a'), 'now');
    await until('it began', () => seen.begun.length === 1);
    await asked(owner, `REVOKE ALL ON ALL TABLES IN SCHEMA bullmq FROM ${role}`);
    // why: who has ended a reconcile asks for the next one at once, and again.
    seen.end('aws/1/a');
    await until('its trouble is told', isTold);
    const before = await rollbacks(owner);
    await quiet(2_000);
    const failed = (await rollbacks(owner)) - before;
    assert.ok(failed < 100, `${failed} queries failed in 2 s`);
    await prepareQueueSchema({ owner, role });
    await queue.request(at('b'), 'now');
    await until('the pass came', () => seen.begun.includes('aws/1/b'));
  });
  await queue.close();
});

test('postgres: a worker that waits for jobs tells too that its queries fail', async () => {
  const { backend, owner } = await database();
  const troubles: string[] = [];
  const options = { clouds: ['aws'], name: 'idle', pace: quickPace, onTrouble: (told: string) => troubles.push(told) };
  const queue = await openQueue(backend, options);
  const seen = shop({ by: async () => 'done' });
  await working(queue, seen, async () => {
    await queue.request(at('a'), 'now');
    await until('the pass came', () => seen.begun.length === 1);
    await until('it waits', async () => (await queue.counts()).every(({ count }) => count === 0));
    await asked(owner, `REVOKE ALL ON ALL TABLES IN SCHEMA bullmq FROM ${role}`);
    await until('its trouble is told', () => troubles.some((told) => told.startsWith("idle-aws: the queue's server")));
    await prepareQueueSchema({ owner, role });
  });
  await queue.close();
});

/** Statements that failed, of the whole database so far. */
async function rollbacks(owner: pg.ClientConfig): Promise<number> {
  const client = new pg.Client(owner);
  await client.connect();
  // why: statistics of other sessions are written once a second at most.
  await client.query('SELECT pg_stat_force_next_flush()');
  const { rows } = await client.query("SELECT xact_rollback FROM pg_stat_database WHERE datname = 'postgres'");
  await client.end();
  return Number(rows[0]?.xact_rollback);
}
