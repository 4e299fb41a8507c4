import { once } from 'node:events';
import type { Command } from 'commander';
import type { Context, RunningSandbox, SandboxSettings } from '../context.ts';
import { type ExitCode, exitCodes, UserError } from '../errors.ts';
import { defineCommand, integerBetween, parseDuration, positiveNumber } from '../options.ts';
import { printJson, printText } from '../output/print.ts';

type Options = Place & Manner & { readonly json?: boolean };

interface Place {
  readonly port: number;
  readonly publicUrl?: string;
}

interface Manner {
  readonly seed: number;
  readonly speed: number;
  readonly lag: number;
  readonly estate?: string;
  readonly events?: string;
}

export const sandbox = (context: Context): Command =>
  defineCommand('sandbox', {
    group: 'Set up',
    summary: 'run clouds on this machine, until Ctrl-C',
    about:
      'Simulates EC2, STS, Compute Engine and Azure Resource Manager on 127.0.0.1, in memory. Point targets at it\nwith `endpoint:` and pass --allow-endpoint. For AWS the access key is `test`, as in AWS_ACCESS_KEY_ID=test, with any\nsecret; Google Cloud and Azure need none.',
    examples: [
      ['sandbox', 'on port 4566'],
      ['sandbox --port 0 --lag 2s', 'on any free port; reads may miss the last two seconds'],
    ],
  })
    .option('--port <port>', 'port on 127.0.0.1; 0: any free port', integerBetween(0, 65535), 4566)
    .option('--estate <file>', 'JSON file with the initial resources of its accounts')
    .option('--events <file>', 'JSON file with the receivers of its change events')
    .option('--lag <duration>', 'how long reads may miss writes', parseDuration, 0)
    .option('--speed <factor>', "speed of the sandbox's clock", positiveNumber, 1)
    .option('--seed <number>', 'seed of all random choices', integerBetween(0, Number.MAX_SAFE_INTEGER), 1)
    .option('--public-url <url>', 'URL for clients behind a proxy or container')
    .option('--json', 'one JSON object on stdout')
    .action(async (options: Options) => context.finish(await run(options, context)));

async function run({ lag, json, estate, events, publicUrl, ...rest }: Options, context: Context): Promise<ExitCode> {
  const { dependencies, terminal, signal } = context;
  const more = {
    estateFile: estate,
    eventsFile: events,
    publicUrl,
  };
  const running = await start({ ...rest, lagMs: lag, ...more }, dependencies);
  if (json) printJson(terminal, { url: running.url });
  else printText(terminal, `Sandbox: ${running.url}`, keys);
  if (!signal.aborted) await once(signal, 'abort');
  await running.close();
  return exitCodes.done;
}

/** The missing keys of the example estate: AWS's SDK asks for keys wherever it calls. */
const keys =
  'Targets of AWS need an access key: AWS_ACCESS_KEY_ID=test, and any secret: AWS_SECRET_ACCESS_KEY=test\nTargets of Google Cloud and Azure need none here. Ctrl-C stops the sandbox and deletes its resources.';

async function start(settings: SandboxSettings, dependencies: Context['dependencies']): Promise<RunningSandbox> {
  try {
    return await dependencies.startSandbox(settings);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error;
    throw new UserError(`Port ${settings.port} is taken.`, {
      why: 'Another program listens there, perhaps another sandbox.',
      next: 'Choose another with --port, or any free port with --port 0',
      cause: error,
    });
  }
}
