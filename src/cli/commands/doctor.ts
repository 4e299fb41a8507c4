import type { Command } from 'commander';
import { printable } from '../../core/text.ts';
import type { Context } from '../context.ts';
import type { Check } from '../doctor/check.ts';
import { checksOf } from '../doctor/checks.ts';
import { choiceOf, type EstateOptions, withEstateOptions } from '../estate/options.ts';
import { type ExitCode, exitCodes } from '../exit-code.ts';
import { count } from '../output/count.ts';
import { emitJson, emitText } from '../output/emit.ts';
import { type Paint, paintFor } from '../output/paint.ts';
import { verb } from '../verb.ts';

interface Options extends EstateOptions {
  readonly json?: boolean;
}

export const doctor = (context: Context): Command =>
  withEstateOptions(
    verb('doctor', {
      group: 'Set up',
      summary: 'check Node, the specs, the store, credentials and every target, and say what to do',
      examples: [['doctor', 'before anything else on a new machine']],
    }),
  )
    .option('--json', 'one JSON object on stdout')
    .action(async (dir: string, _options: Options, command: Command) => {
      context.finish(await run(dir, command.optsWithGlobals<Options>(), context));
    });

async function run(dir: string, options: Options, context: Context): Promise<ExitCode> {
  const checks = await checksOf(choiceOf(dir, options), options.dir, context);
  const bad = checks.filter(({ state }) => state === 'bad').length;
  const { terminal } = context;
  if (options.json) emitJson(terminal, { healthy: bad === 0, checks });
  else {
    const paint = paintFor(terminal.out);
    const verdict =
      bad === 0 ? paint('good', 'Doctor: all is well') : paint('bad', `Doctor: ${count(bad, 'thing')} to mend`);
    emitText(
      terminal,
      verdict,
      printable(checks)
        .map((check) => text(check, paint))
        .join(''),
    );
  }
  return bad === 0 ? exitCodes.done : exitCodes.error;
}

const tones = { good: 'good', note: 'warn', bad: 'bad' } as const;
const words = { good: 'ok  ', note: 'note', bad: 'BAD ' } as const;

const text = ({ name, state, detail, next }: Check, paint: Paint): string =>
  `  ${paint(tones[state], words[state])}  ${name}: ${detail}\n${next === undefined ? '' : `        → ${next}\n`}`;
