import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Backend, bullOf, prepareQueueSchema } from '../src/queue/connection.ts';
import { openQueue } from '../src/queue/queue.ts';
import { begin } from '../src/queue/worker-pool.ts';
import { joinEmbedded } from '../src/store/embedded/embedded.ts';
import { redisMissing, startRedis } from '../test/support/redis.ts';
import type { Figure } from './figure.ts';

/** Reconciles that come to nothing, one place each: how many a second one process carries out, beside bare BullMQ on the same server. */
export async function queue(
  reconciles: Readonly<Record<Stage['backend'], number>> = usual,
): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const open of queueStages()) {
    const stage = await open();
    try {
      figures.push(await figureOf(stage, reconciles[stage.backend]));
    } finally {
      await stage.close();
    }
  }
  return figures;
}

const usual = { redis: 5_000, postgres: 1_000 };

/** The better of two rounds of each, in turns: other work on the machine only ever slows a round. */
async function figureOf(stage: Stage, reconciles: number): Promise<Figure> {
  const rates = { ours: 0, bare: 0 };
  for (let round = 0; round < 2; round++) {
    rates.bare = Math.max(rates.bare, await bareReconciles(stage, reconciles, `bare${round}`));
    rates.ours = Math.max(rates.ours, await ourReconciles(stage, reconciles, `ours${round}`));
  }
  return {
    name: `queue-${stage.backend}`,
    value: Math.round(rates.ours),
    unit: 'passes/s',
    floor: Math.round(rates.bare),
    ratio: Math.round((100 * rates.ours) / rates.bare) / 100,
  };
}

const atOnce = 50;

const placeOf = (index: number) => ({ estate: 'bench', scope: `aws/1/region-${index}` });

/** Reconciles a second of a worker pool, once all are queued. */
async function ourReconciles({ connection }: Stage, reconciles: number, name: string): Promise<number> {
  const queue = await openQueue(connection, { clouds: ['aws'], name });
  for (let from = 0; from < reconciles; from += 1_000)
    await Promise.all(
      Array.from({ length: Math.min(1_000, reconciles - from) }, (_, index) =>
        queue.request(placeOf(from + index), 'now'),
      ),
    );
  const done = countdown(reconciles);
  const start = performance.now();
  const pool = await queue.work({
    atOnce,
    reconcile: async () => {
      done.one();
      return 'done';
    },
    poisoned: async () => {},
  });
  await done.all;
  const seconds = (performance.now() - start) / 1_000;
  await pool.stop();
  await queue.close();
  return reconciles / seconds;
}

/** The same jobs without priority, place or anything of ours. */
async function bareReconciles({ connection }: Stage, reconciles: number, name: string): Promise<number> {
  const bull = bullOf(connection);
  const queue = bull.queue(name);
  const jobs = Array.from({ length: reconciles }, (_, index) => ({
    name: 'pass',
    data: placeOf(index),
    opts: { removeOnComplete: true },
  }));
  for (let from = 0; from < reconciles; from += 1_000) await queue.addBulk(jobs.slice(from, from + 1_000));
  const done = countdown(reconciles);
  const start = performance.now();
  const worker = await bull.worker(name, async () => done.one(), { concurrency: atOnce });
  begin(worker);
  await done.all;
  const seconds = (performance.now() - start) / 1_000;
  await worker.close();
  await queue.close();
  await bull.end();
  return reconciles / seconds;
}

function countdown(from: number): { one(): void; readonly all: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>();
  let left = from;
  return {
    one: () => {
      left -= 1;
      if (left === 0) resolve();
    },
    all: promise,
  };
}

/** A server of its own, to be measured on. */
interface Stage {
  readonly backend: 'redis' | 'postgres';
  readonly connection: Backend;
  close(): Promise<void>;
}

/** Those that this machine has: without `redis-server`, PostgreSQL alone. In CI both, or an error. */
function queueStages(): readonly (() => Promise<Stage>)[] {
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
