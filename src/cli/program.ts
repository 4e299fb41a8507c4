import { Command, CommanderError } from 'commander';
import { messageOf, printableLines } from '../core/text.ts';
import { Declined } from '../ports/queries.ts';
import { type CommandFactory, commandsFor } from './commands/index.ts';
import type { CliProcess, Context } from './context.ts';
import { type ExitCode, errorJson, errorText, exitCodes, UserError } from './errors.ts';
import { activeSpecs } from './local/store.ts';
import { storeFolder } from './options.ts';
import { paintFor, printJson } from './output/print.ts';
import type { Terminal } from './terminal.ts';

/** Runs one command line, without the program's name. Everything thrown becomes an error on stderr and an exit code. */
export async function runCli(args: readonly string[], process: CliProcess, version: string): Promise<ExitCode> {
  let code: ExitCode = exitCodes.done;
  const root = new Command('setpoint');
  const context: Context = {
    ...process,
    readSpecs: specsReader(process, () => root.opts()),
    finish: (ended) => {
      code = ended;
    },
  };
  try {
    defineProgram(root, context, version);
    addCommands(root, await commandsFor(args[0]), context);
    await root.parseAsync(args.length === 0 ? ['--help'] : args, { from: 'user' });
    return code;
  } catch (error) {
    return failed(error, args.includes('--json'), process);
  }
}

function defineProgram(root: Command, { terminal }: Context, version: string): void {
  configured(root, terminal)
    .description('Reconciles networks, firewall rules and instances in clouds with your specs.')
    .version(version, '-V, --version', 'print the version')
    .option('--dir <folder>', 'folder of the store and its keys', storeFolder)
    .option('--active', 'use the specs of the newest generation in the store instead of a folder')
    .option('--active-of <estate>', 'the same, for one of several estates in the store')
    .helpCommand('help [verb]', 'show the help of a command')
    .helpOption('-h, --help', 'show this help')
    .usage('<command> [DIR] [options]');
}

function addCommands(root: Command, factories: readonly CommandFactory[], context: Context): void {
  for (const make of factories) {
    const command = make(context);
    root.addCommand(command);
    for (const each of [command, ...command.commands]) configured(each, context.terminal);
  }
}

/** Throws instead of ending the process; prints on this terminal. */
const configured = (command: Command, { out, err }: Terminal): Command =>
  command
    .exitOverride()
    .showHelpAfterError(`Run \`${commandLine(command)} --help\` for its arguments and options.`)
    .configureHelp({ showGlobalOptions: true, styleTitle: (title) => paintFor(out)('strong', title) })
    .configureOutput({
      writeOut: (text) => out.write(text),
      writeErr: (text) => err.write(text),
      getOutHelpWidth: () => out.columns,
      getErrHelpWidth: () => err.columns,
      getOutHasColors: () => out.colour,
      getErrHasColors: () => err.colour,
    });

interface RootOptions {
  readonly dir: string;
  readonly active?: boolean;
  readonly activeOf?: string;
}

/** Of a folder, or those that are active where the user asks for these. The options are known once the line is parsed. */
const specsReader =
  (process: CliProcess, options: () => RootOptions): Context['readSpecs'] =>
  async (dir, specs) => {
    const { dir: folder, active, activeOf: estate } = options();
    if (!active && estate === undefined) return process.dependencies.readSpecs(dir, specs);
    return activeSpecs({ folder, estate }, process);
  };

const commandLine = (command: Command): string =>
  command.parent ? `${commandLine(command.parent)} ${command.name()}` : command.name();

function failed(error: unknown, json: boolean, { terminal, signal }: CliProcess): ExitCode {
  if (error instanceof CommanderError) return commander(error, json, terminal);
  const userError = asUserError(error, signal);
  if (json) printJson(terminal, errorJson(userError));
  const paint = paintFor(terminal.err);
  terminal.err.write(`${paint('bad', 'error:')} ${errorText(userError)}`);
  if (process.env['SETPOINT_DEBUG'] && error instanceof Error)
    terminal.err.write(`${printableLines(String(error.stack))}\n`);
  return userError.code;
}

/** Help and version end with 0; what is wrong with a command line was already said on stderr. */
function commander(error: CommanderError, json: boolean, terminal: Terminal): ExitCode {
  if (error.exitCode === 0) return exitCodes.done;
  if (json) printJson(terminal, errorJson(new UserError(error.message.replace(/^error: /, ''))));
  return exitCodes.error;
}

function asUserError(error: unknown, signal: AbortSignal): UserError {
  if (error instanceof UserError) return error;
  if (signal.aborted) return new UserError('Interrupted before anything was changed.');
  if (error instanceof Declined && error.because === 'away')
    return new UserError(error.message, {
      next: 'Run it again once the database answers; `setpoint doctor` checks it. The ledger has every change that was started, and the next run continues from there.',
      cause: error,
    });
  const message = messageOf(error);
  return new UserError(message || 'An unexpected error occurred.', {
    next: 'Set SETPOINT_DEBUG=1 to see the stack trace.',
    cause: error,
  });
}
