import type { Command } from 'commander';
import { formatMoment, shortRevision } from '../../core/render/wording.ts';
import { printable } from '../../core/text.ts';
import type { Context } from '../context.ts';
import { type ExitCode, exitCodes } from '../errors.ts';
import { readEstate } from '../local/estate.ts';
import { localUser } from '../local/ledger-access.ts';
import { withExistingStore } from '../local/store.ts';
import { defineCommand, type OverlayOption, overlayOf, parseReason, withOverlayOption } from '../options.ts';
import { printJson, printText } from '../output/print.ts';

interface Options extends OverlayOption {
  readonly reason: string;
  readonly json?: boolean;
  /** The store's folder. */
  readonly dir: string;
}

export const unpin = (context: Context): Command =>
  withOverlayOption(
    defineCommand('unpin', {
      group: 'Steer',
      summary: 'follow the repository again after `apply --commit`',
      about: 'Its head becomes the next generation, if it is valid and signed as the estate requires.',
      examples: [['unpin --reason "reverted in #815"', 'continue from the head of the branch']],
    }).argument('[dir]', 'folder of specs', 'specs'),
  )
    .requiredOption(
      '--reason <text>',
      'the reason; others read it, and Setpoint writes it into the ledger',
      parseReason,
    )
    .option('--json', 'one JSON object on stdout')
    .action(async (dir: string, _options: Options, command: Command) => {
      context.finish(await run(dir, command.optsWithGlobals<Options>(), context));
    });

async function run(dir: string, options: Options, context: Context): Promise<ExitCode> {
  const { name } = await readEstate({ dir, targets: [], allowEndpoint: true, ...overlayOf(options) }, context);
  return withExistingStore(options.dir, context, async (store) => {
    const ended = await store.sources.pins.unpin(name, { person: localUser(), reason: options.reason });
    // why: the follower hears it at once, and not at its next read
    if (ended !== undefined) await store.sources.wakeUps.add(name);
    if (options.json) printJson(context.terminal, { estate: name, unpinned: ended ?? null });
    else if (ended === undefined)
      printText(context.terminal, printable(`Unpinned: nothing, as ${name} was not pinned`));
    else
      printText(
        context.terminal,
        printable(`Unpinned: ${name} was pinned at ${shortRevision(ended.revision)} since ${formatMoment(ended.at)}`),
        '  A worker that follows it applies its head: setpoint status',
      );
    return exitCodes.done;
  });
}
