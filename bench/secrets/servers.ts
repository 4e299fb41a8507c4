import { join } from 'node:path';
import pg from 'pg';
import { joinEmbedded } from '../../src/store/embedded/embedded.ts';
import { startRedis } from '../../test/support/redis.ts';
import { redisWords } from '../../test/support/redis-words.ts';
import { canary } from './canaries.ts';
import type { Outputs } from './outputs.ts';

/** A database and a Redis that let in whoever knows a canary, and nobody else. */
export interface Servers {
  readonly env: { readonly DATABASE_URL: string; readonly REDIS_URL: string };
  /** As `env`, with a password that is wrong. */
  readonly wrong: { readonly DATABASE_URL: string };
  /** Every row of every table of ours and of the queue's, and all that Redis holds. */
  record(outputs: Outputs): Promise<void>;
  close(): Promise<void>;
}

export async function startServers(folder: string): Promise<Servers> {
  const joined = await joinEmbedded({ folder: join(folder, 'pg'), create: true, onProgress: () => {} });
  if (joined === undefined) throw new Error('a database that was to be made was not');
  const { port, superuser, passwords, leave } = joined;
  const urlOf = (user: string, password: string): string =>
    `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/postgres`;
  const owner = new pg.Pool({ connectionString: urlOf(superuser, passwords.owner), max: 2 });
  owner.on('error', () => {});
  const password = canary('environment: the password of the database');
  await owner.query(`CREATE ROLE fleet LOGIN SUPERUSER PASSWORD ${pg.escapeLiteral(password)}`);
  const redisPassword = canary('environment: the password of Redis');
  const redis = await startRedis({ args: ['--requirepass', redisPassword, '--maxmemory-policy', 'noeviction'] });
  const redisUrl = redis.url.replace('redis://', `redis://:${redisPassword}@`);
  return {
    env: { DATABASE_URL: urlOf('fleet', password), REDIS_URL: redisUrl },
    wrong: { DATABASE_URL: urlOf('fleet', canary('environment: a wrong password of the database')) },
    record: async (outputs) => {
      await recordTables(owner, outputs);
      outputs.record('Redis', await redisWords(redisUrl));
    },
    close: async () => {
      await owner.end();
      await redis.stop();
      await leave();
    },
  };
}

async function recordTables(owner: pg.Pool, outputs: Outputs): Promise<void> {
  const { rows } = await owner.query(
    "SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')",
  );
  for (const { name } of rows) {
    const held = await owner.query(`SELECT t::text AS row FROM ${name} t`);
    outputs.record(`the table ${name}`, held.rows.map(({ row }) => String(row)).join('\n'));
  }
}
