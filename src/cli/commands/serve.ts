import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { type FleetOptions, runFleet, withFleetOptions } from '../daemon.ts';
import { defineCommand } from '../options.ts';

export const serve = (context: Context): Command =>
  withFleetOptions(
    defineCommand('serve', {
      group: 'Run',
      summary: 'converge without a person, all in this process, until Ctrl-C or SIGTERM',
      about:
        'Follows specs in a folder or a git repository and keeps the clouds as they say, on the database in\n.setpoint, or that of DATABASE_URL: nothing else is needed. Acts on what is in mode enforce, and on what was\napproved. Serves the API on 127.0.0.1:7420, and says a first token for it where there never was one: see `setpoint\nlogin`. On DATABASE_URL it shares jobs and budgets with all `setpoint worker` there that have no Redis.',
      examples: [
        ['serve', 'follow specs/'],
        ['serve --repo https://git.example/infra.git', 'follow the folder specs of its branch main'],
        ['serve --interval 1m', 'look at every scope once a minute, and at once when the specs change'],
      ],
    }).argument('[dirs...]', 'folders of specs to follow; specs, where neither is named'),
  ).action(async (named: readonly string[], _options: FleetOptions, command: Command) => {
    const options = command.optsWithGlobals<FleetOptions>();
    const dirs = named.length === 0 && options.repo === undefined ? ['specs'] : named;
    context.finish(await runFleet('alone', dirs, options, context));
  });
