import type { Command } from 'commander';
import { planText } from '../../core/render/plan-text.ts';
import { summarise } from '../../core/render/summary.ts';
import { driftOf } from '../../queries/drift.ts';
import type { Context } from '../context.ts';
import { readEstate } from '../estate/estate.ts';
import { withGivenStore } from '../estate/opened-store.ts';
import { choiceOf, type EstateOptions, withEstateOptions } from '../estate/options.ts';
import { withSurvey } from '../estate/survey.ts';
import { unseenCode } from '../estate/unseen.ts';
import { type ExitCode, exitCodes } from '../exit-code.ts';
import { agoFrom } from '../output/ago.ts';
import { count } from '../output/count.ts';
import { emitJson, emitText, emitWithheld } from '../output/emit.ts';
import { paintFor } from '../output/paint.ts';
import { planPaintFor } from '../output/plan-paint.ts';
import { toldJson } from '../output/told-json.ts';
import { rendered } from '../server/client.ts';
import { driftOn } from '../server/drift.ts';
import { type ServedEstateOption, type Sides, serverFor, withServedEstateOption } from '../server/option.ts';
import type { Told } from '../server/planned.ts';
import { verb } from '../verb.ts';

interface Options extends EstateOptions, ServedEstateOption {
  readonly json?: boolean;
  readonly detailedExitcode?: boolean;
}

export const drift = (context: Context): Command =>
  withServedEstateOption(
    withEstateOptions(
      verb('drift', {
        group: 'Look',
        summary: 'say only what changed on the clouds behind our back',
        about:
          'A difference is drift if the cloud moved since the last apply, and not if the specs did: those are in `plan`.',
        examples: [
          ['drift --detailed-exitcode', 'for a nightly job: exit 2 if something drifted'],
          ['drift --server last', 'as the server last logged in to saw it'],
        ],
      }),
    ),
  )
    .option('--json', 'one JSON object on stdout')
    .option('--detailed-exitcode', 'exit 2 if something drifted')
    .action(async (dir: string, _options: Options, command: Command) => {
      context.finish(await run(dir, command, context));
    });

const sides: Sides = { here: ['allowEndpoint', 'overlay'], there: ['estate'], dir: false };

async function run(dir: string, command: Command, context: Context): Promise<ExitCode> {
  const options = command.optsWithGlobals<Options>();
  const server = await serverFor(command, sides, context);
  if (server !== undefined) {
    const told = await driftOn(server, options, context);
    return rendered(server, () => tell(told, options, context));
  }
  const estate = await readEstate(choiceOf(dir, options), context);
  return withGivenStore(options.dir, context, (store) =>
    withSurvey({ estate, store }, context, async (survey) =>
      tell({ bound: survey.bound, plans: await driftOf(survey) }, options, context),
    ),
  );
}

/** `plans`: of what drifted only. */
function tell({ bound, plans: drifted }: Told, options: Options, { terminal, clock }: Context): ExitCode {
  const n = summarise(drifted).drifted;
  const unseen = drifted.flatMap(({ findings }) => findings).filter(({ type }) => type === 'incomplete').length;
  if (options.json) emitJson(terminal, toldJson(drifted, bound));
  else {
    const parts = [
      `Drift: ${n === 0 ? 'none' : count(n, 'change')}`,
      ...(unseen > 0 ? [`${count(unseen, 'listing')} incomplete`] : []),
    ];
    const how = { paint: planPaintFor(terminal.out), ago: agoFrom(clock.now()) };
    const body = planText(drifted, { revision: bound.revision, ...how })
      .split('\n')
      .slice(1);
    emitWithheld(terminal, bound.withheldDrift);
    emitText(terminal, paintFor(terminal.out)(n + unseen === 0 ? 'good' : 'warn', parts.join(' · ')), body.join('\n'));
  }
  const cannotTell = unseenCode(drifted);
  if (cannotTell !== undefined) return cannotTell;
  return options.detailedExitcode && n > 0 ? exitCodes.changes : exitCodes.done;
}
