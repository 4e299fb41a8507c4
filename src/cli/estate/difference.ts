import { stat } from 'node:fs/promises';
import { placedAt } from '../../core/compile/placed-at.ts';
import { ofKind } from '../../core/documents/spec-set.ts';
import { difference as compare } from '../../core/plan/preview.ts';
import type { Difference } from '../../core/render/revision-diff.ts';
import { dayOf } from '../../core/render/wording.ts';
import type { Cloud } from '../../core/resource.ts';
import { type OpenedEstate, openEstate } from '../../estate/load.ts';
import { type Estate, namedFromHere } from '../../queries/estate-view.ts';
import { Complaint } from '../complaint.ts';
import type { Context } from '../context.ts';
import { readEstate } from './estate.ts';
import { type OverlayOption, overlayOf } from './overlay-option.ts';

/** One state of the specs: a folder as it is, or as a commit of its repository has it. */
export interface Side extends OverlayOption {
  readonly dir: string;
  readonly ref?: string;
}

/** What a person names: a folder there is, else a commit; nothing: the folder of specs itself. */
export async function sideOf(dir: string, given: string | undefined, option: OverlayOption): Promise<Side> {
  const overlay = overlayOf(option);
  if (given === undefined) return { dir, ...overlay };
  const isFolder = await stat(given).then(
    (found) => found.isDirectory(),
    () => false,
  );
  return isFolder ? { dir: given, ...overlay } : { dir, ref: given, ...overlay };
}

/**
 * What the second asks of the clouds that the first does not, and the other way round. Two environments are compared where
 * the second one's targets are. Asks no cloud and no store.
 */
export async function differenceOf(first: Side, second: Side, context: Context): Promise<Difference> {
  if (isSame(first, second)) throw same;
  const from = await readSide(first, context);
  const to = await readSide(second, context);
  const { compiled, moved } =
    first.overlay === second.overlay ? { ...from, moved: [] } : await asPlaced(from, to, context);
  const { plans, left } = compare(compiled, to.compiled, { estate: to.name, dialects: dialectsOf(to) });
  return {
    from: from.tree.revision,
    to: to.tree.revision,
    plans: plans.map((plan) => namedFromHere(plan, second.dir)),
    left,
    moved,
  };
}

/** Two commits may come to be one, and then nothing differs; the folder itself is never what somebody meant twice. */
const isSame = (one: Side, other: Side): boolean =>
  [one.ref, other.ref].every((ref) => ref === undefined) && one.dir === other.dir && one.overlay === other.overlay;

const same = new Complaint('There is nothing to compare: both sides are the folder as it is.', {
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
