import { Command, CommanderError } from 'commander';
import { printableLines } from '../core/text.ts';
import { Declined } from '../ports/queries.ts';
import { type CommandFactory, commandsFor } from './commands/index.ts';
import type { CliProcess, Context } from './context.ts';
import { type ExitCode, errorJson, errorText, exitCodes, UserError } from './errors.ts';
import { activeSpecs } from './local/store.ts';
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
    .description('Keeps clouds as your specs say: networks, firewall rules and instances.')
    .version(version, '-V, --version', 'print the version')
    .option('--dir <folder>', 'where the store and its keys are kept', '.setpoint')
    .option('--in-force', 'by the specs of the newest generation, as the store keeps them, and by no folder')
    .option('--in-force-of <estate>', 'the same, where the store has several estates')
    .helpCommand('help [verb]', 'say what a verb does')
    .helpOption('-h, --help', 'say what this does')
    .usage('<verb> [DIR] [options]');
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
    .showHelpAfterError(`Run \`${commandLine(command)} --help\` for what it takes.`)
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
  readonly inForce?: boolean;
  readonly inForceOf?: string;
}

/** Of a folder, or those that are active where the user asks for these. The options are known once the line is parsed. */
const specsReader =
  (process: CliProcess, options: () => RootOptions): Context['readSpecs'] =>
  async (dir, specs) => {
    const { dir: folder, inForce, inForceOf: estate } = options();
    if (!inForce && estate === undefined) return process.dependencies.readSpecs(dir, specs);
    return activeSpecs({ folder, ...(estate === undefined ? {} : { estate }) }, process);
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
  if (signal.aborted) return new UserError('Stopped by you, before anything was changed.');
  if (error instanceof Declined && error.because === 'away')
    return new UserError(error.message, {
      next: 'Run it again once the database answers: `setpoint doctor` says whether it does. A change that was begun is in the ledger, and the next run goes on from there.',
      cause: error,
    });
  const message = error instanceof Error ? error.message : String(error);
  return new UserError(message || 'Something went wrong that we did not foresee.', {
    next: 'Set SETPOINT_DEBUG=1 to see where this came from.',
    cause: error,
  });
}
