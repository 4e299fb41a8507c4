import type { Command } from 'commander';
import { assignmentJson } from '../../core/render/resource-note.ts';
import { assignOnServer, endAssignmentOnServer } from '../api-client/resource-notes.ts';
import { withServerEstateOption } from '../api-client/server-option.ts';
import type { Context } from '../context.ts';
import type { ExitCode } from '../errors.ts';
import { localUser } from '../local/ledger-access.ts';
import { printResourceNote, type ResourceNoteOptions, sendResourceNote } from '../local/resource-notes.ts';
import { defineCommand, parseReason, withOverlayOption } from '../options.ts';

interface Options extends ResourceNoteOptions {
  readonly end?: boolean;
  readonly reason?: string;
}

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

interface Subject {
  readonly address: string;
  readonly dir: string;
}

async function runAssign({ address, dir }: Subject, command: Command, context: Context): Promise<ExitCode> {
  const options = command.optsWithGlobals<Options>();
  const { estate, reason } = options;
  const word = { address, ...(reason === undefined ? {} : { reason }) };
  if (options.end === true) {
    const ended = await sendResourceNote(dir, command, context, {
      server: (server) => endAssignmentOnServer(server, { estate, ...word }),
      local: (notes, asked) => notes.endAssignment(asked, { ...word, person: localUser() }),
    });
    const verdict =
      ended === undefined
        ? 'Ended: nothing; nobody had taken it on'
        : `Ended: the assignment of ${ended.address} to ${ended.person}`;
    return printResourceNote(ended === undefined ? {} : { ended: assignmentJson(ended) }, [verdict], options, context);
  }
  const { assignment, replaced } = await sendResourceNote(dir, command, context, {
    server: (server) => assignOnServer(server, { estate, ...word }),
    local: (notes, asked) => notes.assign(asked, { ...word, person: localUser() }),
  });
  const json = {
    assignment: assignmentJson(assignment),
    ...(replaced === undefined ? {} : { replaced: assignmentJson(replaced) }),
  };
  const before = replaced === undefined ? [] : [`  Until now it was assigned to ${replaced.person}.`];
  return printResourceNote(
    json,
    [`Assigned: ${assignment.address} to ${assignment.person}`, ...before],
    options,
    context,
  );
}
