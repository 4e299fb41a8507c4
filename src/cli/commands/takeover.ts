import type { Command } from 'commander';
import { type Claimed, claim } from '../../core/plan/claim.ts';
import { isUnrecorded } from '../../core/plan/world.ts';
import type { Address, CloudId } from '../../core/resource.ts';
import { printable } from '../../core/text.ts';
import type { Accepted, Store } from '../../ports/store.ts';
import type { Context } from '../context.ts';
import { type ExitCode, exitCodes, UserError } from '../errors.ts';
import { readEstate } from '../local/estate.ts';
import { withLedgerAccess } from '../local/ledger-access.ts';
import { type ObservedEstate, withObservedEstate } from '../local/observe.ts';
import { withCreatedStore } from '../local/store.ts';
import { defineCommand, type EstateOptions, parseDuration, selectionOf, withEstateOptions } from '../options.ts';
import { count } from '../output/format.ts';
import { printJson, printText } from '../output/print.ts';
import { table } from '../output/table.ts';
import { askYes } from '../prompt.ts';

interface Options extends EstateOptions {
  readonly reason: string;
  readonly id?: readonly CloudId[];
  readonly yes?: boolean;
  readonly lockTimeout: number;
  readonly json?: boolean;
}

export const takeover = (context: Context): Command =>
  withEstateOptions(
    defineCommand('takeover', {
      group: 'Own',
      summary: 'take over objects with the mark of another store of this estate, after a lost database',
      about:
        'Lists the ids first. A mark proves nothing, so check them; two objects with one mark are not accepted. The next apply\nwrites the mark of this store on them. It creates and deletes nothing.\n\nObjects with the mark of this store and an unrecorded intent need --id: the database may have lost its newest commits,\nor somebody forged the mark. Setpoint then forgets the last applied state of the scope, so that no difference counts as a rollout.',
      examples: [
        ['takeover --reason "the database was lost"', 'list, ask, accept'],
        ['takeover --id i-0abc i-0def --reason "the failover lost a minute"', 'accept these two'],
      ],
    }),
  )
    .requiredOption('--reason <text>', 'the reason; Setpoint writes it into the ledger')
    .option('--id <id...>', 'accept only these')
    .option('--yes', 'do not ask')
    .option(
      '--lock-timeout <duration>',
      'wait this long for another process that holds the same scope',
      parseDuration,
      0,
    )
    .option('--json', 'one JSON object on stdout')
    .action(async (dir: string, _options: Options, command: Command) => {
      context.finish(await run(dir, command.optsWithGlobals<Options>(), context));
    });

async function run(dir: string, options: Options, context: Context): Promise<ExitCode> {
  const estate = await readEstate(selectionOf(dir, options), context);
  return withCreatedStore(options.dir, context, (store) =>
    withObservedEstate({ estate, store }, context, (view) => accept(view, options, context)),
  );
}

/**
 * The objects of one scope with a mark of this estate that this store cannot explain. `twins` share a mark with each other, or
 * with an object of ours, so none of them is accepted; `unnamed` are accepted only by their ids; `unadopted` bear a mark without an
 * address, and no document says it.
 */
interface Found {
  readonly scope: string;
  readonly accepted: readonly Accepted[];
  readonly twins: readonly CloudId[];
  readonly unnamed: readonly CloudId[];
  readonly unadopted: readonly CloudId[];
}

async function accept(view: ObservedEstate<Store>, options: Options, context: Context): Promise<ExitCode> {
  const { terminal, signal } = context;
  const found = view.looked.map(({ input }) =>
    foundIn(input.observation.scope, claim(input.observation.resources, input), options.id),
  );
  refuseUnknown(found, options);
  const accepted = found.flatMap((one) => one.accepted);
  const twins = found.flatMap((one) => one.twins);
  const unnamed = found.flatMap((one) => one.unnamed);
  const unadopted = found.flatMap((one) => one.unadopted);
  const rows = accepted.map(({ subject }) => [subject.kind, subject.id ?? '', subject.address]);
  terminal.err.write(table(['KIND', 'ID', 'ADDRESS'], rows, terminal.err.width));
  if (twins.length > 0)
    terminal.err.write(
      `Not accepted, because two carry one mark: ${printable(twins).join(', ')}\nKeep one: remove the mark from the other, or release it with setpoint forget.\n`,
    );
  if (unnamed.length > 0)
    terminal.err.write(
      `Not accepted, because this store has no record of their intents. If they are yours: --id ${printable(unnamed).join(' ')}\n`,
    );
  if (unadopted.length > 0)
    terminal.err.write(
      `Not accepted, because an earlier store adopted them and no document does: ${printable(unadopted).join(', ')}\nName their ids under \`adopt\` in documents, or remove the tags setpoint:estate and setpoint:store from them.\n`,
    );
  if (accepted.length > 0 && !options.yes) {
    const text = `Take over ${count(accepted.length, 'object')}?`;
    if (!(await askYes(terminal, { text, flag: '--yes' }, signal)))
      throw new UserError('Nothing was taken over.', { why: "The answer was not 'yes'.", code: exitCodes.refused });
  }
  for (const one of found) await write(one, view, options, context);
  const left = twins.length + unnamed.length + unadopted.length;
  if (options.json)
    printJson(terminal, { accepted: accepted.map(({ subject }) => subject), twins, unnamed, unadopted });
  else
    printText(terminal, `Taken over: ${count(accepted.length, 'object')}${left > 0 ? ` · ${left} not accepted` : ''}`);
  return left > 0 ? exitCodes.refused : exitCodes.done;
}

async function write(
  { scope, accepted }: Found,
  { estate, store }: ObservedEstate<Store>,
  options: Options,
  context: Context,
): Promise<void> {
  if (accepted.length === 0) return;
  const ledgerWork = { estate, store, scope, lockTimeoutMs: options.lockTimeout };
  await withLedgerAccess(ledgerWork, context, (reconcile) =>
    store.estates.takeover(reconcile, accepted, options.reason),
  );
}

/** An id that was named and cannot be taken over is a mistake, whatever else was named. */
function refuseUnknown(found: readonly Found[], { id = [] }: Options): void {
  const known = new Set(
    found.flatMap(({ accepted, twins, unadopted }) => [
      ...accepted.map(({ subject }) => subject.id),
      ...twins,
      ...unadopted,
    ]),
  );
  const unknown = id.filter((one) => !known.has(one));
  if (unknown.length > 0)
    throw new UserError(`Cannot take over: ${printable(unknown).join(', ')}.`, {
      why: 'Only objects with a mark of this estate that this store did not record can be taken over.',
      next: 'List those objects: setpoint takeover --reason "…"',
      code: exitCodes.refused,
    });
}

function foundIn(scope: string, claimed: readonly Claimed[], ids: readonly CloudId[] | undefined): Found {
  const isChosen = (id: CloudId): boolean => ids === undefined || ids.includes(id);
  const strange = claimed.flatMap(strangerOf).filter(({ id }) => isChosen(id));
  const taken = new Set(claimed.flatMap(({ claim: owner }) => (owner.by === 'us' ? [owner.address] : [])));
  const byAddress = Map.groupBy(strange, ({ address }) => address);
  const isTwin = ({ address }: Stranger): boolean => taken.has(address) || (byAddress.get(address) ?? []).length > 1;
  const alone = strange.filter((one) => !isTwin(one));
  const isNamed = ({ accepted }: Stranger): boolean => accepted.terms.takenFrom !== undefined || ids !== undefined;
  return {
    scope,
    accepted: alone.filter(isNamed).map(({ accepted }) => accepted),
    twins: strange.filter(isTwin).map(({ id }) => id),
    unnamed: alone.filter((one) => !isNamed(one)).map(({ id }) => id),
    unadopted: claimed.filter(isUnadopted).flatMap(({ observed: { id } }) => (isChosen(id) ? [id] : [])),
  };
}

interface Stranger {
  readonly id: CloudId;
  readonly address: Address;
  readonly accepted: Accepted;
}

function strangerOf(one: Claimed): readonly Stranger[] {
  const {
    claim: owner,
    observed: { kind, id, signs },
  } = one;
  const deletionPolicy = signs.mark?.deletionPolicy ?? 'retain';
  const terms = { deletionPolicy, protect: false, storeOnly: false };
  const of = (address: Address, more: Partial<Accepted['terms']>): Stranger => ({
    id,
    address,
    accepted: { do: 'claim', subject: { kind, address, id }, terms: { ...terms, ...more } },
  });
  if (isUnrecorded(one)) return [of(one.claim.unrecorded, {})];
  // why: rules in a container go with it, and carry no mark of their own
  if (owner.by !== 'foreign-store' || owner.address === undefined || signs.container !== undefined) return [];
  // why: only adopted objects bear no address
  const adopted = signs.mark !== undefined && signs.mark.address === undefined ? { adopted: true as const } : {};
  return [of(owner.address, { takenFrom: owner.store, ...adopted })];
}

const isUnadopted = ({ claim: owner, observed: { signs } }: Claimed): boolean =>
  owner.by === 'foreign-store' && owner.address === undefined && signs.container === undefined;
