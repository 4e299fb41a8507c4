import { type Command, Option } from 'commander';
import type { Context } from './context.ts';
import type { ExitCode } from './exit-code.ts';
import type { FleetSettings } from './house.ts';
import { type ListenOptions, listenOf, withListenOptions, withNoListenOption } from './listen-options.ts';
import { parseDuration } from './output/duration.ts';
import { fraction, whole } from './output/number.ts';
import { runService } from './run-service.ts';

/** What `worker` and `serve` are told alike. */
export interface FleetOptions {
  /** The store's folder. */
  readonly dir: string;
  readonly allowEndpoint?: boolean;
  readonly interval: number;
  readonly concurrency: number;
  readonly reserve: number;
}

/** Where somebody may ask. `healthPort`: of 127.0.0.1. */
export interface AskedOptions extends ListenOptions {
  readonly healthPort?: number;
}

/** Where specs come from, besides folders. */
export interface SourceOptions {
  readonly repo?: string;
  readonly branch: string;
  readonly path: string;
  readonly poll: number;
  readonly allowLocalRepo?: boolean;
  readonly overlay?: string;
}

export const withFleetOptions = (command: Command): Command =>
  withNoListenOption(withListenOptions(withSourceOptions(command)))
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

const withSourceOptions = (command: Command): Command =>
  command
    .option('--repo <url>', 'follow the specs in this git repository: https, ssh, or file with --allow-local-repo')
    .option('--branch <name>', 'the branch of it that is followed', 'main')
    .option('--path <folder>', 'where in it the specs are', 'specs')
    .addOption(
      new Option('--poll <duration>', 'ask it for news at least this often')
        .argParser(parseDuration)
        .default(30_000, '30s'),
    )
    .option('--allow-local-repo', 'let repositories lie on this machine or its private network')
    .option('--overlay <name>', 'with overlays/<name> over the base');

/** Until somebody stops it; then what runs is handed over. */
export async function runFleet(
  as: FleetSettings['as'],
  { dirs, ...options }: FleetOptions & AskedOptions & SourceOptions & { readonly dirs: readonly string[] },
  context: Context,
): Promise<ExitCode> {
  const { interval: everyMs, concurrency: atOnce, reserve, healthPort } = options;
  const http = listenOf(options, as === 'alone');
  const settings: FleetSettings = {
    as,
    follow: followOf(dirs, options),
    folder: options.dir,
    allowEndpoint: options.allowEndpoint ?? false,
    pace: { everyMs, atOnce, reserve },
    ports: {
      ...(healthPort === undefined ? {} : { health: healthPort }),
      ...(http === undefined ? {} : { http }),
    },
  };
  return runService({ name: 'The worker', start: () => context.house.fleet(settings) }, context);
}

function followOf(dirs: readonly string[], options: SourceOptions): FleetSettings['follow'] {
  const { repo: url, branch, path, poll: everyMs, allowLocalRepo: allowLocal = false, overlay } = options;
  const repository = url === undefined ? undefined : { url, branch, path, everyMs, allowLocal };
  return {
    dirs,
    ...(overlay === undefined ? {} : { overlay }),
    ...(repository === undefined ? {} : { repository }),
  };
}
