import { randomBytes } from 'node:crypto';
import { chown, mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Binaries, program } from './binaries.ts';
import { type Account, run } from './run.ts';

/** One PostgreSQL data folder and the programs that serve it. */
export interface Cluster {
  readonly home: string;
  readonly binaries: Binaries;
  readonly account: Account;
}

export const superuser = 'setpoint_owner';

export const dataOf = (home: string): string => join(home, 'data');

/** Never beyond this machine; sockets: socket.ts. Durable as PostgreSQL is by default. */
const settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '100',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_min_error_statement: 'panic',
};

/** Made aside and moved in one step: a data folder is there whole or not at all. The same on every machine: C collation, UTF-8. */
export async function initialise({ home, binaries, account }: Cluster, password: string): Promise<void> {
  const aside = join(home, 'data.new');
  await rm(aside, { recursive: true, force: true });
  await mkdir(aside, { mode: 0o700 });
  const secret = join(home, `password-${randomBytes(6).toString('hex')}`);
  await writeFile(secret, `${password}\n`, { mode: 0o600, flag: 'wx' });
  try {
    if (account) for (const path of [aside, secret]) await chown(path, account.uid, account.gid);
    const args = ['-D', aside, '-U', superuser, `--pwfile=${secret}`, '--auth=scram-sha-256', '--encoding=UTF8'];
    const locale = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
    const set = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const made = await run(program(binaries, 'initdb'), [...args, ...locale, ...set], account);
    if (!made.ok) throw new Error(`initdb failed: ${made.output}`);
  } finally {
    await rm(secret, { force: true });
  }
  await rename(aside, dataOf(home));
}

export const isInitialised = async (home: string): Promise<boolean> =>
  stat(join(dataOf(home), 'PG_VERSION')).then(
    () => true,
    () => false,
  );
