import { type Command, InvalidArgumentError } from 'commander';
import { printable } from '../../core/text.ts';
import type { Withdrawn } from '../../ports/queries.ts';
import { withdrawApproval } from '../../queries/approvals.ts';
import { Complaint } from '../complaint.ts';
import type { Context } from '../context.ts';
import { readEstate } from '../estate/estate.ts';
import { approver } from '../estate/leases.ts';
import { withGivenStore } from '../estate/opened-store.ts';
import { type OverlayOption, overlayOf, withOverlayOption } from '../estate/overlay-option.ts';
import { type ExitCode, exitCodes } from '../exit-code.ts';
import { approvalJson } from '../output/approval-text.ts';
import { count } from '../output/count.ts';
import { emitJson, emitText } from '../output/emit.ts';
import { inOrder } from '../output/in-order.ts';
import { onTheWayText } from '../output/on-the-way-text.ts';
import { parseReason } from '../output/reason.ts';
import { withdrawOn } from '../server/approvals.ts';
import { rendered } from '../server/client.ts';
import { type ServedEstateOption, type Sides, serverFor, withServedEstateOption } from '../server/option.ts';
import { verb } from '../verb.ts';

interface Options extends OverlayOption, ServedEstateOption {
  readonly reason: string;
  readonly json?: boolean;
  /** The store's folder. */
  readonly dir: string;
}

export const withdraw = (context: Context): Command =>
  withServedEstateOption(
    withOverlayOption(
      verb('withdraw', {
        group: 'Steer',
        summary: 'withdraw an approval',
        about:
          'Name it by its entry in the ledger: `approve` and `status` print it. Once the answer is there, no call that only this\napproval lets pass is sent any more; the answer counts the calls that are still on their way.',
        examples: [['withdraw 4711 --reason "the image is broken"', 'let nothing more pass by ledger entry 4711']],
      })
        .argument('<entry>', 'its entry in the ledger', parseEntry)
        .argument('[dir]', 'folder of specs', 'specs'),
    ),
  )
    .requiredOption('--reason <text>', 'why; others read it, and it is written into the ledger', parseReason)
    .option('--json', 'one JSON object on stdout')
    .action(async (entry: number, dir: string, _options: Options, command: Command) => {
      context.finish(await run({ entry, dir }, command, context));
    });

const sides: Sides = { here: ['overlay'], there: ['estate'], dir: false };

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
  const server = await serverFor(command, sides, context);
  if (server !== undefined) {
    const withdrawn = await withdrawOn(server, { estate: named, seq, reason });
    return rendered(server, () => tell(withdrawn, options, context));
  }
  const { name } = await readEstate({ dir, targets: [], allowEndpoint: true, ...overlayOf(options) }, context);
  return withGivenStore(options.dir, context, async (store) => {
    const withdrawn = await withdrawApproval(name, { seq, by: { person: approver(), reason } }, store);
    if (withdrawn !== undefined) return tell(withdrawn, options, context);
    throw new Complaint(`Ledger entry ${seq} is no approval of ${printable(name)} that is in force.`, {
      next: 'List those that are: setpoint status',
    });
  });
}

function tell({ approval, onTheWay }: Withdrawn, { json }: Options, { terminal }: Context): ExitCode {
  if (json) emitJson(terminal, inOrder({ ...approvalJson([approval]), onTheWay }));
  else {
    const { seq, actions, scope, by } = approval;
    const changes = count(actions.length, 'change');
    emitText(
      terminal,
      printable(`Withdrawn: the approval of ${changes} of ${scope} by ${by.person} (ledger entry ${seq})`),
      onTheWayText(onTheWay),
    );
  }
  return exitCodes.done;
}
