import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Service } from './compose-file.ts';
import type { Loopback } from './loopback.ts';
import { program } from './program.ts';

/** A service of ours as a process: what the image's ENTRYPOINT is given, in the environment of the file and nobody else's. */
export interface Container {
  /** What it said so far, stdout and stderr. */
  said(): string;
  /** Whether its health check in the file holds now. */
  isHealthy(): Promise<boolean>;
  /** Waits for that, as `depends_on` does. */
  untilHealthy(withinMs: number): Promise<void>;
  /** SIGTERM, then its exit code and how long it took; killed once the grace period is over. */
  stop(graceMs: number): Promise<{ readonly code: number | null; readonly ms: number }>;
}

export interface Place {
  readonly loopback: Loopback;
  /** Its `/data`. */
  readonly folder: string;
}

export function startContainer(service: Service, { loopback, folder }: Place): Container {
  const { rewrite } = loopback;
  const env = environmentOf(service, loopback);
  const child = spawn(process.execPath, [program, ...(service.command ?? []).map(rewrite)], { cwd: folder, env });
  const words: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => words.push(String(chunk)));
  const killed = (): void => void child.kill('SIGKILL');
  process.once('exit', killed); // why: a test that breaks leaves nothing running
  const isHealthy = async (): Promise<boolean> => {
    const [kind, node, ...args] = service.healthcheck.test.map(rewrite);
    if (kind !== 'CMD' || node !== 'node') throw new Error(`a health check of ours is node's, not ${kind} ${node}`);
    return (await ended(spawn(process.execPath, args, { env, stdio: 'ignore' }))) === 0;
  };
  return {
    said: () => words.join(''),
    isHealthy,
    untilHealthy: async (withinMs) => {
      for (const end = performance.now() + withinMs; !(await isHealthy()); await pause(200))
        if (performance.now() > end || hasEnded(child))
          throw new Error(`not healthy within ${withinMs} ms: ${service.command?.join(' ')}\n${words.join('')}`);
    },
    stop: async (graceMs) => {
      const began = performance.now();
      const exit = ended(child);
      child.kill('SIGTERM');
      const timer = setTimeout(killed, graceMs);
      const code = await exit;
      clearTimeout(timer);
      process.off('exit', killed);
      return { code, ms: performance.now() - began };
    },
  };
}

/** The environment that a command of such a container has. */
export const environmentOf = ({ environment }: Service, { rewrite }: Loopback): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  HOME: '/nonexistent',
  NODE_ENV: 'production',
  ...Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, rewrite(value)])),
});

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

async function ended(child: ChildProcess): Promise<number | null> {
  if (!hasEnded(child)) await once(child, 'exit');
  return child.exitCode;
}
