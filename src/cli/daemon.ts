import { once } from 'node:events';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Context, FleetSettings, ListenAddress, RunningFleet } from './context.ts';
import { type ExitCode, exitCodes, UserError } from './errors.ts';
import { integerBetween, numberBetween, parseDuration } from './options.ts';

/** The options of `worker` and `serve`. `healthPort`: of 127.0.0.1. `repo` to `overlay`: where specs come from, besides folders. */
export interface FleetOptions extends ListenOptions {
  /** The store's folder. */
  readonly dir: string;
  readonly allowEndpoint?: boolean;
  readonly interval: number;
  readonly concurrency: number;
  readonly reserve: number;
  readonly healthPort?: number;
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
    .option('--concurrency <n>', 'passes at once, of each cloud', integerBetween(1, 1000), 8)
    .option(
      '--reserve <part>',
      'the part of every rate budget that is left to others, 0 to 0.9',
      numberBetween(0, 0.9),
      0.1,
    )
    .option(
      '--health-port <port>',
      'answer /livez, /readyz, /metrics and /rate-limits on 127.0.0.1; 0: any free port',
      integerBetween(0, 65535),
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
  dirs: readonly string[],
  options: FleetOptions,
  context: Context,
): Promise<ExitCode> {
  const { interval: intervalMs, concurrency, reserve, healthPort } = options;
  const http = listenAddressOf(options, as === 'alone');
  const settings: FleetSettings = {
    as,
    specs: specSourcesOf(dirs, options),
    folder: options.dir,
    allowEndpoint: options.allowEndpoint ?? false,
    reconcile: { intervalMs, concurrency, reserve },
    ports: {
      ...(healthPort === undefined ? {} : { health: healthPort }),
      ...(http === undefined ? {} : { http }),
    },
  };
  return runDaemon({ name: 'The worker', start: () => context.dependencies.startFleet(settings) }, context);
}

function specSourcesOf(dirs: readonly string[], options: FleetOptions): FleetSettings['specs'] {
  const { repo: url, branch, path, poll: pollMs, allowLocalRepo: allowLocal = false, overlay } = options;
  const repository = url === undefined ? undefined : { url, branch, path, pollMs, allowLocal };
  return {
    dirs,
    ...(overlay === undefined ? {} : { overlay }),
    ...(repository === undefined ? {} : { repository }),
  };
}

/** Where somebody may ask. `listen` is false after `--no-listen`. */
export interface ListenOptions {
  readonly listen?: HostPort | false;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly tlsByProxy?: boolean;
  readonly access?: string;
}

interface HostPort {
  readonly host: string;
  readonly port: number;
}

/** Where the API is, unless told otherwise. */
const defaultAddress: HostPort = { host: '127.0.0.1', port: 7420 };

export const withListenOptions = (command: Command): Command =>
  command
    .addOption(
      new Option(
        '--listen <[host:]port>',
        'serve the API, and hear webhooks and events of clouds, here; the host is 127.0.0.1 unless named; port 0: any free one',
      ).argParser(parseHostPort),
    )
    .option('--tls-cert <file>', 'the certificate to show, with its chain, as PEM: needed beyond this machine')
    .option('--tls-key <file>', 'its key, as PEM')
    .option('--tls-by-proxy', 'a proxy before us has the certificate, and nobody else reaches us')
    .option(
      '--access <file>',
      'whom to believe who somebody is, and what they may: see docs/access.md (SETPOINT_ACCESS)',
    );

/** For what listens where nothing is said. */
export function withNoListenOption(command: Command): Command {
  const given = new Set<string>();
  // why: both are one option to commander, which would take the last and say nothing
  for (const name of ['listen', 'no-listen'])
    command.on(`option:${name}`, () => {
      given.add(name);
      if (given.size > 1) command.error("error: option '--listen' cannot be used with option '--no-listen'");
    });
  return command.option('--no-listen', 'serve no API, and hear nothing');
}

/** `byDefault`: it listens where nothing is said, too. */
export function listenAddressOf(options: ListenOptions, byDefault: boolean): ListenAddress | undefined {
  const { listen, access = process.env['SETPOINT_ACCESS'] } = options;
  const tls = tlsOf(options);
  if (listen === false || (listen === undefined && !byDefault)) {
    if (tls === undefined && options.access === undefined) return undefined;
    throw new UserError('Nobody is listened to, so there is nothing to say about how.', {
      next: 'Name a place: --listen.',
    });
  }
  return {
    ...(listen ?? defaultAddress),
    isNamed: listen !== undefined,
    ...(tls === undefined ? {} : { tls }),
    ...(access === undefined || access === '' ? {} : { access }),
  };
}

function tlsOf({ tlsCert: cert, tlsKey: key, tlsByProxy }: ListenOptions): ListenAddress['tls'] {
  if (tlsByProxy && (cert !== undefined || key !== undefined))
    throw new UserError('Either we show a certificate or a proxy does.', {
      next: 'Leave out --tls-by-proxy, or --tls-cert and --tls-key.',
    });
  if (tlsByProxy) return 'proxy';
  if (cert !== undefined && key !== undefined) return { cert, key };
  if (cert === undefined && key === undefined) return undefined;
  throw new UserError('A certificate and its key belong together.', { next: 'Name both: --tls-cert and --tls-key.' });
}

function parseHostPort(text: string): HostPort {
  const [, bracketed, plain, digits = ''] = /^(?:\[([\da-f:.]+)\]:|([\w.-]+):)?(\d{1,5})$/i.exec(text) ?? [];
  const port = Number(digits);
  if (digits === '' || port > 65_535)
    throw new InvalidArgumentError('expected a port, or a host and a port, such as 7420, 0.0.0.0:7420 or [::]:7420');
  return { host: bracketed ?? plain ?? defaultAddress.host, port };
}

interface Service {
  /** Of a sentence: `The worker`. */
  readonly name: string;
  start(): Promise<RunningFleet>;
}

/** Until somebody stops it; then what runs is handed over. A first token is told on stdout, and nowhere else. */
export async function runDaemon({ name, start }: Service, { terminal, signal }: Context): Promise<ExitCode> {
  const running = await start().catch((cause) => {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new UserError(`${name} cannot start.`, { why, cause });
  });
  const { firstToken, httpUrl = '' } = running;
  if (firstToken !== undefined) terminal.out.write(welcome(firstToken, httpUrl));
  if (!signal.aborted) await once(signal, 'abort');
  await running.stop();
  return exitCodes.done;
}

const welcome = (
  token: string,
  url: string,
): string => `The first token, of an admin, for 90 days. It is told this once:
  ${token}
Keep it for this machine, pasting it where it is asked for:
  setpoint login ${url}
`;
