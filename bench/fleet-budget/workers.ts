import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { z } from 'zod';
import { environment } from '../processes/setpoint.ts';

/** A network that does not exist, in one account and region. One call looks for it. */
export interface MissingNetwork {
  readonly cloud: 'aws' | 'gcp';
  readonly account: string;
  readonly region: string;
  readonly network: string;
}

/**
 * The work of one worker. `redis`, `postgres`: workers share their budgets there; without either each keeps budgets of its own.
 * `calls`: the worker is idle after so many; absent: it never is.
 */
export interface Task {
  readonly missingNetwork: MissingNetwork;
  readonly url: string;
  readonly redis?: string;
  readonly postgres?: pg.ClientConfig;
  readonly calls?: number;
  readonly worker: string;
  readonly seconds: number;
}

/** `letGo`: how many requests it let go; `stoodMs`: for how long it stood still at most. */
export type Told = z.infer<typeof told>;

/** Runs a process for each task; they begin together. */
export async function runWorkers(tasks: readonly Task[]): Promise<readonly Told[]> {
  const hands = tasks.map(handOf);
  try {
    await Promise.all(hands.map(({ ready }) => ready));
    for (const { child } of hands) child.stdin?.write('go\n');
    return await Promise.all(hands.map(({ done }) => done));
  } finally {
    for (const { child } of hands) child.kill('SIGKILL');
  }
}

const program = fileURLToPath(new URL('./spender.ts', import.meta.url));

interface Hand {
  readonly child: ChildProcess;
  readonly ready: Promise<unknown>;
  readonly done: Promise<Told>;
}

function handOf(task: Task): Hand {
  const child = spawn(process.execPath, [program, JSON.stringify(task)], {
    env: environment(),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  if (child.stdout === null) throw new Error('a worker has no output');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ready = lines.next();
  const done = (async () => {
    await ready;
    const line = await lines.next();
    if (line.done) throw new Error(`${task.worker} ended without telling what it did`);
    if (child.exitCode === null) await once(child, 'exit');
    return told.parse(JSON.parse(line.value));
  })();
  return { child, ready, done };
}

const told = z.object({ letGo: z.number(), stoodMs: z.number() });
