import { type Command, Option } from 'commander';
import type { Action, ScopePlan } from '../../core/action.ts';
import { type Allowance, allowanceIn } from '../../core/limits.ts';
import { looserGuardsHint, looserGuardsText } from '../../core/loosened-guards.ts';
import { effectJson, effectText } from '../../core/render/effect.ts';
import type { PlanBound } from '../../core/render/plan-json.ts';
import { deletedText, planText } from '../../core/render/plan-text.ts';
import { policiesText } from '../../core/render/policies.ts';
import { holdAgainst, type Stale } from '../../estate/approvals.ts';
import { planMeaning } from '../../estate/change-rules.ts';
import type { Estate } from '../../estate/load.ts';
import type { Store } from '../../ports/store.ts';
import type { Context } from '../context.ts';
import { type ExitCode, exitCodes, UserError } from '../errors.ts';
import { refuseSharedScopes } from '../local/accept.ts';
import { type ApplyApproval, type ApplyOutcome, apply as carryOut } from '../local/apply.ts';
import { compileEstate, type EstateSelection, type LocalEstate, readEstate, refuseInvalid } from '../local/estate.ts';
import { type ObservedEstate, withObservedEstate } from '../local/observe.ts';
import { type Approved, readPlan } from '../local/saved-plan.ts';
import { pastSpecs, withCreatedStore } from '../local/store.ts';
import {
  allowSharedScopesText,
  defineCommand,
  type EstateOptions,
  overlayOf,
  parseDuration,
  parseReason,
  selectionOf,
  withAllowances,
  withEstateOptions,
} from '../options.ts';
import { breakGlassOf, brokenGlassText, liftsIn, printBreakGlass } from '../output/break-glass.ts';
import { agoFrom } from '../output/format.ts';
import { type ApplyResult, applyResultOf, exitOf, isRefusal, outcomeJson, outcomeText } from '../output/outcome.ts';
import { paintFor, printJson, printText } from '../output/print.ts';
import { askYes } from '../prompt.ts';

interface RollbackOptions {
  readonly commit?: string;
  readonly reason?: string;
  readonly activeOf?: string;
}

interface Options extends EstateOptions, RollbackOptions, Allowance {
  readonly yes?: boolean;
  readonly plan?: string;
  readonly breakGlass?: boolean;
  readonly grace?: boolean;
  readonly allowSharedScopes?: boolean;
  readonly withoutApprovals?: boolean;
  readonly lockTimeout: number;
  readonly json?: boolean;
}

export const apply = (context: Context): Command =>
  withAllowances(
    withEstateOptions(
      defineCommand('apply', {
        group: 'Change',
        summary: 'apply the specs to the clouds, after showing the plan and asking',
        about:
          'Setpoint writes every change to the ledger before and after it makes the change. Ctrl-C ends within a second and prints the\nfinished changes. Run it again to continue.',
        examples: [
          ['apply', 'plan, ask, apply'],
          ['apply --plan next.plan', 'exactly the plan that `plan --out next.plan` saved'],
          ['apply --yes --lock-timeout 5m', 'for CI: no question; wait for other processes'],
          [
            'apply --break-glass --reason "incident 4711"',
            'outside change windows and within freezes, in an emergency',
          ],
          ['apply --commit 1a2b3c4 --reason "#815 broke web"', 'roll back to it, and stay there until `unpin`'],
        ],
      }),
    )
      .option('--yes', 'do not ask')
      .option('--plan <file>', 'apply a plan that `plan --out` saved'),
    (subject) => `allow this many ${subject}, regardless of limits`,
  )
    .option(
      '--lock-timeout <duration>',
      'wait this long for another process that holds the same scope',
      parseDuration,
      0,
    )
    .option('--commit <sha>', 'roll back to a commit, and pin the estate there until `unpin`; needs --reason')
    .addOption(
      new Option(
        '--reason <text>',
        'with --commit, --break-glass or --without-approvals: the reason; Setpoint writes it into the ledger',
      ).argParser(parseReason),
    )
    .option('--break-glass', 'regardless of change windows and freezes, and of nothing else; needs --reason')
    .option('--grace', 'give removed documents the grace that workers give them: delete their objects later')
    .option(
      '--without-approvals',
      'without the approvals of other people that a lifted `protect` or a policy asks for; needs --reason',
    )
    .option('--allow-shared-scopes', allowSharedScopesText)
    .option('--json', 'one JSON object on stdout')
    .action(async (dir: string, _options: Options, command: Command) => {
      context.finish(await run(dir, command.optsWithGlobals<Options>(), context));
    });

function reasonOf({ reason }: Options): string {
  if (reason !== undefined) return reason;
  throw new UserError('A rollback to a commit needs a reason.', {
    why: 'The estate stays pinned there, and others will look for the reason.',
    next: 'Add a reason: --reason "…"',
  });
}

async function run(dir: string, options: Options, context: Context): Promise<ExitCode> {
  if (options.commit !== undefined) reasonOf(options);
  const breakGlass = breakGlassOf(options);
  const saved = options.plan === undefined ? undefined : await readPlan(options.plan);
  const target = options.target.length > 0 ? options.target : (saved?.targets ?? []);
  const overlay = overlayOf({ overlay: options.overlay ?? saved?.overlay });
  const selection = selectionOf(dir, { ...options, target, ...overlay });
  const estate =
    options.commit === undefined
      ? await readEstate(selection, context)
      : await readEstateAt(options.commit, options, selection, context);
  if (saved !== undefined && saved.estate !== estate.name) throw otherEstate(saved, estate);
  const grant = {
    ...allowanceIn(options),
    ...liftsIn(breakGlass),
    removals: options.grace === true || saved?.grace === true ? ('grace-by-person' as const) : ('at-once' as const),
  };
  return withCreatedStore(options.dir, context, async (store) => {
    if (options.allowSharedScopes !== true) await refuseSharedScopes(estate, store);
    return withObservedEstate({ estate, store, grant }, context, (view) => approve(view, { options, saved }, context));
  });
}

const otherEstate = (saved: Approved, estate: Estate): UserError =>
  new UserError(`The plan is of the estate ${saved.estate}; ${estate.dir} holds ${estate.name}.`, {
    next: 'Name the folder of the specs that the plan was made from.',
    code: exitCodes.refused,
  });

interface ApplyRequest {
  readonly options: Options;
  readonly saved: Approved | undefined;
}

async function approve(
  view: ObservedEstate<Store>,
  { options, saved }: ApplyRequest,
  context: Context,
): Promise<ExitCode> {
  const { terminal, signal } = context;
  const planned = view.plans.flatMap(({ actions }) => actions);
  const { approved, stale } =
    saved === undefined ? { approved: planned, stale: [] } : holdAgainst(saved.actions, planned);
  if (saved === undefined) await printPlan(view, context);
  const breakGlass = breakGlassOf(options);
  await printBreakGlass(view, { approved, request: breakGlass }, context);
  const text = saved === undefined && !options.yes ? question(approved, view, options) : undefined;
  if (text !== undefined && !(await askYes(terminal, { text, flag: '--yes' }, signal))) throw declined;
  const approval: ApplyApproval = {
    actions: approved,
    lockTimeoutMs: options.lockTimeout,
    ...(options.commit === undefined ? {} : { pin: reasonOf(options) }),
    ...(breakGlass === undefined ? {} : { breakGlass }),
    ...allowanceIn(options),
  };
  const outcome = await carryOut(view, approval, context);
  const refused = saved === undefined ? withheldIn(view.plans) : stale.map(withReason(withheldIn(view.plans)));
  const result = onlySaved(applyResultOf(approved, refused, outcome), saved);
  printOutcome(result, { ...outcome, looserGuards: view.bound.looserGuards }, options, context);
  return exitOf(result);
}

type ToldOutcome = ApplyOutcome & Pick<PlanBound, 'looserGuards'>;

function printOutcome(result: ApplyResult, outcome: ToldOutcome, options: Options, { terminal }: Context): void {
  const { brokenGlass, looserGuards } = outcome;
  if (options.json)
    printJson(terminal, { ...outcomeJson(result, outcome.generation), looserGuards, breakGlass: brokenGlass });
  else {
    printText(terminal, ...outcomeText(result, outcome.generation, paintFor(terminal.out)));
    const request = breakGlassOf(options);
    if (brokenGlass !== undefined && request !== undefined)
      terminal.out.write(`${brokenGlassText(brokenGlass, request)}\n`);
    if (options.commit !== undefined) terminal.out.write(`${pinned}\n`);
  }
}

const pinned = '  Pinned: no other specs become active until: setpoint unpin --reason "…"';

/** Undefined where there is nothing to agree to. Going back is something even where the clouds stand so already. */
function question(
  actions: readonly Action[],
  { estate }: ObservedEstate<Store>,
  { commit }: Options,
): string | undefined {
  const something = actions.some(({ verb: does }) => does !== 'forget');
  const deleted = deletedText(actions);
  const deletes = deleted === undefined ? '' : `, and delete ${deleted} now`;
  if (commit !== undefined)
    return `${something ? 'Apply these changes to' : 'Change nothing on the clouds of'} ${estate.name}${deletes}, and pin it at commit ${commit} until \`setpoint unpin\`?`;
  return something ? `Apply these changes to ${estate.name}${deletes}?` : undefined;
}

const declined = new UserError('Nothing was applied.', { why: "The answer was not 'yes'.", code: exitCodes.refused });

/** Other open work does not matter to a saved plan. */
function onlySaved(result: ApplyResult, saved: Approved | undefined): ApplyResult {
  if (saved === undefined) return result;
  const asked = new Set(saved.actions.map(({ address }) => address));
  return { ...result, open: result.open.filter((found) => 'address' in found && asked.has(found.address)) };
}

/** On stderr: the first line of stdout is the verdict of the outcome. */
async function printPlan(view: ObservedEstate, { terminal, clock }: Context): Promise<void> {
  const { plans, bound } = view;
  const paint = paintFor(terminal.err);
  const ago = agoFrom(clock.now());
  const { revision, auditLogs, cost } = bound;
  const text = planText(plans, { revision, paint, ago, auditLogs, cost });
  terminal.err.write(`${text}\n`);
  const { effect, violations } = await planMeaning(view, { tellsEffect: true });
  const sections = [effect && effectText(effectJson(effect), paint), policiesText(violations, paint)];
  for (const text of [...sections, looserGuardsText(bound.looserGuards, { paint, hint: looserGuardsHint })])
    if (text !== undefined) terminal.err.write(`\n${text}\n`);
}

/** The actions that the plan itself withholds: by a limit, `protect`, or a mode. */
const withheldIn = (plans: readonly ScopePlan[]): readonly Stale[] =>
  plans.flatMap(({ findings }) =>
    findings.flatMap((found) =>
      isRefusal(found) ? [{ address: found.address, verb: found.action, why: found.why }] : [],
    ),
  );

/** Adds the reason to the actions of a saved plan that are held by now. */
const withReason =
  (refused: readonly Stale[]) =>
  (stale: Stale): Stale =>
    refused.find(({ address, verb: does }) => address === stale.address && does === stale.verb) ?? stale;

/** The specs of a commit that were active once: the store keeps them. */
async function readEstateAt(
  commit: string,
  { dir: folder, activeOf: estate }: Options,
  selection: EstateSelection,
  context: Context,
): Promise<LocalEstate> {
  refuseNoCommit(commit);
  const tree = await pastSpecs(commit, { folder, estate }, context);
  refuseInvalid(tree, selection.dir);
  return compileEstate(tree, selection, context);
}

const shortest = 7;

function refuseNoCommit(commit: string): void {
  if (/^[0-9a-f]{7,40}$/i.test(commit)) return;
  throw new UserError(`${JSON.stringify(commit)} is not a commit.`, {
    next: `Name it by ${shortest} to 40 hexadecimal digits, as \`setpoint status\` and \`git log\` show it.`,
  });
}
