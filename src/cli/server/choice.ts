import { Complaint } from '../complaint.ts';
import type { Context } from '../context.ts';
import { serverAddress } from './address.ts';
import { type Login, loginsFile, readLogins } from './logins.ts';
import { checkToken } from './token.ts';

/** Whom to ask, and as whom. */
export interface Server {
  readonly url: string;
  readonly token: string;
  /** ISO 8601: when the token ends, where a login knows it. */
  readonly expires?: string;
}

/**
 * The server that was asked for, by the option or SETPOINT_SERVER; undefined: none, and all is done from here. One that was named
 * by the environment is told on stderr, as nobody sees it on the command line.
 */
export async function chosenServer(
  { server }: { readonly server?: string },
  { terminal }: Pick<Context, 'terminal'>,
  env: NodeJS.ProcessEnv,
): Promise<Server | undefined> {
  const given = server ?? (env['SETPOINT_SERVER'] || undefined);
  if (given === undefined) return undefined;
  // why: an address that is none is told before anything of the logins is
  const named = given === 'last' ? undefined : serverAddress(given);
  const { last, servers } = await readLogins(loginsFile(env));
  const url = named ?? last ?? nobody();
  if (server === undefined) terminal.err.write(`Asking ${url}, as SETPOINT_SERVER says.\n`);
  return { url, ...credentialFor(url, servers[url], env) };
}

function nobody(): never {
  throw new Complaint('You are logged in to no server.', { next: 'Log in to one: setpoint login https://…' });
}

/** SETPOINT_TOKEN goes before a login; a login's goes to its own server only. */
function credentialFor(url: string, login: Login | undefined, env: NodeJS.ProcessEnv): Omit<Server, 'url'> {
  const given = env['SETPOINT_TOKEN'];
  if (given) return { token: checkToken(given, 'SETPOINT_TOKEN') };
  if (login !== undefined) {
    const { expires } = login;
    return { token: checkToken(login.token, 'The login'), ...(expires === undefined ? {} : { expires }) };
  }
  throw new Complaint(`You are not logged in to ${url}.`, {
    next: `Log in: setpoint login ${url}. In a pipeline, set SETPOINT_TOKEN.`,
  });
}
