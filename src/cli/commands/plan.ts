import type { Command } from 'commander';
import { type Allowance, allowanceIn } from '../../core/limits.ts';
import { looserGuardsHint, looserGuardsText } from '../../core/loosened-guards.ts';
import type { Observed } from '../../core/observed.ts';
import { isUnfinished } from '../../core/plan/findings.ts';
import { ignoredIn } from '../../core/plan/ignored.ts';
import type { PlanInput } from '../../core/plan/plan-input.ts';
import { effectJson, effectText } from '../../core/render/effect.ts';
import { planText } from '../../core/render/plan-text.ts';
import { policiesJson, policiesText } from '../../core/render/policies.ts';
import { printable } from '../../core/text.ts';
import { planMeaning } from '../../estate/change-rules.ts';
import { sharedScopes } from '../../estate/shared-scopes.ts';
import { type ApiClient, renderAnswer } from '../api-client/client.ts';
import { type PlanReport, refuseUnknown, requestActivePlan, requestPlan } from '../api-client/plans.ts';
import { apiClientFor, type ServerSupport, withServerOption } from '../api-client/server-option.ts';
import type { Context } from '../context.ts';
import { type ExitCode, exitCodes, UserError } from '../errors.ts';
import { type LocalEstate, readEstate, readValidSpecs } from '../local/estate.ts';
import { type ObservedEstate, withObservedEstate } from '../local/observe.ts';
import { type ProposalOptions, proposalRequestOf, readProposal, withProposalOptions } from '../local/proposal.ts';
import { savePlan } from '../local/saved-plan.ts';
import { withOptionalStore } from '../local/store.ts';
import {
  allowanceOptions,
  asWritten,
  type Complete,
  completeFor,
  defineCommand,
  type EstateOptions,
  integerBetween,
  overlayOf,
  quoted,
  sameEstate,
  selectionOf,
  withAllowances,
  withEstateOptions,
} from '../options.ts';
import { agoFrom, count } from '../output/format.ts';
import { incompleteExitCode, printHeldSources, sortedPlanJson } from '../output/plan.ts';
import { paintFor, printJson, printText, printWithheld } from '../output/print.ts';

interface Options extends EstateOptions, ProposalOptions, Allowance {
  readonly out?: string;
  readonly grace?: boolean;
  readonly json?: boolean;
  readonly detailedExitcode?: boolean;
  readonly most?: number;
}

export const plan = (context: Context): Command =>
  withAllowances(
    withServerOption(
      withProposalOptions(
        withEstateOptions(
          defineCommand('plan', {
            group: 'Change',
            summary: 'show differences from the specs, and the actions of apply',
            about:
              'Observes every target and changes nothing. With a store it tells drift from changes of the specs; without one\nevery difference is a change. + add, ~ change, -/+ replace, - delete, ! drifted, ? unmanaged, · withheld.',
            examples: [
              ['plan', 'all targets of specs/'],
              ['plan --overlay prod', 'with overlays/prod over the base'],
              ['plan --target aws-prod --out next.plan', 'one target, saved for `apply --plan next.plan`'],
              ['plan checkout/specs --proposal', "somebody's pull request, without trusting it"],
              ['plan --proposal refs/pull/7/head --repo https://git.example/infra.git', 'the same, from a repository'],
              ['plan --json --detailed-exitcode', 'for CI: exit 2 if there is anything to do'],
              ['plan specs --server https://setpoint.example', 'beside the active specs there, by its observations'],
            ],
          }),
        ),
      ),
    ).option('--out <file>', 'save the plan for `apply --plan`; needs a store'),
    (subject) => `plan as if this many ${subject} were allowed`,
  )
    .option(
      '--most <n>',
      'list at most this many unmanaged objects and orphans in each scope',
      integerBetween(0, 1_000_000),
      20,
    )
    .option('--grace', 'as apply --grace: delete the objects of removed documents later, as workers do')
    .option('--json', 'one JSON object on stdout')
    .option('--detailed-exitcode', 'exit 2 if there are changes, also withheld or blocked ones')
    .action(async (dir: string, _options: Options, command: Command) => {
      context.finish(await run(dir, command, context));
    });

const serverSupport: ServerSupport = {
  localOptions: ['allowEndpoint', 'out', ...allowanceOptions, 'repo', 'path', 'allowLocalRepo'],
  serverOptions: [],
  takesDir: true,
  rootOptions: ['active'],
};

async function run(dir: string, command: Command, context: Context): Promise<ExitCode> {
  const options = command.optsWithGlobals<Options>();
  const server = await apiClientFor(command, serverSupport, context);
  if (server !== undefined) {
    const report = await planOnServer(server, { dir, given: command.args.length > 0 }, options, context);
    printHeldSources(report.bound.sources ?? [], context);
    return renderAnswer(server, () => print(report, options, context));
  }
  const estate = await read(dir, options, context);
  return withOptionalStore(options.dir, context, (store) => {
    if (options.out !== undefined && store === undefined) throw new UserError('Saving a plan needs a store.', noStore);
    const grant = { ...allowanceIn(options), removals: options.grace ? ('grace' as const) : ('at-once' as const) };
    return withObservedEstate({ estate, store, grant }, context, async (view) => {
      if (options.out !== undefined) await save(view, options);
      const { effect, violations } = await planMeaning(view, { tellsEffect: true });
      // why: nothing of a proposal may be applied or approved
      const complete: Complete = options.proposal === undefined ? completeFor(dir, options) : asWritten;
      const shown = { ...view, violations, effect: effect && effectJson(effect), complete };
      const code = print(shown, options, context);
      if (!options.json) {
        await printSharedScopes(view, context);
        printSaved(view, { ...options, specs: dir }, context);
        printIgnored(view, complete, context);
        printUndocumented(view, { dir, allowEndpoint: options.allowEndpoint }, context);
      }
      return code;
    });
  });
}

/** Posted specs are planned beside the server's active ones, and never trusted: with `--proposal` or without. */
async function planOnServer(
  server: ApiClient,
  { dir, given }: { readonly dir: string; readonly given: boolean },
  options: Options,
  context: Context,
): Promise<PlanReport> {
  const { estate, target, team, proposal, active } = options;
  if (active) {
    if (given || team !== undefined || proposal !== undefined || options.overlay !== undefined)
      throw new UserError('The active specs cannot be combined with a folder, a proposal or an overlay.', eitherOr);
    const report = await requestActivePlan(server, { estate, target });
    refuseUnknown(target, report, server.url);
    return report;
  }
  if (target.length > 0) throw new UserError('--target cannot be used when you send specs to a server.', allTargets);
  const ref = typeof proposal === 'string' ? { ref: proposal } : {};
  const tree = await readValidSpecs(dir, { ...overlayOf(options), ...ref }, context);
  return requestPlan(server, { dir: typeof proposal === 'string' ? '' : dir, tree, estate, team });
}

const eitherOr = { next: 'Remove one of the two.' };
const allTargets = { next: 'Remove it: a plan of sent specs covers all targets.' };

async function read(dir: string, options: Options, context: Context): Promise<LocalEstate> {
  const proposal = proposalRequestOf(dir, options);
  if (proposal === undefined) return readEstate(selectionOf(dir, options), context);
  if (options.out !== undefined) throw new UserError('The plan of a proposal cannot be saved.', mergeFirst);
  return readProposal(proposal, context);
}

const mergeFirst = {
  why: 'Only specs on the followed branch may be applied.',
  next: 'Remove --out; once the proposal is merged, plan again.',
};

const noStore = {
  why: 'Without a store Setpoint could not check later whether the plan still holds.',
  next: 'Run `setpoint apply` once to create a store, or name an existing one with --dir or DATABASE_URL.',
};

const save = ({ plans, bound }: PlanReport, { out = '', target, grace, ...options }: Options): Promise<void> =>
  savePlan(out, sortedPlanJson(plans, bound), {
    targets: target,
    ...overlayOf(options),
    ...(grace ? { grace: true as const } : {}),
  });

interface ShownPlan extends PlanReport {
  /** Absent for the plan of a server: a command here would read another store. */
  readonly complete?: Complete;
}

/** The effect and the violations change no action and no exit code. */
function print(
  { plans, bound, violations, effect, complete }: ShownPlan,
  options: Options,
  { terminal, clock }: Context,
): ExitCode {
  if (options.json) {
    const policies = violations === undefined || violations.length === 0 ? {} : { policies: policiesJson(violations) };
    const traffic = effect === undefined ? {} : { effect };
    printJson(terminal, { ...sortedPlanJson(plans, bound), ...traffic, ...policies });
  } else {
    const paint = paintFor(terminal.out);
    const [verdict = '', ...body] = planText(plans, {
      revision: bound.revision,
      paint,
      ago: agoFrom(clock.now()),
      auditLogs: bound.auditLogs,
      cost: bound.cost,
      most: options.most,
    }).split('\n');
    printWithheld(terminal, bound.withheldDrift, complete);
    const sections = [
      effect && effectText(effect, paint),
      policiesText(violations ?? [], paint),
      looserGuardsText(bound.looserGuards, { paint, hint: looserGuardsHint }),
    ];
    const more = sections.flatMap((text) => (text === undefined ? [] : ['', text]));
    printText(terminal, verdict, [...body, ...more].join('\n'));
  }
  const unseen = incompleteExitCode(plans);
  if (unseen !== undefined) return unseen;
  const isChange = plans.some(({ actions, findings }) => actions.length > 0 || findings.some(isUnfinished));
  return options.detailedExitcode && isChange ? exitCodes.changes : exitCodes.done;
}

async function printSharedScopes({ estate, store }: ObservedEstate, { terminal }: Context): Promise<void> {
  const shared = store && (await sharedScopes(estate, store));
  if (shared !== undefined)
    terminal.err.write(`! ${shared.text}: \`apply\` and \`approve\` need --allow-shared-scopes\n`);
}

function printSaved(
  { store }: Pick<ObservedEstate, 'store'>,
  { out, specs, ...options }: Options & { readonly specs: string },
  { terminal }: Context,
): void {
  if (store === undefined) terminal.err.write('There is no store: every difference counts as a change.\n');
  if (out === undefined) return;
  // why: a saved plan names its overlay
  const complete = completeFor(specs, { ...options, overlay: undefined });
  terminal.err.write(`Saved in ${printable(out)}: ${complete(`setpoint apply --plan ${quoted(out)}`)}\n`);
}

/** Objects that a target ignores are no findings: their number is said, so that they are not forgotten. On stderr. */
function printIgnored({ looked }: Pick<ObservedEstate, 'looked'>, complete: Complete, { terminal }: Context): void {
  const ignored = looked.reduce((sum, { input }) => sum + ignoredIn(input), 0);
  if (ignored === 0) return;
  const are = ignored === 1 ? 'is' : 'are';
  terminal.err.write(
    `${count(ignored, 'unmanaged object')} ${are} ignored by \`ignoreUnmanaged\` of targets: ${complete('setpoint inventory --ignored')}\n`,
  );
}

/** New targets: nothing is planned while no document names anything, and yet everything is listed. On stderr. */
function printUndocumented(
  { looked }: Pick<ObservedEstate, 'looked'>,
  { dir, allowEndpoint }: { readonly dir: string } & Pick<Options, 'allowEndpoint'>,
  { terminal }: Context,
): void {
  if (looked.some(({ input }) => input.wanted.documents.size > 0)) return;
  const objects = looked.flatMap(({ input }) => input.observation.resources.filter(isStanding)).length;
  if (objects === 0) return;
  const ours = looked.reduce((sum, { input }) => sum + ownedIn(input), 0);
  if (ours > 0) {
    terminal.err.write(
      `No document of these specs is left, and Setpoint owns ${count(ours, 'object')} of these targets.\nIf that is a mistake, restore the documents: git revert, or setpoint restore --as-of TIME\n`,
    );
    return;
  }
  const isWhole = looked.every(({ input }) => input.observation.gaps.length === 0);
  const covered = isWhole ? `0 of ${count(objects, 'object')} (0%)` : `0 of at least ${count(objects, 'object')}`;
  const rest = printable(sameEstate(dir, allowEndpoint === true));
  terminal.err.write(
    `No document manages an object of these targets yet: ${covered}.\nCount them with: setpoint inventory --refresh --unmanaged --group-by origin${rest}\nWrite documents with: setpoint import --all${rest}\n`,
  );
}

/** Standing objects that the store knows as those of this estate. */
const ownedIn = ({ knowledge, observation }: PlanInput): number =>
  observation.resources.filter((one) => isStanding(one) && knowledge.settled.has(one.id)).length;

const isStanding = ({ condition: { state } }: Observed): boolean => state === 'ready' || state === 'pending';
