import { spawnSync } from 'node:child_process';
import { chmod, mkdtemp, open, readFile, rm } from 'node:fs/promises';
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
  /** Of the database, past the way that workers take. */
  directUrl(): string;
  /** Every connection to the database that there is falls silent, and ends for nobody. */
  silence(): void;
  restartDatabase(): Promise<void>;
  restartRedis(): Promise<void>;
  /** All that Redis knows is gone. */
  flushRedis(): Promise<void>;
  /** Nothing more fits on the disk of the database. Only where it has a disk of its own. */
  fillDisk(): Promise<void>;
  /** There is room again; the database is started again where it ended for want of it. */
  freeDisk(): Promise<void>;
  /** Redis refuses every write, or takes them again. */
  limitRedis(to: 'full' | 'free'): Promise<void>;
  close(): Promise<void>;
}

/** `diskMb`: the database gets a file system of its own, of this size. Needs root. */
export async function startServers({ diskMb }: { readonly diskMb?: number } = {}): Promise<Servers> {
  const folder = await mkdtemp(join(tmpdir(), 'setpoint-fleet-pg-'));
  if (diskMb !== undefined) mounted('mount', ['-t', 'tmpfs', '-o', `size=${diskMb}m`, 'tmpfs', folder]);
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
    directUrl: () => urlAt(port()),
    silence: way.silence,
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
    flushRedis: () => command(redis.port, 'FLUSHALL'),
    fillDisk: async () => {
      if (diskMb === undefined) throw new Error('the database has no disk of its own');
      await fill(join(folder, ballast));
    },
    freeDisk: async () => {
      await rm(join(folder, ballast), { force: true });
      const pid = await postmaster(folder).catch(() => undefined);
      if (pid === undefined || !(await runs(pid))) joins.push(await joined(folder));
    },
    limitRedis: (to) => command(redis.port, `CONFIG SET maxmemory ${to === 'full' ? 1 : 0}`),
    close: async () => {
      await redis.stop();
      await way.close();
      for (const embedded of joins) await embedded.leave();
      const elsewhere = await readFile(join(folder, 'home'), 'utf8').catch(() => undefined);
      if (elsewhere !== undefined) await rm(elsewhere.trim(), { recursive: true, force: true, maxRetries: 3 });
      if (diskMb !== undefined) mounted('umount', ['--lazy', folder]);
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

function mounted(program: 'mount' | 'umount', args: readonly string[]): void {
  const { status, stderr } = spawnSync(program, [...args], { encoding: 'utf8' });
  if (status !== 0)
    throw new Error(`${program} failed: ${stderr}. This trial needs root, and a kernel that lets it mount.`);
}

const ballast = 'ballast';

/** Writes until nothing more fits, in smaller and smaller pieces. */
async function fill(path: string): Promise<void> {
  const file = await open(path, 'a');
  try {
    for (const size of [1 << 20, 4096]) {
      const piece = Buffer.alloc(size);
      while (await file.appendFile(piece).then(() => true, isFull));
    }
  } finally {
    await file.close();
  }
}

function isFull(error: NodeJS.ErrnoException): false {
  if (error.code !== 'ENOSPC') throw error;
  return false;
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

const runs = async (pid: number): Promise<boolean> =>
  !(await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ') Z')).includes(') Z');

async function gone(pid: number): Promise<void> {
  for (const end = performance.now() + 30_000; performance.now() < end; await sleep(20)) if (!(await runs(pid))) return;
  throw new Error('the database does not stop');
}

/** In Redis's own inline protocol. */
async function command(port: number, text: string): Promise<void> {
  const { connect } = await import('node:net');
  await new Promise<void>((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`${text}\r\n`));
    socket.once('error', reject).once('data', (answer) => {
      socket.destroy();
      if (answer.toString().startsWith('+OK')) resolve();
      else reject(new Error(`${text}: ${answer.toString()}`));
    });
  });
}
