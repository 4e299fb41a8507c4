import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { UserError } from '../errors.ts';
import { type ApiClient, apiClient, type Server } from './client.ts';
import { checkToken, type Login, loginsFile, readLogins, serverAddress } from './logins.ts';

export interface ServerOption {
  readonly server?: string;
}

/** Of commands that a server can answer. Never without a value: what stands behind it is never the command's own argument. */
export const withServerOption = (command: Command): Command =>
  command.option(
    '--server <url>',
    'use this server instead of the local store and clouds; `last`: the server of the last login (SETPOINT_SERVER)',
  );

export interface ServerEstateOption {
  readonly estate?: string | undefined;
}

/** The same, of commands that know an estate by its specs elsewhere. */
export const withServerEstateOption = (command: Command): Command =>
  withServerOption(command).option('--estate <name>', 'with --server: the estate; optional if you may see only one');

/**
 * The options, by their names in code, that make sense on one side only. `dir`: whether a folder of specs does on a server;
 * `program`: the program's own options that do.
 */
export interface ServerSupport {
  readonly localOptions: readonly string[];
  readonly serverOptions: readonly string[];
  readonly takesDir: boolean;
  readonly rootOptions?: readonly string[];
}

/** The process's own, or another in tests. */
interface Environment {
  readonly env: NodeJS.ProcessEnv;
  readonly fetch: typeof fetch;
}

/** The server to ask; undefined: none was asked for. What makes no sense there, or only there, is refused by its name. */
export async function apiClientFor(
  command: Command,
  serverSupport: ServerSupport,
  context: Context,
  { env, fetch: fetching }: Environment = { env: process.env, fetch },
): Promise<ApiClient | undefined> {
  const server = await selectedServer(command.optsWithGlobals(), context, env);
  if (server === undefined) {
    const [unsupported] = serverSupport.serverOptions.filter((name) => isGiven(command, name));
    if (unsupported === undefined) return undefined;
    throw new UserError(`${flagOf(command, unsupported)} needs --server.`, {
      next: 'Add --server URL, or remove this option.',
    });
  }
  const unsupported = [...localRootOptions, ...serverSupport.localOptions].find(
    (name) => isGiven(command, name) && !serverSupport.rootOptions?.includes(name),
  );
  const what = unsupported === undefined ? folderOf(command, serverSupport) : flagOf(command, unsupported);
  if (what === undefined) return apiClient(server, context, fetching);
  throw new UserError(`${what} cannot be used with a server.`, {
    why: `${server.url} has its own store, and observes the clouds itself.`,
    next: 'Remove it. Or remove --server and unset SETPOINT_SERVER, to work without a server.',
  });
}

const localRootOptions = ['dir', 'active', 'activeOf'];

function isGiven(command: Command, name: string): boolean {
  const source = command.getOptionValueSourceWithGlobals(name);
  return source !== undefined && source !== 'default';
}

function folderOf(command: Command, { takesDir }: ServerSupport): string | undefined {
  const at = command.registeredArguments.findIndex((argument) => argument.name() === 'dir');
  const given = at === -1 || takesDir ? undefined : command.args[at];
  return given === undefined ? undefined : `The folder ${given}`;
}

const flagOf = (command: Command, name: string): string =>
  [...command.options, ...(command.parent?.options ?? []), ...(command.parent?.parent?.options ?? [])].find(
    (option) => option.attributeName() === name,
  )?.long ?? name;

/**
 * The server from the option or SETPOINT_SERVER; undefined: none, and all is done from here. One from the environment is
 * printed on stderr, as nobody sees it on the command line.
 */
async function selectedServer(
  { server }: { readonly server?: string },
  { terminal }: Pick<Context, 'terminal'>,
  env: NodeJS.ProcessEnv,
): Promise<Server | undefined> {
  const given = server ?? (env['SETPOINT_SERVER'] || undefined);
  if (given === undefined) return undefined;
  // why: a wrong address is reported before any problem of the logins
  const named = given === 'last' ? undefined : serverAddress(given);
  const { last, servers } = await readLogins(loginsFile(env));
  const url = named ?? last ?? notLoggedIn();
  if (server === undefined) terminal.err.write(`Using ${url} from SETPOINT_SERVER.\n`);
  return { url, ...credentialFor(url, servers[url], env) };
}

function notLoggedIn(): never {
  throw new UserError('You are not logged in to any server.', { next: 'Log in to one: setpoint login https://…' });
}

/** SETPOINT_TOKEN goes before a login; a login's goes to its own server only. */
function credentialFor(url: string, login: Login | undefined, env: NodeJS.ProcessEnv): Omit<Server, 'url'> {
  const given = env['SETPOINT_TOKEN'];
  if (given) return { token: checkToken(given, 'SETPOINT_TOKEN') };
  if (login !== undefined) {
    const { expires } = login;
    return { token: checkToken(login.token, 'The login'), expires };
  }
  throw new UserError(`You are not logged in to ${url}.`, {
    next: `Log in: setpoint login ${url}. In a pipeline, set SETPOINT_TOKEN.`,
  });
}
