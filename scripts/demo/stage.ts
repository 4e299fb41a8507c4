import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { openStore } from '../../src/store/open-store.ts';
import { messyAccount } from './messy-account.ts';

const program = join(import.meta.dirname, '../../bin/setpoint.mjs');

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A folder of its own with a database in it and a sandbox beside it, and the command line as a user has it. */
export interface Stage {
  readonly folder: string;
  readonly endpoint: string;
  write(files: Readonly<Record<string, string>>): Promise<void>;
  setpoint(args: readonly string[]): Promise<Ran>;
  /** Ends the sandbox and the database, and removes the folder. */
  strike(): Promise<void>;
}

export async function setStage(signal: AbortSignal): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'setpoint-demo-'));
  await chmod(folder, 0o711); // why: as root the database runs under an account of its own, which must get through
  const env = environment();
  // The first process in a folder starts the database and the others join it: held here, it need not start ten times.
  const opening = openStore({ folder, clock: { now: Date.now, sleep: (ms) => sleep(ms) }, create: true });
  await writeFile(join(folder, 'account.json'), JSON.stringify(messyAccount));
  const args = ['sandbox', '--port', '0', '--estate', 'account.json', '--speed', '60'];
  const sandbox = spawn(process.execPath, [program, ...args], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const strike = async (): Promise<void> => {
    if (sandbox.exitCode === null && sandbox.kill()) await once(sandbox, 'exit');
    await opening.then((store) => store.close());
    // Where that account gets through nowhere in the folder, the database says where it went.
    const elsewhere = await readFile(join(folder, '.setpoint/home'), 'utf8').catch(() => undefined);
    if (elsewhere !== undefined) await rm(elsewhere.trim(), { recursive: true, force: true, maxRetries: 3 });
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  };
  try {
    const [endpoint] = await Promise.all([endpointOf(sandbox, signal), opening]);
    return {
      folder,
      endpoint,
      write: async (files) => {
        await mkdir(join(folder, 'specs'), { recursive: true });
        for (const [name, text] of Object.entries(files)) await writeFile(join(folder, 'specs', name), text);
      },
      setpoint: (line) => run(line, { cwd: folder, env, signal }),
      strike,
    };
  } catch (error) {
    await strike();
    throw error;
  }
}

/** Nobody's own database, profile or credentials: the demo is alone with its sandbox. */
function environment(): NodeJS.ProcessEnv {
  const { DATABASE_URL: _, AWS_PROFILE: __, AWS_SESSION_TOKEN: ___, ...own } = process.env;
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

type Where = { readonly cwd: string; readonly env: NodeJS.ProcessEnv; readonly signal: AbortSignal };

async function run(args: readonly string[], where: Where): Promise<Ran> {
  const child = spawn(process.execPath, [program, ...args], { ...where, stdio: ['ignore', 'pipe', 'pipe'] });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => {
    stdout += String(chunk);
  });
  child.stderr.on('data', (chunk) => {
    stderr += String(chunk);
  });
  const [code] = await once(child, 'close');
  return { code: Number(code ?? 1), stdout, stderr };
}
