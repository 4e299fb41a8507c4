import type { Command } from 'commander';
import { Complaint } from '../complaint.ts';
import type { Context } from '../context.ts';
import { chosenServer } from './choice.ts';
import { type Client, clientOf } from './client.ts';

export interface ServerOption {
  readonly server?: string;
}

/** Of verbs that a server can answer. Never without a value: what stands behind it is never the verb's own argument. */
export const withServerOption = (command: Command): Command =>
  command.option(
    '--server <url>',
    'ask this server, not the store and clouds from here; `last`: the one last logged in to. Also SETPOINT_SERVER',
  );

export interface ServedEstateOption {
  readonly estate?: string | undefined;
}

/** The same, of verbs that know an estate by its specs elsewhere. */
export const withServedEstateOption = (command: Command): Command =>
  withServerOption(command).option(
    '--estate <name>',
    'with --server: which estate; may be left out where you may see one only',
  );

/**
 * Which options, by their names in code, make sense on one side only. `dir`: whether a folder of specs does on a server; `program`:
 * which of the program's own do.
 */
export interface Sides {
  readonly here: readonly string[];
  readonly there: readonly string[];
  readonly dir: boolean;
  readonly program?: readonly string[];
}

/** The process's own, or another in tests. */
interface Around {
  readonly env: NodeJS.ProcessEnv;
  readonly fetch: typeof fetch;
}

/** The server to ask; undefined: none was asked for. What makes no sense there, or only there, is refused by its name. */
export async function serverFor(
  command: Command,
  sides: Sides,
  context: Context,
  { env, fetch: fetching }: Around = { env: process.env, fetch },
): Promise<Client | undefined> {
  const server = await chosenServer(command.optsWithGlobals(), context, env);
  if (server === undefined) {
    const [odd] = sides.there.filter((name) => isGiven(command, name));
    if (odd === undefined) return undefined;
    throw new Complaint(`${flagOf(command, odd)} is for a server, and none is asked.`, {
      next: 'Add --server URL, or leave it away.',
    });
  }
  const odd = [...ofTheProgram, ...sides.here].find((name) => isGiven(command, name) && !sides.program?.includes(name));
  const what = odd === undefined ? folderOf(command, sides) : flagOf(command, odd);
  if (what === undefined) return clientOf(server, context, fetching);
  throw new Complaint(`${what} says nothing to a server.`, {
    why: `${server.url} has its own store, and looks at the clouds itself.`,
    next: 'Leave it away; or leave --server away, and set SETPOINT_SERVER to nothing, to work from here.',
  });
}

const ofTheProgram = ['dir', 'inForce', 'inForceOf'];

function isGiven(command: Command, name: string): boolean {
  const source = command.getOptionValueSourceWithGlobals(name);
  return source !== undefined && source !== 'default';
}

function folderOf(command: Command, { dir }: Sides): string | undefined {
  const at = command.registeredArguments.findIndex((argument) => argument.name() === 'dir');
  const given = at === -1 || dir ? undefined : command.args[at];
  return given === undefined ? undefined : `The folder ${given}`;
}

const flagOf = (command: Command, name: string): string =>
  [...command.options, ...(command.parent?.options ?? []), ...(command.parent?.parent?.options ?? [])].find(
    (option) => option.attributeName() === name,
  )?.long ?? name;
