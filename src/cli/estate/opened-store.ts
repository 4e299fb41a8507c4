import { Declined } from '../../ports/queries.ts';
import type { Store } from '../../ports/store.ts';
import { Complaint } from '../complaint.ts';
import type { Context } from '../context.ts';
import { progressOn } from '../progress/progress.ts';

/** The store there is, or none: for verbs that only read. They ask again where the database is lost meanwhile. */
export const withStore = <T>(
  folder: string,
  context: Context,
  work: (store: Store | undefined) => Promise<T>,
): Promise<T> => answered(async () => closing(await open(folder, 'existing', context), work), context);

/** The store, made if need be: for verbs that write. */
export const withOwnStore = async <T>(
  folder: string,
  context: Context,
  work: (store: Store) => Promise<T>,
): Promise<T> =>
  closing(await answered(() => open(folder, 'make', context), context), (store) => {
    if (store === undefined) throw new Error('a store that was to be made was not');
    return work(store);
  });

/** The store, which must exist: for verbs that ask it only, or write into it. */
export const withGivenStore = async <T>(
  folder: string,
  context: Context,
  work: (store: Store) => Promise<T>,
): Promise<T> =>
  closing(await answered(() => open(folder, 'existing', context), context), (store) => {
    if (store !== undefined) return work(store);
    throw new Complaint(`There is no store in ${folder}.`, {
      next: 'Run this where you ran `setpoint apply`, name its folder with --dir, or set DATABASE_URL.',
    });
  });

/** As a server is asked again that has no database for a while: see `exchange` in server/exchange.ts. */
const tries = 4;
const pauseMs = 2_000;

async function answered<T>(ask: () => Promise<T>, { clock, stop, terminal }: Context): Promise<T> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof Declined) || error.because !== 'away' || tried === tries) throw error;
    }
    terminal.err.write(
      `The database cannot be reached. Asking again in ${pauseMs / 1000} s (${tried} of ${tries - 1}).\n`,
    );
    await clock.sleep(pauseMs, stop);
  }
}

async function closing<T>(store: Store | undefined, work: (store: Store | undefined) => Promise<T>): Promise<T> {
  try {
    return await work(store);
  } finally {
    await store?.close();
  }
}

async function open(
  folder: string,
  opening: 'existing' | 'make',
  { house, terminal, clock }: Context,
): Promise<Store | undefined> {
  const progress = progressOn(terminal.err, clock);
  try {
    return await house.store(folder, opening, (text) => progress.show('store', text));
  } finally {
    progress.end();
  }
}
