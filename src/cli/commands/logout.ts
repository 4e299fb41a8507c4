import type { Command } from 'commander';
import { loginsFile, readLogins, serverAddress, writeLogins } from '../api-client/logins.ts';
import type { Context } from '../context.ts';
import { type ExitCode, exitCodes, UserError } from '../errors.ts';
import { defineCommand } from '../options.ts';
import { printJson, printText } from '../output/print.ts';

interface Options {
  readonly json?: boolean;
}

export const logout = (context: Context): Command =>
  defineCommand('logout', {
    group: 'Server',
    summary: 'delete the saved token of a server',
    about:
      'Only on this machine: the token stays valid until it expires, or somebody revokes it with `setpoint token revoke`.',
    examples: [
      ['logout', 'the server of the last login'],
      ['logout https://setpoint.example', 'this one'],
    ],
  })
    .argument('[url]', 'the server; default: that of the last login')
    .option('--json', 'one JSON object on stdout')
    .action(async (url: string | undefined, options: Options) => context.finish(await run(url, options, context)));

async function run(given: string | undefined, { json }: Options, { terminal }: Context): Promise<ExitCode> {
  const file = loginsFile(process.env);
  const { last, servers } = await readLogins(file);
  const url = given === undefined || given === 'last' ? last : serverAddress(given);
  if (url === undefined || servers[url] === undefined) throw notIn(url, Object.keys(servers));
  const { [url]: _gone, ...others } = servers;
  // why: which server comes next is for a person to say
  await writeLogins(file, { ...(last === undefined || last === url ? {} : { last }), servers: others });
  if (json) printJson(terminal, { server: url, loggedOut: true });
  else
    printText(
      terminal,
      `Logged out: ${url}`,
      '  Its token is still valid: have it revoked if somebody else may know it.',
    );
  return exitCodes.done;
}

const notIn = (url: string | undefined, known: readonly string[]): UserError =>
  new UserError(url === undefined ? 'There was no last login.' : `You are not logged in to ${url}.`, {
    next:
      known.length === 0
        ? 'You are not logged in to any server.'
        : `Name one:\n${known.map((one) => `setpoint logout ${one}`).join('\n')}`,
  });
