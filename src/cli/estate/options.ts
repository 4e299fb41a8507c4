import type { Command } from 'commander';
import type { Store } from '../../ports/store.ts';
import { Complaint } from '../complaint.ts';
import type { Context } from '../context.ts';
import type { Choice } from './estate.ts';

/** The options of every verb that looks at clouds. `dir` is the store's folder, an option of the program itself. */
export interface EstateOptions {
  readonly target: readonly string[];
  readonly allowEndpoint?: boolean;
  readonly dir: string;
}

export const withEstateOptions = (command: Command): Command =>
  command
    .argument('[dir]', 'folder of specs', 'specs')
    .option('--target <name>', 'only this target; may be given several times', collect, [])
    .option('--allow-endpoint', 'let targets with an `endpoint` be called there, as with the sandbox');

const collect = (value: string, before: readonly string[]): readonly string[] => [...before, value];

export const choiceOf = (dir: string, { target, allowEndpoint = false }: EstateOptions): Choice => ({
  dir,
  targets: target,
  allowEndpoint,
});

/** The store there is, or none: for verbs that only read. */
export async function withStore<T>(
  folder: string,
  { house }: Context,
  work: (store: Store | undefined) => Promise<T>,
): Promise<T> {
  const store = await house.store(folder, 'existing');
  try {
    return await work(store);
  } finally {
    await store?.close();
  }
}

/** The store, made if need be: for verbs that write. */
export async function withOwnStore<T>(
  folder: string,
  { house }: Context,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  const store = await house.store(folder, 'make');
  if (store === undefined) throw new Error('a store that was to be made was not');
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** The store, which must exist: for verbs that ask it only. */
export const withGivenStore = <T>(folder: string, context: Context, work: (store: Store) => Promise<T>): Promise<T> =>
  withStore(folder, context, (store) => {
    if (store !== undefined) return work(store);
    throw new Complaint(`There is no store in ${folder}.`, {
      next: 'Run this where you ran `setpoint apply`, name its folder with --dir, or set DATABASE_URL.',
    });
  });
