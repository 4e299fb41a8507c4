import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { type FleetOptions, runFleet, withFleetOptions } from '../fleet-options.ts';
import { verb } from '../verb.ts';

export const serve = (context: Context): Command =>
  withFleetOptions(
    verb('serve', {
      group: 'Run',
      summary: 'converge without a person, all in this process, until Ctrl-C or SIGTERM',
      about:
        'Follows a folder of specs and keeps the clouds as it says, on the database in .setpoint, or that of DATABASE_URL:\nnothing else is needed. Acts on what is in mode enforce, and on what was approved. For many workers on servers of your\nown, see `setpoint worker`, which says what it does in the same way.',
      examples: [
        ['serve', 'follow specs/'],
        ['serve --interval 1m', 'look at every scope once a minute, and at once when the specs change'],
      ],
    }).argument('[dirs...]', 'folders of specs to follow', ['specs']),
  ).action(async (dirs: readonly string[], _options: FleetOptions, command: Command) => {
    context.finish(await runFleet('alone', { ...command.optsWithGlobals<FleetOptions>(), dirs }, context));
  });
