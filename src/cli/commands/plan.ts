import type { Command } from 'commander';
import { planJson } from '../../core/render/plan-json.ts';
import { planText } from '../../core/render/plan-text.ts';
import { sha256 } from '../../estate/sha256.ts';
import { Complaint } from '../complaint.ts';
import type { Context } from '../context.ts';
import { readEstate } from '../estate/estate.ts';
import { withStore } from '../estate/opened-store.ts';
import { choiceOf, type EstateOptions, withEstateOptions } from '../estate/options.ts';
import { overlayOf } from '../estate/overlay-option.ts';
import { type Proposal, readProposal } from '../estate/proposal.ts';
import { askedProposal, type ProposalOptions, withProposalOptions } from '../estate/proposal-options.ts';
import { savePlan } from '../estate/saved-plan.ts';
import { type Survey, withSurvey } from '../estate/survey.ts';
import { unseenCode } from '../estate/unseen.ts';
import { type ExitCode, exitCodes } from '../exit-code.ts';
import { agoFrom } from '../output/ago.ts';
import { emitJson, emitText } from '../output/emit.ts';
import { whole } from '../output/number.ts';
import { planPaintFor } from '../output/plan-paint.ts';
import { verb } from '../verb.ts';

interface Options extends EstateOptions, ProposalOptions {
  readonly out?: string;
  readonly json?: boolean;
  readonly detailedExitcode?: boolean;
  readonly allowDeletes?: number;
  readonly most?: number;
}

export const plan = (context: Context): Command =>
  withProposalOptions(
    withEstateOptions(
      verb('plan', {
        group: 'Change',
        summary: 'say what differs from the specs and what apply would do',
        about:
          'Looks at every target and changes nothing. With a store, drift is told from what the specs changed; without one\nevery difference is a change. + add, ~ change, -/+ replace, - delete, ! drifted, ? unmanaged, · held back.',
        examples: [
          ['plan', 'all targets of specs/'],
          ['plan --overlay prod', 'with overlays/prod over the base'],
          ['plan --target aws-prod --out next.plan', 'one target, kept for `apply --plan next.plan`'],
          ['plan checkout/specs --proposal', "somebody's pull request, planned without trusting it"],
          ['plan --proposal refs/pull/7/head --repo https://git.example/infra.git', 'the same, out of a repository'],
          ['plan --json --detailed-exitcode', 'for CI: exit 2 if there is anything to do'],
        ],
      }),
    ),
  )
    .option('--out <file>', 'keep the plan for `apply --plan`; needs a store')
    .option('--allow-deletes <n>', 'plan as if so many deletes and replaces were let pass', whole(0, 1_000_000))
    .option('--most <n>', 'list at most so many unmanaged objects and orphans a scope', whole(0, 1_000_000), 20)
    .option('--json', 'one JSON object on stdout')
    .option('--detailed-exitcode', 'exit 2 if there are changes')
    .action(async (dir: string, _options: Options, command: Command) => {
      context.finish(await run(dir, command.optsWithGlobals<Options>(), context));
    });

async function run(dir: string, options: Options, outside: Context): Promise<ExitCode> {
  const { estate, context } = await read(dir, options, outside);
  return withStore(options.dir, context, (store) => {
    if (options.out !== undefined && store === undefined)
      throw new Complaint('A plan can only be kept with a store.', noStore);
    const grant = options.allowDeletes === undefined ? {} : { allowDeletes: options.allowDeletes };
    return withSurvey({ estate, store, grant }, context, (survey) => tell(survey, options, context));
  });
}

async function read(dir: string, options: Options, context: Context): Promise<Proposal> {
  const asked = askedProposal(dir, options);
  if (asked === undefined) return { estate: await readEstate(choiceOf(dir, options), context), context };
  if (options.out !== undefined) throw new Complaint('The plan of a proposal is not kept.', mergeFirst);
  return readProposal(asked, context);
}

const mergeFirst = {
  why: 'Only what is on the branch that is followed may be applied.',
  next: 'Leave --out away; once the proposal is merged, plan again.',
};

const noStore = {
  why: 'Without one nobody could tell later whether it still holds.',
  next: 'The first `setpoint apply` makes a store; or name an existing one with --dir or DATABASE_URL.',
};

async function tell(
  { plans, bound, store }: Survey,
  options: Options,
  { terminal, clock }: Context,
): Promise<ExitCode> {
  const json = planJson(plans, bound, sha256);
  if (options.out !== undefined) await savePlan(options.out, json, { targets: options.target, ...overlayOf(options) });
  if (options.json) emitJson(terminal, json);
  else {
    const paint = planPaintFor(terminal.out);
    const [verdict = '', ...body] = planText(plans, {
      revision: bound.revision,
      paint,
      ago: agoFrom(clock.now()),
      ...(options.most === undefined ? {} : { most: options.most }),
    }).split('\n');
    emitText(terminal, verdict, body.join('\n'));
    if (store === undefined) terminal.err.write('There is no store: every difference counts as a change.\n');
    if (options.out !== undefined) terminal.err.write(`Kept in ${options.out}: setpoint apply --plan ${options.out}\n`);
  }
  const unseen = unseenCode(plans);
  if (unseen !== undefined) return unseen;
  return options.detailedExitcode && json.actions.length > 0 ? exitCodes.changes : exitCodes.done;
}
