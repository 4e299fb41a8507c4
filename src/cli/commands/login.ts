import type { Readable } from 'node:stream';
import type { Command } from 'commander';
import { formatMoment } from '../../core/render/wording.ts';
import { printable } from '../../core/text.ts';
import { apiClient } from '../api-client/client.ts';
import {
  boundsText,
  checkToken,
  type Identity,
  loginsFile,
  readLogins,
  serverAddress,
  whoami,
  writeLogins,
} from '../api-client/logins.ts';
import type { Context } from '../context.ts';
import { type ExitCode, exitCodes, UserError } from '../errors.ts';
import { defineCommand } from '../options.ts';
import { printJson, printText } from '../output/print.ts';
import { askSecret } from '../prompt.ts';

interface Options {
  readonly tokenStdin?: boolean;
  readonly json?: boolean;
}

export const login = (context: Context): Command =>
  defineCommand('login', {
    group: 'Server',
    summary: 'save a token for a server, after the server accepts it',
    about:
      'Asks for the token without showing it. Setpoint saves it in $XDG_CONFIG_HOME/setpoint/logins.json or ~/.config/setpoint,\nreadable by you only, and sends it to this server only. Commands use the server only with --server.',
    examples: [
      ['login https://setpoint.example', 'asks for the token'],
      ['login https://setpoint.example --token-stdin < token', 'reads it from a file'],
      ['drift --server last', 'then use the server'],
    ],
  })
    .argument('<url>', 'https://…, or http://127.0.0.1:PORT on this machine')
    .option('--token-stdin', 'read the token from stdin; default: SETPOINT_TOKEN, else a question')
    .option('--json', 'one JSON object on stdout')
    .action(async (url: string, options: Options) => context.finish(await run(url, options, context)));

async function run(given: string, options: Options, context: Context): Promise<ExitCode> {
  const url = serverAddress(given);
  const file = loginsFile(process.env);
  const logins = await readLogins(file);
  const token = await tokenFrom(url, options, context);
  const who = await whoami(apiClient({ url, token }, context));
  const kept = { token, person: who.actor, expires: who.expiresAt };
  await writeLogins(file, { last: url, servers: { ...logins.servers, [url]: kept } });
  if (options.json) printJson(context.terminal, { server: url, ...who });
  else printText(context.terminal, verdictOf(url, printable(who)), rolesOf(printable(who)));
  return exitCodes.done;
}

async function tokenFrom(url: string, { tokenStdin }: Options, { terminal, signal }: Context): Promise<string> {
  if (tokenStdin) return checkToken(await pipedToken(process.stdin), 'The input on stdin');
  const given = process.env['SETPOINT_TOKEN'];
  if (given) return checkToken(given, 'SETPOINT_TOKEN');
  const otherwise = 'Pipe the token in with --token-stdin, or set SETPOINT_TOKEN.';
  return checkToken(await askSecret(terminal, { text: `Token for ${url}`, otherwise }, signal), 'The typed text');
}

function verdictOf(url: string, { actor, expiresAt }: Identity): string {
  const until = expiresAt === undefined ? '' : ` · until ${formatMoment(Date.parse(expiresAt))}`;
  return `Logged in: ${url} as ${actor}${until}`;
}

const rolesOf = ({ grants }: Identity): string =>
  grants.length === 0
    ? '  You have no role there yet: ask an administrator for one.'
    : grants.map((grant) => `  ${grant.role} ${boundsText(grant)}`).join('\n');

const mostBytes = 16 * 1024;

/** A token that another program writes to us. */
async function pipedToken(input: Readable): Promise<string> {
  let text = '';
  for await (const chunk of input) {
    text += String(chunk);
    if (text.length > mostBytes) throw new UserError('The input on stdin is longer than any token.');
  }
  return text;
}
