import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventSecrets } from './events.ts';
import type { Stage } from './stage.ts';

/** A process of Setpoint that follows the stage's repository and listens on a port of 127.0.0.1. */
export interface Service {
  readonly name: string;
  readonly port: number;
  /** Its log so far. */
  readonly lines: readonly string[];
  isAlive(): boolean;
  /** SIGKILL: no goodbye, no hand-over. Waits for its end. */
  kill(): Promise<void>;
  /** SIGTERM. Returns its exit code; undefined where it has ended before. */
  stop(): Promise<number | null | undefined>;
}

interface Start {
  readonly verb: 'worker' | 'serve';
  readonly port: number;
  /** Variables that it has besides the stage's. */
  readonly env?: NodeJS.ProcessEnv;
}

export function startService(name: string, { verb, port, env = {} }: Start, stage: Stage): Service {
  const from = ['--repo', stage.repository, '--allow-local-repo', '--poll', '1s'];
  // why: an edit that is healed so soon was told by an event, and not found by the next periodic pass
  const args = [verb, '--allow-endpoint', '--interval', '1h', ...from, '--listen', String(port)];
  const child = stage.start(args, { ...eventSecrets, ...env });
  const lines: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => lines.push(line));
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (!hasEnded() && child.kill(signal)) await once(child, 'exit');
  };
  return {
    name,
    port,
    lines,
    isAlive: () => !hasEnded() && !child.killed,
    kill: () => end('SIGKILL'),
    stop: async () => {
      if (hasEnded()) return undefined;
      await end('SIGTERM');
      return child.exitCode;
    },
  };
}

/** Adds the last lines of each service to an error of `work`: the cause stands there as a rule. */
export async function withLastLines<T>(services: readonly Service[], work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    const said = services.flatMap(({ name, lines }) => lines.slice(-lastLines).map((line) => `  ${name}: ${line}`));
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new Error([message, ...said].join('\n'), { cause });
  }
}

const lastLines = 20;

/** Even on a machine with too much to do. */
const longestMs = 300_000;

interface Wait {
  readonly pauseMs: number;
  readonly withinMs?: number;
}

/** Asks until there is an answer, and throws where there is none in time. `what`: the subject of "was not seen". */
export async function until<T>(
  ask: () => Promise<T | undefined>,
  what: string,
  { pauseMs, withinMs = longestMs }: Wait,
): Promise<T> {
  for (const end = performance.now() + withinMs; ; await sleep(pauseMs)) {
    const found = await ask();
    if (found !== undefined) return found;
    if (performance.now() > end) throw new Error(`${what} was not seen in ${withinMs / 1000} s`);
  }
}
