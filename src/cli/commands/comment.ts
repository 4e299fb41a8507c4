import type { Command } from 'commander';
import { commentJson } from '../../core/render/resource-note.ts';
import { commentOnServer } from '../api-client/resource-notes.ts';
import { withServerEstateOption } from '../api-client/server-option.ts';
import type { Context } from '../context.ts';
import type { ExitCode } from '../errors.ts';
import { localUser } from '../local/ledger-access.ts';
import { printResourceNote, type ResourceNoteOptions, sendResourceNote } from '../local/resource-notes.ts';
import { defineCommand, parseReason, withOverlayOption } from '../options.ts';

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
    context.finish(await run({ address, text, dir }, command, context));
  });
}

interface Comment {
  readonly address: string;
  readonly text: string;
  readonly dir: string;
}

async function run({ address, text, dir }: Comment, command: Command, context: Context): Promise<ExitCode> {
  const options = command.optsWithGlobals<ResourceNoteOptions>();
  const made = await sendResourceNote(dir, command, context, {
    server: (server) => commentOnServer(server, { estate: options.estate, address, text }),
    local: (notes, asked) => notes.comment(asked, { address, text, person: localUser() }),
  });
  return printResourceNote({ comment: commentJson(made) }, [`Commented: ${made.address}`], options, context);
}
