import { type Command, InvalidArgumentError } from 'commander';
import { printable } from '../../core/text.ts';
import type { Withdrawn } from '../../ports/queries.ts';
import { withdrawApproval } from '../../queries/approvals.ts';
import { withdrawOnServer } from '../api-client/approvals.ts';
import { renderAnswer } from '../api-client/client.ts';
import {
  apiClientFor,
  type ServerEstateOption,
  type ServerSupport,
  withServerEstateOption,
} from '../api-client/server-option.ts';
import type { Context } from '../context.ts';
import { type ExitCode, exitCodes, UserError } from '../errors.ts';
import { readEstate } from '../local/estate.ts';
import { localUser } from '../local/ledger-access.ts';
import { withExistingStore } from '../local/store.ts';
import { defineCommand, type OverlayOption, overlayOf, parseReason, withOverlayOption } from '../options.ts';
import { approvalsJson } from '../output/approval-text.ts';
import { callsInFlightText, count } from '../output/format.ts';
import { printJson, printText, sortKeys } from '../output/print.ts';

interface Options extends OverlayOption, ServerEstateOption {
  readonly reason: string;
  readonly json?: boolean;
  /** The store's folder. */
  readonly dir: string;
}

export const withdraw = (context: Context): Command =>
  withServerEstateOption(
    withOverlayOption(
      defineCommand('withdraw', {
        group: 'Steer',
        summary: 'withdraw an approval',
        about:
          'Name its ledger entry; `approve` and `status` print it. After the answer, Setpoint sends no call that only this approval\nallows; the answer counts the calls that are still in flight.',
        examples: [['withdraw 4711 --reason "the image is broken"', 'withdraw the approval of ledger entry 4711']],
      })
        .argument('<entry>', 'ledger entry of the approval', parseEntry)
        .argument('[dir]', 'folder of specs', 'specs'),
    ),
  )
    .requiredOption(
      '--reason <text>',
      'the reason; others read it, and Setpoint writes it into the ledger',
      parseReason,
    )
    .option('--json', 'one JSON object on stdout')
    .action(async (entry: number, dir: string, _options: Options, command: Command) => {
      context.finish(await run({ entry, dir }, command, context));
    });

const serverSupport: ServerSupport = { localOptions: ['overlay'], serverOptions: ['estate'], takesDir: false };

function parseEntry(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('Write the number of its entry in the ledger.');
  return Number(text);
}

async function run(
  { entry: seq, dir }: { readonly entry: number; readonly dir: string },
  command: Command,
  context: Context,
): Promise<ExitCode> {
  const options = command.optsWithGlobals<Options>();
  const { estate: named, reason } = options;
  const server = await apiClientFor(command, serverSupport, context);
  if (server !== undefined) {
    const withdrawn = await withdrawOnServer(server, { estate: named, seq, reason });
    const { approval, inFlight: onTheWay } = withdrawn;
    return renderAnswer(server, () => print({ approval, onTheWay }, options, context));
  }
  const { name } = await readEstate({ dir, targets: [], allowEndpoint: true, ...overlayOf(options) }, context);
  return withExistingStore(options.dir, context, async (store) => {
    const withdrawn = await withdrawApproval(name, { seq, by: { person: localUser(), reason } }, store);
    if (withdrawn !== undefined) return print(withdrawn, options, context);
    throw new UserError(`Ledger entry ${seq} is not an active approval of ${printable(name)}.`, {
      next: 'List the active ones: setpoint status',
    });
  });
}

function print({ approval, onTheWay }: Withdrawn, { json }: Options, { terminal }: Context): ExitCode {
  if (json) printJson(terminal, sortKeys({ ...approvalsJson([approval]), inFlight: onTheWay }));
  else {
    const { seq, actions, scope, by } = approval;
    const changes = count(actions.length, 'change');
    printText(
      terminal,
      printable(`Withdrawn: the approval of ${changes} of ${scope} by ${by.person} (ledger entry ${seq})`),
      callsInFlightText(onTheWay),
    );
  }
  return exitCodes.done;
}
