import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { type FleetOptions, runFleet, withFleetOptions } from '../daemon.ts';
import { defineCommand } from '../options.ts';

export const worker = (context: Context): Command =>
  withFleetOptions(
    defineCommand('worker', {
      group: 'Run',
      summary: 'be one worker of a fleet, until Ctrl-C or SIGTERM',
      about:
        'Carries out queued passes for the estates in DATABASE_URL, together with any number of others: one at a time in each\nscope, and together within the clouds’ rate limits. Jobs and budgets lie on REDIS_URL, or without it in PostgreSQL:\ngive all workers the same. Acts on what is in mode enforce, and on what\nwas approved. A folder of specs that is named here is followed: each sound state of it becomes the next generation.\n\nA Redis must have maxmemory-policy noeviction. Says what it does on stderr: SETPOINT_LOG is text or json,\nSETPOINT_LOG_LEVEL debug, info, warn or error. Ends within 30 s; what it does not end goes on elsewhere.',
      examples: [
        ['worker', 'specs come from elsewhere: another worker’s folder, or `setpoint apply`'],
        ['worker specs', 'follow this folder too; of several workers that do, one does so at a time'],
      ],
    }).argument('[dirs...]', 'folders of specs to follow'),
  ).action(async (dirs: readonly string[], _options: FleetOptions, command: Command) => {
    const options = command.optsWithGlobals<FleetOptions>();
    context.finish(await runFleet('worker', dirs, options, context));
  });
