import type { Command } from 'commander';
import type { Store } from '../../ports/store.ts';
import { Complaint } from '../complaint.ts';
import type { Context } from '../context.ts';
import { progressOn } from '../progress/progress.ts';
import type { Choice } from './estate.ts';

/** The options of every verb that looks at clouds. `dir` is the store's folder, an option of the program itself. */
export interface EstateOptions {
  readonly target: readonly string[];
  readonly allowEndpoint?: boolean;
  readonly dir: string;
}

export const withEstateOptions = (command: Command): Command =>
  targetOptions(command.argument('[dir]', 'folder of specs', 'specs'));

/** For verbs whose arguments are addresses. */
export const withSpecsOption = (command: Command): Command =>
  targetOptions(command.option('--specs <folder>', 'folder of specs', 'specs'));

const targetOptions = (command: Command): Command =>
  command
    .option('--target <name>', 'only this target; may be given several times', collect, [])
    .option('--allow-endpoint', 'let targets with an `endpoint` be called there, as with the sandbox');

const collect = (value: string, before: readonly string[]): readonly string[] => [...before, value];

export const choiceOf = (dir: string, { target, allowEndpoint = false }: EstateOptions): Choice => ({
  dir,
  targets: target,
  allowEndpoint,
});

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
