import { rm, stat, writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import type { WitnessedCheckpoint } from '../../core/ledger/chain.ts';
import type { LostRange, Verdict } from '../../core/ledger/verification.ts';
import { sourceJson } from '../../core/render/plan-json.ts';
import { bareMoment, formatMoment, shortRevision, touchedText } from '../../core/render/wording.ts';
import { messageOf, printable, printableLines } from '../../core/text.ts';
import type { LedgerEntry, Witness } from '../../ports/ledger.ts';
import type { Store, VerifyOptions } from '../../ports/store.ts';
import { heldSources } from '../../queries/estate-view.ts';
import { type ApiClient, renderAnswer } from '../api-client/client.ts';
import { exportLedger, fetchLedger, fetchVerdict, type LedgerPage } from '../api-client/ledger.ts';
import { apiClientFor, type ServerOption, type ServerSupport, withServerOption } from '../api-client/server-option.ts';
import type { Context } from '../context.ts';
import { type ExitCode, exitCodes, UserError } from '../errors.ts';
import { localUser } from '../local/ledger-access.ts';
import { withExistingStore } from '../local/store.ts';
import { defineCommand, integerBetween, parseDuration } from '../options.ts';
import { count, formatDuration } from '../output/format.ts';
import { printHeldSources } from '../output/plan.ts';
import { paintFor, printJson, printText, sortKeys } from '../output/print.ts';
import { table } from '../output/table.ts';

interface Options extends ServerOption {
  readonly dir: string;
  readonly estate?: string;
  readonly activeOf?: string;
  readonly json?: boolean;
  readonly limit: number;
  readonly export?: string;
  readonly out?: string;
  /** True: the witnesses that SETPOINT_WITNESS names. */
  readonly witness?: string | true;
  readonly unsignedLimit?: number;
  readonly reason?: string;
}

export const ledger = (context: Context): Command =>
  withServerOption(
    defineCommand('ledger', {
      group: 'Look',
      summary: 'show the record of every change, or verify it',
      examples: [
        ['ledger', 'the newest entries'],
        ['ledger aws/1111/eu-west-1/instance/web-0', 'changes of one resource'],
        ['ledger export --out ledger.jsonl', 'the whole ledger, to keep elsewhere'],
        ['ledger verify --export ledger.jsonl', 'verify a copy, without a database'],
      ],
    }),
  )
    .argument('[address]', 'only entries of this resource')
    .option('--estate <name>', 'the estate; optional if the store has only one')
    .option('--limit <n>', 'the newest entries, at most this many', integerBetween(1, 1_000_000), 50)
    .option('--json', 'one JSON object on stdout')
    .action(async (address: string | undefined, _options: Options, command: Command) => {
      context.finish(await list(address, command, context));
    })
    .addCommand(verify(context))
    .addCommand(exporting(context))
    .addCommand(rekeying(context))
    .addCommand(acceptingLoss(context));

const verify = (context: Context): Command =>
  defineCommand('verify', {
    group: 'Look',
    summary: 'check every hash and every signed checkpoint; print the first bad entry',
    about:
      'Setpoint signs entries within a minute, and decisions of people within five seconds. Exit code 1: the ledger is broken, or it\nis not proven because entries have had no signature for longer than --unsigned-limit.',
    examples: [
      ['ledger verify', 'the ledger in the store'],
      ['ledger verify --witness', 'compare with the witnesses that SETPOINT_WITNESS names'],
      ['ledger verify --witness /var/log/audit.log', 'compare with the log of a syslog server, or a copy'],
    ],
  })
    .option(
      '--export <file>',
      'verify an export instead of the store; needs the checkpoints and the public key in --dir',
    )
    .option('--witness [place]', 'compare with a witness; default: those in SETPOINT_WITNESS')
    .option('--unsigned-limit <duration>', 'the longest time that entries may be unsigned (default 5m)', parseDuration)
    .action(async (_options: Options, command: Command) => {
      context.finish(await prove(command, context));
    });

const rekeying = (context: Context): Command =>
  defineCommand('rekey', {
    group: 'Own',
    summary: 'sign the ledger with the key of this folder from now on',
    about:
      'One key signs for all workers. Use this if the signer and its key are lost, or after you replace a key. Setpoint writes the\nchange into the ledger. Keep the old public key as keys/NAME.pub: it proves the older checkpoints.',
    examples: [['ledger rekey --reason "the signer\'s disk is lost"', 'take over']],
  })
    .requiredOption('--reason <text>', 'the reason; Setpoint writes it into the ledger')
    .action(async (_options: Options, command: Command) => {
      context.finish(await rekey(command.optsWithGlobals<Options>(), context));
    });

const acceptingLoss = (context: Context): Command =>
  defineCommand('accept-loss', {
    group: 'Own',
    summary: 'continue with a restored database that lost its newest entries',
    about:
      'The ledger ends before a signed checkpoint. Until you accept this, Setpoint deletes, replaces and stops nothing in the estate.\nCheck `plan` first: the cloud may hold more than this database knows. Run this where the folder of the signer is (--dir). The loss\nstays in the ledger, and `ledger verify` names it.',
    examples: [
      ['ledger accept-loss --reason "backup of 09:00 restored after a disk failure"', 'allow deletions again'],
    ],
  })
    .requiredOption('--reason <text>', 'the reason; Setpoint writes it into the ledger')
    .action(async (_options: Options, command: Command) => {
      context.finish(await acceptLoss(command.optsWithGlobals<Options>(), context));
    });

const exporting = (context: Context): Command =>
  defineCommand('export', {
    group: 'Look',
    summary: 'write every entry as one line of JSON, oldest first',
    examples: [['ledger export --out ledger.jsonl', 'into a file']],
  })
    .option('--out <file>', 'write to a file instead of stdout; only you may read it')
    .action(async (_options: Options, command: Command) => {
      context.finish(await write(command, context));
    });

const serverSupport: ServerSupport = { localOptions: [], serverOptions: [], takesDir: true };

async function list(address: string | undefined, command: Command, context: Context): Promise<ExitCode> {
  const options = command.optsWithGlobals<Options>();
  const server = await apiClientFor(command, serverSupport, context);
  if (server !== undefined) {
    const listed = await fetchLedger(server, { ...options, address });
    return renderAnswer(server, () => print(listed, { ...options, address }, context));
  }
  return withExistingStore(options.dir, context, async (store) => {
    const estate = await estateOf(store, options);
    const filter = { estate, address };
    const newest = await newestOf(store.ledger.entries(filter), options.limit);
    const held = await heldSources(estate, store);
    return print({ estate, ...newest, sources: held }, { ...options, address }, context);
  });
}

type Asked = Options & { readonly address: string | undefined };

function print(listed: LedgerPage, { address, json }: Asked, context: Context): ExitCode {
  const { estate, total, entries, sources } = listed;
  printHeldSources(sources, context);
  if (json) {
    const held = sources.length === 0 ? {} : { sources: sortKeys(sources.map(sourceJson)) };
    const known = total === undefined ? {} : { total };
    printJson(context.terminal, { estate, ...known, entries: sortKeys(entries), ...held });
  } else {
    const of = address === undefined ? '' : ` of ${address}`;
    printText(
      context.terminal,
      printable(`Ledger: ${countOf(listed, of)}`),
      ledgerTable(entries, context.terminal.out.width),
    );
  }
  return exitCodes.done;
}

function countOf({ total, entries }: LedgerPage, of: string): string {
  const shown = count(total ?? entries.length, 'entry', 'entries');
  if (total === undefined) return `${shown}${of}, the newest of those that you may see`;
  return `${shown}${of}${entries.length < total ? `, the newest ${entries.length}` : ''}`;
}

async function newestOf(all: AsyncIterable<LedgerEntry>, limit: number) {
  const entries: LedgerEntry[] = [];
  let total = 0;
  for await (const entry of all) {
    total += 1;
    entries.push(entry);
    if (entries.length > limit) entries.shift();
  }
  return { total, entries };
}

async function prove(command: Command, context: Context): Promise<ExitCode> {
  const options = command.optsWithGlobals<Options>();
  const verdict = await provenBy(options, await proverFor(command, options, context), context);
  if (options.json) printJson(context.terminal, verdict);
  else {
    const text = verdictText(printable(verdict), context.clock.now());
    printText(context.terminal, paintFor(context.terminal.out)(verdict.ok ? 'good' : 'bad', text));
  }
  return verdict.ok ? exitCodes.done : exitCodes.error;
}

/** Each estate's ledger says which key signed until now, and why another one does from here on. */
async function rekey({ dir, reason = '' }: Options, context: Context): Promise<ExitCode> {
  return withExistingStore(dir, context, async (store) => {
    const [before, after] = [await store.audit.claimKey('onlyFirst'), await store.audit.ownKey()];
    if (before === after) {
      printText(context.terminal, `Ledger: the key ${after} of this folder already signs it`);
      return exitCodes.done;
    }
    const estates = await store.estates.list();
    for (const estate of estates) {
      await store.ledger.note(estate, { rekey: { from: before, to: after, reason, person: localUser() } });
    }
    await store.audit.claimKey();
    for (const estate of estates) await store.audit.checkpoint(estate);
    printText(context.terminal, `Ledger: the key ${after} of this folder signs it from now on, instead of ${before}`);
    return exitCodes.done;
  });
}

async function acceptLoss(options: Options, context: Context): Promise<ExitCode> {
  const { dir, reason = '' } = options;
  return withExistingStore(dir, context, async (store) => {
    const estate = await estateOf(store, options);
    const lost = (await store.audit.lost()).find((one) => one.estate === estate);
    if (lost === undefined) {
      printText(context.terminal, `Ledger: ${estate} has lost nothing`);
      return exitCodes.done;
    }
    const { held, signed } = lost;
    // why: a folder without the lost checkpoints is refused here, and a refusal leaves no word in the ledger
    await store.audit.acceptLoss(estate);
    await store.ledger.note(estate, { loss: { first: held + 1, last: signed, reason, person: localUser() } });
    const gone = signed === held + 1 ? `checkpoint ${signed} is` : `checkpoints ${held + 1} to ${signed} are`;
    printText(
      context.terminal,
      `Ledger: ${gone} given up with the entries that they signed. Deletions in ${estate} are allowed again.`,
    );
    return exitCodes.done;
  });
}

/** An export is proven here, whatever SETPOINT_SERVER says. */
const proverFor = async (command: Command, options: Options, context: Context): Promise<ApiClient | undefined> =>
  options.export !== undefined && options.server === undefined
    ? undefined
    : apiClientFor(command, { ...serverSupport, localOptions: ['export', 'witness', 'unsignedLimit'] }, context);

async function provenBy(options: Options, server: ApiClient | undefined, context: Context): Promise<Verdict> {
  if (server !== undefined) {
    const verdict = await fetchVerdict(server, options);
    context.terminal.err.write(byItsWord(server));
    return verdict;
  }
  const compared = await verifyOptionsOf(options, context);
  if (options.export !== undefined) return provenExport(options.export, options.dir, { compared, context });
  return withExistingStore(options.dir, context, async (store) =>
    store.audit.verify(await estateOf(store, options), compared),
  );
}

async function verifyOptionsOf({ witness, unsignedLimit }: Options, { dependencies }: Context): Promise<VerifyOptions> {
  const limit = unsignedLimit === undefined ? {} : { unsignedLimitMs: unsignedLimit };
  if (witness === undefined) return limit;
  const witnesses = dependencies.witnesses(witness === true ? undefined : witness);
  if (witnesses.length === 0)
    throw new UserError('There is no witness.', { next: 'Name one: --witness PLACE, or set SETPOINT_WITNESS.' });
  const held = await Promise.all(witnesses.map(heldBy));
  return { ...limit, witness: held.flat() };
}

async function heldBy(witness: Witness): Promise<readonly WitnessedCheckpoint[]> {
  try {
    return await witness.read();
  } catch (cause) {
    const why = messageOf(cause);
    throw new UserError(`The witness ${witness.name} cannot be read, so nothing was compared.`, { why, cause });
  }
}

const byItsWord = ({ url }: ApiClient): string =>
  `${url} verified its own ledger. To verify it here: setpoint ledger export --server ${url} --out FILE, and verify --export FILE with its checkpoints and public key in --dir.\n`;

interface Proving {
  readonly compared: VerifyOptions;
  readonly context: Context;
}

async function provenExport(file: string, folder: string, { compared, context }: Proving): Promise<Verdict> {
  try {
    return await context.dependencies.verifyExport(file, folder, compared);
  } catch (cause) {
    const why = messageOf(cause);
    throw new UserError(`The export ${file} cannot be checked.`, {
      why,
      next: 'Name the file and the store: --dir',
      cause,
    });
  }
}

function verdictText(verdict: Verdict, now: number): string {
  if (!verdict.ok) {
    const at = verdict.seq === undefined ? '' : ` at entry ${verdict.seq}`;
    return `Ledger: ${verdict.problem === 'tampered' ? 'TAMPERED' : 'UNVERIFIED'}${at}: ${verdict.reason}`;
  }
  const { entries, chains, checkpoints, witnessed, lost = [], later } = verdict;
  const lines = [
    `Ledger: whole, ${count(entries, 'entry', 'entries')} in ${count(chains.length, 'chain')}, ${count(checkpoints, 'signed checkpoint')}`,
    signedText(verdict, now),
    ...(witnessed === undefined
      ? []
      : [`The witness agrees up to checkpoint ${witnessed.number}, signed ${ago(witnessed.at, now)}`]),
    ...lost.map(lostText),
    ...(later === undefined ? [] : [laterText(later)]),
  ];
  return lines.join('\n');
}

function signedText({ entries, signedAt, unsigned }: Extract<Verdict, { readonly ok: true }>, now: number): string {
  if (signedAt === undefined) return 'No signature covers it.';
  const signed = entries - (unsigned?.entries ?? 0);
  return `Signed up to ${signed} of ${entries}, ${ago(signedAt, now)}`;
}

const ago = (at: number, now: number): string => `${formatDuration(Math.max(0, now - at))} ago`;

const lostText = ({ first, last, at }: LostRange): string =>
  `Lost: the entries that checkpoints ${first} to ${last} signed; a person accepted that on ${formatMoment(at)}`;

const laterText = (later: number): string =>
  `An older version made this export: ${count(later, 'later entry', 'later entries')} that checkpoints name cannot be in it.`;

async function write(command: Command, context: Context): Promise<ExitCode> {
  const options = command.optsWithGlobals<Options>();
  const server = await apiClientFor(command, serverSupport, context);
  if (server !== undefined) return writeLines(exportLedger(server, options), options, context);
  return withExistingStore(options.dir, context, async (store) =>
    writeLines(store.audit.export(await estateOf(store, options)), options, context),
  );
}

async function writeLines(
  lines: AsyncIterable<string>,
  { out }: Options,
  { terminal }: Pick<Context, 'terminal'>,
): Promise<ExitCode> {
  if (out !== undefined) {
    await writeWhole(out, withEnds(lines));
    printText(terminal, `Ledger: exported to ${out}`);
  } else for await (const line of withEnds(lines)) terminal.out.write(printableLines(line));
  return exitCodes.done;
}

/** Writes the file whole: a partial result is no ledger, and is removed. */
async function writeWhole(file: string, pieces: AsyncIterable<string>): Promise<void> {
  try {
    await writeFile(file, pieces, { mode: 0o600 });
  } catch (error) {
    const isOurs = await stat(file).then(
      (found) => found.isFile(),
      () => false,
    );
    if (isOurs) await rm(file);
    throw error;
  }
}

async function* withEnds(lines: AsyncIterable<string>): AsyncIterable<string> {
  for await (const line of lines) yield `${line}\n`;
}

/** `--active-of` of the program names the estate too. */
async function estateOf(store: Store, { activeOf, estate = activeOf }: Options): Promise<string> {
  const known = await store.estates.list();
  const [only] = known;
  if (estate === undefined && known.length === 1 && only !== undefined) return only;
  if (estate !== undefined && known.includes(estate)) return estate;
  if (known.length === 0)
    throw new UserError('The ledger is empty.', { next: 'The first `setpoint apply` writes to it.' });
  throw new UserError(
    estate === undefined ? 'The store has several estates.' : `The store knows no estate ${estate}.`,
    {
      next: `Name one: --estate ${known.join(' or --estate ')}`,
    },
  );
}

/** Entries as lines for people: when, what, to whom, with what outcome and by whom. */
export const ledgerTable = (entries: readonly LedgerEntry[], width?: number): string =>
  table(['SEQ', 'AT', 'TYPE', 'VERB', 'ADDRESS', 'OUTCOME', 'GEN', 'BY', 'CALLS'], entries.map(row), width);

function row({ seq, at, type, body }: LedgerEntry): readonly string[] {
  const authority = member(body, 'authority');
  return [
    String(seq),
    bareMoment(at, 'second'),
    type,
    text(body['verb']),
    type === 'note' ? noteText(member(body, 'note')) : text(body['address']),
    type === 'settlement' ? outcome(member(body, 'outcome')) : '',
    text(authority['generation']),
    text(authority['approver']),
    type === 'intent' ? drift(member(body, 'details')) : calls(body['calls']),
  ];
}

/** The change that an intent undoes: `changed by bob (StopInstances from 203.0.113.9) at 2026-01-01 08:00:00 UTC`. */
function drift(details: Readonly<Record<string, unknown>>): string {
  const { who, action, from, at } = member(details, 'by');
  if (typeof who !== 'string' || typeof action !== 'string' || typeof at !== 'number') return '';
  return touchedText({ who, action, at, event: '', ...(typeof from === 'string' ? { from } : {}) });
}

/**
 * `pause by ann: a freeze`, `pause of incident outage by ann: #4711`, `pin at commit 1a2b3c4 by ann: #815`: the type, person and reason of
 * a note; the beginning of any other note.
 */
function noteText(note: Readonly<Record<string, unknown>>): string {
  const [kind = ''] = Object.keys(note);
  const said = member(note, kind);
  const { person, reason } = 'by' in said ? member(said, 'by') : said;
  if (text(person) === '') return JSON.stringify(note).slice(0, 80);
  const at = text(said['revision']) || text(said['head']);
  const incident = text(said['incident']);
  const about = `${at === '' ? '' : ` at ${shortRevision(at)}`}${incident === '' ? '' : ` of incident ${incident}`}`;
  return `${kind}${about} by ${text(person)}: ${text(reason) || text(said['name'])}`;
}

const outcome = (said: Readonly<Record<string, unknown>>): string =>
  said['ok'] === true ? 'ok' : text(member(said, 'failure')['code']);

/** `RunInstances 1f2e…`: the cloud's own request ids, to ask its support about. */
function calls(made: unknown): string {
  if (!Array.isArray(made)) return '';
  return made
    .map((call: unknown) => (isObject(call) ? `${text(call['action'])} ${text(call['requestId'])}`.trim() : ''))
    .join(', ');
}

function member(of: Readonly<Record<string, unknown>>, name: string): Readonly<Record<string, unknown>> {
  const value = of[name];
  return isObject(value) ? value : {};
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const text = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '');
