import { stat } from 'node:fs/promises';
import type { Account, Ran, run } from './run.ts';

const name = 'postgres';

/**
 * Who the server runs as. PostgreSQL refuses root, so root lets the owner of the data run it, or the account `postgres`,
 * which is made where it is missing.
 */
export async function serverAccount(data: string, exec: typeof run): Promise<Account> {
  if (process.getuid?.() !== 0) return undefined;
  const owner = await stat(data).catch(() => undefined);
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  return (await lookUp(exec)) ?? (await make(exec));
}

export async function lookUp(exec: typeof run): Promise<Account> {
  const [uid, gid] = await Promise.all([exec('id', ['-u', name]), exec('id', ['-g', name])]);
  return uid.ok && gid.ok ? { uid: idOf(uid), gid: idOf(gid) } : undefined;
}

const idOf = ({ output }: Ran): number => Number.parseInt(output, 10);

/** With the tools of most systems, else with those of BusyBox (Alpine). */
export async function make(exec: typeof run): Promise<Account> {
  await exec('groupadd', ['--system', name]);
  const made = await exec('useradd', ['--system', '--gid', name, '--no-create-home', '--shell', '/bin/false', name]);
  if (!made.ok) {
    await exec('addgroup', ['-S', name]);
    await exec('adduser', ['-S', '-D', '-H', '-G', name, '-s', '/bin/false', name]);
  }
  const account = await lookUp(exec);
  if (account) return account;
  throw new Error(
    `PostgreSQL does not run as root, and the account "${name}" could be neither found nor made (${made.output}). ` +
      'Make it, run as another user, or set DATABASE_URL to a database of your own.',
  );
}
