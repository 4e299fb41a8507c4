import type { Command } from 'commander';
import type { Ownership } from '../../core/inventory/ownership.ts';
import { kindNames } from '../../core/kinds/kinds.ts';
import { compareText } from '../../core/text.ts';
import { explanationOf } from '../../queries/explain.ts';
import type { Context } from '../context.ts';
import { readEstate } from '../estate/estate.ts';
import { findAddress } from '../estate/find-address.ts';
import { withStore } from '../estate/opened-store.ts';
import { choiceOf, type EstateOptions, withSpecsOption } from '../estate/options.ts';
import { tellHeldSources } from '../estate/source-words.ts';
import { withSurvey } from '../estate/survey.ts';
import { type ExitCode, exitCodes } from '../exit-code.ts';
import { agoFrom } from '../output/ago.ts';
import { emitJson } from '../output/emit.ts';
import { explanationText } from '../output/explanation-text.ts';
import { inOrder } from '../output/in-order.ts';
import { planPaintFor } from '../output/plan-paint.ts';
import { rendered } from '../server/client.ts';
import { type ExplanationTold, explanationOn } from '../server/explanation.ts';
import { type ServedEstateOption, type Sides, serverFor, withServedEstateOption } from '../server/option.ts';
import { verb } from '../verb.ts';

interface Options extends EstateOptions, ServedEstateOption {
  readonly specs: string;
  readonly json?: boolean;
}

export const explain = (context: Context): Command =>
  withServedEstateOption(
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
    ),
  )
    .option('--json', 'one JSON object on stdout')
    .action(async (address: string, _options: Options, command: Command) => {
      context.finish(await run(address, command, context));
    });

const sides: Sides = { here: ['specs', 'target', 'allowEndpoint', 'overlay'], there: ['estate'], dir: false };

async function run(given: string, command: Command, context: Context): Promise<ExitCode> {
  const options = command.optsWithGlobals<Options>();
  const server = await serverFor(command, sides, context);
  if (server !== undefined) {
    const told = await explanationOn(server, given, options);
    tellHeldSources(told.sources ?? [], context);
    return rendered(server, () => tell(told, { ...options, specs: '' }, context));
  }
  const estate = await readEstate(choiceOf(options.specs, options), context);
  const told = await withStore(options.dir, context, (store) =>
    withSurvey({ estate, store }, context, async (survey) => ({
      explanation: explanationOf(given, survey, findAddress),
      sources: survey.bound.sources,
    })),
  );
  return tell(told, options, context);
}

/** `specs`: goes before the paths of documents. */
function tell(
  { explanation: found, sources }: ExplanationTold,
  { json, specs: dir }: Options,
  context: Context,
): ExitCode {
  const { terminal, clock } = context;
  const explanation = { ...found, there: found.there.toSorted(byObject) };
  if (json) emitJson(terminal, inOrder({ ...explanation, ...(sources === undefined ? {} : { sources }) }));
  else {
    const how = { dir, paint: planPaintFor(terminal.out), ago: agoFrom(clock.now()) };
    terminal.out.write(explanationText(explanation, how));
  }
  return exitCodes.done;
}

/** What stands alone first; a store keeps what was seen in an order of its own. */
const byObject = ({ observed: a }: Ownership, { observed: b }: Ownership): number =>
  kindNames.indexOf(a.kind) - kindNames.indexOf(b.kind) || compareText(a.id, b.id);
