import { lstat, readFile, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { patchIn } from '../../core/documents/overlay.ts';
import { loosenedGuards } from '../../core/loosened-guards.ts';
import { formatMoment, shortRevision } from '../../core/render/wording.ts';
import { type Address, shortAddress } from '../../core/resource.ts';
import { messageOf, printable } from '../../core/text.ts';
import { keptSpecs, openEstate } from '../../estate/load.ts';
import { specsAlone } from '../../estate/patches.ts';
import type { Generation } from '../../ports/knowledge.ts';
import type { ChangedFile, ProposedBranch, SpecTree } from '../../ports/sources.ts';
import type { Store } from '../../ports/store.ts';
import type { Context, RestorableTree, RestoredSpecs } from '../context.ts';
import { type ExitCode, exitCodes, UserError } from '../errors.ts';
import { confirmFiles, proposalText, pushBranch, refuseToAsk, shownFiles } from '../local/changed-files.ts';
import { estateIn, withExistingStore } from '../local/store.ts';
import { writeChangedFiles } from '../local/write-files.ts';
import {
  collect,
  defineCommand,
  type OverlayOption,
  overlayOf,
  parseTimestamp,
  type StoreOptions,
  withOverlayOption,
} from '../options.ts';
import { count } from '../output/format.ts';
import { paintFor, printJson, printText } from '../output/print.ts';

interface Options extends StoreOptions, OverlayOption {
  readonly asOf: number;
  readonly scope: readonly string[];
  readonly estate?: string;
  readonly write?: boolean;
  readonly remote?: string;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

export const restore = (context: Context): Command =>
  withOverlayOption(restoreCommand())
    .addOption(
      new Option('--as-of <time>', 'the time, with its time zone: 2026-11-27T08:00Z')
        .argParser(parseTimestamp)
        .makeOptionMandatory(),
    )
    .option('--scope <scope>', 'only documents of this scope; repeatable. Default: all files', collect, [])
    .option('--estate <name>', 'the estate in the store; default: that of DIR')
    .option('--write', 'write the files, instead of pushing a branch setpoint/…')
    .option('--remote <name>', 'the remote to push to. Default: origin')
    .option('--yes', 'do not ask')
    .option('--dry-run', 'print the diff and write nothing')
    .option('--json', 'one JSON object on stdout')
    .action(async (dir: string, _options: Options, command: Command) => {
      context.finish(await run(dir, command.optsWithGlobals<Options>(), context));
    });

const restoreCommand = (): Command =>
  defineCommand('restore', {
    group: 'Change',
    summary: 'propose the estate as it was at a time',
    about:
      'Takes the specs that were active at TIME from the store, and pushes them as a branch for a pull request, on top of your HEAD. It shows the diff and asks before. It changes nothing on a cloud: the merge does.\n\nMachines that Setpoint has deleted come back as new ones, without their data. Those in their grace are kept: see setpoint status.',
    examples: [
      ['restore --as-of 2026-11-27T08:00Z', 'the whole estate, as a branch'],
      ['restore --as-of 2026-11-27T08:00Z --scope aws/111122223333/eu-west-1', 'the documents of one scope'],
      ['restore --as-of 2026-11-27T08:00Z --dry-run', 'print the diff, and write nothing'],
      ['restore --as-of 2026-11-27T08:00Z --write', 'write the files, without git'],
    ],
  }).argument('[dir]', 'folder of specs', 'specs');

/** `files`: by their path from `folder`, the nearest folder that is there. */
interface Restoration {
  readonly estate: string;
  readonly generation: Pick<Generation, 'number' | 'revision'>;
  readonly folder: string;
  readonly files: readonly ChangedFile[];
  /** Files that no document of now names, such as scripts, and that are as they were. */
  readonly standing: readonly ChangedFile[];
  readonly documents: RestoredSpecs['documents'];
  /** The numbers of the patches that held then. They are not restored. */
  readonly patches: readonly number[];
  /** The active guards that these specs have looser. */
  readonly loosened: readonly string[];
}

async function run(dir: string, options: Options, context: Context): Promise<ExitCode> {
  if (options.write === true && options.remote !== undefined)
    throw new UserError('--remote names where a branch goes.', { next: 'Leave out --write or --remote.' });
  refuseFuture(options, context);
  refuseToAsk(options);
  const found = await withExistingStore(options.dir, context, (store) => restorationOf(dir, options, store, context));
  const shown = (await shownFiles(found.files, found.folder, context)).map(({ diff }) => diff);
  const paint = paintFor(context.terminal.out);
  if (!options.json) printText(context.terminal, paint('strong', headline(found, options)), bodyOf(found, shown));
  if (found.patches.length > 0)
    context.terminal.err.write(
      `Not restored: ${found.patches.map((id) => `patch #${id}`).join(', ')}. Setpoint ends each patch at its own time, and restores none.\n`,
    );
  if (found.files.length === 0 || options.dryRun === true)
    return finish(found, shown, { ...options, written: false }, context);
  const verb = options.write === true ? 'Write' : 'Commit and push';
  await confirmFiles({ verb, files: found.files.length, yes: options.yes }, context);
  const proposed = await carryOut(found, options, context);
  return finish(found, shown, { ...options, written: proposed === undefined, ...(proposed && { proposed }) }, context);
}

function refuseFuture({ asOf }: Options, { clock }: Context): void {
  if (asOf <= clock.now()) return;
  throw new UserError(`${formatMoment(asOf)} is in the future.`, { next: 'Name a time that is over with --as-of.' });
}

async function restorationOf(dir: string, options: Options, store: Store, context: Context): Promise<Restoration> {
  const { dependencies } = context;
  const folder = await nearestFolder(dir);
  const isThere = resolve(folder) === resolve(dir);
  const read = async (overlay?: string): Promise<RestorableTree & Partial<SpecTree>> =>
    isThere ? dependencies.readSpecs(dir, overlayOf({ overlay })) : nothing;
  const estate = await estateOf(await read(options.overlay), options, store);
  const generation = await store.generations.at(estate, options.asOf);
  const { parseStoredSpecs: parse } = dependencies;
  const kept = generation && (await keptSpecs(estate, generation, store, parse));
  const then = kept && (await specsAlone(kept, parse));
  if (generation === undefined || then === undefined)
    throw new UserError(`No specs of ${estate} were active at ${formatMoment(options.asOf)}.`, {
      next: 'Name a later time. setpoint ledger shows the time of each change.',
    });
  refuseOverlay(options, then);
  const now = await read(then.overlay);
  const named = options.scope.length === 0 ? undefined : await namesIn(options.scope, [then, now], context);
  const { files, documents } = restored(then, now, named, context);
  const prefix = relative(folder, dir);
  const placed = files.map((file) => ({ ...file, path: prefix === '' ? file.path : join(prefix, file.path) }));
  const { changed, standing } = await splitStanding(placed, folder, options);
  const patches = (kept?.files ?? []).flatMap(({ path }) => patchIn(path) ?? []);
  const current = await store.generations.current(estate);
  const loosened = current === undefined ? [] : loosenedGuards(current.guards, generation.guards, isMeant(named));
  return { estate, generation, folder, files: changed, standing, documents, patches, loosened };
}

/** The named one, else that of the folder where the store knows it, else the only one of the store. */
async function estateOf(found: Partial<SpecTree>, { estate }: Options, store: Store): Promise<string> {
  const own = found.estate?.value.metadata.name;
  const known = own !== undefined && (await store.estates.list()).includes(own) ? own : undefined;
  return estateIn(store, { estate: estate ?? known, askedBy: '--estate' });
}

/** Specs are compared and written with the overlay that they had: with another one its files would seem to be missing. */
function refuseOverlay({ overlay, asOf }: Options, then: SpecTree): void {
  if (overlay === undefined || overlay === then.overlay) return;
  const had = then.overlay === undefined ? 'no overlay' : `the overlay ${then.overlay}`;
  throw new UserError(`The specs cannot be restored with the overlay ${overlay}.`, {
    why: `Those of ${formatMoment(asOf)} had ${had}.`,
    next: 'Leave out --overlay, or name another estate with --estate.',
  });
}

/** All guards where the whole estate is restored, else those of the named documents. */
const isMeant = (named: ReadonlySet<string> | undefined) =>
  named && ((document: Address): boolean => named.has(shortAddress(document)));

const nothing: RestorableTree = { files: [], userData: new Map(), documents: [] };

function restored(
  then: SpecTree,
  now: RestorableTree,
  named: ReadonlySet<string> | undefined,
  { dependencies }: Context,
): RestoredSpecs {
  try {
    return dependencies.restoredSpecs(then, now, named);
  } catch (cause) {
    throw new UserError('The specs cannot be restored in part.', {
      why: messageOf(cause),
      next: 'Leave out --scope.',
      cause,
    });
  }
}

/** A mistake may have removed the folder itself. */
async function nearestFolder(dir: string): Promise<string> {
  const isFolder = await stat(dir).then(
    (found) => found.isDirectory(),
    () => false,
  );
  return isFolder || dirname(dir) === dir ? dir : nearestFolder(dirname(dir));
}

/**
 * A script outlives the documents that named it, and the specs of now do not have it: as it was, it is no change. With other content it may be
 * another's work, and is not overwritten.
 */
async function splitStanding(files: readonly ChangedFile[], folder: string, { asOf, write }: Options) {
  const changed: ChangedFile[] = [];
  const standing: ChangedFile[] = [];
  for (const file of files) {
    const path = join(folder, file.path);
    const found = file.before === undefined ? await textAt(path) : undefined;
    if (found === undefined) changed.push(file);
    else if (found === file.after) standing.push({ ...file, before: found });
    else
      throw new UserError(`${path} exists, and differs from the file of ${formatMoment(asOf)}.`, {
        why: 'No document names it now, so Setpoint does not overwrite it.',
        next: `Move it away${write === true ? '' : ' with git mv, commit'}, and run the command again.`,
        code: exitCodes.refused,
      });
  }
  return { changed, standing };
}

/** Null where something else than a file stands there. */
async function textAt(path: string): Promise<string | null | undefined> {
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined) return undefined;
  return found.isFile() ? readFile(path, 'utf8') : null;
}

/** The documents of these scopes in any of the trees, such as `instance web` and `firewall-rule core.https`. */
async function namesIn(
  scopes: readonly string[],
  trees: readonly Partial<SpecTree>[],
  { dependencies, clock }: Context,
): Promise<ReadonlySet<string>> {
  const names = new Set<string>();
  const known = new Set<string>();
  const today = new Date(clock.now()).toISOString().slice(0, 10);
  for (const tree of trees) {
    if (!isWhole(tree)) continue;
    const { compiled } = await openEstate(tree, dependencies.provider, today);
    for (const { scope, wanted } of compiled.scopes) {
      known.add(scope);
      if (!scopes.includes(scope)) continue;
      for (const address of wanted.documents.keys()) names.add(shortAddress(address));
    }
  }
  const unknown = scopes.find((scope) => !known.has(scope));
  if (unknown === undefined) return names;
  throw new UserError(`There is no scope ${unknown}.`, { next: `Name one of: ${[...known].join(', ')}` });
}

const isWhole = (tree: Partial<SpecTree>): tree is SpecTree =>
  tree.problems !== undefined && !tree.problems.some(({ severity }) => severity === 'error');

function headline({ generation, files, estate }: Restoration, { asOf }: Options): string {
  const { number, revision } = generation;
  return printable(
    `Restore: ${estate} as of ${formatMoment(asOf)}, generation ${number} (${shortRevision(revision)}): ${count(files.length, 'file')}`,
  );
}

const bodyOf = (found: Restoration, shown: readonly string[]): string =>
  found.files.length === 0
    ? 'The specs are as they were then.'
    : [...shown.map((diff) => diff.trimEnd()), '', ...summaryOf(found)].join('\n');

/** The documents that come back, change and go, and the guards that become looser. */
function summaryOf({ documents, loosened, standing }: Restoration): readonly string[] {
  const { back, changed, gone } = printable(documents);
  const machines = back.some((name) => name.startsWith('Instance '));
  return [
    ...(back.length === 0 ? [] : [`Comes back: ${back.join(', ')}`]),
    ...(changed.length === 0 ? [] : [`Changes back: ${changed.join(', ')}`]),
    ...(standing.length === 0 ? [] : [`Stays: ${printable(standing.map(({ path }) => path)).join(', ')}`]),
    ...(gone.length === 0 ? [] : [`Goes: ${gone.join(', ')}. Limits, approvals and graces hold for it.`]),
    ...(machines
      ? [
          'Machines that were deleted come back with new disks and addresses: their data is lost. Those in their grace stay.',
        ]
      : []),
    ...(loosened.length === 0
      ? []
      : [
          `Loosens guards: ${printable(loosened).join('; ')}.`,
          'Looser guards count from the next generation on, which the next change of the specs makes.',
        ]),
  ];
}

async function carryOut(found: Restoration, options: Options, context: Context): Promise<ProposedBranch | undefined> {
  const { folder: dir, files, standing } = found;
  if (options.write === true) {
    await writeChangedFiles(dir, files);
    return undefined;
  }
  const { remote = 'origin' } = options;
  const proposal = {
    dir,
    files: [...files, ...standing],
    topic: 'restore',
    message: commitMessage(found, options),
    remote,
  };
  return pushBranch(proposal, 'Mend the cause and run it again, or write the files with --write.', context);
}

/** Of the commit. */
const commitMessage = (found: Restoration, { asOf }: Options): string =>
  `revert: restore the specs as of ${new Date(asOf).toISOString().slice(0, 16)}Z\n\nGeneration ${found.generation.number}, ${found.generation.revision}.\n${summaryOf(found).join('\n')}\n`;

interface Outcome extends Options {
  readonly written: boolean;
  readonly proposed?: ProposedBranch;
}

function finish(
  { estate, generation, documents, files, loosened }: Restoration,
  shown: readonly string[],
  { json, written, proposed, dryRun }: Outcome,
  { terminal }: Context,
): ExitCode {
  if (json) {
    const listed = files.map(({ path, after }, i) => ({ path, written, removed: after === undefined, diff: shown[i] }));
    const { number, revision } = generation;
    printJson(terminal, { estate, generation: number, revision, ...documents, loosened, files: listed, proposed });
  } else if (proposed !== undefined) terminal.out.write(`${proposalText(proposed)}\n`);
  else if (written) terminal.out.write('Written. Next: review the files with git diff, and commit them.\n');
  else if (dryRun === true && files.length > 0) terminal.out.write('Nothing was written.\n');
  return exitCodes.done;
}
