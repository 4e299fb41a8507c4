import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from '../../../scripts/demo/free-port.ts';
import { joinEmbedded } from '../../../src/store/embedded/embedded.ts';
import { type RedisServer, startRedis } from '../../support/redis.ts';
import { mountOf, readCompose, type Service, serviceOf } from './compose-file.ts';

/**
 * Translates the file's containers to processes on this machine. All changes are:
 * - each port that the file names is one free port of 127.0.0.1, and the names of services before a port are 127.0.0.1;
 * - a port that is open to a container's network is open to this machine only;
 * - `/specs` is the folder that the file mounts there, and `/data` is the working folder of the processes.
 */
interface Loopback {
  port(inFile: number): number;
  rewrite(text: string): string;
}

interface Moving {
  /** Of the services. */
  readonly names: readonly string[];
  /** The file's ports, each with the one here; 0: any free one. */
  readonly ports: Readonly<Record<number, number>>;
  /** The folder that is mounted at `/specs`. */
  readonly specs: string;
}

async function loopback({ names, ports, specs }: Moving): Promise<Loopback> {
  const here = new Map<number, number>();
  for (const [named, given] of Object.entries(ports)) here.set(Number(named), given || (await freePort()));
  const port = (named: number): number => {
    const found = here.get(named);
    if (found === undefined) throw new Error(`nothing in the file listens on port ${named}`);
    return found;
  };
  const hosts = new RegExp(`(?<=[/@])(?:${[...names, '127.0.0.1'].join('|')}):(\\d+)\\b`, 'g');
  return {
    port,
    rewrite: (text) => {
      if (text === '/specs') return specs;
      if (/^\d+$/.test(text)) return String(port(Number(text)));
      const [, everywhere] = /^0\.0\.0\.0:(\d+)$/.exec(text) ?? [];
      if (everywhere !== undefined) return `127.0.0.1:${port(Number(everywhere))}`;
      return text.replaceAll(hosts, (_, named: string) => `127.0.0.1:${port(Number(named))}`);
    },
  };
}

/** The program of the image's ENTRYPOINT. */
export const program = join(import.meta.dirname, '../../../bin/setpoint.mjs');

/** In place of the image `postgres`: our own PostgreSQL, with the user and the database that the image would make. */
interface StandIn {
  readonly port: number;
  stop(): Promise<void>;
}

async function startPostgres({ environment }: Service): Promise<StandIn> {
  const folder = await mkdtemp(join(tmpdir(), 'setpoint-compose-pg-'));
  await chmod(folder, 0o711); // why: as root the database runs under an account of its own, which must get through
  const joined = await joinEmbedded({ folder, create: true, onProgress: () => {} });
  if (joined === undefined) throw new Error('a database that was to be made was not');
  const { port, superuser: user, passwords, leave } = joined;
  const { POSTGRES_USER: owner = '', POSTGRES_PASSWORD: password = '', POSTGRES_DB: database = '' } = environment;
  const client = new pg.Client({ host: '127.0.0.1', port, user, password: passwords.owner, database: 'postgres' });
  await client.connect();
  // The image makes POSTGRES_USER a superuser: https://hub.docker.com/_/postgres
  await client.query(
    `CREATE ROLE ${pg.escapeIdentifier(owner)} SUPERUSER LOGIN PASSWORD ${pg.escapeLiteral(password)}`,
  );
  await client.query(`CREATE DATABASE ${pg.escapeIdentifier(database)} OWNER ${pg.escapeIdentifier(owner)}`);
  await client.end();
  return {
    port,
    stop: async () => {
      await leave();
      const elsewhere = await readFile(join(folder, 'home'), 'utf8').catch(() => undefined);
      if (elsewhere !== undefined) await rm(elsewhere.trim(), { recursive: true, force: true, maxRetries: 3 });
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

/** A service of ours as a process: the arguments of the image's ENTRYPOINT, in the environment of the file and no other. */
interface Container {
  /** Its output so far, stdout and stderr. */
  said(): string;
  /** Runs its health check of the file. */
  isHealthy(): Promise<boolean>;
  /** Waits for that, as `depends_on` does. */
  untilHealthy(withinMs: number): Promise<void>;
  /** SIGTERM, then its exit code and how long it took; killed once the grace period is over. */
  stop(graceMs: number): Promise<{ readonly code: number | null; readonly ms: number }>;
}

interface Place {
  readonly loopback: Loopback;
  /** Its `/data`. */
  readonly folder: string;
}

function startContainer(service: Service, { loopback, folder }: Place): Container {
  const { rewrite } = loopback;
  const env = environmentOf(service, loopback);
  const child = spawn(process.execPath, [program, ...(service.command ?? []).map(rewrite)], { cwd: folder, env });
  const words: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => words.push(String(chunk)));
  const killed = (): void => void child.kill('SIGKILL');
  process.once('exit', killed); // why: a test that breaks leaves nothing running
  const isHealthy = async (): Promise<boolean> => {
    const [kind, node, ...args] = service.healthcheck.test.map(rewrite);
    if (kind !== 'CMD' || node !== 'node') throw new Error(`a health check of ours is node's, not ${kind} ${node}`);
    return (await ended(spawn(process.execPath, args, { env, stdio: 'ignore' }))) === 0;
  };
  return {
    said: () => words.join(''),
    isHealthy,
    untilHealthy: async (withinMs) => {
      for (const end = performance.now() + withinMs; !(await isHealthy()); await pause(200))
        if (performance.now() > end || hasEnded(child))
          throw new Error(`not healthy within ${withinMs} ms: ${service.command?.join(' ')}\n${words.join('')}`);
    },
    stop: async (graceMs) => {
      const began = performance.now();
      const exit = ended(child);
      child.kill('SIGTERM');
      const timer = setTimeout(killed, graceMs);
      const code = await exit;
      clearTimeout(timer);
      process.off('exit', killed);
      return { code, ms: performance.now() - began };
    },
  };
}

/** The environment that a command of such a container has. */
const environmentOf = ({ environment }: Service, { rewrite }: Loopback): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  HOME: '/nonexistent',
  NODE_ENV: 'production',
  ...Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, rewrite(value)])),
});

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

async function ended(child: ChildProcess): Promise<number | null> {
  if (!hasEnded(child)) await once(child, 'exit');
  return child.exitCode;
}

const estate = join(import.meta.dirname, '../../support/aws-estate');
const workerNames = ['worker-1', 'worker-2'] as const;

/** The services of docker-compose.yml as processes, over a small, enforced estate on AWS. */
export interface RunningFleet {
  readonly redis: RedisServer;
  readonly sandbox: Container;
  readonly workers: readonly Container[];
  /** Of a profile: once there is a token. */
  startApi(): Promise<Container>;
  readonly loopback: Loopback;
  /** A worker's environment and its folder, for commands run beside it as with `docker compose exec`. */
  readonly beside: { readonly env: NodeJS.ProcessEnv; readonly cwd: string; readonly specs: string };
  /** Ends the remaining processes. */
  down(): Promise<void>;
}

/** In the order of `depends_on`: each once those that it needs are healthy. */
export async function up(): Promise<RunningFleet> {
  const folder = await mkdtemp(join(tmpdir(), 'setpoint-compose-'));
  const file = readCompose({ SETPOINT_SPECS: join(folder, 'specs') });
  const ends: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true, maxRetries: 3 })];
  const down = async (): Promise<void> => {
    for (const end of ends.splice(0).reverse()) await end();
  };
  try {
    const worker = serviceOf(file, workerNames[0]);
    const postgres = await startPostgres(serviceOf(file, 'postgres'));
    ends.push(postgres.stop);
    const moved = await loopback({
      names: Object.keys(file.services),
      ports: { 5432: postgres.port, 6379: 0, 4566: 0, 7420: 0, 9464: 0, 9465: 0 },
      specs: mountOf(worker, '/specs'),
    });
    await enforcedEstate(mountOf(worker, '/specs'), moved);

    const [, ...args] = serviceOf(file, 'redis').command ?? [];
    const redis = await startRedis({ port: moved.port(6379), args: [...args, '--dir', folder] });
    ends.push(redis.stop);

    const start = async (name: string): Promise<Container> => {
      const started = startContainer(serviceOf(file, name), { loopback: moved, folder });
      ends.push(() => started.stop(1000));
      await started.untilHealthy(120_000);
      return started;
    };
    const sandbox = await start('sandbox');
    const workers = await Promise.all(workerNames.map(start));
    const beside = { env: environmentOf(worker, moved), cwd: folder, specs: moved.rewrite('/specs') };
    return { redis, sandbox, workers, startApi: () => start('api'), loopback: moved, beside, down };
  } catch (error) {
    await down();
    throw error;
  }
}

/** The example is in mode plan, for people; nobody is here to approve. */
async function enforcedEstate(folder: string, { rewrite }: Loopback): Promise<void> {
  await cp(estate, folder, { recursive: true });
  const file = join(folder, 'estate.yaml');
  await writeFile(file, rewrite((await readFile(file, 'utf8')).replace('mode: plan ', 'mode: enforce ')));
}
