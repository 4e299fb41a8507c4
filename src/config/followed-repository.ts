import { resolve } from 'node:path';
import type { FollowedRepository } from '../cli/house.ts';
import type { Source } from '../fleet/source.ts';
import type { SpecTree } from '../ports/spec-tree.ts';
import { judgeHistory } from '../source/git/judge-history.ts';
import { loadCommit } from '../source/git/load-commit.ts';
import { openRepository } from '../source/git/repository.ts';

export interface RepositoryGrounds {
  /** The store's folder: the mirror lies there. */
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  /** 2027-01-31 */
  readonly today: () => string;
  readonly overlay?: string;
}

/** A branch of a git repository as a source of specs. Throws where its address is none to use. */
export function followedRepository(
  { url, branch, path, everyMs, allowLocal }: FollowedRepository,
  { folder, env, today, overlay }: RepositoryGrounds,
): Source {
  const repository = openRepository({
    url,
    branch,
    path,
    folder: resolve(folder, 'repositories'),
    allowFile: allowLocal,
    env,
  });
  let last: { readonly key: string; readonly tree: SpecTree } | undefined;
  return {
    name: repository.name,
    everyMs,
    read: async (signal) => {
      const head = await repository.fetch(signal);
      const day = today();
      const key = `${head} ${day}`;
      if (last?.key === key) return last.tree;
      const loading = { today: day, signal, ...(overlay === undefined ? {} : { overlay }) };
      const tree = await loadCommit(repository, head, loading);
      last = { key, tree };
      return tree;
    },
    history: {
      judge: (revision, after) => judgeHistory(revision, after, { repository: () => repository, today: today() }),
    },
  };
}
