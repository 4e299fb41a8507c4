import { join } from 'node:path';
import type { Command } from 'commander';
import type { Desired } from '../../core/desired.ts';
import { kindNames } from '../../core/kinds/kinds.ts';
import type { Settled } from '../../core/knowledge.ts';
import type { Address, CloudId, ScopeKey } from '../../core/resource.ts';
import { printable } from '../../core/text.ts';
import type { Estate } from '../../estate/load.ts';
import type { Effect } from '../../ports/ledger.ts';
import type { Store } from '../../ports/store.ts';
import { unmanagedScopes } from '../../queries/status.ts';
import type { Context } from '../context.ts';
import { type ExitCode, exitCodes, UserError } from '../errors.ts';
import { findAddress, readEstate } from '../local/estate.ts';
import { withLedgerAccess } from '../local/ledger-access.ts';
import { withExistingStore } from '../local/store.ts';
import { defineCommand, type EstateOptions, parseDuration, selectionOf, withSpecsOption } from '../options.ts';
import { printJson, printText } from '../output/print.ts';
import { askYes } from '../prompt.ts';

interface Options extends EstateOptions {
  readonly specs: string;
  readonly yes?: boolean;
  readonly althoughWanted?: boolean;
  readonly lockTimeout: number;
  readonly json?: boolean;
}

export const forget = (context: Context): Command =>
  withSpecsOption(
    defineCommand('forget', {
      group: 'Own',
      summary: 'release a resource without changing the cloud',
      about:
        'The store no longer claims it; the object and its mark stay. Setpoint refuses to release a resource that a document still\nwants: the next apply would create another one. Remove it from the specs first.',
      examples: [['forget aws/1111/eu-west-1/instance/web-0', 'hand it over to somebody else']],
    }).argument('<address>', 'address of the resource'),
  )
    .option('--although-wanted', 'release it although a document wants it: the next apply creates another one')
    .option('--yes', 'do not ask')
    .option(
      '--lock-timeout <duration>',
      'wait this long for another process that holds the same scope',
      parseDuration,
      0,
    )
    .option('--json', 'one JSON object on stdout')
    .action(async (address: string, _options: Options, command: Command) => {
      context.finish(await run(address, command.optsWithGlobals<Options>(), context));
    });

interface Known {
  readonly scope: ScopeKey;
  readonly id: CloudId;
  readonly settled: Settled;
}

async function run(given: string, options: Options, context: Context): Promise<ExitCode> {
  const estate = await readEstate(selectionOf(options.specs, { ...options, allowEndpoint: true }), context);
  return withExistingStore(options.dir, context, async (store) => {
    const known = await allSettled(estate, store);
    const address = findAddress(given, new Set(known.map(({ settled }) => settled.address)));
    const chosen = known.filter(({ settled }) => settled.address === address);
    const ids = chosen.map(({ id }) => id);
    if (!options.althoughWanted) refuseWanted(address, ids, estate);
    const named = printable(`${address} (${ids.join(', ')})`);
    const text = `Release ${named}? The object stays as it is, and Setpoint no longer owns it.`;
    if (!options.yes && !(await askYes(context.terminal, { text, flag: '--yes' }, context.signal)))
      throw new UserError('Nothing was released.', { why: "The answer was not 'yes'.", code: exitCodes.refused });
    for (const one of chosen) await letGo(one, { estate, store, lockTimeoutMs: options.lockTimeout }, context);
    if (options.json) printJson(context.terminal, { forgotten: { address, ids } });
    else printText(context.terminal, `Forgotten: ${named}`);
    return exitCodes.done;
  });
}

/** Refuses an existing resource that the store has settled: without a claim on it the next apply would create a second one. */
function refuseWanted(address: Address, ids: readonly CloudId[], { scopes, dir }: Estate): void {
  const desired = scopes.flatMap(({ wanted }) => wanted.desired).find((one) => wants(one, address));
  if (desired === undefined) return;
  const where = desired.documents.map(({ file, line }) => printable(`${join(dir, file)}:${line}`)).join('\n');
  throw new UserError(`A document still wants ${address}.`, {
    ...(where === '' ? {} : { where }),
    why: `Without a claim on ${ids.join(', ')} the next apply would create another one.`,
    next: 'Remove it from the specs, and forget it before the next apply.\nTo create another one: --although-wanted',
    code: exitCodes.refused,
  });
}

/** By this name, or by the new one of a rename that is not applied yet. */
const wants = ({ address, terms }: Desired, one: Address): boolean =>
  address === one || (terms.claim?.was?.includes(one) ?? false);

async function allSettled(estate: Estate, store: Store): Promise<readonly Known[]> {
  const scopes = await Promise.all(
    // why: a resource in a scope that the specs no longer name can be forgotten too
    [...estate.scopes, ...(await unmanagedScopes(estate, store))].map(async ({ scope }) => {
      const { settled } = await store.inventory.knowledge(estate.name, scope);
      return [...settled].map(([id, one]) => ({ scope, id, settled: one }));
    }),
  );
  return scopes.flat().toSorted((a, b) => kindNames.indexOf(a.settled.kind) - kindNames.indexOf(b.settled.kind));
}

interface Where {
  readonly estate: Estate;
  readonly store: Store;
  readonly lockTimeoutMs: number;
}

const letGo = ({ scope, id, settled: { kind, address } }: Known, where: Where, context: Context): Promise<void> =>
  withLedgerAccess({ ...where, scope }, context, async (reconcile) => {
    const { ledger } = where.store;
    const details = { because: 'let go by a person' };
    const [intended] = await ledger.intend(reconcile, [{ verb: 'forget', subject: { kind, address, id }, details }]);
    if (!intended?.ok) throw new Error(`the ledger refused to forget ${address}`);
    const settlement = { intent: intended.intent, outcome: { ok: true }, closes: true, calls: [] } as const;
    await ledger.settle(reconcile, [{ ...settlement, effects: released(id, address) }]);
  });

const released = (id: CloudId, address: Address): readonly Effect[] => [
  { do: 'release', id },
  { do: 'unapply', address },
];
