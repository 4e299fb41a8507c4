import type { Command } from 'commander';
import { explanationOf } from '../../answers/explanation.ts';
import type { Context } from '../context.ts';
import { readEstate } from '../estate/estate.ts';
import { findAddress } from '../estate/find-address.ts';
import { withStore } from '../estate/opened-store.ts';
import { choiceOf, type EstateOptions, withSpecsOption } from '../estate/options.ts';
import { withSurvey } from '../estate/survey.ts';
import { type ExitCode, exitCodes } from '../exit-code.ts';
import { agoFrom } from '../output/ago.ts';
import { emitJson } from '../output/emit.ts';
import { explanationText } from '../output/explanation-text.ts';
import { planPaintFor } from '../output/plan-paint.ts';
import { verb } from '../verb.ts';

interface Options extends EstateOptions {
  readonly specs: string;
  readonly json?: boolean;
}

export const explain = (context: Context): Command =>
  withSpecsOption(
    verb('explain', {
      group: 'Look',
      summary: 'say all about one resource: which line wants what, what is there, who owns it, what would happen',
      about:
        'The address may be an ending that is unique (`web-0`, `instance/web-0`), a rule document, or an id of the cloud.',
      examples: [
        ['explain web-0', 'by its name'],
        ['explain sg-0abc', 'by its id on the cloud: who owns it, and why'],
      ],
    }).argument('<address>', 'what to explain'),
  )
    .option('--json', 'one JSON object on stdout')
    .action(async (address: string, _options: Options, command: Command) => {
      context.finish(await run(address, command.optsWithGlobals<Options>(), context));
    });

async function run(given: string, options: Options, context: Context): Promise<ExitCode> {
  const estate = await readEstate(choiceOf(options.specs, options), context);
  const { explanation, sources } = await withStore(options.dir, context, (store) =>
    withSurvey({ estate, store }, context, async (survey) => ({
      explanation: explanationOf(given, survey, findAddress),
      sources: survey.bound.sources,
    })),
  );
  const { terminal } = context;
  if (options.json) emitJson(terminal, { ...explanation, ...(sources === undefined ? {} : { sources }) });
  else
    terminal.out.write(
      explanationText(explanation, {
        dir: estate.dir,
        paint: planPaintFor(terminal.out),
        ago: agoFrom(context.clock.now()),
      }),
    );
  return exitCodes.done;
}
