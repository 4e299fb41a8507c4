import type { Command } from 'commander';
import { planText } from '../../core/render/plan-text.ts';
import { summarise } from '../../core/render/summary.ts';
import { driftOf } from '../../queries/drift.ts';
import { renderAnswer } from '../api-client/client.ts';
import { fetchDrift, type PlanReport } from '../api-client/plans.ts';
import {
  apiClientFor,
  type ServerEstateOption,
  type ServerSupport,
  withServerEstateOption,
} from '../api-client/server-option.ts';
import type { Context } from '../context.ts';
import { type ExitCode, exitCodes } from '../errors.ts';
import { readEstate } from '../local/estate.ts';
import { withObservedEstate } from '../local/observe.ts';
import { withExistingStore } from '../local/store.ts';
import {
  type Complete,
  completeFor,
  defineCommand,
  type EstateOptions,
  selectionOf,
  withEstateOptions,
} from '../options.ts';
import { agoFrom, count } from '../output/format.ts';
import { incompleteExitCode, sortedPlanJson } from '../output/plan.ts';
import { paintFor, printJson, printText, printWithheld } from '../output/print.ts';

interface Options extends EstateOptions, ServerEstateOption {
  readonly json?: boolean;
  readonly detailedExitcode?: boolean;
}

export const drift = (context: Context): Command =>
  withServerEstateOption(
    withEstateOptions(
      defineCommand('drift', {
        group: 'Look',
        summary: 'show changes on the clouds that no spec caused',
        about:
          'A difference is drift if the cloud changed since the last apply. `plan` shows the differences that the specs caused.',
        examples: [
          ['drift --detailed-exitcode', 'for a nightly job: exit 2 if something drifted'],
          ['drift --server last', 'as the server of the last login observed it'],
        ],
      }),
    ),
  )
    .option('--json', 'one JSON object on stdout')
    .option('--detailed-exitcode', 'exit 2 if something drifted')
    .action(async (dir: string, _options: Options, command: Command) => {
      context.finish(await run(dir, command, context));
    });

const serverSupport: ServerSupport = {
  localOptions: ['allowEndpoint', 'overlay'],
  serverOptions: ['estate'],
  takesDir: false,
};

async function run(dir: string, command: Command, context: Context): Promise<ExitCode> {
  const options = command.optsWithGlobals<Options>();
  const server = await apiClientFor(command, serverSupport, context);
  if (server !== undefined) {
    const report = await fetchDrift(server, options, context);
    return renderAnswer(server, () => print(report, options, context));
  }
  const estate = await readEstate(selectionOf(dir, options), context);
  return withExistingStore(options.dir, context, (store) =>
    withObservedEstate({ estate, store }, context, async (view) =>
      print(
        { bound: view.bound, plans: await driftOf(view) },
        { ...options, complete: completeFor(dir, options) },
        context,
      ),
    ),
  );
}

/** `plans`: of the drift alone. `complete`: absent for the answer of a server, as a command here would read another store. */
function print(
  { bound, plans: drifted }: PlanReport,
  options: Options & { readonly complete?: Complete },
  { terminal, clock }: Context,
): ExitCode {
  const n = summarise(drifted).drifted;
  const unseen = drifted.flatMap(({ findings }) => findings).filter(({ type }) => type === 'incomplete').length;
  if (options.json) printJson(terminal, sortedPlanJson(drifted, bound));
  else {
    const parts = [
      `Drift: ${n === 0 ? 'none' : count(n, 'change')}`,
      ...(unseen > 0 ? [`${count(unseen, 'listing')} incomplete`] : []),
    ];
    const how = { paint: paintFor(terminal.out), ago: agoFrom(clock.now()), auditLogs: bound.auditLogs };
    const body = planText(drifted, { revision: bound.revision, ...how })
      .split('\n')
      .slice(1);
    printWithheld(terminal, bound.withheldDrift, options.complete);
    printText(terminal, paintFor(terminal.out)(n + unseen === 0 ? 'good' : 'warn', parts.join(' · ')), body.join('\n'));
  }
  const cannotTell = incompleteExitCode(drifted);
  if (cannotTell !== undefined) return cannotTell;
  return options.detailedExitcode && n > 0 ? exitCodes.changes : exitCodes.done;
}
