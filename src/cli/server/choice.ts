import { type Command, Option } from 'commander';
import { Complaint } from '../complaint.ts';
import type { Context } from '../context.ts';
import { serverAddress } from './address.ts';
import { type Login, loginsFile, readLogins } from './logins.ts';
import { checkToken } from './token.ts';

/** Whom to ask, and as whom. */
export interface Server {
  readonly url: string;
  readonly token: string;
}

export interface ServerOptions {
  readonly server?: string;
}

/** For verbs that a server can answer. Its value is never optional: what stands behind it is never the verb's own argument. */
export const withServerOption = (command: Command): Command =>
  command.addOption(
    new Option(
      '--server <url>',
      'ask this server, and not the store and the clouds from here; `last`: the one last logged in to. Also SETPOINT_SERVER',
    ),
  );

/**
 * The server that was asked for, by the option or SETPOINT_SERVER; undefined: none, and all is done from here. One that was named
 * by the environment is told on stderr, as nobody sees it on the command line.
 */
export async function chosenServer(
  { server }: ServerOptions,
  { terminal }: Pick<Context, 'terminal'>,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Server | undefined> {
  const given = server ?? (env['SETPOINT_SERVER'] || undefined);
  if (given === undefined) return undefined;
  const logins = await readLogins(loginsFile(env));
  const url = given === 'last' ? (logins.last ?? nobody()) : serverAddress(given);
  if (server === undefined) terminal.err.write(`Asking ${url}, as SETPOINT_SERVER says.\n`);
  return { url, token: tokenFor(url, logins.servers[url], env) };
}

function nobody(): never {
  throw new Complaint('You are logged in to no server.', { next: 'Log in to one: setpoint login https://…' });
}

/** SETPOINT_TOKEN goes before a login; a login's goes to its own server only. */
function tokenFor(url: string, login: Login | undefined, env: NodeJS.ProcessEnv): string {
  const given = env['SETPOINT_TOKEN'];
  if (given) return checkToken(given, 'SETPOINT_TOKEN');
  if (login !== undefined) return checkToken(login.token, 'The login');
  throw new Complaint(`You are not logged in to ${url}.`, {
    next: `Log in: setpoint login ${url}. In a pipeline, set SETPOINT_TOKEN.`,
  });
}
