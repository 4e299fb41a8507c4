import type { Command } from 'commander';
import type { Finding } from '../../core/action.ts';
import { type Ownership, ownership } from '../../core/inventory/ownership.ts';
import type { Allowance } from '../../core/limits.ts';
import { planText } from '../../core/render/plan-text.ts';
import type { Address } from '../../core/resource.ts';
import type { Store } from '../../ports/store.ts';
import { Complaint } from '../complaint.ts';
import type { Context } from '../context.ts';
import { apply } from '../estate/apply.ts';
import { readEstate } from '../estate/estate.ts';
import { withOwnStore } from '../estate/opened-store.ts';
import { choiceOf, type EstateOptions, withSpecsOption } from '../estate/options.ts';
import { type Grant, type Survey, withSurvey } from '../estate/survey.ts';
import { type ExitCode, exitCodes } from '../exit-code.ts';
import { count } from '../output/count.ts';
import { parseDuration } from '../output/duration.ts';
import { emitJson, emitText } from '../output/emit.ts';
import { whole } from '../output/number.ts';
import { exitOf, type Refused, resultOf, type Withheld } from '../output/outcome.ts';
import { outcomeJson, outcomeText } from '../output/outcome-text.ts';
import { paintFor } from '../output/paint.ts';
import { planPaintFor } from '../output/plan-paint.ts';
import { table } from '../output/table.ts';
import { askYes } from '../prompt/ask.ts';
import { verb } from '../verb.ts';

interface Options extends EstateOptions {
  readonly specs: string;
  readonly all?: boolean;
  readonly yes?: boolean;
  readonly allowDeletes?: number;
  readonly lockTimeout: number;
  readonly json?: boolean;
}

export const prune = (context: Context): Command =>
  withSpecsOption(
    verb('prune', {
      group: 'Own',
      summary: 'list what is ours and no document wants any more; delete what you choose',
      about: 'Without an address it only lists. Limits and `protect` hold as for apply.',
      examples: [
        ['prune', 'list the orphans'],
        ['prune aws/1111/eu-west-1/network/old', 'delete this one, after asking'],
      ],
    }).argument('[address...]', 'orphans to delete'),
  )
    .option('--all', 'delete every orphan')
    .option('--yes', 'do not ask')
    .option('--allow-deletes <n>', 'let so many deletes pass, whatever the limits', whole(0, 1_000_000))
    .option('--lock-timeout <duration>', 'wait so long for somebody who is changing the same scope', parseDuration, 0)
    .option('--json', 'one JSON object on stdout')
    .action(async (addresses: readonly string[], _options: Options, command: Command) => {
      context.finish(await run(addresses, command.optsWithGlobals<Options>(), context));
    });

type OwnSurvey = Survey & { readonly store: Store; readonly chosen: ReadonlySet<Address> };

async function run(addresses: readonly string[], options: Options, context: Context): Promise<ExitCode> {
  const estate = await readEstate(choiceOf(options.specs, options), context);
  return withOwnStore(options.dir, context, async (store) => {
    const orphans = await withSurvey({ estate, store }, context, async (survey) => orphansIn(survey));
    if (addresses.length === 0 && !options.all) return list(orphans, options, context);
    const chosen = choose(addresses, orphans, options);
    if (chosen.size === 0) return list(orphans, options, context);
    const grant: Grant = {
      prune: chosen,
      ...(options.allowDeletes === undefined ? {} : { allowDeletes: options.allowDeletes }),
    };
    return withSurvey({ estate, store, grant }, context, (survey) =>
      remove({ ...survey, store, chosen }, options, context),
    );
  });
}

const orphansIn = ({ looked, plans }: Survey): readonly Ownership[] =>
  looked
    .flatMap(({ input }, i) => ownership(input, plans[i] ?? { scope: '', actions: [], findings: [], calls: none }))
    .filter(({ claim }) => claim === 'orphan');

const none = { observed: 0, predicted: 0 };

function list(orphans: readonly Ownership[], { json }: Options, { terminal }: Context): ExitCode {
  const rows = orphans.map(({ observed, address = '' }) => [address, observed.id]);
  if (json) emitJson(terminal, { orphans: rows.map(([address, id]) => ({ address, id })) });
  else {
    const lines = table(['ADDRESS', 'ID'], rows, terminal.out.width);
    emitText(terminal, `Orphans: ${orphans.length === 0 ? 'none' : orphans.length}`, lines);
  }
  return exitCodes.done;
}

function choose(addresses: readonly string[], orphans: readonly Ownership[], { all }: Options): ReadonlySet<string> {
  const known = new Set(orphans.flatMap(({ address }) => address ?? []));
  if (all) return known;
  const unknown = addresses.filter((address) => !known.has(address));
  if (unknown.length === 0) return new Set(addresses);
  throw new Complaint(`${unknown.join(', ')} is no orphan.`, {
    why: 'Only what is ours and no document wants can be pruned.',
    next: 'List the orphans with: setpoint prune',
    code: exitCodes.refused,
  });
}

async function remove(survey: OwnSurvey, options: Options, context: Context): Promise<ExitCode> {
  const { terminal, stop } = context;
  const plans = survey.plans.map((plan) => ({
    ...plan,
    actions: plan.actions.filter((action) => action.verb === 'delete' && action.because === 'pruned'),
    findings: plan.findings.filter(isKept(survey.chosen)),
  }));
  const approved = plans.flatMap(({ actions }) => actions);
  const shown = planText(plans, { revision: survey.bound.revision, paint: planPaintFor(terminal.err) });
  terminal.err.write(`${shown}\n`);
  if (approved.length > 0 && !options.yes) {
    const text = `Delete ${count(approved.length, 'orphan')}?`;
    if (!(await askYes(terminal, { text, flag: '--yes' }, stop)))
      throw new Complaint('Nothing was deleted.', { why: "The answer was not 'yes'.", code: exitCodes.refused });
  }
  const outcome = await apply(
    survey,
    { actions: approved, lockTimeoutMs: options.lockTimeout, ...limits(options) },
    context,
  );
  const kept = plans.flatMap(({ findings }) => findings);
  const result = resultOf(approved, kept.map(refusalOf), outcome);
  if (options.json) emitJson(terminal, outcomeJson(result, outcome.generation));
  else emitText(terminal, ...outcomeText(result, outcome.generation, paintFor(terminal.out)));
  return exitOf(result);
}

/** Whatever keeps it, a limit, `protect` or what still needs it: who chose to delete it must hear that it stays. */
const isKept =
  (chosen: ReadonlySet<Address>) =>
  (found: Finding): found is Withheld =>
    found.type === 'withheld' && found.action === 'delete' && chosen.has(found.address);

const refusalOf = ({ address, kind, action, why }: Withheld): Refused => ({
  address,
  verb: action,
  kind,
  why,
  chosen: true,
});

const limits = ({ allowDeletes }: Options): Allowance => (allowDeletes === undefined ? {} : { allowDeletes });
