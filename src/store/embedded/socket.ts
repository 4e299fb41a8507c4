import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Cluster, dataOf } from './cluster.ts';

/**
 * The server listens on a socket in its own data folder, too: nobody reaches that but its account and root, and a long answer
 * never waits there. On loopback some of those over 64 KiB do, 40 ms, for an acknowledgement that is held back:
 * https://www.rfc-editor.org/rfc/rfc9293#section-3.8.6
 */
export const socketArguments: readonly string[] = process.platform === 'win32' ? [] : ['-k', '.'];

/** What a system takes as the path of a socket: https://man7.org/linux/man-pages/man7/unix.7.html, macOS 4 less. */
const longestPath = 103;

/** Where clients reach the server that listens on `port`: its folder, or the address where that is too long or has no socket. */
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
