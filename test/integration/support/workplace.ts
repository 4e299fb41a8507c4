import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { openStore } from '../../../src/store/open-store.ts';
import { type Ran, run } from './child.ts';

const program = join(import.meta.dirname, '../../../bin/setpoint.mjs');
const shift = pathToFileURL(join(import.meta.dirname, 'later.ts')).href;

/** A user's folder, with specs and a database in it, and the command line as the user has it. */
export interface Workplace {
  readonly folder: string;
  /** Puts the specs in place of those that were there. */
  write(files: Readonly<Record<string, string>>): Promise<void>;
  setpoint(...args: readonly string[]): Promise<Ran>;
  /** The same, not waited for: to be killed at work. */
  start(...args: readonly string[]): ChildProcess;
  /** From now on the commands' clock is so much ahead. */
  later(minutes: number): void;
  /** Ends the database and removes the folder. */
  leave(): Promise<void>;
}

/** `extra`: variables that its commands have besides. */
export async function workplace(extra: NodeJS.ProcessEnv = {}): Promise<Workplace> {
  const folder = await mkdtemp(join(tmpdir(), 'setpoint-moto-life-'));
  await chmod(folder, 0o711); // why: as root the database runs under an account of its own, which must get through
  // The first process in a folder starts the database and the others join it: held here, it starts once.
  const store = await openStore({ folder, clock: { now: Date.now, sleep: (ms) => sleep(ms) }, create: true });
  let ahead = 0;
  const env = { ...nobodys, ...extra };
  const shifted = (): NodeJS.ProcessEnv =>
    ahead === 0 ? env : { ...env, NODE_OPTIONS: `--import=${shift}`, SETPOINT_TEST_AHEAD_MS: String(ahead) };
  return {
    folder,
    later: (minutes) => {
      ahead += minutes * 60_000;
    },
    write: async (files) => {
      const specs = join(folder, 'specs');
      await rm(specs, { recursive: true, force: true });
      await mkdir(specs);
      for (const [name, text] of Object.entries(files)) await writeFile(join(specs, name), text);
    },
    setpoint: (...args) =>
      run(process.execPath, [program, ...args], { cwd: folder, env: shifted(), timeoutMs: 120_000 }),
    start: (...args) => spawn(process.execPath, [program, ...args], { cwd: folder, env: shifted(), stdio: 'ignore' }),
    leave: async () => {
      await store.close();
      // If that account may not enter the folder, the database is elsewhere, and `home` names the place.
      const elsewhere = await readFile(join(folder, '.setpoint/home'), 'utf8').catch(() => undefined);
      if (elsewhere !== undefined) await rm(elsewhere.trim(), { recursive: true, force: true, maxRetries: 3 });
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

/** Nobody's own database, profile or credentials, and no colour. */
export const nobodys: NodeJS.ProcessEnv = {
  PATH: process.env['PATH'],
  HOME: process.env['HOME'],
  TMPDIR: process.env['TMPDIR'],
  NO_COLOR: '1',
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'test',
  AWS_EC2_METADATA_DISABLED: 'true',
};
