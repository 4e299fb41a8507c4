import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { type FleetOptions, runFleet, withFleetOptions } from '../daemon.ts';
import { defineCommand } from '../options.ts';

export const serve = (context: Context): Command =>
  withFleetOptions(
    defineCommand('serve', {
      group: 'Run',
      summary: 'reconcile continuously in one process, until Ctrl-C or SIGTERM',
      about:
        'Follows specs in a folder or a git repository and reconciles the clouds with them. It needs only the database in\n.setpoint or of DATABASE_URL. It applies resources in mode enforce, and approved actions. It serves the API on\n127.0.0.1:7420, and prints the first token if there never was one: see `setpoint login`. On DATABASE_URL it shares jobs\nand rate limits with every `setpoint worker` there that has no Redis.',
      examples: [
        ['serve', 'follow specs/'],
        ['serve --repo https://git.example/infra.git', 'follow the folder specs on its branch main'],
        ['serve --interval 1m', 'reconcile every scope once a minute, and at once when the specs change'],
      ],
    }).argument('[dirs...]', 'folders of specs to follow; default without --repo: specs'),
  ).action(async (named: readonly string[], _options: FleetOptions, command: Command) => {
    const options = command.optsWithGlobals<FleetOptions>();
    const dirs = named.length === 0 && options.repo === undefined ? ['specs'] : named;
    context.finish(await runFleet('alone', dirs, options, context));
  });
