import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { type ListenOptions, listenAddressOf, runDaemon, withListenOptions } from '../daemon.ts';
import { defineCommand } from '../options.ts';

interface Options extends ListenOptions {
  /** The store's folder. */
  readonly dir: string;
  readonly allowEndpoint?: boolean;
}

export const api = (context: Context): Command =>
  withListenOptions(
    defineCommand('api', {
      group: 'Run',
      summary: 'serve only the API, until Ctrl-C or SIGTERM',
      about:
        'Serves the inventory, drift and plans from the database of DATABASE_URL or .setpoint, and\ntakes requests that workers carry out. It never reconciles or receives webhooks: `setpoint serve` and `setpoint worker\n--listen` do. With REDIS_URL it queues a request at once. The default address is 127.0.0.1:7420. Beyond this machine it needs\na certificate or a proxy, and a token or an access file. /docs is the API reference.',
      examples: [
        ['api', 'on http://127.0.0.1:7420'],
        [
          'api --listen 0.0.0.0:443 --tls-cert cert.pem --tls-key key.pem',
          'for others, by tokens of `setpoint token make`',
        ],
        ['api --listen 0.0.0.0:8080 --tls-by-proxy --access access.yaml', 'behind a proxy, for people of an issuer'],
      ],
    }).option('--allow-endpoint', 'allow targets with an endpoint, such as the sandbox; credentials are sent to it'),
  ).action(async (_options: Options, command: Command) => {
    const options = command.optsWithGlobals<Options>();
    const listen = listenAddressOf(options, true);
    if (listen === undefined) throw new Error('the API always listens');
    const settings = {
      folder: options.dir,
      allowEndpoint: options.allowEndpoint ?? false,
      listen: { ...listen, isNamed: true },
    };
    context.finish(await runDaemon({ name: 'The API', start: () => context.dependencies.startApi(settings) }, context));
  });
