import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type Ended, runToEnd } from '../bench/processes/measured.ts';
import { environment, program } from '../bench/processes/setpoint.ts';
import { type Sandbox, startSandbox } from '../sandbox/index.ts';
import { dataOf } from '../src/store/embedded/cluster.ts';
import { type Embedded, joinEmbedded } from '../src/store/embedded/embedded.ts';
import { type RedisServer, startRedis } from '../test/support/redis.ts';
import { passage } from './passage.ts';

/** Workers, what they share, and the cloud they work on. */
export interface Fleet {
  readonly sandbox: Sandbox;
  readonly servers: Servers;
  readonly workers: Workers;
  /** The specs from now on. */
  want(text: string): Promise<void>;
  /** The folder of the specs. */
  readonly dir: string;
  /** `setpoint` with these arguments, on the store of the fleet. */
  run(args: readonly string[]): Promise<Pick<Ended, 'code' | 'stdout' | 'stderr'>>;
  /** The faults that `setpoint ledger verify` finds; none where the ledger is whole. */
  verify(): Promise<readonly string[]>;
}

/** `specs`: the first ones, by the endpoint of the cloud. `more`: of each worker's command line. `diskMb`: see `startServers`; `aheadMs`: see `Hiring`. */
export interface FleetOptions {
  readonly count: number;
  readonly specs: (endpoint: string) => string;
  readonly more?: readonly string[];
  readonly diskMb?: number;
  readonly aheadMs?: Hiring['aheadMs'];
}

export async function withFleet<T>(
  { count, specs, more = [], diskMb, aheadMs }: FleetOptions,
  work: (fleet: Fleet) => Promise<T>,
): Promise<T> {
  const cwd = await mkdtemp(join(tmpdir(), 'setpoint-fleet-'));
  const [sandbox, servers] = await Promise.all([startSandbox(), startServers(diskMb === undefined ? {} : { diskMb })]);
  const dir = join(cwd, 'specs');
  const want = async (text: string): Promise<void> => {
    await writeFile(join(cwd, 'next'), text);
    await rename(join(cwd, 'next'), join(dir, 'estate.yaml')); // why: a reader sees one or the other, never half
  };
  await mkdir(dir);
  await want(specs(sandbox.url));
  const env = { ...environment('test'), ...servers.env };
  const workers = hire({ count, dir, cwd, env, more, ...(aheadMs === undefined ? {} : { aheadMs }) });
  const run: Fleet['run'] = (args) => runToEnd({ program: process.execPath, args: [program, ...args], cwd, env });
  const verify = async (): Promise<readonly string[]> => {
    const ended = await run(['ledger', 'verify']);
    return ended.code === 0 ? [] : [`the ledger: ${ended.stdout}${ended.stderr}`];
  };
  try {
    return await work({ sandbox, servers, workers, want, dir, run, verify });
  } catch (error) {
    console.error(workers.said());
    throw error;
  } finally {
    await workers.stop();
    await servers.close();
    await sandbox.close();
    await rm(cwd, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** The servers that a fleet shares, and the ways to take them away. Each server comes back at the same address. */
interface Servers {
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
async function startServers({ diskMb }: { readonly diskMb?: number } = {}): Promise<Servers> {
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

/** Processes of `setpoint worker`, always so many: one that is killed has a successor at once. */
export interface Workers {
  readonly pids: () => readonly number[];
  /** By how much the clock of this one is ahead, ms. */
  aheadOf(pid: number): number;
  /** SIGKILL. False where no worker has this id. */
  kill(pid: number): boolean;
  /** A line for each worker that ended though nobody killed it. */
  fallen(): readonly string[];
  /** Their last output. */
  said(): string;
  /** Health URLs of the living workers that were given a health port. */
  healthUrls(): readonly string[];
  stop(): Promise<void>;
}

interface Hiring {
  readonly count: number;
  /** Of specs: followed by all of them, one at a time. */
  readonly dir: string;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** More of the command line of each. */
  readonly more?: readonly string[];
  /** By how much the clock of each is ahead, ms, and those of its successors; the last for all that follow. Left out: not at all. */
  readonly aheadMs?: readonly (readonly number[])[];
}

const mostLines = 400;

const shiftedClock = new URL('./shifted-clock.mjs', import.meta.url).href;

const clockEnv = (aheadMs: number | undefined): NodeJS.ProcessEnv =>
  aheadMs === undefined ? {} : { NODE_OPTIONS: `--import=${shiftedClock}`, SETPOINT_CHAOS_AHEAD_MS: `${aheadMs}` };

function hire({ count, dir, cwd, env, more = [], aheadMs = [] }: Hiring): Workers {
  const staff = new Map<number, ChildProcess>();
  const lines: string[] = [];
  const urls = new Map<number, string>();
  const ahead = new Map<number, number>();
  let stopping = false;
  const fallen: string[] = [];
  const start = (place: number, turn = 0): void => {
    const shift = aheadMs[place]?.[turn] ?? aheadMs[place]?.at(-1);
    const args = [program, 'worker', dir, '--allow-endpoint', '--interval', '30s', '--reserve', '0', ...more];
    const clocked = { ...env, ...clockEnv(shift) };
    const child = spawn(process.execPath, args, { cwd, env: clocked, stdio: ['ignore', 'ignore', 'pipe'] });
    const { pid } = child;
    if (pid === undefined) throw new Error('a worker did not start');
    staff.set(pid, child);
    ahead.set(pid, shift ?? 0);
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      const [url] =
        /http:\/\/127\.0\.0\.1:\d+/.exec(text.split('\n').find((line) => line.includes('worker started')) ?? '') ?? [];
      if (url !== undefined) urls.set(pid, url);
      lines.push(
        ...text
          .trimEnd()
          .split('\n')
          .map((line) => `${pid} ${line}`),
      );
      lines.splice(0, lines.length - mostLines);
    });
    child.once('exit', (code, signal) => {
      staff.delete(pid);
      urls.delete(pid);
      if (stopping) return;
      if (signal !== 'SIGKILL') {
        const line = `${pid} ended by itself with ${signal ?? code}`;
        fallen.push(line);
        lines.push(line);
      }
      start(place, turn + 1);
    });
  };
  for (let n = 0; n < count; n += 1) start(n);
  return {
    pids: () => [...staff.keys()],
    aheadOf: (pid) => ahead.get(pid) ?? 0,
    kill: (pid) => staff.get(pid)?.kill('SIGKILL') ?? false,
    fallen: () => [...fallen],
    said: () => lines.join('\n'),
    healthUrls: () => [...urls.values()],
    stop: async () => {
      stopping = true;
      const ends = [...staff.values()].map((child) => once(child, 'exit'));
      for (const child of staff.values()) child.kill('SIGKILL');
      await Promise.all(ends);
    },
  };
}
