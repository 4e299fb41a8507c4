import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

const program = join(import.meta.dirname, '../../../bin/setpoint.mjs');

/** A running `setpoint worker` or `setpoint serve`, and its output. */
export interface RunningWorker {
  readonly child: ChildProcess;
  readonly lines: readonly string[];
  /** Returns the first line that it has said, or says, that matches; throws when it ends or takes too long. */
  says(pattern: RegExp, withinMs?: number): Promise<string>;
  /** Its exit code, or the signal that ended it. */
  end(signal: NodeJS.Signals): Promise<number | string>;
}

export interface WorkerStart {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

export function startWorkerProcess(args: readonly string[], { cwd, env }: WorkerStart): RunningWorker {
  const child = spawn(process.execPath, [program, ...args], { cwd, env, stdio: ['ignore', 'ignore', 'pipe'] });
  const lines: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => lines.push(line));
  const exited = once(child, 'exit');
  return {
    child,
    lines,
    says: async (pattern, withinMs = 120_000) => {
      for (const until = Date.now() + withinMs; Date.now() < until; await sleep(20)) {
        const found = lines.find((line) => pattern.test(line));
        if (found !== undefined) return found;
        if (child.exitCode !== null) break;
      }
      throw new Error(`it never said ${pattern}:\n${lines.join('\n')}`);
    },
    end: async (signal) => {
      child.kill(signal);
      const [code, by] = await exited;
      return code ?? by;
    },
  };
}
