import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { dataOf } from '../../src/store/embedded/cluster.ts';
import { type Embedded, joinEmbedded } from '../../src/store/embedded/embedded.ts';
import { type RedisServer, startRedis } from '../../test/support/redis.ts';
import { passage } from '../wire/passage.ts';

/** What a fleet shares, and how it is taken away: each server comes back in the same place. */
export interface Servers {
  readonly env: { readonly DATABASE_URL: string; readonly REDIS_URL: string };
  /** One row of a question to the database, as somebody who may ask everything; undefined while it is away. */
  ask(question: string, values: readonly unknown[]): Promise<Readonly<Record<string, unknown>> | undefined>;
  restartDatabase(): Promise<void>;
  restartRedis(): Promise<void>;
  /** All that Redis knows is gone. */
  flushRedis(): Promise<void>;
  close(): Promise<void>;
}

export async function startServers(): Promise<Servers> {
  const folder = await mkdtemp(join(tmpdir(), 'setpoint-fleet-pg-'));
  await chmod(folder, 0o711); // why: as root the database runs under an account of its own, which must get through
  const joins: Embedded[] = [await joined(folder)];
  const port = (): number => joins.at(-1)?.port ?? 0;
  const way = await passage(port);
  const { superuser, passwords } = joins[0] ?? (await joined(folder));
  const urlAt = (at: number): string =>
    `postgres://${superuser}:${encodeURIComponent(passwords.owner)}@127.0.0.1:${at}/postgres`;
  let redis: RedisServer = await startRedis();
  return {
    env: { DATABASE_URL: urlAt(way.port), REDIS_URL: redis.url },
    ask: (question, values) => ask(urlAt(port()), question, values),
    restartDatabase: async () => {
      const pid = await postmaster(folder);
      process.kill(pid, 'SIGINT');
      await gone(pid);
      joins.push(await joined(folder));
    },
    restartRedis: async () => {
      await redis.stop();
      redis = await startRedis({ port: redis.port });
    },
    flushRedis: () => flush(redis.port),
    close: async () => {
      await redis.stop();
      await way.close();
      for (const embedded of joins) await embedded.leave();
      const elsewhere = await readFile(join(folder, 'home'), 'utf8').catch(() => undefined);
      if (elsewhere !== undefined) await rm(elsewhere.trim(), { recursive: true, force: true, maxRetries: 3 });
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

async function joined(folder: string): Promise<Embedded> {
  const embedded = await joinEmbedded({ folder, create: true, onProgress: () => {} });
  if (embedded === undefined) throw new Error('a database that was to be made was not');
  return embedded;
}

async function ask(
  connectionString: string,
  question: string,
  values: readonly unknown[],
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const client = new pg.Client({ connectionString });
  client.on('error', () => {});
  try {
    await client.connect();
    return (await client.query(question, [...values])).rows[0];
  } catch {
    return undefined;
  } finally {
    await client.end().catch(() => {});
  }
}

/** The process of the server: line 1 of its own file. */
async function postmaster(folder: string): Promise<number> {
  const home = await readFile(join(folder, 'home'), 'utf8').catch(() => folder);
  return Number.parseInt(await readFile(join(dataOf(home.trim()), 'postmaster.pid'), 'utf8'), 10);
}

async function gone(pid: number): Promise<void> {
  for (const end = performance.now() + 30_000; performance.now() < end; await sleep(20)) {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ') Z');
    if (stat.includes(') Z')) return;
  }
  throw new Error('the database does not stop');
}

/** In Redis's own inline protocol. */
async function flush(port: number): Promise<void> {
  const { connect } = await import('node:net');
  await new Promise<void>((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('FLUSHALL\r\n'));
    socket.once('error', reject).once('data', (answer) => {
      socket.destroy();
      if (answer.toString().startsWith('+OK')) resolve();
      else reject(new Error(`FLUSHALL: ${answer.toString()}`));
    });
  });
}
