import { type Command, InvalidArgumentError, Option } from 'commander';
import { Complaint } from './complaint.ts';
import type { Listen } from './house.ts';

/** Where somebody may ask. `listen` is false after `--no-listen`. */
export interface ListenOptions {
  readonly listen?: Place | false;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly tlsByProxy?: boolean;
  readonly access?: string;
}

interface Place {
  readonly host: string;
  readonly port: number;
}

/** Where the API is, unless told otherwise. */
const usual: Place = { host: '127.0.0.1', port: 7420 };

export const withListenOptions = (command: Command): Command =>
  command
    .addOption(
      new Option(
        '--listen <[host:]port>',
        'serve the API, and hear webhooks and events of clouds, here; the host is 127.0.0.1 unless named; port 0: any free one',
      ).argParser(placeOf),
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

/** `isUsual`: it listens where nothing is said, too. */
export function listenOf(options: ListenOptions, isUsual: boolean): Listen | undefined {
  const { listen, access = process.env['SETPOINT_ACCESS'] } = options;
  const tls = tlsOf(options);
  if (listen === false || (listen === undefined && !isUsual)) {
    if (tls === undefined && options.access === undefined) return undefined;
    throw new Complaint('Nobody is listened to, so there is nothing to say about how.', {
      next: 'Name a place: --listen.',
    });
  }
  return {
    ...(listen ?? usual),
    isNamed: listen !== undefined,
    ...(tls === undefined ? {} : { tls }),
    ...(access === undefined || access === '' ? {} : { access }),
  };
}

function tlsOf({ tlsCert: cert, tlsKey: key, tlsByProxy }: ListenOptions): Listen['tls'] {
  if (tlsByProxy && (cert !== undefined || key !== undefined))
    throw new Complaint('Either we show a certificate or a proxy does.', {
      next: 'Leave out --tls-by-proxy, or --tls-cert and --tls-key.',
    });
  if (tlsByProxy) return 'proxy';
  if (cert !== undefined && key !== undefined) return { cert, key };
  if (cert === undefined && key === undefined) return undefined;
  throw new Complaint('A certificate and its key belong together.', { next: 'Name both: --tls-cert and --tls-key.' });
}

function placeOf(text: string): Place {
  const [, bracketed, plain, digits = ''] = /^(?:\[([\da-f:.]+)\]:|([\w.-]+):)?(\d{1,5})$/i.exec(text) ?? [];
  const port = Number(digits);
  if (digits === '' || port > 65_535)
    throw new InvalidArgumentError('expected a port, or a host and a port, such as 7420, 0.0.0.0:7420 or [::]:7420');
  return { host: bracketed ?? plain ?? usual.host, port };
}
