import { type Command, Option } from 'commander';
import type { Action, ScopePlan } from '../../core/action.ts';
import { type Allowance, allowanceIn } from '../../core/limits.ts';
import { planText } from '../../core/render/plan-text.ts';
import { holdAgainst, type Stale } from '../../estate/approvals.ts';
import type { Store } from '../../ports/store.ts';
import type { Estate } from '../../queries/estate-view.ts';
import { Complaint } from '../complaint.ts';
import type { Context } from '../context.ts';
import { withAllowances } from '../estate/allowances.ts';
import { type Approval, apply as carryOut } from '../estate/apply.ts';
import { readEstate } from '../estate/estate.ts';
import { withOwnStore } from '../estate/opened-store.ts';
import { choiceOf, type EstateOptions, withEstateOptions } from '../estate/options.ts';
import { overlayOf } from '../estate/overlay-option.ts';
import { houseAt } from '../estate/rollback.ts';
import { type Approved, readPlan } from '../estate/saved-plan.ts';
import { type Survey, withSurvey } from '../estate/survey.ts';
import { type ExitCode, exitCodes } from '../exit-code.ts';
import { agoFrom } from '../output/ago.ts';
import { parseDuration } from '../output/duration.ts';
import { emitJson, emitText } from '../output/emit.ts';
import { exitOf, isRefusal, type Result, resultOf } from '../output/outcome.ts';
import { outcomeJson, outcomeText } from '../output/outcome-text.ts';
import { paintFor } from '../output/paint.ts';
import { planPaintFor } from '../output/plan-paint.ts';
import { parseReason } from '../output/reason.ts';
import { askYes } from '../prompt/ask.ts';
import { verb } from '../verb.ts';

interface RollbackOptions {
  readonly commit?: string;
  readonly reason?: string;
  readonly inForceOf?: string;
}

interface Options extends EstateOptions, RollbackOptions, Allowance {
  readonly yes?: boolean;
  readonly plan?: string;
  readonly lockTimeout: number;
  readonly json?: boolean;
}

export const apply = (context: Context): Command =>
  withAllowances(
    withEstateOptions(
      verb('apply', {
        group: 'Change',
        summary: 'make the clouds as the specs say, after showing the plan and asking',
        about:
          'Every change is written to the ledger before and after it is made. Ctrl-C ends within a second and says what was\ndone; running it again goes on from there.',
        examples: [
          ['apply', 'plan, ask, apply'],
          ['apply --plan next.plan', 'what `plan --out next.plan` showed, and nothing else'],
          ['apply --yes --lock-timeout 5m', 'for CI: no question, and wait for others'],
          ['apply --commit 1a2b3c4 --reason "#815 broke web"', 'go back to it, and stay until `unpin`'],
        ],
      }),
    )
      .option('--yes', 'do not ask')
      .option('--plan <file>', 'apply a plan that was kept with `plan --out`'),
    (subject) => `let so many ${subject} pass, whatever the limits`,
  )
    .option('--lock-timeout <duration>', 'wait so long for somebody who is changing the same scope', parseDuration, 0)
    .option('--commit <sha>', 'go back to a commit, and hold the estate there until `unpin`; needs --reason')
    .addOption(
      new Option('--reason <text>', 'with --commit: why; it is written into the ledger').argParser(parseReason),
    )
    .option('--json', 'one JSON object on stdout')
    .action(async (dir: string, _options: Options, command: Command) => {
      context.finish(await run(dir, command.optsWithGlobals<Options>(), context));
    });

function reasonOf({ reason }: Options): string {
  if (reason !== undefined) return reason;
  throw new Complaint('Going back to a commit needs a reason.', {
    why: 'The estate is held there, and others will ask why nothing is followed.',
    next: 'Say why: --reason "…"',
  });
}

async function run(dir: string, options: Options, context: Context): Promise<ExitCode> {
  if (options.commit !== undefined) reasonOf(options);
  const saved = options.plan === undefined ? undefined : await readPlan(options.plan);
  const target = options.target.length > 0 ? options.target : (saved?.targets ?? []);
  const overlay = overlayOf({ overlay: options.overlay ?? saved?.overlay });
  const house = options.commit === undefined ? context.house : houseAt(options.commit, options, context);
  const estate = await readEstate(choiceOf(dir, { ...options, target, ...overlay }), { ...context, house });
  if (saved !== undefined && saved.estate !== estate.name) throw otherEstate(saved, estate);
  const grant = allowanceIn(options);
  return withOwnStore(options.dir, context, (store) =>
    withSurvey({ estate, store, grant }, context, (survey) =>
      approve({ ...survey, store }, { options, saved }, context),
    ),
  );
}

const otherEstate = (saved: Approved, estate: Estate): Complaint =>
  new Complaint(`The plan is of the estate ${saved.estate}; ${estate.dir} holds ${estate.name}.`, {
    next: 'Name the folder of the specs that the plan was made from.',
    code: exitCodes.refused,
  });

type OwnSurvey = Survey & { readonly store: Store };

interface Wish {
  readonly options: Options;
  readonly saved: Approved | undefined;
}

async function approve(survey: OwnSurvey, { options, saved }: Wish, context: Context): Promise<ExitCode> {
  const { terminal, stop } = context;
  const planned = survey.plans.flatMap(({ actions }) => actions);
  const { approved, stale } =
    saved === undefined ? { approved: planned, stale: [] } : holdAgainst(saved.actions, planned);
  if (saved === undefined) show(survey, context);
  const text = saved === undefined && !options.yes ? question(approved, survey, options) : undefined;
  if (text !== undefined && !(await askYes(terminal, { text, flag: '--yes' }, stop))) throw declined;
  const approval: Approval = {
    actions: approved,
    lockTimeoutMs: options.lockTimeout,
    ...(options.commit === undefined ? {} : { pin: reasonOf(options) }),
    ...allowanceIn(options),
  };
  const outcome = await carryOut(survey, approval, context);
  const refused = saved === undefined ? held(survey.plans) : stale.map(toldBy(held(survey.plans)));
  const result = only(resultOf(approved, refused, outcome), saved);
  if (options.json) emitJson(terminal, outcomeJson(result, outcome.generation));
  else {
    emitText(terminal, ...outcomeText(result, outcome.generation, paintFor(terminal.out)));
    if (options.commit !== undefined) terminal.out.write(`${pinned}\n`);
  }
  return exitOf(result);
}

const pinned = '  Pinned: nothing else comes into force until: setpoint unpin --reason "…"';

/** Undefined where there is nothing to agree to. Going back is something even where the clouds stand so already. */
function question(actions: readonly Action[], { estate }: OwnSurvey, { commit }: Options): string | undefined {
  const something = actions.some(({ verb: does }) => does !== 'forget');
  if (commit !== undefined)
    return `${something ? 'Apply these changes to' : 'Change nothing on the clouds of'} ${estate.name}, and hold it at commit ${commit} until \`setpoint unpin\`?`;
  return something ? `Apply these changes to ${estate.name}?` : undefined;
}

const declined = new Complaint('Nothing was applied.', { why: "The answer was not 'yes'.", code: exitCodes.refused });

/** What else is open does not matter to a plan that was kept. */
function only(result: Result, saved: Approved | undefined): Result {
  if (saved === undefined) return result;
  const asked = new Set(saved.actions.map(({ address }) => address));
  return { ...result, open: result.open.filter((found) => 'address' in found && asked.has(found.address)) };
}

/** On stderr: stdout's first line is the verdict of what came of it. */
function show({ plans, bound }: Survey, { terminal, clock }: Context): void {
  const paint = planPaintFor(terminal.err);
  terminal.err.write(`${planText(plans, { revision: bound.revision, paint, ago: agoFrom(clock.now()) })}\n`);
}

/** What the plan itself withholds: a limit, `protect`, or a mode. */
const held = (plans: readonly ScopePlan[]): readonly Stale[] =>
  plans.flatMap(({ findings }) =>
    findings.flatMap((found) =>
      isRefusal(found) ? [{ address: found.address, verb: found.action, why: found.why }] : [],
    ),
  );

/** What a plan that was kept can no longer do because it is held by now is told with the reason for that. */
const toldBy =
  (refused: readonly Stale[]) =>
  (stale: Stale): Stale =>
    refused.find(({ address, verb: does }) => address === stale.address && does === stale.verb) ?? stale;
