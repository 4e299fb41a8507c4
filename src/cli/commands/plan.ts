import type { Command } from 'commander';
import { type Allowance, allowanceIn } from '../../core/limits.ts';
import { planText } from '../../core/render/plan-text.ts';
import { Complaint } from '../complaint.ts';
import type { Context } from '../context.ts';
import { allowanceOptions, withAllowances } from '../estate/allowances.ts';
import { readEstate } from '../estate/estate.ts';
import { withStore } from '../estate/opened-store.ts';
import { choiceOf, type EstateOptions, withEstateOptions } from '../estate/options.ts';
import { overlayOf } from '../estate/overlay-option.ts';
import { type Proposal, readProposal } from '../estate/proposal.ts';
import { askedProposal, type ProposalOptions, withProposalOptions } from '../estate/proposal-options.ts';
import { savePlan } from '../estate/saved-plan.ts';
import { tellHeldSources } from '../estate/source-words.ts';
import { type Survey, withSurvey } from '../estate/survey.ts';
import { unseenCode } from '../estate/unseen.ts';
import { type ExitCode, exitCodes } from '../exit-code.ts';
import { agoFrom } from '../output/ago.ts';
import { emitJson, emitText, emitWithheld } from '../output/emit.ts';
import { whole } from '../output/number.ts';
import { planPaintFor } from '../output/plan-paint.ts';
import { toldJson } from '../output/told-json.ts';
import { type Client, rendered } from '../server/client.ts';
import { refuseUnknown } from '../server/drift.ts';
import { type Sides, serverFor, withServerOption } from '../server/option.ts';
import type { Told } from '../server/planned.ts';
import { planInForceOn, planOn } from '../server/plans.ts';
import { soundSpecs } from '../specs.ts';
import { verb } from '../verb.ts';

interface Options extends EstateOptions, ProposalOptions, Allowance {
  readonly out?: string;
  readonly json?: boolean;
  readonly detailedExitcode?: boolean;
  readonly most?: number;
}

export const plan = (context: Context): Command =>
  withAllowances(
    withServerOption(
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
              [
                'plan --proposal refs/pull/7/head --repo https://git.example/infra.git',
                'the same, out of a repository',
              ],
              ['plan --json --detailed-exitcode', 'for CI: exit 2 if there is anything to do'],
              ['plan specs --server https://setpoint.example', 'beside what is in force there, by its looks'],
            ],
          }),
        ),
      ),
    ).option('--out <file>', 'keep the plan for `apply --plan`; needs a store'),
    (subject) => `plan as if so many ${subject} were let pass`,
  )
    .option('--most <n>', 'list at most so many unmanaged objects and orphans a scope', whole(0, 1_000_000), 20)
    .option('--json', 'one JSON object on stdout')
    .option('--detailed-exitcode', 'exit 2 if there are changes')
    .action(async (dir: string, _options: Options, command: Command) => {
      context.finish(await run(dir, command, context));
    });

const sides: Sides = {
  here: ['allowEndpoint', 'out', ...allowanceOptions, 'repo', 'path', 'allowLocalRepo'],
  there: [],
  dir: true,
  program: ['inForce'],
};

async function run(dir: string, command: Command, outside: Context): Promise<ExitCode> {
  const options = command.optsWithGlobals<Options>();
  const server = await serverFor(command, sides, outside);
  if (server !== undefined) {
    const told = await toldThere(server, { dir, given: command.args.length > 0 }, options, outside);
    tellHeldSources(told.bound.sources ?? [], outside);
    return rendered(server, () => tell(told, options, outside));
  }
  const { estate, context } = await read(dir, options, outside);
  return withStore(options.dir, context, (store) => {
    if (options.out !== undefined && store === undefined)
      throw new Complaint('A plan can only be kept with a store.', noStore);
    const grant = allowanceIn(options);
    return withSurvey({ estate, store, grant }, context, async (survey) => {
      if (options.out !== undefined) await keep(survey, options);
      const code = tell(survey, options, context);
      if (!options.json) tellKept(survey, options, context);
      return code;
    });
  });
}

/** What is sent is planned beside what is in force there, and trusted with nothing: with `--proposal` or without. */
async function toldThere(
  server: Client,
  { dir, given }: { readonly dir: string; readonly given: boolean },
  options: Options,
  { house }: Context,
): Promise<Told> {
  const { estate, target, team, proposal, inForce } = options;
  if (inForce) {
    if (given || team !== undefined || proposal !== undefined || options.overlay !== undefined)
      throw new Complaint('What is in force is planned without a folder, a proposal or an overlay.', eitherOr);
    const told = await planInForceOn(server, { estate, target });
    refuseUnknown(target, told, server.url);
    return told;
  }
  if (target.length > 0) throw new Complaint('--target says nothing to a server that is sent specs.', allTargets);
  const ref = typeof proposal === 'string' ? { ref: proposal } : {};
  const tree = await soundSpecs(house, dir, { ...overlayOf(options), ...ref });
  return planOn(server, { dir: typeof proposal === 'string' ? '' : dir, tree, estate, team });
}

const eitherOr = { next: 'Leave one of the two away.' };
const allTargets = { next: 'Leave it away: a plan of specs that are sent is of all targets.' };

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

const keep = ({ plans, bound }: Told, { out = '', target, ...options }: Options): Promise<void> =>
  savePlan(out, toldJson(plans, bound), { targets: target, ...overlayOf(options) });

function tell({ plans, bound }: Told, options: Options, { terminal, clock }: Context): ExitCode {
  if (options.json) emitJson(terminal, toldJson(plans, bound));
  else {
    const paint = planPaintFor(terminal.out);
    const [verdict = '', ...body] = planText(plans, {
      revision: bound.revision,
      paint,
      ago: agoFrom(clock.now()),
      ...(options.most === undefined ? {} : { most: options.most }),
    }).split('\n');
    emitWithheld(terminal, bound.withheldDrift);
    emitText(terminal, verdict, body.join('\n'));
  }
  const unseen = unseenCode(plans);
  if (unseen !== undefined) return unseen;
  const isChange = plans.some(({ actions }) => actions.length > 0);
  return options.detailedExitcode && isChange ? exitCodes.changes : exitCodes.done;
}

function tellKept({ store }: Pick<Survey, 'store'>, { out }: Options, { terminal }: Context): void {
  if (store === undefined) terminal.err.write('There is no store: every difference counts as a change.\n');
  if (out !== undefined) terminal.err.write(`Kept in ${out}: setpoint apply --plan ${out}\n`);
}
