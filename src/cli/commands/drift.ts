import type { Command } from 'commander';
import { driftOf } from '../../answers/drift.ts';
import { planJson } from '../../core/render/plan-json.ts';
import { planText } from '../../core/render/plan-text.ts';
import { summarise } from '../../core/render/summary.ts';
import { sha256 } from '../../estate/sha256.ts';
import type { Context } from '../context.ts';
import { readEstate } from '../estate/estate.ts';
import { withGivenStore } from '../estate/opened-store.ts';
import { choiceOf, type EstateOptions, withEstateOptions } from '../estate/options.ts';
import { type Survey, withSurvey } from '../estate/survey.ts';
import { unseenCode } from '../estate/unseen.ts';
import { type ExitCode, exitCodes } from '../exit-code.ts';
import { agoFrom } from '../output/ago.ts';
import { count } from '../output/count.ts';
import { emitJson, emitText } from '../output/emit.ts';
import { paintFor } from '../output/paint.ts';
import { planPaintFor } from '../output/plan-paint.ts';
import { verb } from '../verb.ts';

interface Options extends EstateOptions {
  readonly json?: boolean;
  readonly detailedExitcode?: boolean;
}

export const drift = (context: Context): Command =>
  withEstateOptions(
    verb('drift', {
      group: 'Look',
      summary: 'say only what changed on the clouds behind our back',
      about:
        'A difference is drift if the cloud moved since the last apply, and not if the specs did: those are in `plan`.',
      examples: [['drift --detailed-exitcode', 'for a nightly job: exit 2 if something drifted']],
    }),
  )
    .option('--json', 'one JSON object on stdout')
    .option('--detailed-exitcode', 'exit 2 if something drifted')
    .action(async (dir: string, _options: Options, command: Command) => {
      context.finish(await run(dir, command.optsWithGlobals<Options>(), context));
    });

async function run(dir: string, options: Options, context: Context): Promise<ExitCode> {
  const estate = await readEstate(choiceOf(dir, options), context);
  return withGivenStore(options.dir, context, (store) =>
    withSurvey({ estate, store }, context, async (survey) => tell(survey, options, context)),
  );
}

function tell(survey: Survey, options: Options, { terminal, clock }: Context): ExitCode {
  const { plans, bound } = survey;
  const drifted = driftOf(survey);
  const n = summarise(drifted).drifted;
  const unseen = drifted.flatMap(({ findings }) => findings).filter(({ type }) => type === 'incomplete').length;
  if (options.json) emitJson(terminal, planJson(drifted, bound, sha256));
  else {
    const parts = [
      `Drift: ${n === 0 ? 'none' : count(n, 'change')}`,
      ...(unseen > 0 ? [`${count(unseen, 'listing')} incomplete`] : []),
    ];
    const how = { paint: planPaintFor(terminal.out), ago: agoFrom(clock.now()) };
    const body = planText(drifted, { revision: bound.revision, ...how })
      .split('\n')
      .slice(1);
    emitText(terminal, paintFor(terminal.out)(n + unseen === 0 ? 'good' : 'warn', parts.join(' · ')), body.join('\n'));
  }
  const cannotTell = unseenCode(plans);
  if (cannotTell !== undefined) return cannotTell;
  return options.detailedExitcode && n > 0 ? exitCodes.changes : exitCodes.done;
}
