import type { Store } from '../../ports/store.ts';
import { Complaint } from '../complaint.ts';
import type { Context } from '../context.ts';
import { progressOn } from '../progress/progress.ts';

/** The store there is, or none: for verbs that only read. */
export const withStore = <T>(
  folder: string,
  context: Context,
  work: (store: Store | undefined) => Promise<T>,
): Promise<T> => closing(open(folder, 'existing', context), work);

/** The store, made if need be: for verbs that write. */
export const withOwnStore = <T>(folder: string, context: Context, work: (store: Store) => Promise<T>): Promise<T> =>
  closing(open(folder, 'make', context), (store) => {
    if (store === undefined) throw new Error('a store that was to be made was not');
    return work(store);
  });

/** The store, which must exist: for verbs that ask it only. */
export const withGivenStore = <T>(folder: string, context: Context, work: (store: Store) => Promise<T>): Promise<T> =>
  withStore(folder, context, (store) => {
    if (store !== undefined) return work(store);
    throw new Complaint(`There is no store in ${folder}.`, {
      next: 'Run this where you ran `setpoint apply`, name its folder with --dir, or set DATABASE_URL.',
    });
  });

async function closing<T>(
  opening: Promise<Store | undefined>,
  work: (store: Store | undefined) => Promise<T>,
): Promise<T> {
  const store = await opening;
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
