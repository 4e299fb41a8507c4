import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { type ExitCode, exitCodes } from '../errors.ts';
import { checksOf } from '../local/doctor.ts';
import { defineCommand, type EstateOptions, selectionOf, withEstateOptions } from '../options.ts';
import { checksText, countProblems } from '../output/checks.ts';
import { count } from '../output/format.ts';
import { paintFor, printJson, printText } from '../output/print.ts';

interface Options extends EstateOptions {
  readonly json?: boolean;
}

export const doctor = (context: Context): Command =>
  withEstateOptions(
    defineCommand('doctor', {
      group: 'Set up',
      summary: 'check Node, the specs, the store, credentials and every target, and print the fixes',
      examples: [['doctor', 'before anything else on a new machine']],
    }),
  )
    .option('--json', 'one JSON object on stdout')
    .action(async (dir: string, _options: Options, command: Command) => {
      context.finish(await run(dir, command.optsWithGlobals<Options>(), context));
    });

async function run(dir: string, options: Options, context: Context): Promise<ExitCode> {
  const checks = await checksOf(selectionOf(dir, options), options.dir, context);
  const bad = countProblems(checks);
  const { terminal } = context;
  if (options.json) printJson(terminal, { healthy: bad === 0, checks });
  else {
    const paint = paintFor(terminal.out);
    const verdict = bad === 0 ? paint('good', 'Doctor: no problems') : paint('bad', `Doctor: ${count(bad, 'problem')}`);
    printText(terminal, verdict, checksText(checks, paint));
  }
  return bad === 0 ? exitCodes.done : exitCodes.error;
}
