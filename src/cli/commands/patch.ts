import { type Command, InvalidArgumentError, Option } from 'commander';
import type { ScopePlan } from '../../core/action.ts';
import { documentTitle } from '../../core/documents/document.ts';
import { type EndedPatch, fieldText, type Patch } from '../../core/patch.ts';
import type { Violation } from '../../core/policy/evaluate.ts';
import { type EffectJson, effectJson, effectText } from '../../core/render/effect.ts';
import { planText } from '../../core/render/plan-text.ts';
import { policiesText } from '../../core/render/policies.ts';
import { documentText } from '../../core/render/value-text.ts';
import { dayOf, formatMoment } from '../../core/render/wording.ts';
import { printable, printableLines } from '../../core/text.ts';
import { openEstate } from '../../estate/load.ts';
import { type BegunPatch, Declined, type PatchLists } from '../../ports/queries.ts';
import type { ProposedBranch } from '../../ports/sources.ts';
import type { Store } from '../../ports/store.ts';
import {
  beginPatch,
  endPatch,
  type PatchGrounds,
  type PlannedPatch,
  patchesOf,
  planPatch,
} from '../../queries/patches.ts';
import { type ApiClient, renderAnswer } from '../api-client/client.ts';
import { endPatchOnServer, fetchPatches, patchOnServer } from '../api-client/patches.ts';
import {
  apiClientFor,
  type ServerEstateOption,
  type ServerSupport,
  withServerEstateOption,
} from '../api-client/server-option.ts';
import type { CliProcess, Context } from '../context.ts';
import { type ExitCode, exitCodes, UserError } from '../errors.ts';
import { confirmFiles, proposalText, pushBranch, refuseToAsk, shownFiles } from '../local/changed-files.ts';
import { localUser } from '../local/ledger-access.ts';
import { type PatchProposal, patchBranch, patchProposal } from '../local/patch-proposal.ts';
import { estateIn, withExistingStore } from '../local/store.ts';
import {
  defineCommand,
  type OverlayOption,
  overlayOf,
  parseDuration,
  parseReason,
  parseTimestamp,
} from '../options.ts';
import { count, formatDuration } from '../output/format.ts';
import { paintFor, printJson, printText, sortKeys } from '../output/print.ts';
import { askYes } from '../prompt.ts';

interface StoreOptions extends ServerEstateOption {
  readonly json?: boolean;
  /** The store's folder. */
  readonly dir: string;
  readonly activeOf?: string;
}

interface Options extends StoreOptions, ProposeOptions {
  readonly then: 'revert' | 'propose';
  readonly for?: number;
  readonly until?: number;
  readonly reason?: string;
  readonly replace?: number;
  readonly yes?: boolean;
}

interface ProposeOptions extends OverlayOption {
  readonly specs?: string;
  readonly remote?: string;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
}

const serverSupport: ServerSupport = { localOptions: [], serverOptions: ['estate'], takesDir: false };

export const patch = (context: Context): Command =>
  withServerEstateOption(
    defineCommand('patch', {
      group: 'Steer',
      summary: 'change fields of one document for a while, without a commit',
      about:
        'The values hold beside the specs until their end, also through other commits; a commit that changes one of the fields ends them.\nSetpoint shows the plan and the effect on traffic, and asks. Workers carry it out, and go back to the specs at its end. Policies,\nlimits, modes and pauses hold both ways. A patch never replaces or deletes anything, and changes no guard.',
      examples: [
        ['patch web size=m7g.large --for 4h --reason "#4711"', 'larger machines for four hours'],
        ['patch web-https ports=[443,8443] --for 1h --reason "#4711"', 'one more port for an hour'],
        ['patch web on.aws-prod.size=m7g.large --for 4h --reason "#4711"', 'on one target only'],
        ['patch web size=m7g.large --for 4h --then propose --reason "#4711"', 'and a branch that makes it last'],
        ['patch list', 'the active patches and their ends'],
        ['patch end 7 --reason "load is normal again"', 'back to the specs now'],
      ],
    }),
  )
    .argument('<address>', 'the document, or the only resource of one; a unique end of its address is enough')
    .argument('<field=value...>', 'a field as in the spec, and its value in YAML; null removes it')
    .addOption(
      new Option('--for <duration>', 'how long: 30m, 4h, 2d; at most 30d').argParser(parseDuration).conflicts('until'),
    )
    .addOption(new Option('--until <moment>', 'until when: 2026-12-01T08:00Z').argParser(parseTimestamp))
    .option('--reason <text>', 'the reason; others read it, and Setpoint writes it into the ledger', parseReason)
    .addOption(
      new Option(
        '--then <end>',
        'the end: `revert` to the specs, or `propose` the values in a branch now; a merge before the end keeps them',
      )
        .choices(['revert', 'propose'])
        .default('revert'),
    )
    .option('--specs <folder>', 'with --then propose: folder of specs. Default: specs')
    .option('--overlay <name>', 'with --then propose: overlay of these specs')
    .option('--remote <name>', 'with --then propose: the remote to push to. Default: origin')
    .option('--replace <id>', 'take the place of this patch; its fields that are not named again end', parseId)
    .option('--yes', 'do not ask')
    .option('--json', 'one JSON object on stdout')
    .action(async (address: string, given: readonly string[], _options: Options, command: Command) => {
      context.finish(await runBegin({ address, given }, command, context));
    })
    .addCommand(list(context))
    .addCommand(end(context))
    .addCommand(propose(context));

interface Given {
  readonly address: string;
  readonly given: readonly string[];
}

async function runBegin({ address, given }: Given, command: Command, context: Context): Promise<ExitCode> {
  const options = command.optsWithGlobals<Options>();
  const fields = given.map((one) => assignmentOf(one, context.dependencies));
  const asked = { address, fields, reason: reasonOf(options) };
  refuseAlone(options);
  if (options.then === 'propose') refuseToAsk(options, 'without --json');
  const server = await apiClientFor(command, serverSupport, context);
  if (server !== undefined) return beginOnServer(server, asked, options, context);
  return withExistingStore(options.dir, context, async (store) => {
    const estate = await estateIn(store, { estate: options.activeOf });
    const until = endOf(options, await store.ledger.now());
    const grounds = groundsOf(store, context);
    const by = { person: localUser(), reason: asked.reason };
    const planned = await orUserError(() =>
      planPatch({ ...{ estate, address, fields, by, until }, replaces: options.replace }, grounds),
    );
    const isProposed = options.then === 'propose';
    const proposal = isProposed ? await proposalOf({ ...planned.patch, estate }, options, context) : undefined;
    await confirm(previewOf(planned, estate), { ...options, proposal }, context);
    const { number } = await orUserError(() => beginPatch(planned, [], grounds));
    const told = { estate, patch: planned.patch, generation: number };
    printBegun(told, options, context);
    return proposeBegun(told, proposal, options, context);
  });
}

type Assignment = ReturnType<typeof assignmentOf>;

async function beginOnServer(
  server: ApiClient,
  asked: { readonly address: string; readonly fields: readonly Assignment[]; readonly reason: string },
  options: Options,
  context: Context,
): Promise<ExitCode> {
  const { estate: named, replace } = options;
  const body = { ...asked, estate: named, replace, until: endOf(options, context.clock.now()) };
  const preview = await patchOnServer(server, body, true);
  const isProposed = options.then === 'propose';
  const proposal = isProposed
    ? await proposalOf({ ...preview.patch, estate: preview.estate }, options, context)
    : undefined;
  await confirm(preview, { ...options, proposal }, context);
  const { estate } = preview;
  const { generation = 0, patch: begun } = await patchOnServer(server, body, false);
  const told = { estate, patch: begun, generation };
  renderAnswer(server, () => printBegun(told, options, context));
  return proposeBegun(told, proposal, options, context);
}

/** Refuses options of a proposal where the patch has none. */
function refuseAlone(options: Options): void {
  const alone = (['specs', 'overlay', 'remote'] as const).find((name) => options[name] !== undefined);
  if (alone === undefined || options.then === 'propose') return;
  throw new UserError(`--${alone} needs --then propose.`, { next: 'Add --then propose, or remove this option.' });
}

/** A proposal with its diffs. It is made before the patch begins, so that a refusal leaves nothing behind. */
async function proposalOf(given: Patch & { readonly estate: string }, options: ProposeOptions, context: Context) {
  const { specs = 'specs' } = options;
  const proposal = await patchProposal(given, { ...overlayOf(options), specs }, context);
  return { ...proposal, shown: await shownFiles(proposal.files, specs, context) };
}

type ShownProposal = Awaited<ReturnType<typeof proposalOf>>;

async function pushed(given: Patch, proposal: PatchProposal, options: ProposeOptions, context: Context) {
  const { specs: dir = 'specs', remote } = options;
  const branch = patchBranch(given, proposal, { dir, remote });
  return pushBranch(branch, `Mend the cause, then: setpoint patch propose ${given.id}`, context);
}

/** `size=m7g.large`, `ports=[443, 8443]` */
function assignmentOf(text: string, { readValue }: Context['dependencies']) {
  const at = text.indexOf('=');
  const field = text.slice(0, Math.max(0, at));
  const read = at < 1 ? undefined : readValue(text.slice(at + 1));
  if (read !== undefined) return { field, value: read.value };
  throw new UserError(`"${printable(text)}" is no field with a value.`, {
    next: 'Write a field as in the spec, and its value in YAML: size=m7g.large, ports=[443,8443], labels.tier=web',
  });
}

/** The option of the command above counts below it too, so commander cannot require it. */
function reasonOf({ reason }: Options): string {
  if (reason !== undefined) return reason;
  throw new UserError('This needs a reason.', { why: 'Others will look for it.', next: 'Add it: --reason "…"' });
}

/** `now`: by the clock that decides when it ends. */
function endOf({ for: length, until }: Options, now: number): number {
  if (until !== undefined) return until;
  if (length !== undefined) return now + length;
  throw new UserError('A patch needs an end.', {
    why: 'What is meant to stay is a commit, where others review it.',
    next: 'Name its end: --for 4h',
  });
}

const groundsOf = (store: Store, { dependencies, clock }: CliProcess): PatchGrounds => ({
  store,
  parse: dependencies.parseStoredSpecs,
  open: (tree) => openEstate(tree, dependencies.provider, dayOf(clock.now())),
});

async function orUserError<T>(work: () => Promise<T>, nothing = 'Nothing was patched.'): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Declined) || error.because === 'away') throw error;
    const { addresses } = error.more;
    throw new UserError(nothing, {
      why: printableLines(error.message),
      ...(Array.isArray(addresses)
        ? { next: `Write one of them:\n${printable(addresses.map(String)).join('\n')}` }
        : {}),
      code: exitCodes.refused,
      cause: error,
    });
  }
}

/** The plan, the effect and the end of a patch, before it begins. */
interface Preview extends Pick<BegunPatch, 'patch' | 'revision' | 'waits' | 'atEnd'> {
  readonly estate: string;
  readonly plans: readonly ScopePlan[];
  readonly effect?: EffectJson | undefined;
  readonly violations: readonly Violation[];
}

const previewOf = ({ patch: given, view, meaning, waits, judgement }: PlannedPatch, estate: string): Preview => ({
  ...{ estate, patch: given, plans: view.plans, revision: view.bound.revision, violations: meaning.violations },
  effect: meaning.effect && effectJson(meaning.effect),
  waits: [...new Set(waits.map(({ why }) => why))],
  atEnd: judgement.atEnd,
});

async function confirm(
  preview: Preview,
  { yes, replace, proposal }: Options & { readonly proposal: ShownProposal | undefined },
  { terminal, signal }: Context,
): Promise<void> {
  const { patch: given, estate } = preview;
  const place = replace === undefined ? '' : `  in the place of patch #${replace}\n`;
  terminal.err.write(`${previewText(preview, terminal)}\n${place}`);
  if (proposal !== undefined)
    terminal.err.write(`\nA branch with this change is pushed, too:\n${diffText(proposal)}\n`);
  const text = `Patch ${printable(documentTitle(given))} in ${estate} until ${formatMoment(given.until)}?`;
  if (yes || (await askYes(terminal, { text, flag: '--yes' }, signal))) return;
  throw new UserError('Nothing was patched.', { why: "The answer was not 'yes'.", code: exitCodes.refused });
}

/** The values, the plan, the effect on traffic, and the consequences of its end. */
function previewText(
  { revision, patch: given, plans, effect, violations, waits, atEnd }: Preview,
  { err }: Context['terminal'],
): string {
  const paint = paintFor(err);
  const isPlan = plans.some(({ actions }) =>
    actions.some((action) => 'desired' in action && action.desired.terms.mode === 'plan'),
  );
  return [
    paint('strong', printable(documentTitle(given))),
    ...printable(fieldLines(given)).map((line) => `  ${line}`),
    '',
    planText(plans, { revision, paint }),
    ...[effect && effectText(effect, paint), policiesText(violations, paint)].flatMap((text) =>
      text === undefined ? [] : ['', text],
    ),
    '',
    `At its end, ${formatMoment(given.until)}, workers go back to the specs${endText(atEnd)}.`,
    ...(isPlan
      ? ['Its mode is plan: workers wait for setpoint approve, and the time of the patch runs meanwhile.']
      : []),
    ...(waits.length > 0 ? ['Some of it waits, and the time of the patch runs meanwhile:'] : []),
    ...printable(waits).map((why) => `  ${why}`),
  ].join('\n');
}

/** `, which stops 2 machines and deletes 1 machine` */
function endText({ deletes, stops }: Preview['atEnd']): string {
  const parts = [
    ...(stops > 0 ? [`stops ${count(stops, 'machine')}`] : []),
    ...(deletes > 0 ? [`deletes ${count(deletes, 'machine')}`] : []),
  ];
  return parts.length === 0 ? '' : `, which ${parts.join(' and ')}`;
}

const diffText = ({ shown, notes }: ShownProposal): string =>
  [...shown.map(({ diff }) => diff.trimEnd()), ...notes].join('\n');

interface Told {
  readonly estate: string;
  readonly patch: Patch;
  readonly generation: number;
}

/** With a proposal the JSON is printed after the push. */
function printBegun(told: Told, options: Options, { terminal, clock }: Context): ExitCode {
  const { patch: given, generation } = told;
  if (options.json && options.then !== 'propose') printJson(terminal, begunJson(told));
  else if (!options.json)
    printText(
      terminal,
      printable(
        `Patched: #${given.id} ${documentTitle(given)} until ${formatMoment(given.until)} (${formatDuration(given.until - clock.now())}) · generation ${generation}`,
      ),
      `  To end it earlier: ${endLine(given)}\n  Workers carry it out. Without workers: setpoint apply --active, now and at its end`,
    );
  return exitCodes.done;
}

const begunJson = ({ estate, patch: given, generation }: Told) => ({
  estate,
  patch: sortKeys(patchJson(given)),
  generation,
});

/** Pushes the branch of a patch that has begun. A failed push reports both. */
async function proposeBegun(
  told: Told,
  proposal: ShownProposal | undefined,
  options: Options,
  context: Context,
): Promise<ExitCode> {
  if (proposal === undefined) return exitCodes.done;
  const { terminal } = context;
  try {
    const branch = await pushed(told.patch, proposal, options, context);
    if (options.json) printJson(terminal, { ...begunJson(told), proposed: branch });
    else terminal.out.write(`${mergeText(branch)}\n`);
    return exitCodes.done;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    if (options.json) printJson(terminal, { ...begunJson(told), notProposed: error.details.why });
    terminal.err.write(
      `error: Patch #${told.patch.id} began, and its branch was not pushed.\n  why:   ${printable(error.details.why ?? '')}\n  next:  ${error.details.next ?? ''}\n`,
    );
    return exitCodes.error;
  }
}

const mergeText = (branch: ProposedBranch): string =>
  `${proposalText(branch)}\nIts merge ends the patch, and the values stay. Without a merge, workers go back to the specs at the end.`;

const mergeLaterText = (branch: ProposedBranch): string =>
  `${proposalText(branch)}\nThe patch has ended. The merge brings its values back.`;

const propose = (context: Context): Command =>
  withServerEstateOption(
    defineCommand('propose', {
      group: 'Steer',
      summary: 'push a branch in which the specs state the values of a patch',
      about:
        'Edits the documents and pushes them as a branch for a pull request. Your folder stays as it is. The merge ends the patch, and changes nothing on a cloud. It takes a patch that has ended, too.',
      examples: [
        ['patch propose 7', 'a branch with its values'],
        ['patch propose 7 --dry-run', 'print the diff, and push nothing'],
      ],
    }),
  )
    .argument('<id>', 'the number of the patch, as `patch list` shows it', parseId)
    .option('--specs <folder>', 'folder of specs. Default: specs')
    .option('--overlay <name>', 'apply overlays/<name> to the base of the specs')
    .option('--remote <name>', 'the remote to push to. Default: origin')
    .option('--yes', 'do not ask')
    .option('--dry-run', 'print the diff and push nothing')
    .option('--json', 'one JSON object on stdout')
    .action(async (id: number, _options: Options, command: Command) => {
      context.finish(await runPropose(id, command, context));
    });

async function runPropose(id: number, command: Command, context: Context): Promise<ExitCode> {
  const options = command.optsWithGlobals<Options>();
  const { terminal } = context;
  refuseToAsk(options);
  const { estate, active, ended } = await patchLists(command, context);
  const past = ended.find((one) => one.id === id);
  const given = active.find((one) => one.id === id) ?? (past && { ...past, isOver: true });
  if (given === undefined)
    throw new UserError(`There is no patch #${id}.`, {
      next: 'All of them, and the last that ended: setpoint patch list',
    });
  const proposal = await proposalOf({ ...given, estate }, options, context);
  const title = printable(`Propose: patch #${id} of ${documentTitle(given)}`);
  if (!options.json) printText(terminal, paintFor(terminal.out)('strong', title), diffText(proposal));
  const isDry = options.dryRun === true;
  if (!isDry) await confirmFiles({ verb: 'Commit and push', files: proposal.files.length, yes: options.yes }, context);
  const branch = isDry ? undefined : await pushed(given, proposal, options, context);
  const told = past === undefined ? patchJson(given) : endedPatchJson(past);
  if (options.json) printJson(terminal, { patch: sortKeys(told), files: proposal.shown, proposed: branch });
  else if (branch === undefined) terminal.out.write('Nothing was pushed.\n');
  else terminal.out.write(`${past === undefined ? mergeText(branch) : mergeLaterText(branch)}\n`);
  return exitCodes.done;
}

const list = (context: Context): Command =>
  withServerEstateOption(
    defineCommand('list', {
      group: 'Steer',
      summary: 'list the active patches with their ends, and the last ones that ended',
      examples: [['patch list', 'all of them']],
    }),
  )
    .option('--json', 'one JSON object on stdout')
    .action(async (_options: StoreOptions, command: Command) => {
      context.finish(await runList(command, context));
    });

async function runList(command: Command, context: Context): Promise<ExitCode> {
  const options = command.optsWithGlobals<StoreOptions>();
  const { server, ...lists } = await patchLists(command, context);
  const print = () => printList(lists, options, context);
  return server === undefined ? print() : renderAnswer(server, print);
}

/** Of the local store, or of a server. */
async function patchLists(command: Command, context: Context) {
  const options = command.optsWithGlobals<StoreOptions>();
  const server = await apiClientFor(command, serverSupport, context);
  if (server !== undefined) {
    const { estate, items: active, ended } = await fetchPatches(server, options);
    return { server, estate, active, ended };
  }
  return withExistingStore(options.dir, context, async (store) => {
    const estate = await estateIn(store, { estate: options.activeOf });
    return { server, estate, ...(await patchesOf(estate, { store })) };
  });
}

function printList(
  { estate, active, ended }: PatchLists & { readonly estate: string },
  { json }: StoreOptions,
  { terminal, clock }: Context,
): ExitCode {
  if (json)
    printJson(terminal, {
      estate,
      patches: active.map((one) => sortKeys(patchJson(one))),
      ended: ended.map((one) => sortKeys(endedPatchJson(one))),
    });
  else
    printText(
      terminal,
      active.length === 0 ? `Patches of ${estate}: none` : `Patches of ${estate}: ${active.length}`,
      printable([
        ...active.flatMap((one) => patchLines(one, clock.now())),
        ...(ended.length === 0 ? [] : ['Ended', ...ended.map((one) => `  ${endedPatchLine(one)}`)]),
      ]).join('\n'),
    );
  return exitCodes.done;
}

const end = (context: Context): Command =>
  withServerEstateOption(
    defineCommand('end', {
      group: 'Steer',
      summary: 'end a patch before its time: workers go back to the specs',
      examples: [['patch end 7 --reason "load is normal again"', 'back to the specs now']],
    }),
  )
    .argument('<id>', 'the number of the patch, as `patch list` shows it', parseId)
    .option('--reason <text>', 'the reason; others read it, and Setpoint writes it into the ledger', parseReason)
    .option('--json', 'one JSON object on stdout')
    .action(async (id: number, _options: StoreOptions, command: Command) => {
      context.finish(await runEnd(id, command, context));
    });

async function runEnd(id: number, command: Command, context: Context): Promise<ExitCode> {
  const options = command.optsWithGlobals<Options>();
  const reason = reasonOf(options);
  const server = await apiClientFor(command, serverSupport, context);
  if (server !== undefined) {
    const told = await endPatchOnServer(server, { estate: options.estate, id, reason });
    return renderAnswer(server, () => printEnded(told, options, context));
  }
  return withExistingStore(options.dir, context, async (store) => {
    const estate = await estateIn(store, { estate: options.activeOf });
    const by = { person: localUser(), reason };
    const ending = () => endPatch({ estate, id, by }, groundsOf(store, context));
    const ended = await orUserError(ending, 'No patch was ended.');
    return printEnded({ estate, patch: ended.patch, generation: ended.generation.number }, options, context);
  });
}

function printEnded({ estate, patch: ended, generation }: Told, { json }: Options, { terminal }: Context): ExitCode {
  if (json) printJson(terminal, { estate, patch: sortKeys(patchJson(ended)), generation });
  else
    printText(
      terminal,
      printable(
        `Ended: patch #${ended.id} of ${documentTitle(ended)} (${ended.fields.map(({ path }) => fieldText(path)).join(', ')}) · generation ${generation}`,
      ),
      '  Workers go back to the specs. Without workers: setpoint apply --active',
    );
  return exitCodes.done;
}

/** `7` or `#7` */
function parseId(text: string): number {
  const id = /^#?([1-9]\d{0,8})$/.exec(text)?.[1];
  if (id !== undefined) return Number(id);
  throw new InvalidArgumentError('Write the number of a patch, as `patch list` shows it.');
}

/** `size: t3.small → t3.large` */
const fieldLines = ({ fields }: Pick<Patch, 'fields'>): readonly string[] =>
  fields.map(({ path, value, was }) => {
    const now = value === null ? 'removed' : documentText(value);
    return `${fieldText(path)}: ${documentText(was)} → ${now}`;
  });

/** A patch that holds: its end, who gave it and why, its values, and the line that ends it. */
export const patchLines = (patch: Patch, now: number): readonly string[] => [
  `#${patch.id} ${documentTitle(patch)} until ${formatMoment(patch.until)}, ${patch.isOver ? 'over' : `in ${formatDuration(patch.until - now)}`}, by ${patch.person}: ${patch.reason}`,
  ...fieldLines(patch).map((line) => `  ${line}`),
  `  ${endLine(patch)}`,
];

const endLine = ({ id }: Pick<Patch, 'id'>): string => `setpoint patch end ${id} --reason "…"`;

/** `#7 Instance web (size) ended 2026-12-01 12:10 UTC: the specs changed `size`` */
export const endedPatchLine = (patch: EndedPatch): string => {
  const by = patch.end.person === undefined ? '' : ` by ${patch.end.person}`;
  const fields = patch.fields.map(({ path }) => fieldText(path)).join(', ');
  return `#${patch.id} ${documentTitle(patch)} (${fields}) of ${patch.person} ended ${formatMoment(patch.end.at)}${by}: ${patch.end.why}`;
};

/** As `--json` prints it, in the words of the API. Times are ms since the epoch. */
export const patchJson = ({ isOver, ...patch }: Patch): object => ({ ...sharedJson(patch), expired: isOver });

const sharedJson = ({ id, kind, name, fields, person, reason, at, until }: Omit<Patch, 'isOver'>): object => ({
  ...{ id, kind, name, actor: person, reason, at, until },
  fields: fields.map(({ path, value, was }) => ({ field: fieldText(path), value, former: was })),
});

export const endedPatchJson = ({ end, ...patch }: EndedPatch): object => ({
  ...sharedJson(patch),
  end: { at: end.at, type: end.as, reason: end.why, actor: end.person },
});
