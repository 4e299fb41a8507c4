import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './free-port.ts';

/** A Redis of its own on loopback, with nothing on disk. */
export interface Redis {
  readonly url: string;
  end(): Promise<void>;
}

/** Undefined where `redis-server` is not installed. */
export async function redisHere(): Promise<Redis | undefined> {
  if (spawnSync('redis-server', ['--version']).status !== 0) return undefined;
  const port = await freePort();
  const args = ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const server = spawn('redis-server', args, { stdio: 'ignore' });
  for (let tries = 0; !(await answers(port)); tries += 1) {
    if (tries === 1_200 || server.exitCode !== null) throw new Error('redis-server does not start');
    await sleep(50);
  }
  return { url: `redis://127.0.0.1:${port}`, end: () => ended(server) };
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

async function ended(server: ChildProcess): Promise<void> {
  if (server.exitCode === null && server.kill()) await once(server, 'exit');
}
