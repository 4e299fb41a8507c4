import { Command, CommanderError } from 'commander';
import { printableLines } from '../core/text.ts';
import { Declined } from '../ports/queries.ts';
import { type Verb, verbsFor } from './commands/index.ts';
import { Complaint, complaintJson, complaintText } from './complaint.ts';
import type { Context } from './context.ts';
import { type ExitCode, exitCodes } from './exit-code.ts';
import type { House } from './house.ts';
import { specsInForce } from './kept-specs.ts';
import { emitJson } from './output/emit.ts';
import { paintFor } from './output/paint.ts';

/** Runs one command line, without the program's name. Everything thrown becomes a complaint and an exit code. */
export async function runCli(
  args: readonly string[],
  outside: Omit<Context, 'finish'>,
  version: string,
): Promise<ExitCode> {
  let code: ExitCode = exitCodes.done;
  const finish = (ended: ExitCode): void => {
    code = ended;
  };
  try {
    const root = program(await verbsFor(args[0]), { ...outside, finish }, version);
    await root.parseAsync(args.length === 0 ? ['--help'] : args, { from: 'user' });
    return code;
  } catch (error) {
    return failed(error, args.includes('--json'), outside);
  }
}

function program(verbs: readonly Verb[], outside: Context, version: string): Command {
  const { out, err } = outside.terminal;
  const root = new Command('setpoint');
  const context = { ...outside, house: withKeptSpecs(outside, () => root.opts()) };
  const settings = (command: Command): Command =>
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
  settings(root)
    .description('Keeps clouds as your specs say: networks, firewall rules and instances.')
    .version(version, '-V, --version', 'print the version')
    .option('--dir <folder>', 'where the store and its keys are kept', '.setpoint')
    .option('--in-force', 'by the specs of the newest generation, as the store keeps them, and by no folder')
    .option('--in-force-of <estate>', 'the same, where the store has several estates')
    .helpCommand('help [verb]', 'say what a verb does')
    .helpOption('-h, --help', 'say what this does')
    .usage('<verb> [DIR] [options]');
  for (const make of verbs) {
    const command = make(context);
    root.addCommand(command);
    for (const each of [command, ...command.commands]) settings(each);
  }
  return root;
}

interface RootOptions {
  readonly dir: string;
  readonly inForce?: boolean;
  readonly inForceOf?: string;
}

/** The same house, but that the specs of a folder are those in force where the user asks for these. */
const withKeptSpecs = (outside: Context, options: () => RootOptions): House => ({
  ...outside.house,
  specs: (dir, wish) => {
    const { dir: folder, inForce, inForceOf: estate } = options();
    if (!inForce && estate === undefined) return outside.house.specs(dir, wish);
    return specsInForce({ folder, ...(estate === undefined ? {} : { estate }) }, outside);
  },
});

const commandLine = (command: Command): string =>
  command.parent ? `${commandLine(command.parent)} ${command.name()}` : command.name();

function failed(error: unknown, json: boolean, { terminal, stop }: Pick<Context, 'terminal' | 'stop'>): ExitCode {
  if (error instanceof CommanderError) return commander(error, json, terminal);
  const complaint = asComplaint(error, stop);
  if (json) emitJson(terminal, complaintJson(complaint));
  const paint = paintFor(terminal.err);
  terminal.err.write(`${paint('bad', 'error:')} ${complaintText(complaint)}`);
  if (process.env['SETPOINT_DEBUG'] && error instanceof Error)
    terminal.err.write(`${printableLines(String(error.stack))}\n`);
  return complaint.code;
}

/** Help and version end with 0; what is wrong with a command line was already said on stderr. */
function commander(error: CommanderError, json: boolean, terminal: Context['terminal']): ExitCode {
  if (error.exitCode === 0) return exitCodes.done;
  if (json) emitJson(terminal, complaintJson(new Complaint(error.message.replace(/^error: /, ''))));
  return exitCodes.error;
}

function asComplaint(error: unknown, stop: AbortSignal): Complaint {
  if (error instanceof Complaint) return error;
  if (stop.aborted) return new Complaint('Stopped by you, before anything was changed.');
  if (error instanceof Declined && error.because === 'away')
    return new Complaint(error.message, {
      next: 'Run it again once the database answers: `setpoint doctor` says whether it does. A change that was begun is in the ledger, and the next run goes on from there.',
      cause: error,
    });
  const message = error instanceof Error ? error.message : String(error);
  return new Complaint(message || 'Something went wrong that we did not foresee.', {
    next: 'Set SETPOINT_DEBUG=1 to see where this came from.',
    cause: error,
  });
}
