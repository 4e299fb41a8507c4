import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inScratch } from './scratch.ts';

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** The end of a process. `peakMB`: the most memory it ever held resident, in 10^6 bytes, its threads' included, its children's not. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly ms: number;
  readonly peakMB: number;
}

/** Runs a program of Node to its end. It tells its own peak as it exits: the kernel keeps none for a parent to ask. */
export function measured(command: Command): Promise<Ended> {
  return inScratch(async (folder) => {
    const file = join(folder, 'peak');
    const options = `${command.env['NODE_OPTIONS'] ?? ''} --import=${new URL('./tell-peak.mjs', import.meta.url)}`;
    const env = { ...command.env, NODE_OPTIONS: options, SETPOINT_BENCH_PEAK: file };
    const ended = await runToEnd({ ...command, env });
    const peak = Number(await readFile(file, 'utf8').catch(() => Number.NaN));
    return { ...ended, peakMB: (peak * 1024) / 1e6 };
  });
}

export async function runToEnd({ program, args, cwd, env }: Command): Promise<Omit<Ended, 'peakMB'>> {
  const from = performance.now();
  const child = spawn(program, [...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const text = (chunks: readonly Buffer[]): string => Buffer.concat(chunks).toString('utf8');
  return { code, stdout: text(out), stderr: text(err), ms: performance.now() - from };
}

/** SIGTERM, and waits until it has ended and all that it said has come. At once where it has ended already. */
export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  if (child.kill('SIGTERM')) await closed;
}
