import type { Command } from 'commander';
import { assignmentJson, commentJson } from '../../core/render/resource-note.ts';
import { printable } from '../../core/text.ts';
import { Declined, type ResourceNoteAnswers } from '../../ports/queries.ts';
import { resourceNotesOn } from '../../queries/resource-notes.ts';
import type { ApiClient } from '../api-client/client.ts';
import { assignOnServer, commentOnServer, endAssignmentOnServer } from '../api-client/resource-notes.ts';
import {
  apiClientFor,
  type ServerEstateOption,
  type ServerSupport,
  withServerEstateOption,
} from '../api-client/server-option.ts';
import type { Context } from '../context.ts';
import { type ExitCode, exitCodes, UserError } from '../errors.ts';
import { readEstate } from '../local/estate.ts';
import { localUser } from '../local/ledger-access.ts';
import { withExistingStore } from '../local/store.ts';
import { defineCommand, type OverlayOption, overlayOf, parseReason, withOverlayOption } from '../options.ts';
import { printJson, printText, sortKeys } from '../output/print.ts';

interface Options extends OverlayOption, ServerEstateOption {
  readonly end?: boolean;
  readonly reason?: string;
  readonly json?: boolean;
  /** The store's folder. */
  readonly dir: string;
}

const serverSupport: ServerSupport = { localOptions: ['overlay'], serverOptions: ['estate'], takesDir: false };

export const assign = (context: Context): Command =>
  withServerEstateOption(
    withOverlayOption(
      defineCommand('assign', {
        group: 'Steer',
        summary: 'take a resource on, or end that',
        about:
          'It tells others that you look after the difference of this resource, and changes nothing. It ends by itself once the resource is in\nsync again. A second person who takes it on replaces the first.',
        examples: [
          ['assign instance/web-0 --reason "I know this change"', 'take it on'],
          ['assign instance/web-0 --end', 'nobody looks after it any more'],
        ],
      })
        .argument('<address>', 'address of the resource; a unique ending is enough, such as `instance/web-0`')
        .argument('[dir]', 'folder of specs', 'specs'),
    ),
  )
    .option('--end', 'end the assignment, your own or of somebody else')
    .option('--reason <text>', 'others read it, and Setpoint writes it into the ledger', parseReason)
    .option('--json', 'one JSON object on stdout')
    .action(async (address: string, dir: string, _options: Options, command: Command) => {
      context.finish(await runAssign({ address, dir }, command, context));
    });

export function comment(context: Context): Command {
  const command = withServerEstateOption(
    withOverlayOption(
      defineCommand('comment', {
        group: 'Steer',
        summary: 'comment on a resource',
        about:
          'Others see it beside the drift of the resource. It is an entry of the ledger: nobody can change or remove it.',
        examples: [['comment instance/web-0 "from the load test, ends on Friday"', 'comment on it']],
      })
        .argument('<address>', 'address of the resource; a unique ending is enough, such as `instance/web-0`')
        .argument('<text>', 'the comment, one line', parseReason)
        .argument('[dir]', 'folder of specs', 'specs'),
    ),
  ).option('--json', 'one JSON object on stdout');
  return command.action(async (address: string, text: string, dir: string) => {
    context.finish(await runComment({ address, text, dir }, command, context));
  });
}

interface Subject {
  readonly address: string;
  readonly dir: string;
}

async function runAssign({ address, dir }: Subject, command: Command, context: Context): Promise<ExitCode> {
  const options = command.optsWithGlobals<Options>();
  const { estate, reason } = options;
  const word = { address, ...(reason === undefined ? {} : { reason }) };
  if (options.end === true) {
    const ended = await sendWord(dir, command, context, {
      server: (server) => endAssignmentOnServer(server, { estate, ...word }),
      local: (notes, asked) => notes.endAssignment(asked, { ...word, person: localUser() }),
    });
    const verdict =
      ended === undefined
        ? 'Ended: nothing; nobody had taken it on'
        : `Ended: the assignment of ${ended.address} to ${ended.person}`;
    return print(ended === undefined ? {} : { ended: assignmentJson(ended) }, [verdict], options, context);
  }
  const { assignment, replaced } = await sendWord(dir, command, context, {
    server: (server) => assignOnServer(server, { estate, ...word }),
    local: (notes, asked) => notes.assign(asked, { ...word, person: localUser() }),
  });
  const json = {
    assignment: assignmentJson(assignment),
    ...(replaced === undefined ? {} : { replaced: assignmentJson(replaced) }),
  };
  const before = replaced === undefined ? [] : [`  Until now it was assigned to ${replaced.person}.`];
  return print(json, [`Assigned: ${assignment.address} to ${assignment.person}`, ...before], options, context);
}

async function runComment(
  { address, text, dir }: Subject & { readonly text: string },
  command: Command,
  context: Context,
): Promise<ExitCode> {
  const options = command.optsWithGlobals<Options>();
  const made = await sendWord(dir, command, context, {
    server: (server) => commentOnServer(server, { estate: options.estate, address, text }),
    local: (notes, asked) => notes.comment(asked, { address, text, person: localUser() }),
  });
  return print({ comment: commentJson(made) }, [`Commented: ${made.address}`], options, context);
}

/** The same word, by a server or on the store. */
interface Ways<T> {
  server(client: ApiClient): Promise<T>;
  local(notes: ResourceNoteAnswers, asked: Parameters<ResourceNoteAnswers['assign']>[0]): Promise<T>;
}

async function sendWord<T>(dir: string, command: Command, context: Context, ways: Ways<T>): Promise<T> {
  const options = command.optsWithGlobals<Options>();
  const server = await apiClientFor(command, serverSupport, context);
  if (server !== undefined) return ways.server(server);
  const { name } = await readEstate({ dir, targets: [], allowEndpoint: true, ...overlayOf(options) }, context);
  const everything = { estate: name, seen: [{}], mine: [{}] };
  return withExistingStore(options.dir, context, (store) =>
    ways.local(resourceNotesOn(store), everything).catch((error: unknown) => {
      if (!(error instanceof Declined) || error.because === 'away') throw error;
      const { addresses } = error.more;
      if (!Array.isArray(addresses))
        throw new UserError('The inventory has no such resource.', {
          next: 'List the addresses: setpoint inventory',
          cause: error,
        });
      throw new UserError('Several resources of the inventory have this ending.', {
        next: `Write one of them:\n${printable(addresses.map(String)).join('\n')}`,
        cause: error,
      });
    }),
  );
}

function print(json: object, lines: readonly string[], { json: asJson }: Options, { terminal }: Context): ExitCode {
  if (asJson) printJson(terminal, sortKeys(json));
  else printText(terminal, printable(lines).join('\n'));
  return exitCodes.done;
}
