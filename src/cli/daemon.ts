import { once } from 'node:events';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { messageOf } from '../core/text.ts';
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
    .option('--allow-endpoint', 'allow targets with an endpoint, such as the sandbox; credentials are sent to it')
    .addOption(
      new Option(
        '--interval <duration>',
        'reconcile every scope at least this often; by its criticality and `every` more or less often',
      )
        .argParser(parseDuration)
        .default(300_000, '5m'),
    )
    .option('--concurrency <n>', 'concurrent reconciles for each cloud', integerBetween(1, 1000), 8)
    .option(
      '--reserve <part>',
      'share of every rate limit to leave to other clients, 0 to 0.9',
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
    .option('--branch <name>', 'branch to follow', 'main')
    .option('--path <folder>', 'folder of the specs in the repository', 'specs')
    .addOption(
      new Option('--poll <duration>', 'poll the repository at least this often')
        .argParser(parseDuration)
        .default(30_000, '30s'),
    )
    .option('--allow-local-repo', 'allow repositories on this machine or its private network')
    .option('--overlay <name>', 'apply overlays/<name> to the base');

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
      health: healthPort,
      http,
    },
  };
  return runDaemon({ name: 'The worker', start: () => context.dependencies.startFleet(settings) }, context);
}

function specSourcesOf(dirs: readonly string[], options: FleetOptions): FleetSettings['specs'] {
  const { repo: url, branch, path, poll: pollMs, allowLocalRepo: allowLocal = false, overlay } = options;
  const repository = url === undefined ? undefined : { url, branch, path, pollMs, allowLocal };
  return {
    dirs,
    overlay,
    repository,
  };
}

/** The address of the API. `listen` is false after `--no-listen`. */
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

/** The default address of the API. */
const defaultAddress: HostPort = { host: '127.0.0.1', port: 7420 };

export const withListenOptions = (command: Command): Command =>
  command
    .addOption(
      new Option(
        '--listen <[host:]port>',
        'address of the API, webhooks and cloud events; default host: 127.0.0.1; port 0: any free port',
      ).argParser(parseHostPort),
    )
    .option('--tls-cert <file>', 'PEM file with the certificate and its chain; required beyond this machine')
    .option('--tls-key <file>', 'PEM file with the key of the certificate')
    .option('--tls-by-proxy', 'a proxy terminates TLS, and only it can reach this process')
    .option('--access <file>', 'trusted issuers and grants: see docs/access.md (SETPOINT_ACCESS)');

/** For what listens where nothing is said. */
export function withNoListenOption(command: Command): Command {
  const given = new Set<string>();
  // why: both are one option to commander, which would take the last and say nothing
  for (const name of ['listen', 'no-listen'])
    command.on(`option:${name}`, () => {
      given.add(name);
      if (given.size > 1) command.error("error: option '--listen' cannot be used with option '--no-listen'");
    });
  return command.option('--no-listen', 'serve no API, webhooks or cloud events');
}

/** `byDefault`: it listens where nothing is said, too. */
export function listenAddressOf(options: ListenOptions, byDefault: boolean): ListenAddress | undefined {
  const { listen, access = process.env['SETPOINT_ACCESS'] } = options;
  const tls = tlsOf(options);
  if (listen === false || (listen === undefined && !byDefault)) {
    if (tls === undefined && options.access === undefined) return undefined;
    throw new UserError('TLS and access options need a listen address.', {
      next: 'Add an address: --listen.',
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
    throw new UserError('--tls-by-proxy cannot be used with --tls-cert or --tls-key.', {
      next: 'Remove --tls-by-proxy, or remove --tls-cert and --tls-key.',
    });
  if (tlsByProxy) return 'proxy';
  if (cert !== undefined && key !== undefined) return { cert, key };
  if (cert === undefined && key === undefined) return undefined;
  throw new UserError('--tls-cert and --tls-key must be used together.', {
    next: 'Add both: --tls-cert and --tls-key.',
  });
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

/** Runs until somebody stops it; then hands running work over. It prints a first token on stdout, and nowhere else. */
export async function runDaemon({ name, start }: Service, { terminal, signal }: Context): Promise<ExitCode> {
  const running = await start().catch((cause) => {
    const root = firstError(cause);
    const why = messageOf(root);
    throw new UserError(`${name} cannot start.`, { why, cause });
  });
  const { firstToken, httpUrl = '' } = running;
  if (firstToken !== undefined) terminal.out.write(welcome(firstToken, httpUrl));
  if (!signal.aborted) await once(signal, 'abort');
  await running.stop().catch((error) => {
    throw firstError(error);
  });
  return exitCodes.done;
}

/** A `SuppressedError` names no reason: it wraps the error of a close around an earlier one. */
const firstError = (error: unknown): unknown =>
  error instanceof SuppressedError ? firstError(error.suppressed) : error;

const welcome = (
  token: string,
  url: string,
): string => `The first admin token, valid for 90 days. It is shown only once:
  ${token}
To log in on this machine, run this and paste the token:
  setpoint login ${url}
`;
