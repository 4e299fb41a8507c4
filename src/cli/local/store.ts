import { shortRevision } from '../../core/render/wording.ts';
import { printable } from '../../core/text.ts';
import { keptSpecs } from '../../estate/load.ts';
import { Declined } from '../../ports/queries.ts';
import type { SpecTree } from '../../ports/sources.ts';
import type { Store } from '../../ports/store.ts';
import type { CliProcess } from '../context.ts';
import { UserError } from '../errors.ts';
import { progressOn } from '../output/progress.ts';

/** The store there is, or none: for commands that only read. They ask again where the database is lost meanwhile. */
export const withOptionalStore = <T>(
  folder: string,
  context: CliProcess,
  work: (store: Store | undefined) => Promise<T>,
): Promise<T> => retryUnavailable(async () => thenClose(await open(folder, 'existing', context), work), context);

/** The store, made if need be: for commands that write. */
export const withCreatedStore = async <T>(
  folder: string,
  context: CliProcess,
  work: (store: Store) => Promise<T>,
): Promise<T> =>
  thenClose(await retryUnavailable(() => open(folder, 'make', context), context), (store) => {
    if (store === undefined) throw new Error('the new store was not created');
    return work(store);
  });

/** The store, which must exist: for commands that ask it only, or write into it. */
export const withExistingStore = async <T>(
  folder: string,
  context: CliProcess,
  work: (store: Store) => Promise<T>,
): Promise<T> =>
  thenClose(await retryUnavailable(() => open(folder, 'existing', context), context), (store) => {
    if (store !== undefined) return work(store);
    throw new UserError(`There is no store in ${folder}.`, {
      next: 'Run this where you ran `setpoint apply`, name its folder with --dir, or set DATABASE_URL.',
    });
  });

/** As a server is asked again that has no database for a while: see `send` in api-client/client.ts. */
const tries = 4;
const pauseMs = 2_000;

async function retryUnavailable<T>(ask: () => Promise<T>, { clock, signal, terminal }: CliProcess): Promise<T> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof Declined) || error.because !== 'away' || tried === tries) throw error;
    }
    terminal.err.write(`The database is unreachable. Retrying in ${pauseMs / 1000} s (${tried} of ${tries - 1}).\n`);
    await clock.sleep(pauseMs, signal);
  }
}

async function thenClose<T>(store: Store | undefined, work: (store: Store | undefined) => Promise<T>): Promise<T> {
  try {
    return await work(store);
  } finally {
    await store?.close();
  }
}

async function open(
  folder: string,
  opening: 'existing' | 'make',
  { dependencies, terminal, clock }: CliProcess,
): Promise<Store | undefined> {
  const progress = progressOn(terminal.err, clock);
  try {
    return await dependencies.openStore(folder, opening, (text) => progress.show('store', text));
  } finally {
    progress.end();
  }
}

/** Selects one of the trees that a store keeps. `folder`: of the store. `estate` may be left out where there is one only. */
export interface StoredSpecsSelection {
  readonly folder: string;
  readonly estate?: string;
  /** The option that names one. Default: --active-of. */
  readonly askedBy?: string;
}

/** The specs of the newest generation, as the store keeps them. */
export const activeSpecs = (selection: StoredSpecsSelection, context: CliProcess): Promise<SpecTree> =>
  withExistingStore(selection.folder, context, async (store) => {
    const estate = await estateIn(store, selection);
    const current = await store.generations.current(estate);
    const tree = current && (await keptSpecs(estate, current, store, context.dependencies.parseStoredSpecs));
    if (tree !== undefined) return tree;
    throw new UserError(`This store has no specs of ${estate}.`, {
      next: 'Name their folder, or run a worker that follows them: setpoint serve --repo URL',
    });
  });

/** The newest specs of this commit, of the estate's own repository or of a team's, that ever were active. */
export const pastSpecs = (commit: string, selection: StoredSpecsSelection, context: CliProcess): Promise<SpecTree> =>
  withExistingStore(selection.folder, context, async (store) => {
    const estate = await estateIn(store, selection);
    const generation = await store.generations.ofCommit(estate, commit.toLowerCase());
    const tree = generation && (await keptSpecs(estate, generation, store, context.dependencies.parseStoredSpecs));
    if (tree !== undefined) return tree;
    throw new UserError(`No specs of commit ${commit} were ever active here.`, {
      why: 'A rollback needs specs that were active before; the store keeps them.',
      next: ['Revert the commit in the repository, or name one of these:', ...(await latestOf(estate, store))].join(
        '\n',
      ),
    });
  });

const noEstates =
  'Apply some specs, or run a worker that follows them: setpoint serve --repo URL. If one already runs, read its log.';

const listed = 5;

/** `generation 7: commit 1a2b3c4`, of the newest few, newest first. */
async function latestOf(estate: string, store: Store): Promise<readonly string[]> {
  const newest = (await store.generations.current(estate))?.number ?? 0;
  const numbers = Array.from({ length: Math.min(listed, newest) }, (_, i) => newest - i);
  const found = await Promise.all(numbers.map((number) => store.generations.numbered(estate, number)));
  return found.flatMap((one) => (one ? [`generation ${one.number}: ${printable(shortRevision(one.revision))}`] : []));
}

/** The estate that a person names, or the only one of the store. */
export async function estateIn(
  store: Store,
  { estate: asked, askedBy = '--active-of' }: Partial<Omit<StoredSpecsSelection, 'folder'>>,
): Promise<string> {
  const estates = await store.estates.list();
  const [only] = estates;
  if (asked === undefined && only !== undefined && estates.length === 1) return only;
  if (asked !== undefined && estates.includes(asked)) return asked;
  const what =
    asked === undefined ? `There are ${estates.length} estates in this store.` : `There is no estate ${asked}.`;
  throw new UserError(what, {
    next: estates.length === 0 ? noEstates : `Name one: ${askedBy} ${estates.join(`, or ${askedBy} `)}`,
  });
}
