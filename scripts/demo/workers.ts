import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventSecrets } from './events.ts';
import type { Stage } from './stage.ts';

/** Workers of a fleet, and all that they have said. */
export interface Workers {
  /** The first of them that has made a change on a cloud; waits for it. */
  firstAtWork(): Promise<string>;
  /** SIGKILL: no goodbye, no hand-over. */
  kill(name: string): Promise<void>;
  /** Waits until a living one has said lines that match all patterns. */
  heard(patterns: readonly RegExp[], withinMs: number): Promise<void>;
  /** What was said so far is heard no more. */
  listenAnew(): void;
  /** SIGTERM to all; their exit codes. */
  stop(): Promise<readonly (number | null)[]>;
}

interface Worker {
  readonly name: string;
  readonly lines: string[];
  readonly child: ReturnType<Stage['start']>;
}

/** Each follows the repository, and listens on a port of its own; `redisUrl` is where they meet. */
export function startWorkers(names: readonly string[], redisUrl: string, stage: Stage): Workers {
  const all = names.map((name, index): Worker => {
    const from = ['--repo', stage.repository, '--allow-local-repo', '--poll', '1s'];
    const listen = ['--listen', String(stage.hookPorts[index])];
    // why: what heals so soon was heard of, and not found by the next periodic pass
    const args = ['worker', '--allow-endpoint', '--interval', '1h', ...from, ...listen];
    const child = stage.start(args, { DATABASE_URL: stage.databaseUrl, REDIS_URL: redisUrl, ...eventSecrets });
    const lines: string[] = [];
    createInterface({ input: child.stderr }).on('line', (line) => lines.push(line));
    return { name, lines, child };
  });
  const living = (): readonly Worker[] => all.filter(({ child }) => child.exitCode === null && !child.killed);
  const until = async <T>(look: () => T | undefined, what: string, withinMs: number): Promise<T> => {
    for (const end = performance.now() + withinMs; performance.now() < end; await sleep(20)) {
      const found = look();
      if (found !== undefined) return found;
    }
    throw new Error(`${what} was not seen in ${withinMs / 1000} s:\n${all.map(saidBy).join('\n')}`);
  };
  return {
    firstAtWork: async () => {
      const atWork = (): Worker | undefined =>
        living().find(({ lines }) => lines.some((line) => /info settled/.test(line)));
      return (await until(atWork, 'a worker at work', 300_000)).name;
    },
    kill: async (name) => {
      const worker = all.find((one) => one.name === name);
      if (worker?.child.kill('SIGKILL')) await once(worker.child, 'exit');
    },
    heard: async (patterns, withinMs) => {
      const lines = (): readonly string[] => living().flatMap((worker) => worker.lines);
      const all = (): true | undefined => patterns.every((one) => lines().some((line) => one.test(line))) || undefined;
      await until(all, patterns.join(', '), withinMs);
    },
    listenAnew: () => {
      for (const { lines } of all) lines.length = 0;
    },
    stop: () =>
      Promise.all(
        living().map(async ({ child }) => {
          child.kill('SIGTERM');
          if (child.exitCode === null) await once(child, 'exit');
          return child.exitCode;
        }),
      ),
  };
}

const saidBy = ({ name, lines }: Worker): string =>
  lines
    .slice(-12)
    .map((line) => `${name}: ${line}`)
    .join('\n');
