import { spawn, spawnSync } from 'node:child_process';
import { connect } from 'node:net';
import { freePort } from '../../scripts/demo/free-port.ts';
import { until } from './until.ts';

/** A `redis-server` of its own on 127.0.0.1, with nothing on disk. */
export interface RedisServer {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** Ends it and waits. */
  stop(): Promise<void>;
}

export interface RedisStart {
  /** A free one where none is named: name it to start again in the same place. */
  readonly port?: number;
  /** More of `redis-server`'s arguments: `--maxmemory-policy`, `allkeys-lru`. */
  readonly args?: readonly string[];
}

/**
 * Why tests that need Redis are skipped; undefined where it is there. In CI nothing is skipped: there the tests fail.
 * To be given as a test's `skip`.
 */
export function redisMissing(): string | undefined {
  if (process.env['CI'] || spawnSync('redis-server', ['--version']).status === 0) return undefined;
  return 'NOT TESTED: redis-server is not installed (apt-get install redis-server)';
}

/** Throws where it ends instead of listening, as on a port that another program has. */
export async function startRedis({ port, args = [] }: RedisStart = {}): Promise<RedisServer> {
  const at = port ?? (await freePort());
  const quiet = ['--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--loglevel', 'warning'];
  const child = spawn('redis-server', ['--port', String(at), ...quiet, ...args], { stdio: 'ignore' });
  let isGone = false;
  const gone = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  }).then(() => {
    isGone = true;
  });
  // why: a test that breaks leaves no server behind.
  const end = (): void => void child.kill('SIGKILL');
  process.once('exit', end);
  await until(`redis-server listens on port ${at}`, async () => isGone || (await connects(at)));
  if (isGone) throw new Error(`redis-server on port ${at} has ended`);
  return {
    url: `redis://127.0.0.1:${at}`,
    port: at,
    pid: child.pid ?? 0,
    stop: async () => {
      process.off('exit', end);
      child.kill('SIGKILL');
      await gone;
    },
  };
}

function connects(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const end = (is: boolean) => () => {
      socket.destroy();
      resolve(is);
    };
    socket.once('connect', end(true));
    socket.once('error', end(false));
  });
}
