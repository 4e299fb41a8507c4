import type { Command } from 'commander';
import type { WhoReport } from '../../core/inventory/authors.ts';
import { whoJson, whoText } from '../../core/render/who.ts';
import { whoOf } from '../../queries/who.ts';
import { renderAnswer } from '../api-client/client.ts';
import {
  apiClientFor,
  type ServerEstateOption,
  type ServerSupport,
  withServerEstateOption,
} from '../api-client/server-option.ts';
import { fetchWho } from '../api-client/who.ts';
import type { Context } from '../context.ts';
import { type ExitCode, exitCodes } from '../errors.ts';
import { findAddress, readEstate } from '../local/estate.ts';
import { withObservedEstate } from '../local/observe.ts';
import { withExistingStore } from '../local/store.ts';
import { defineCommand, type EstateOptions, selectionOf, withSpecsOption } from '../options.ts';
import { agoFrom } from '../output/format.ts';
import { paintFor, printJson, sortKeys } from '../output/print.ts';

interface Options extends EstateOptions, ServerEstateOption {
  readonly specs: string;
  readonly json?: boolean;
}

export const who = (context: Context): Command =>
  withServerEstateOption(
    withSpecsOption(
      defineCommand('who', {
        group: 'Look',
        summary: 'show who changed a resource or opened a port, when, and by which call',
        about:
          "Names the actor of the last change that the cloud's audit log reported, and Setpoint's own changes with their commit, its authors, the approver and request ids, the newest first. Setpoint hears of changes by webhooks: see docs/events.md. For a port it lists every observed rule that opens it, unmanaged rules too.",
        examples: [
          ['who 22/tcp', 'every rule that opens the port, and its author'],
          ['who web-0', 'a resource by its name'],
          ['who sg-0abc', 'an object by its cloud id, also an unmanaged one'],
        ],
      }).argument('<address|port>', 'address or id of the resource, or a port such as 22 or 22/tcp'),
    ),
  )
    .option('--json', 'one JSON object on stdout')
    .action(async (given: string, _options: Options, command: Command) => {
      context.finish(await run(given, command, context));
    });

const serverSupport: ServerSupport = {
  localOptions: ['specs', 'target', 'allowEndpoint', 'overlay'],
  serverOptions: ['estate'],
  takesDir: false,
};

async function run(given: string, command: Command, context: Context): Promise<ExitCode> {
  const options = command.optsWithGlobals<Options>();
  const server = await apiClientFor(command, serverSupport, context);
  if (server !== undefined) {
    const found = await fetchWho(server, given, options);
    return renderAnswer(server, () => print(found, options, context));
  }
  const estate = await readEstate(selectionOf(options.specs, options), context);
  const report = await withExistingStore(options.dir, context, (store) =>
    withObservedEstate({ estate, store }, context, (view) =>
      whoOf(given, view, { entries: store.entryPages, authors: store.authors, findAddress }),
    ),
  );
  return print(report, options, context);
}

/** A port about which a listing failed has no certain answer. */
function print(report: WhoReport, { json }: Options, { terminal, clock }: Context): ExitCode {
  if (json) printJson(terminal, sortKeys(whoJson(report)));
  else terminal.out.write(whoText(report, { paint: paintFor(terminal.out), ago: agoFrom(clock.now()) }));
  return report.incomplete.length > 0 ? exitCodes.error : exitCodes.done;
}
