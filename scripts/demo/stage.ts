import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { type DatabaseServer, openStore } from '../../src/store/open-store.ts';
import { freePort } from './free-port.ts';
import { messyAccounts } from './messy-accounts.ts';
import { recorder } from './recorder.ts';
import { makeRemote } from './repository.ts';

const program = join(import.meta.dirname, '../../bin/setpoint.mjs');

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A folder of its own with a database in it and a sandbox beside it, and the command line as a user has it. */
export interface Stage extends Surroundings {
  /** Into the folder's specs, committed and pushed to its repository. */
  write(files: Readonly<Record<string, string>>): Promise<void>;
  /** `tell` is given each line of its progress as it comes. */
  setpoint(args: readonly string[], tell?: (line: string) => void): Promise<Ran>;
  /** The same, not waited for. `more`: variables that it has besides. */
  start(args: readonly string[], more: NodeJS.ProcessEnv): ChildProcessByStdio<null, null, Readable>;
  /** Ends the sandbox and the database, and removes the folder. */
  strike(): Promise<void>;
}

interface Surroundings {
  readonly folder: string;
  readonly endpoint: string;
  /** Of the repository that the specs are pushed to. */
  readonly repository: string;
  /** Free ports of 127.0.0.1 for the processes that hear the clouds' events. */
  readonly hookPorts: readonly number[];
  /** The folder's database, for those who are told of it. */
  readonly databaseUrl: string;
}

export async function setStage(signal: AbortSignal): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'setpoint-demo-'));
  await chmod(folder, 0o711); // why: as root the database runs under an account of its own, which must get through
  const env = environment();
  // The first process in a folder starts the database and the others join it: held here, it need not start ten times.
  let databaseUrl = '';
  const onServer = async ({ owner }: DatabaseServer): Promise<void> => {
    databaseUrl = `postgres://${owner.user}:${owner.password}@127.0.0.1:${owner.port}/${owner.database}`;
  };
  const opening = openStore({ folder, clock: { now: Date.now, sleep: (ms) => sleep(ms) }, create: true, onServer });
  await writeFile(join(folder, 'accounts.json'), JSON.stringify(messyAccounts));
  const hookPorts = [await freePort(), await freePort()];
  const { url: repository, push } = await makeRemote(folder);
  const record = await recorder('demo');
  const reach = record === undefined ? [] : ['--public-url', record.url];
  const args = ['sandbox', '--port', `${record?.port ?? 0}`, '--speed', '60', ...reach];
  args.push('--estate', 'accounts.json');
  const sandbox = spawn(process.execPath, [program, ...args], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const strike = async (): Promise<void> => {
    if (sandbox.exitCode === null && sandbox.kill()) await once(sandbox, 'exit');
    await record?.end();
    await opening.then((store) => store.close());
    // If no path in the folder works for that account, the database records its own location.
    const elsewhere = await readFile(join(folder, '.setpoint/home'), 'utf8').catch(() => undefined);
    if (elsewhere !== undefined) await rm(elsewhere.trim(), { recursive: true, force: true, maxRetries: 3 });
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  };
  try {
    const [url] = await Promise.all([endpointOf(sandbox, signal), opening]);
    const endpoint = record?.url ?? url;
    return {
      folder,
      endpoint,
      databaseUrl,
      repository,
      hookPorts,
      write: async (files) => void (await push(files)),
      setpoint: (line, tell = () => {}) => run(line, { cwd: folder, env, signal, tell }),
      start: (line, more) => {
        const stdio: ['ignore', 'ignore', 'pipe'] = ['ignore', 'ignore', 'pipe'];
        return spawn(process.execPath, [program, ...line], { cwd: folder, env: { ...env, ...more }, stdio });
      },
      strike,
    };
  } catch (error) {
    await strike();
    throw error;
  }
}

/** Nobody's own server, database, profile or credentials: the demo is alone with its sandbox. */
function environment(): NodeJS.ProcessEnv {
  const others = ['SETPOINT_SERVER', 'SETPOINT_TOKEN', 'DATABASE_URL', 'REDIS_URL', 'AWS_PROFILE', 'AWS_SESSION_TOKEN'];
  const own = Object.fromEntries(Object.entries(process.env).filter(([name]) => !others.includes(name)));
  const colour = process.stdout.isTTY && own['NO_COLOR'] === undefined ? { FORCE_COLOR: '1' } : {};
  return { ...own, ...colour, AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' };
}

async function endpointOf(sandbox: ChildProcess, signal: AbortSignal): Promise<string> {
  if (sandbox.stdout === null) throw new Error('the sandbox has no output');
  const lines = createInterface({ input: sandbox.stdout, signal });
  for await (const line of lines) {
    const url = /http:\/\/[\w.:]+/.exec(line)?.[0];
    if (url !== undefined) return url;
  }
  throw new Error('the sandbox ended before it said where it listens');
}

interface Where {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  readonly tell: (line: string) => void;
}

async function run(args: readonly string[], { tell, ...where }: Where): Promise<Ran> {
  const child = spawn(process.execPath, [program, ...args], { ...where, stdio: ['ignore', 'pipe', 'pipe'] });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => {
    stdout += String(chunk);
  });
  createInterface({ input: child.stderr }).on('line', (line) => {
    stderr += `${line}\n`;
    tell(line);
  });
  const [code] = await once(child, 'close');
  return { code: Number(code ?? 1), stdout, stderr };
}
