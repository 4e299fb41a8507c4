import { randomUUID } from 'node:crypto';
import { chmod, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { isLoopback } from '../../core/documents/fields.ts';
import { UserError } from '../errors.ts';
import type { ApiClient } from './client.ts';
import { decode } from './decode.ts';

/** Servers that somebody logged in to on this machine, by address. `last`: the newest of them that was not logged out of. */
interface Logins {
  readonly last?: string;
  readonly servers: Readonly<Record<string, Login>>;
}

/** `expires`: ISO 8601, where the server said. */
export interface Login {
  readonly token: string;
  readonly person: string;
  readonly expires?: string;
}

/** The file of logins: https://specifications.freedesktop.org/basedir-spec/latest/ */
export function loginsFile(env: NodeJS.ProcessEnv): string {
  const home = env['XDG_CONFIG_HOME'];
  return join(home?.startsWith('/') ? home : join(homedir(), '.config'), 'setpoint', 'logins.json');
}

/** None where there is no file. One that others may read is refused: its tokens may be known. */
export async function readLogins(file: string): Promise<Logins> {
  let text: string;
  try {
    const { mode } = await stat(file);
    if ((mode & 0o077) !== 0) throw readableByOthers(file);
    text = await readFile(file, 'utf8');
  } catch (cause) {
    if (cause instanceof UserError) throw cause;
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return { servers: {} };
    throw new UserError(`The logins in ${file} cannot be read.`, { why: String(cause), cause });
  }
  const logins = loginsOf(text);
  if (logins !== undefined) return logins;
  throw new UserError(`${file} is damaged.`, { next: 'Remove it, and log in again: setpoint login URL' });
}

/** Hides the parser's message: it quotes its input, which may be a piece of a token. */
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
    throw new UserError(`The login cannot be saved in ${file}.`, {
      why: cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause),
      next: 'Name a writable folder in XDG_CONFIG_HOME. Or set SETPOINT_TOKEN, without a login.',
      cause,
    });
  }
}

const login = decode.object({ token: decode.string, person: decode.string, expires: decode.optional(decode.string) });
const loginsIn = decode.object({ last: decode.optional(decode.string), servers: decode.record(login) });

const readableByOthers = (file: string): UserError =>
  new UserError(`${file} is readable by other users of this machine.`, {
    why: 'It holds your tokens.',
    next: `Restrict it: chmod 600 ${file}. If somebody may have read it, have the tokens revoked.`,
  });

/**
 * A server's address as logins are kept by: origin and path, without a slash at the end. A token goes over https only, or to
 * this machine. What was given is repeated only where it cannot hold a password.
 */
export function serverAddress(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) throw noAddress(given);
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw new UserError("A server's address has only an origin and a path.", {
      why: 'The address appears in files and on screens, so it must not contain a name, a password or a token.',
      next: `Write ${url.origin}, and give the token to: setpoint login ${url.origin}`,
    });
  if (url.protocol === 'http:' && !isLoopback(url.origin))
    throw new UserError(`${url.origin} would send your token unencrypted over the network.`, {
      next: `Write https://${url.host}. Only a server on this machine may use http.`,
    });
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

const noAddress = (given: string): UserError =>
  new UserError(`${/^[\w./:-]{1,80}$/.test(given) ? `"${given}"` : 'That'} is not the address of a server.`, {
    next: 'Write it in full, such as https://setpoint.example or http://127.0.0.1:7420. For the last login: last',
  });

/** A token as it may stand in a header; what is none is not repeated. `from`: how it was given, for people. */
export function checkToken(given: string, from: string): string {
  const token = given.trim();
  if (token === '') throw new UserError(`${from} holds no token.`);
  if (token.length > longest || !/^[\x21-\x7e]+$/.test(token))
    throw new UserError(`${from} holds no token: it is too long or has invalid characters.`, {
      next: 'Paste only the whole token: `setpoint token make` prints it on a line of its own.',
    });
  return token;
}

/** A JWT with many groups is long; servers take headers of 16 KiB. */
const longest = 12_000;

/** Our identity on a server, and our grants there. `expiresAt`: ISO 8601, of the token. */
export type Identity = ReturnType<typeof answer>;

const names = decode.optional(decode.list(decode.string));

const answer = decode.object({
  actor: decode.string,
  expiresAt: decode.optional(decode.string),
  grants: decode.list(decode.object({ role: decode.string, estates: names, targets: names, owners: names })),
});

export const whoami = (client: ApiClient): Promise<Identity> =>
  client.request({ method: 'GET', path: '/v1/whoami' }, answer);

/** `on everything`, `on the estates acme; of the owners team-web` */
export function boundsText({ estates, targets, owners }: Omit<Identity['grants'][number], 'role'>): string {
  const parts = Object.entries({ estates, targets, owners }).flatMap(([what, some]) =>
    some === undefined ? [] : [`${what}: ${some.join(', ')}`],
  );
  return parts.length === 0 ? 'on everything' : `on ${parts.join('; ')}`;
}
