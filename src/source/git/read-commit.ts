import { bounds } from './bounds.ts';
import { parseCommit } from './commit.ts';
import { commitTree } from './commit-tree.ts';
import type { Inside } from './inside.ts';
import { type ObjectReader, objectReader, UnreadableObject } from './object-reader.ts';
import type { CommitReading } from './repository.ts';
import { RepositoryError } from './repository-error.ts';

/** No message of a person is longer. */
const MOST_COMMIT_BYTES = 1024 * 1024;

export async function readCommit<T>(
  inside: Inside,
  commit: string,
  work: (reading: CommitReading) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const { mirror, url, state } = inside;
  const objects = objectReader(mirror, bounds.read(signal));
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
    objects.end();
  }
}

async function readingOf({ url, path, guards }: Inside, objects: ObjectReader, id: string): Promise<CommitReading> {
  const head = await objects.look(id);
  if (head?.type !== 'commit') {
    const next = 'Name one of the branch that is followed';
    throw new RepositoryError(`${url.name} has no commit ${id} as far as it was fetched. ${next}`, {
      trouble: 'unknown',
      repository: url.name,
    });
  }
  const commit = parseCommit(id, await objects.read(id, 'commit', MOST_COMMIT_BYTES));
  if (commit === undefined) throw new UnreadableObject(`${id} is no commit as git writes them`);
  return { commit, tree: commitTree(objects, { tree: commit.tree, path }, guards.trees), rules: guards.trees };
}
