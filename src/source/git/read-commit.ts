import type { TreeRules } from '../tree-rules.ts';
import type { TreeSource } from '../tree-source.ts';
import { bounds } from './bounds.ts';
import { type Commit, parseCommit } from './commit.ts';
import { commitTree } from './commit-tree.ts';
import { fullName } from './full-name.ts';
import type { Inside } from './inside.ts';
import { MissingObject, type ObjectReader, objectReader, UnreadableObject } from './object-reader.ts';
import { RepositoryError, unknownCommit } from './repository-error.ts';

/** No message of a person is longer. */
const MOST_COMMIT_BYTES = 1024 * 1024;

export async function readCommit<T>(
  inside: Inside,
  commit: string,
  work: (reading: CommitReading) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const { mirror, url, state } = inside;
  const objects = objectReader(mirror, bounds.read(signal), inside.guards.objects);
  try {
    return await work(await readingOf(inside, objects, commit));
  } catch (error) {
    signal?.throwIfAborted();
    if (!(error instanceof UnreadableObject)) throw error;
    state.suspect = true;
    const next = 'It is fetched anew at the next look; if that does not help, `git fsck` there tells more';
    throw new RepositoryError(`our copy of ${url.name} cannot be read: ${error.message}. ${next}`, {
      trouble: 'unreadable',
      repository: url.name,
      cause: error,
    });
  } finally {
    await objects.end();
  }
}

async function readingOf({ url, path, guards }: Inside, objects: ObjectReader, id: string): Promise<CommitReading> {
  const { bytes } = await objects.read(fullName(id), 'commit', MOST_COMMIT_BYTES).catch((error: unknown) => {
    throw error instanceof MissingObject ? unknownCommit(url.name, id) : error;
  });
  const commit = bytes && parseCommit(id, bytes);
  if (commit === undefined) throw new UnreadableObject(`${id} is no commit as git writes them`);
  return { commit, tree: commitTree(objects, { tree: commit.tree, path }, guards.trees), rules: guards.trees };
}

export interface CommitReading {
  readonly commit: Commit;
  /** The folder of its specs. */
  readonly tree: TreeSource;
  /** What it is held to. */
  readonly rules: TreeRules;
}
