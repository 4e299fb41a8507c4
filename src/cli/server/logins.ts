import { randomUUID } from 'node:crypto';
import { chmod, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { Complaint } from '../complaint.ts';
import { want } from './want.ts';

/** Servers that somebody logged in to on this machine, by address. `last`: the newest of them that was not logged out of. */
export interface Logins {
  readonly last?: string;
  readonly servers: Readonly<Record<string, Login>>;
}

/** `expires`: ISO 8601, where the server said. */
export interface Login {
  readonly token: string;
  readonly person: string;
  readonly expires?: string;
}

/** Where they are kept: https://specifications.freedesktop.org/basedir-spec/latest/ */
export function loginsFile(env: NodeJS.ProcessEnv): string {
  const home = env['XDG_CONFIG_HOME'];
  return join(home?.startsWith('/') ? home : join(homedir(), '.config'), 'setpoint', 'logins.json');
}

/** None where there is no file. One that others may read is refused: its tokens may be known. */
export async function readLogins(file: string): Promise<Logins> {
  let text: string;
  try {
    const { mode } = await stat(file);
    if ((mode & 0o077) !== 0) throw readable(file);
    text = await readFile(file, 'utf8');
  } catch (cause) {
    if (cause instanceof Complaint) throw cause;
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return { servers: {} };
    throw new Complaint(`The logins in ${file} cannot be read.`, { why: String(cause), cause });
  }
  const logins = loginsOf(text);
  if (logins !== undefined) return logins;
  throw new Complaint(`${file} is damaged.`, { next: 'Remove it, and log in again: setpoint login URL' });
}

/** What is wrong is not told: a parser quotes what it reads, and that may be a piece of a token. */
function loginsOf(text: string): Logins | undefined {
  try {
    return loginsIn(JSON.parse(text), 'it');
  } catch {
    return undefined;
  }
}

/** Whole or not at all, and from its first byte for its owner only. */
export async function writeLogins(file: string, logins: Logins): Promise<void> {
  const beside = `${file}.${randomUUID()}`;
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(beside, `${JSON.stringify(logins, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
    // why: a umask may have taken the owner's own rights
    await chmod(beside, 0o600);
    await rename(beside, file);
  } catch (cause) {
    await rm(beside, { force: true }).catch(() => undefined);
    throw new Complaint(`The login cannot be kept in ${file}.`, {
      why: cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause),
      next: 'Name a folder that you may write: XDG_CONFIG_HOME. Or keep the token in SETPOINT_TOKEN, without a login.',
      cause,
    });
  }
}

const login = want.object({ token: want.text, person: want.text, expires: want.maybe(want.text) });
const loginsIn = want.object({ last: want.maybe(want.text), servers: want.record(login) });

const readable = (file: string): Complaint =>
  new Complaint(`${file} may be read by others on this machine.`, {
    why: 'It holds your tokens.',
    next: `Take that right away: chmod 600 ${file}. If somebody may have read it, have the tokens revoked.`,
  });
