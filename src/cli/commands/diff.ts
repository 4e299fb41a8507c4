import { stat } from 'node:fs/promises';
import type { Command } from 'commander';
import { placedAt } from '../../core/compile/placed-at.ts';
import { ofKind } from '../../core/documents/spec-set.ts';
import { loosenedGuards } from '../../core/loosened-guards.ts';
import { difference as compare } from '../../core/plan/preview.ts';
import { type Difference, diffJson, diffText } from '../../core/render/revision-diff.ts';
import { dayOf } from '../../core/render/wording.ts';
import type { Cloud } from '../../core/resource.ts';
import { type Estate, type OpenedEstate, openEstate } from '../../estate/load.ts';
import { namedFromHere } from '../../queries/estate-view.ts';
import type { Context } from '../context.ts';
import { type ExitCode, exitCodes, UserError } from '../errors.ts';
import { readEstate } from '../local/estate.ts';
import { defineCommand, type OverlayOption, overlayOf, withOverlayOption } from '../options.ts';
import { paintFor, printJson, printText } from '../output/print.ts';

interface Options extends OverlayOption {
  readonly from?: string;
  readonly to?: string;
  readonly fromOverlay?: string;
  readonly toOverlay?: string;
  readonly json?: boolean;
  readonly detailedExitcode?: boolean;
}

export const diff = (context: Context): Command =>
  withOverlayOption(
    defineCommand('diff', {
      group: 'Specs',
      summary: 'show the changes to the clouds between two states of the specs',
      about:
        'Compares two commits, folders or overlays, as `plan` would if the clouds matched the first one:\nactions, their effect on traffic, and guards that become looser. It uses no cloud and no store. + add, ~ change, -/+ replace, - delete, ? kept as an orphan, · withheld.',
      examples: [
        ['diff --from main', 'changes in this folder, committed or not'],
        ['diff --from v1.2 --to v1.3 --overlay prod', 'between two releases, in production'],
        ['diff --from-overlay staging --to-overlay prod', 'from staging to production'],
        ['diff --from origin/main --to HEAD --detailed-exitcode', 'for CI: exit 2 if there is anything'],
      ],
    }).argument('[dir]', 'folder of specs', 'specs'),
  )
    .option('--from <ref>', 'the first state: a commit, branch, tag or folder; default: DIR as it is')
    .option('--to <ref>', 'the second state, likewise')
    .option('--from-overlay <name>', 'the overlay of the first state, if it differs')
    .option('--to-overlay <name>', 'the overlay of the second state')
    .option('--json', 'one JSON object on stdout')
    .option('--detailed-exitcode', 'exit 2 if anything differs')
    .action(async (dir: string, options: Options) => context.finish(await run(dir, options, context)));

async function run(dir: string, options: Options, context: Context): Promise<ExitCode> {
  const { overlay, fromOverlay = overlay, toOverlay = overlay } = options;
  const from = await sideOf(dir, options.from, overlayOf({ overlay: fromOverlay }));
  const to = await sideOf(dir, options.to, overlayOf({ overlay: toOverlay }));
  const found = await differenceOf(from, to, context);
  const { terminal } = context;
  if (options.json) printJson(terminal, diffJson(found));
  else {
    const [verdict = '', ...body] = diffText(found, paintFor(terminal.out)).split('\n');
    printText(terminal, verdict, body.join('\n'));
  }
  return options.detailedExitcode && differs(found) ? exitCodes.changes : exitCodes.done;
}

/** A withheld action differs too: applying the second would not come to its desired state. */
const differs = ({ plans, left, looserGuards }: Difference): boolean =>
  left.length + looserGuards.length > 0 || plans.some(({ actions, findings }) => actions.length + findings.length > 0);

/** One state of the specs: a folder as it is, or as a commit of its repository has it. */
interface Side extends OverlayOption {
  readonly dir: string;
  readonly ref?: string;
}

/** The named specs: an existing folder, else a commit; nothing: the folder of specs itself. */
async function sideOf(dir: string, given: string | undefined, option: OverlayOption): Promise<Side> {
  const overlay = overlayOf(option);
  if (given === undefined) return { dir, ...overlay };
  const isFolder = await stat(given).then(
    (found) => found.isDirectory(),
    () => false,
  );
  return isFolder ? { dir: given, ...overlay } : { dir, ref: given, ...overlay };
}

/**
 * The resources that the second asks of the clouds and the first does not, and the other way round. Two environments are
 * compared where the second one's targets are. Calls no cloud and no store.
 */
async function differenceOf(first: Side, second: Side, context: Context): Promise<Difference> {
  if (isSame(first, second)) throw same;
  const from = await readSide(first, context);
  const to = await readSide(second, context);
  const { compiled, moved } =
    first.overlay === second.overlay ? { ...from, moved: [] } : await asPlaced(from, to, context);
  const { plans, effect, left } = compare(compiled, to.compiled, { estate: to.name, dialects: dialectsOf(to) });
  return {
    from: from.tree.revision,
    to: to.tree.revision,
    plans: plans.map((plan) => namedFromHere(plan, second.dir)),
    effect,
    looserGuards: loosenedGuards(compiled.guards, to.compiled.guards),
    left,
    moved,
  };
}

/** Two commits may come to be one, and then nothing differs; the folder itself is never what somebody meant twice. */
const isSame = (one: Side, other: Side): boolean =>
  [one.ref, other.ref].every((ref) => ref === undefined) && one.dir === other.dir && one.overlay === other.overlay;

const same = new UserError('Nothing to compare: both sides are the folder as it is.', {
  next: 'Name two: --from main, or --from v1.2 --to HEAD, or --from-overlay staging --to-overlay prod',
});

const readSide = (side: Side, context: Context): Promise<Estate> =>
  readEstate({ ...side, targets: [], allowEndpoint: true }, context);

async function asPlaced({ tree, clouds }: Estate, to: Estate, { clock }: Context) {
  const targets = ofKind(to.tree.documents, 'Target').map(({ value }) => value);
  const { documents, moved } = placedAt(tree.documents, targets);
  const today = dayOf(clock.now());
  const opened = await openEstate({ ...tree, documents }, async (cloud) => opening(clouds, cloud), today);
  return { compiled: opened.compiled, moved };
}

function opening(clouds: OpenedEstate['clouds'], name: Cloud) {
  const cloud = clouds.get(name);
  if (cloud === undefined) throw new Error(`${name} was not opened`);
  return cloud;
}

const dialectsOf = ({ clouds }: Estate) =>
  Object.fromEntries([...clouds].map(([name, { dialect }]) => [name, dialect]));
