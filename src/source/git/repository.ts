import type { EstateDoc } from '../../core/documents/document.ts';
import { fetchHead, resolveRef } from './fetch.ts';
import { guards } from './guards.ts';
import { commitsSince } from './history.ts';
import { type CommitReading, readCommit } from './read-commit.ts';
import { openRepositoryContext, type RepositoryContext, type RepositoryOptions } from './repository-context.ts';
import { RepositoryError } from './repository-error.ts';
import { readRepositoryUrl } from './repository-url.ts';

/**
 * A git repository that specs are followed in, read through a bare mirror of one branch. All rejections are
 * `RepositoryError`s, or the signal's reason. Commits are named by their full 40 hex digits.
 */
export interface Repository {
  /** Its address, for people; never with a credential in it. */
  readonly name: string;
  /** The mirror's folder; made by the first fetch. Several processes may use one. */
  readonly mirror: string;
  /** Asks for the branch and takes what is new; answers with its head. A mirror that cannot be used is made anew. */
  fetch(signal?: AbortSignal): Promise<string>;
  /**
   * The commit of HEAD (the branch's head), a branch, a tag, `refs/…` in full, or the first 7 digits or more of
   * a commit that was fetched; each may end in `~2` or `^`. `since` checks that the branch has it in its history.
   */
  resolve(ref: string, signal?: AbortSignal): Promise<string>;
  /** Reads a commit for as long as `work` runs, by one process. */
  read<T>(commit: string, work: (reading: CommitReading) => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** The commits of `to` that `from` has not, oldest first; undefined where `from` is no ancestor of `to`. */
  since(from: string, to: string): Promise<readonly string[] | undefined>;
}

/** Nothing is asked of the network yet. Throws a `RepositoryError` where the address, the branch or the path is none to use. */
export function openRepository(options: RepositoryOptions): Repository {
  const context: RepositoryContext = openRepositoryContext({ ...options, guards: options.guards ?? guards });
  return {
    name: context.url.name,
    mirror: context.mirror.folder,
    fetch: (signal) => fetchHead(context, signal),
    resolve: (ref, signal) => resolveRef(context, ref, signal),
    read: (commit, work, signal) => readCommit(context, commit, work, signal),
    since: (from, to) => commitsSince(context, from, to),
  };
}

export type TeamSource = NonNullable<EstateDoc['spec']['sources']>[number];

/** A repository and the commit of it that is read. */
export interface Head {
  readonly repository: Repository;
  readonly commit: string;
}

/** The repositories of an estate's teams, each opened once, with what the estate's own is opened with. */
export interface TeamRepositories {
  open(source: TeamSource): Repository;
  /** The current head of its branch. */
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
