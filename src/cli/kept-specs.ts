import { shortRevision } from '../core/render/wording.ts';
import { printable } from '../core/text.ts';
import { keptSpecs } from '../estate/load.ts';
import type { SpecTree } from '../ports/sources.ts';
import type { Store } from '../ports/store.ts';
import { Complaint } from './complaint.ts';
import type { Context } from './context.ts';
import { withGivenStore } from './estate/opened-store.ts';

/** Which of the trees that a store keeps. `folder`: of the store. `estate` may be left out where there is one only. */
export interface KeptChoice {
  readonly folder: string;
  readonly estate?: string;
  /** The option that names one. Default: --in-force-of. */
  readonly askedBy?: string;
}

/** The specs of the newest generation, as the store keeps them. */
export const specsInForce = (choice: KeptChoice, context: Context): Promise<SpecTree> =>
  withGivenStore(choice.folder, context, async (store) => {
    const estate = await estateIn(store, choice);
    const current = await store.generations.current(estate);
    const tree = current && (await keptSpecs(estate, current, store, context.house.kept));
    if (tree !== undefined) return tree;
    throw new Complaint(`No specs of ${estate} are kept in this store.`, {
      next: 'Name their folder, or let a worker follow them: setpoint serve --repo URL',
    });
  });

/** The newest specs of this commit, of the estate's own repository or of a team's, that ever were in force. */
export const specsOnceInForce = (commit: string, choice: KeptChoice, context: Context): Promise<SpecTree> =>
  withGivenStore(choice.folder, context, async (store) => {
    const estate = await estateIn(store, choice);
    const generation = await store.generations.ofCommit(estate, commit.toLowerCase());
    const tree = generation && (await keptSpecs(estate, generation, store, context.house.kept));
    if (tree !== undefined) return tree;
    throw new Complaint(`No specs of commit ${commit} were ever in force here.`, {
      why: 'Going back is to what this store has seen in force; it keeps those specs.',
      next: ['Revert it in the repository, or name one that was:', ...(await latestOf(estate, store))].join('\n'),
    });
  });

const none =
  'Apply some specs, or let a worker follow them: setpoint serve --repo URL. Where one does, its log says what it waits for.';

const told = 5;

/** `generation 7: commit 1a2b3c4`, of the newest few, newest first. */
async function latestOf(estate: string, store: Store): Promise<readonly string[]> {
  const newest = (await store.generations.current(estate))?.number ?? 0;
  const numbers = Array.from({ length: Math.min(told, newest) }, (_, i) => newest - i);
  const found = await Promise.all(numbers.map((number) => store.generations.numbered(estate, number)));
  return found.flatMap((one) => (one ? [`generation ${one.number}: ${printable(shortRevision(one.revision))}`] : []));
}

async function estateIn(
  store: Store,
  { estate: asked, askedBy = '--in-force-of' }: Omit<KeptChoice, 'folder'>,
): Promise<string> {
  const estates = await store.estates.list();
  const [only] = estates;
  if (asked === undefined && only !== undefined && estates.length === 1) return only;
  if (asked !== undefined && estates.includes(asked)) return asked;
  const what =
    asked === undefined ? `There are ${estates.length} estates in this store.` : `There is no estate ${asked}.`;
  throw new Complaint(what, {
    next: estates.length === 0 ? none : `Name one: ${askedBy} ${estates.join(`, or ${askedBy} `)}`,
  });
}
