import { readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { program } from './binaries.ts';
import { type Cluster, dataOf } from './cluster.ts';
import { commandLine } from './process-start.ts';
import { run, runNow } from './run.ts';
import { clearSockets, socketArguments } from './socket.ts';

/** The running server's port. Starts it where none runs; what a crash left behind is cleared. */
export async function start(cluster: Cluster): Promise<number> {
  const running = await server(cluster);
  if (running) return running.ready ? running.port : untilReady(cluster);
  // why: what ran under this file is dead, though its id may be another process's by now, or nobody reaped it. Should a
  // child of it live on, PostgreSQL finds it by the shared memory of the data folder and does not start.
  await rm(pidFileOf(cluster.home), { force: true });
  await clearSockets(cluster);
  for (let tries = 1; ; tries++) {
    const port = await freePort();
    const { ok, said } = await startOn(cluster, port);
    if (ok) return port;
    if (tries === 50 || !transient.some((text) => said.includes(text)))
      throw new Error(`the database in ${cluster.home} does not start: ${said}`);
    await pause(200);
  }
}

/** The port was taken after we saw it free; the last children of a killed server are not gone yet. */
const transient = ['could not create any TCP/IP sockets', 'pre-existing shared memory block'];

async function startOn({ home, binaries, account }: Cluster, port: number) {
  await rm(logOf(home), { force: true });
  const options = ['-p', port, ...socketArguments].join(' ');
  const args = ['start', '-D', dataOf(home), '-l', logOf(home), '-w', '-t', '60', '-o', options];
  const { ok, output } = await run(program(binaries, 'pg_ctl'), args, account);
  const log = ok ? '' : await readFile(logOf(home), 'utf8').catch(() => '');
  return { ok, said: `${output}\n${log.slice(-2000)}` };
}

/** Ends every connection and waits until the server is down; nothing to do where none runs. */
export async function stop(cluster: Cluster): Promise<void> {
  for (const mode of ['fast', 'immediate'])
    if (!(await server(cluster)) || (await run(...stopping(cluster, mode))).ok) return;
}

/** Asks the server to stop and does not wait: for a process that ends. */
export const stopNow = ({ home, binaries, account }: Cluster): void =>
  runNow(program(binaries, 'pg_ctl'), ['stop', '-D', dataOf(home), '-m', 'fast', '-W'], account);

const stopping = ({ home, binaries, account }: Cluster, mode: string): Parameters<typeof run> => [
  program(binaries, 'pg_ctl'),
  ['stop', '-D', dataOf(home), '-m', mode, '-w', '-t', '60'],
  account,
];

interface Running {
  readonly port: number;
  readonly ready: boolean;
}

/** What `postmaster.pid` says, if that process is our server: lines 1, 4 and 8 are process id, port and state. */
async function server({ home }: Cluster): Promise<Running | undefined> {
  const lines = await pidFile(home);
  const pid = Number.parseInt(lines[0] ?? '', 10);
  if (!Number.isSafeInteger(pid) || !commandLine(pid).includes(dataOf(home))) return undefined;
  return { port: Number.parseInt(lines[3] ?? '', 10), ready: lines[7]?.trim() === 'ready' };
}

/** Another process may be starting it, or it recovers from a crash. */
async function untilReady(cluster: Cluster): Promise<number> {
  for (const end = performance.now() + 60_000; performance.now() < end; await pause(50)) {
    const running = await server(cluster);
    if (!running) return start(cluster);
    if (running.ready) return running.port;
  }
  await stop(cluster);
  return start(cluster);
}

async function pidFile(home: string): Promise<readonly string[]> {
  return (await readFile(pidFileOf(home), 'utf8').catch(() => '')).split('\n');
}

const pidFileOf = (home: string): string => join(dataOf(home), 'postmaster.pid');
const logOf = (home: string): string => join(dataOf(home), 'server.log');

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.on('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
