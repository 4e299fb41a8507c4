import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { program } from '../../bench/process/command-line.ts';

/** Processes of `setpoint worker`, always so many: one that is killed has a successor at once. */
export interface Workers {
  readonly pids: () => readonly number[];
  /** By how much the clock of this one is ahead, ms. */
  aheadOf(pid: number): number;
  /** SIGKILL. False where no worker has this id. */
  kill(pid: number): boolean;
  /** A line for each worker that ended though nobody killed it. */
  fallen(): readonly string[];
  /** What they said last. */
  said(): string;
  /** Where those that live answer how they are; of those that were told a port to do so. */
  healthUrls(): readonly string[];
  stop(): Promise<void>;
}

export interface Hiring {
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

export function hire({ count, dir, cwd, env, more = [], aheadMs = [] }: Hiring): Workers {
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
        /http:\/\/127\.0\.0\.1:\d+/.exec(text.split('\n').find((line) => line.includes('is at work')) ?? '') ?? [];
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
