import type { Command } from 'commander';
import { printable } from '../../core/text.ts';
import { Declined, type ResourceNoteAnswers } from '../../ports/queries.ts';
import { resourceNotesOn } from '../../queries/resource-notes.ts';
import type { ApiClient } from '../api-client/client.ts';
import { apiClientFor, type ServerEstateOption, type ServerSupport } from '../api-client/server-option.ts';
import type { Context } from '../context.ts';
import { type ExitCode, exitCodes, UserError } from '../errors.ts';
import { type OverlayOption, overlayOf } from '../options.ts';
import { printJson, printText, sortKeys } from '../output/print.ts';
import { readEstate } from './estate.ts';
import { withExistingStore } from './store.ts';

/** Of `assign` and `comment`. */
export interface ResourceNoteOptions extends OverlayOption, ServerEstateOption {
  readonly json?: boolean;
  /** The store's folder. */
  readonly dir: string;
}

const serverSupport: ServerSupport = { localOptions: ['overlay'], serverOptions: ['estate'], takesDir: false };

/** The same request, to a server or to the store. */
interface Ways<T> {
  server(client: ApiClient): Promise<T>;
  local(notes: ResourceNoteAnswers, asked: Parameters<ResourceNoteAnswers['assign']>[0]): Promise<T>;
}

export async function sendResourceNote<T>(dir: string, command: Command, context: Context, ways: Ways<T>): Promise<T> {
  const options = command.optsWithGlobals<ResourceNoteOptions>();
  const server = await apiClientFor(command, serverSupport, context);
  if (server !== undefined) return ways.server(server);
  const { name } = await readEstate({ dir, targets: [], allowEndpoint: true, ...overlayOf(options) }, context);
  const everything = { estate: name, seen: [{}], mine: [{}] };
  return withExistingStore(options.dir, context, (store) =>
    ways.local(resourceNotesOn(store), everything).catch((error: unknown) => {
      if (!(error instanceof Declined) || error.because === 'away') throw error;
      const { addresses } = error.more;
      if (!Array.isArray(addresses))
        throw new UserError('The inventory has no such resource.', {
          next: 'List the addresses: setpoint inventory',
          cause: error,
        });
      throw new UserError('Several resources of the inventory have this ending.', {
        next: `Write one of them:\n${printable(addresses.map(String)).join('\n')}`,
        cause: error,
      });
    }),
  );
}

export function printResourceNote(
  json: object,
  lines: readonly string[],
  { json: asJson }: ResourceNoteOptions,
  { terminal }: Context,
): ExitCode {
  if (asJson) printJson(terminal, sortKeys(json));
  else printText(terminal, printable(lines).join('\n'));
  return exitCodes.done;
}
