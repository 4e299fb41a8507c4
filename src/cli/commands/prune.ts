import type { Command } from 'commander';
import type { Finding } from '../../core/action.ts';
import { type Ownership, ownership } from '../../core/inventory/ownership.ts';
import type { Allowance } from '../../core/limits.ts';
import { planText } from '../../core/render/plan-text.ts';
import type { Address } from '../../core/resource.ts';
import type { Store } from '../../ports/store.ts';
import type { Context } from '../context.ts';
import { type ExitCode, exitCodes, UserError } from '../errors.ts';
import { apply } from '../local/apply.ts';
import { readEstate } from '../local/estate.ts';
import { type ObservedEstate, type PlanGrant, withObservedEstate } from '../local/observe.ts';
import { withCreatedStore } from '../local/store.ts';
import {
  defineCommand,
  type EstateOptions,
  integerBetween,
  parseDuration,
  parseReason,
  selectionOf,
  withSpecsOption,
} from '../options.ts';
import { breakGlassOf, brokenGlassText, liftsIn, printBreakGlass } from '../output/break-glass.ts';
import { count } from '../output/format.ts';
import {
  applyResultOf,
  exitOf,
  outcomeJson,
  outcomeText,
  type RefusedChange,
  type Withheld,
} from '../output/outcome.ts';
import { paintFor, printJson, printText } from '../output/print.ts';
import { table } from '../output/table.ts';
import { askYes } from '../prompt.ts';

interface Options extends EstateOptions {
  readonly specs: string;
  readonly all?: boolean;
  readonly yes?: boolean;
  readonly allowDeletes?: number;
  readonly withoutApprovals?: boolean;
  readonly reason?: string;
  readonly lockTimeout: number;
  readonly json?: boolean;
}

export const prune = (context: Context): Command =>
  withSpecsOption(
    defineCommand('prune', {
      group: 'Own',
      summary: 'list orphans, and delete those that you choose',
      about:
        'An orphan is a resource of this estate that no document wants. Without an address this only lists them. Limits and `protect` count as for apply.',
      examples: [
        ['prune', 'list the orphans'],
        ['prune aws/1111/eu-west-1/network/old', 'delete this one, after asking'],
        ['prune instance/db-0 --without-approvals --reason "#4711"', 'without the approvals of others'],
      ],
    }).argument('[address...]', 'orphans to delete'),
  )
    .option('--all', 'delete every orphan')
    .option('--yes', 'do not ask')
    .option('--allow-deletes <n>', 'allow this many deletes, regardless of limits', integerBetween(0, 1_000_000))
    .option(
      '--lock-timeout <duration>',
      'wait this long for another process that holds the same scope',
      parseDuration,
      0,
    )
    .option(
      '--without-approvals',
      'without the approvals of other people that a lifted `protect` or a policy asks for; needs --reason',
    )
    .option('--reason <text>', 'with --without-approvals: the reason; Setpoint writes it into the ledger', parseReason)
    .option('--json', 'one JSON object on stdout')
    .action(async (addresses: readonly string[], _options: Options, command: Command) => {
      context.finish(await run(addresses, command.optsWithGlobals<Options>(), context));
    });

async function run(addresses: readonly string[], options: Options, context: Context): Promise<ExitCode> {
  const breakGlass = breakGlassOf(options);
  const estate = await readEstate(selectionOf(options.specs, options), context);
  return withCreatedStore(options.dir, context, async (store) => {
    const orphans = await withObservedEstate({ estate, store }, context, async (view) => orphansIn(view));
    if (addresses.length === 0 && !options.all) return list(orphans, options, context);
    const chosen = choose(addresses, orphans, options);
    if (chosen.size === 0) return list(orphans, options, context);
    const grant: PlanGrant = {
      prune: chosen,
      removals: 'at-once',
      allowDeletes: options.allowDeletes,
      ...liftsIn(breakGlass),
    };
    return withObservedEstate({ estate, store, grant }, context, (view) => remove(chosen, view, options, context));
  });
}

const orphansIn = ({ looked, plans }: ObservedEstate): readonly Ownership[] =>
  looked
    .flatMap(({ input }, i) => ownership(input, plans[i] ?? { scope: '', actions: [], findings: [], calls: none }))
    .filter(({ claim }) => claim === 'orphan');

const none = { observed: 0, predicted: 0 };

function list(orphans: readonly Ownership[], { json }: Options, { terminal }: Context): ExitCode {
  const rows = orphans.map(({ observed, address = '' }) => [address, observed.id]);
  if (json) printJson(terminal, { orphans: rows.map(([address, id]) => ({ address, id })) });
  else {
    const lines = table(['ADDRESS', 'ID'], rows, terminal.out.width);
    printText(terminal, `Orphans: ${orphans.length === 0 ? 'none' : orphans.length}`, lines);
  }
  return exitCodes.done;
}

function choose(addresses: readonly string[], orphans: readonly Ownership[], { all }: Options): ReadonlySet<string> {
  const known = new Set(orphans.flatMap(({ address }) => address ?? []));
  if (all) return known;
  const unknown = addresses.filter((address) => !known.has(address));
  if (unknown.length === 0) return new Set(addresses);
  throw new UserError(`${unknown.join(', ')} is not an orphan.`, {
    why: 'Only resources of this estate that no document wants can be pruned.',
    next: 'List the orphans with: setpoint prune',
    code: exitCodes.refused,
  });
}

async function remove(
  chosen: ReadonlySet<Address>,
  view: ObservedEstate<Store>,
  options: Options,
  context: Context,
): Promise<ExitCode> {
  const { terminal, signal } = context;
  const plans = view.plans.map((plan) => ({
    ...plan,
    actions: plan.actions.filter((action) => action.verb === 'delete' && action.because === 'pruned'),
    findings: plan.findings.filter(isKept(chosen)),
  }));
  const approved = plans.flatMap(({ actions }) => actions);
  const paint = paintFor(terminal.err);
  const shown = planText(plans, { revision: view.bound.revision, paint });
  terminal.err.write(`${shown}\n`);
  const request = breakGlassOf(options);
  await printBreakGlass(view, { approved, request }, context);
  if (approved.length > 0 && !options.yes) {
    const machines = approved.filter(({ kind }) => kind === 'instance').length;
    const lost = machines === 0 ? '' : `, ${count(machines, 'machine')} with the data on disks`;
    const text = `Delete ${count(approved.length, 'orphan')} now${lost}?`;
    if (!(await askYes(terminal, { text, flag: '--yes' }, signal)))
      throw new UserError('Nothing was deleted.', { why: "The answer was not 'yes'.", code: exitCodes.refused });
  }
  const outcome = await apply(
    view,
    {
      ...{ actions: approved, lockTimeoutMs: options.lockTimeout, ...limits(options) },
      ...(request === undefined ? {} : { breakGlass: request }),
    },
    context,
  );
  const kept = plans.flatMap(({ findings }) => findings);
  const result = applyResultOf(approved, kept.map(refusalOf), outcome);
  const { generation, brokenGlass } = outcome;
  if (options.json) printJson(terminal, { ...outcomeJson(result, generation), breakGlass: brokenGlass });
  else {
    printText(terminal, ...outcomeText(result, generation, paintFor(terminal.out)));
    if (brokenGlass !== undefined && request !== undefined)
      terminal.out.write(`${brokenGlassText(brokenGlass, request)}\n`);
  }
  return exitOf(result);
}

/**
 * Any guard that keeps it, a limit, `protect` or a resource that needs it: the person who chose to delete it must see that it
 * stays.
 */
const isKept =
  (chosen: ReadonlySet<Address>) =>
  (found: Finding): found is Withheld =>
    found.type === 'withheld' && found.action === 'delete' && chosen.has(found.address);

const refusalOf = ({ address, kind, action, why }: Withheld): RefusedChange => ({
  address,
  verb: action,
  kind,
  why,
  chosen: true,
});

const limits = ({ allowDeletes }: Options): Allowance => (allowDeletes === undefined ? {} : { allowDeletes });
