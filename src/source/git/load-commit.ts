import type { SpecTree } from '../../ports/sources.ts';
import { loadTree } from '../load.ts';
import { parseSpecsAside } from '../parse-thread.ts';
import type { Repository } from './repository.ts';
import { gitRevision } from './revision.ts';

export interface CommitLoading {
  /** 2027-01-31: decides which `ignore` still holds. */
  readonly today: string;
  readonly overlay?: string;
  readonly signal?: AbortSignal;
}

/**
 * The specs of a commit, as `loadSpecs` reads a folder's: what is wrong in it are its problems. Rejects only where our copy of
 * the repository cannot be read.
 */
export async function loadCommit(
  repository: Pick<Repository, 'read'>,
  commit: string,
  { today, overlay, signal }: CommitLoading,
): Promise<SpecTree> {
  const loading = { today, parse: parseSpecsAside, ...(overlay === undefined ? {} : { overlay }) };
  const tree = await repository.read(
    commit,
    ({ tree: source, rules }) => loadTree(source, { ...loading, rules }),
    signal,
  );
  return { ...tree, revision: gitRevision({ root: commit, teams: new Map(), overlay }) };
}
