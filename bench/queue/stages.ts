import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Backend, prepareQueueSchema } from '../../src/queue/connection.ts';
import { joinEmbedded } from '../../src/store/embedded/embedded.ts';
import { redisMissing, startRedis } from '../../test/support/redis.ts';

/** A server of its own, to be measured on. */
export interface Stage {
  readonly backend: 'redis' | 'postgres';
  readonly connection: Backend;
  close(): Promise<void>;
}

/** Those that this machine has: without `redis-server`, PostgreSQL alone. In CI both, or an error. */
export function queueStages(): readonly (() => Promise<Stage>)[] {
  const missing = redisMissing();
  if (missing === undefined) return [redis, postgres];
  console.error(`queue: ${missing}`);
  return [postgres];
}

async function redis(): Promise<Stage> {
  const { url, stop } = await startRedis();
  return { backend: 'redis', connection: { redisUrl: url }, close: stop };
}

/** As it is embedded: durable, with PostgreSQL's own settings. */
async function postgres(): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'setpoint-queue-'));
  const joined = await joinEmbedded({ folder: join(folder, '.setpoint'), create: true, onProgress: () => {} });
  if (!joined) throw new Error('no database was made');
  const { port, superuser, passwords } = joined;
  const owner = { host: '127.0.0.1', port, database: 'postgres', user: superuser, password: passwords.owner };
  await prepareQueueSchema({ owner });
  return {
    backend: 'postgres',
    connection: { postgres: owner },
    close: async () => {
      await joined.leave();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
