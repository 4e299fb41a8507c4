import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../../scripts/demo/free-port.ts';
import { run } from './child.ts';

/** A third party's emulator of AWS (https://docs.getmoto.org/en/latest/docs/server_mode.html). */
export interface Moto {
  readonly url: string;
  stop(): Promise<void>;
}

const root = join(import.meta.dirname, '../../..');
const starter = join(resolve(root, process.env['SETPOINT_GATES'] ?? '../shared/gates'), 'start-moto.sh');
const given = process.env['SETPOINT_MOTO'];

/** Why there is no moto to be had, or undefined where there is one. In CI it must be had. */
export const motoMissing: string | undefined =
  given !== undefined || existsSync(starter) ? undefined : `no ${starter}; set SETPOINT_GATES or SETPOINT_MOTO`;

/** The one at SETPOINT_MOTO, or one of our own making, in a folder of its own. */
export const motoToUse = (): Promise<Moto> =>
  given === undefined ? startMoto() : Promise.resolve({ url: given, stop: () => Promise.resolve() });

/** It is unpacked first, which takes a quarter of a minute and the network. */
async function startMoto(): Promise<Moto> {
  const folder = await mkdtemp(join(tmpdir(), 'setpoint-moto-'));
  const port = await freePort();
  const env = { ...process.env, MOTO_DIR: join(folder, 'moto') };
  // Through a shell that writes to files: moto inherits its descriptors, and would hold a pipe of ours open.
  const started = await run('/bin/sh', ['-c', `exec "$0" "$1" >out 2>&1`, starter, String(port)], {
    cwd: folder,
    env,
    timeoutMs: 300_000,
  });
  const pid = Number(await readFile(join(folder, 'moto/pid'), 'utf8').catch(() => '0'));
  const end = (): void => {
    if (isRunning(pid)) process.kill(pid);
  };
  process.once('exit', end);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  const stop = async (): Promise<void> => {
    end();
    for (let tries = 0; tries < 50 && isRunning(pid); tries++) await sleep(100);
    process.off('exit', end);
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  };
  if (started.code === 0) return { url: `http://127.0.0.1:${port}`, stop };
  const said = await readFile(join(folder, 'out'), 'utf8');
  await stop();
  throw new Error(`moto did not start (exit ${started.code}):\n${said}`);
}

function isRunning(pid: number): boolean {
  try {
    return pid > 0 && process.kill(pid, 0);
  } catch {
    return false;
  }
}
