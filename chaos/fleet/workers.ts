import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { program } from '../../bench/process/command-line.ts';

/** Processes of `setpoint worker`, always so many: one that is killed has a successor at once. */
export interface Workers {
  readonly pids: () => readonly number[];
  /** SIGKILL. False where no worker has this id. */
  kill(pid: number): boolean;
  /** How many ended though nobody killed them. */
  fallen(): number;
  /** What they said last. */
  said(): string;
  stop(): Promise<void>;
}

export interface Hiring {
  readonly count: number;
  /** Of specs: followed by all of them, one at a time. */
  readonly dir: string;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

const mostLines = 400;

export function hire({ count, dir, cwd, env }: Hiring): Workers {
  const staff = new Map<number, ChildProcess>();
  const lines: string[] = [];
  let stopping = false;
  let fallen = 0;
  const start = (): void => {
    const args = [program, 'worker', dir, '--allow-endpoint', '--interval', '30s', '--reserve', '0'];
    const child = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'ignore', 'pipe'] });
    const { pid } = child;
    if (pid === undefined) throw new Error('a worker did not start');
    staff.set(pid, child);
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
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
      if (stopping) return;
      if (signal !== 'SIGKILL') {
        fallen += 1;
        lines.push(`${pid} ended by itself with ${signal ?? code}`);
      }
      start();
    });
  };
  for (let n = 0; n < count; n += 1) start();
  return {
    pids: () => [...staff.keys()],
    kill: (pid) => staff.get(pid)?.kill('SIGKILL') ?? false,
    fallen: () => fallen,
    said: () => lines.join('\n'),
    stop: async () => {
      stopping = true;
      const ends = [...staff.values()].map((child) => once(child, 'exit'));
      for (const child of staff.values()) child.kill('SIGKILL');
      await Promise.all(ends);
    },
  };
}
