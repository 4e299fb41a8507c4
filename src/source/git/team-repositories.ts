import type { EstateDoc } from '../../core/documents/document.ts';
import type { RepositoryOptions } from './inside.ts';
import { openRepository, type Repository } from './repository.ts';
import { RepositoryError } from './repository-error.ts';
import { readRepositoryUrl } from './repository-url.ts';

export type TeamSource = NonNullable<EstateDoc['spec']['sources']>[number];

/** A repository and the commit of it that is read. */
export interface Head {
  readonly repository: Repository;
  readonly commit: string;
}

/** The repositories of an estate's teams, each opened once, with what the estate's own is opened with. */
export interface TeamRepositories {
  open(source: TeamSource): Repository;
  /** Where its branch is now. */
  newest(source: TeamSource, signal?: AbortSignal): Promise<Head>;
}

/**
 * `root`: how the estate's own repository is opened. Its token goes to its host alone: who may write an Estate document names
 * servers, and may not have it sent to one of theirs.
 */
export function teamRepositories(root: RepositoryOptions): TeamRepositories {
  const opened = new Map<string, Repository>();
  const tokenHost = root.tokenHost ?? readRepositoryUrl(root.url, true).url?.host ?? '';
  const open = ({ name, repo: url, branch, path }: TeamSource): Repository => {
    const key = JSON.stringify([url, branch, path]);
    const repository = opened.get(key) ?? openTeam(name, { ...root, url, branch, path, tokenHost });
    opened.set(key, repository);
    return repository;
  };
  return {
    open,
    newest: async (source, signal) => {
      const repository = open(source);
      return { repository, commit: await repository.fetch(signal) };
    },
  };
}

function openTeam(name: string, options: RepositoryOptions): Repository {
  try {
    return openRepository(options);
  } catch (error) {
    if (!(error instanceof RepositoryError)) throw error;
    const { trouble, repository, message } = error;
    throw new RepositoryError(`source ${name} of the estate: ${message}`, { trouble, repository, cause: error });
  }
}
