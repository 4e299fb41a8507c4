import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { environment } from '../process/command-line.ts';
import type { Task } from './task.ts';

/** Runs a process for each task; they begin together. How many requests each let go. */
export async function crew(tasks: readonly Task[]): Promise<readonly number[]> {
  const hands = tasks.map(handOf);
  try {
    await Promise.all(hands.map(({ ready }) => ready));
    for (const { child } of hands) child.stdin?.write('go\n');
    return await Promise.all(hands.map(({ letGo }) => letGo));
  } finally {
    for (const { child } of hands) child.kill('SIGKILL');
  }
}

const program = fileURLToPath(new URL('./spender.ts', import.meta.url));

interface Hand {
  readonly child: ChildProcess;
  readonly ready: Promise<unknown>;
  readonly letGo: Promise<number>;
}

function handOf(task: Task): Hand {
  const child = spawn(process.execPath, [program, JSON.stringify(task)], {
    env: environment(),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  if (child.stdout === null) throw new Error('a worker has no output');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ready = lines.next();
  const letGo = (async () => {
    await ready;
    const { value, done } = await lines.next();
    if (done) throw new Error(`${task.worker} ended without telling what it did`);
    if (child.exitCode === null) await once(child, 'exit');
    return told.parse(JSON.parse(value)).letGo;
  })();
  return { child, ready, letGo };
}

const told = z.object({ letGo: z.number() });
