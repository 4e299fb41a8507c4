import { commitsSince } from './commits-since.ts';
import { fetchHead } from './fetch-head.ts';
import { guards } from './guards.ts';
import { type Inside, insideOf, type RepositoryOptions } from './inside.ts';
import { type CommitReading, readCommit } from './read-commit.ts';
import { resolveRef } from './resolve-ref.ts';

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
   * The commit that is meant by HEAD (the branch's head), a branch, a tag, `refs/…` in full, or the first 7 digits or more of
   * a commit that was fetched; each may end in `~2` or `^`. Whether the branch has it in its history, `since` tells.
   */
  resolve(ref: string, signal?: AbortSignal): Promise<string>;
  /** Reads a commit for as long as `work` runs, by one process. */
  read<T>(commit: string, work: (reading: CommitReading) => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** The commits of `to` that `from` has not, oldest first; undefined where `from` is no ancestor of `to`. */
  since(from: string, to: string): Promise<readonly string[] | undefined>;
}

/** Nothing is asked of the network yet. Throws a `RepositoryError` where the address, the branch or the path is none to use. */
export function openRepository(options: RepositoryOptions): Repository {
  const inside: Inside = insideOf({ ...options, guards: options.guards ?? guards });
  return {
    name: inside.url.name,
    mirror: inside.mirror.folder,
    fetch: (signal) => fetchHead(inside, signal),
    resolve: (ref, signal) => resolveRef(inside, ref, signal),
    read: (commit, work, signal) => readCommit(inside, commit, work, signal),
    since: (from, to) => commitsSince(inside, from, to),
  };
}
