import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { type FleetOptions, runFleet, withFleetOptions } from '../daemon.ts';
import { defineCommand } from '../options.ts';

export const worker = (context: Context): Command =>
  withFleetOptions(
    defineCommand('worker', {
      group: 'Run',
      summary: 'run one worker of a fleet, until Ctrl-C or SIGTERM',
      about:
        'Runs queued reconciles for the estates in DATABASE_URL, together with any number of other workers. Only one worker at a time\nreconciles a scope, and all share the rate limits of the clouds. Jobs and rate limits are in REDIS_URL, or without it in\nPostgreSQL: give all workers the same. It applies resources in mode enforce, and approved actions. It follows the folders\nof specs that you name: each valid state becomes the next generation.\n\nRedis needs maxmemory-policy noeviction. It logs to stderr: SETPOINT_LOG is text or json, SETPOINT_LOG_LEVEL is debug,\ninfo, warn or error. It stops within 30 s; other workers continue unfinished work.',
      examples: [
        ['worker', 'specs come from elsewhere: another worker’s folder, or `setpoint apply`'],
        ['worker specs', 'follow this folder too; only one of several workers does so at a time'],
      ],
    }).argument('[dirs...]', 'folders of specs to follow'),
  ).action(async (dirs: readonly string[], _options: FleetOptions, command: Command) => {
    const options = command.optsWithGlobals<FleetOptions>();
    context.finish(await runFleet('worker', dirs, options, context));
  });
