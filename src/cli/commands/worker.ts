import type { Command } from 'commander';
import type { Context } from '../context.ts';
import {
  type AskedOptions,
  type FleetOptions,
  runFleet,
  type SourceOptions,
  withFleetOptions,
} from '../fleet-options.ts';
import { verb } from '../verb.ts';

export const worker = (context: Context): Command =>
  withFleetOptions(
    verb('worker', {
      group: 'Run',
      summary: 'be one worker of a fleet, until Ctrl-C or SIGTERM',
      about:
        'Carries out passes that are queued on REDIS_URL for the estates in DATABASE_URL, together with any number of others:\none at a time in each scope, and together within the clouds’ rate limits. Acts on what is in mode enforce, and on what\nwas approved. A folder of specs that is named here is followed: each sound state of it becomes the next generation.\n\nRedis must have maxmemory-policy noeviction. Says what it does on stderr: SETPOINT_LOG is text or json,\nSETPOINT_LOG_LEVEL debug, info, warn or error. Ends within 30 s; what it does not end goes on elsewhere.',
      examples: [
        ['worker', 'specs come from elsewhere: another worker’s folder, or `setpoint apply`'],
        ['worker specs', 'follow this folder too; of several workers that do, one does so at a time'],
      ],
    }).argument('[dirs...]', 'folders of specs to follow'),
  ).action(async (dirs: readonly string[], _options: FleetOptions, command: Command) => {
    const options = command.optsWithGlobals<FleetOptions & AskedOptions & SourceOptions>();
    context.finish(await runFleet('worker', { ...options, dirs }, context));
  });
