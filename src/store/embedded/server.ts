import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Cluster, dataOf, program, run, runNow } from './cluster.ts';

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

/** The content of `postmaster.pid`, if that process is our server: lines 1, 4 and 8 are process id, port and state. */
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

/**
 * The server listens on a socket in its own data folder, too: nobody reaches that but its account and root, and a long answer
 * never waits there. On loopback some of those over 64 KiB do, 40 ms, for an acknowledgement that is held back:
 * https://www.rfc-editor.org/rfc/rfc9293#section-3.8.6
 */
const socketArguments: readonly string[] = process.platform === 'win32' ? [] : ['-k', '.'];

/** The longest path of a socket: https://man7.org/linux/man-pages/man7/unix.7.html, macOS 4 less. */
const longestPath = 103;

/** The host by which clients reach the server on `port`: its folder, or the address where that is too long or has no socket. */
export async function hostOf({ home }: Pick<Cluster, 'home'>, port: number): Promise<string> {
  const path = join(dataOf(home), `${prefix}${port}`);
  if (Buffer.byteLength(path) > longestPath) return loopback;
  const found = await stat(path).catch(() => undefined);
  return found?.isSocket() ? dataOf(home) : loopback;
}

/** Takes away what a server that died left behind. Only where none runs. */
export async function clearSockets({ home }: Pick<Cluster, 'home'>): Promise<void> {
  const names = await readdir(dataOf(home));
  for (const name of names) if (name.startsWith(prefix)) await rm(join(dataOf(home), name), { force: true });
}

const loopback = '127.0.0.1';

/** And the port: https://www.postgresql.org/docs/current/runtime-config-connection.html */
const prefix = '.s.PGSQL.';

/**
 * When a process started, as text that differs for any two processes that ever had the same id; undefined where none runs.
 * A process id alone says nothing: ids are used again.
 */
export function processStart(pid: number): string | undefined {
  return process.platform === 'linux' ? startOnLinux(pid) : startByPs(pid);
}

/** The command line of a process; '' where none runs or it may not be seen. */
export function commandLine(pid: number): string {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
    return ps(pid, 'command');
  } catch {
    return '';
  }
}

/** Field 22 of proc_pid_stat(5) is the start in clock ticks since boot; field 3 is `Z` for one that is dead and not yet reaped. */
function startOnLinux(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${fields[19]}`;
  } catch {
    return undefined;
  }
}

function startByPs(pid: number): string | undefined {
  try {
    return ps(pid, 'lstart') || undefined;
  } catch {
    return undefined;
  }
}

const ps = (pid: number, column: string): string =>
  execFileSync('ps', ['-o', `${column}=`, '-p', String(pid)], {
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C' },
  }).trim();
