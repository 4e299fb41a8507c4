import { once } from 'node:events';
import { type Command, Option } from 'commander';
import { Complaint } from './complaint.ts';
import type { Context } from './context.ts';
import { type ExitCode, exitCodes } from './exit-code.ts';
import type { FleetSettings, RunningFleet } from './house.ts';
import { parseDuration } from './output/duration.ts';
import { fraction, whole } from './output/number.ts';

/** What `worker` and `serve` are told alike. */
export interface FleetOptions {
  /** The store's folder. */
  readonly dir: string;
  readonly allowEndpoint?: boolean;
  readonly interval: number;
  readonly concurrency: number;
  readonly reserve: number;
  readonly healthPort?: number;
}

export const withFleetOptions = (command: Command): Command =>
  command
    .option('--allow-endpoint', 'let targets name an endpoint, as for the sandbox: credentials go there')
    .addOption(
      new Option('--interval <duration>', 'a pass of every scope at least this often')
        .argParser(parseDuration)
        .default(300_000, '5m'),
    )
    .option('--concurrency <n>', 'passes at once, of each cloud', whole(1, 1000), 8)
    .option('--reserve <part>', 'the part of every rate budget that is left to others, 0 to 0.9', fraction(0, 0.9), 0.1)
    .option(
      '--health-port <port>',
      'answer /livez, /readyz, /metrics and /lanes on 127.0.0.1; 0: any free port',
      whole(0, 65535),
    );

/** Until somebody stops it; then what runs is handed over. */
export async function runFleet(
  as: FleetSettings['as'],
  { dirs, ...options }: FleetOptions & { readonly dirs: readonly string[] },
  context: Context,
): Promise<ExitCode> {
  const { interval: everyMs, concurrency: atOnce, reserve } = options;
  const running = await start(
    {
      as,
      dirs,
      folder: options.dir,
      allowEndpoint: options.allowEndpoint ?? false,
      pace: { everyMs, atOnce, reserve },
      ...(options.healthPort === undefined ? {} : { healthPort: options.healthPort }),
    },
    context,
  );
  const { stop } = context;
  if (!stop.aborted) await once(stop, 'abort');
  await running.stop();
  return exitCodes.done;
}

async function start(settings: FleetSettings, { house }: Context): Promise<RunningFleet> {
  try {
    return await house.fleet(settings);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Complaint('The worker cannot start.', { why, cause });
  }
}
