import type { TreeRules } from '../tree-rules.ts';
import type { TreeSource } from '../tree-source.ts';
import type { Commit } from './commit.ts';
import { commitsSince } from './commits-since.ts';
import { fetchHead } from './fetch-head.ts';
import { type Guards, guards } from './guards.ts';
import { type Inside, insideOf } from './inside.ts';
import { readCommit } from './read-commit.ts';
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

export interface CommitReading {
  readonly commit: Commit;
  /** The folder of its specs. */
  readonly tree: TreeSource;
  /** What it is held to. */
  readonly rules: TreeRules;
}

export interface RepositoryPlace {
  /** https://host/path, ssh://git@host/path, git@host:path; with `allowFile` also file:///path and /path. */
  readonly url: string;
  /** Default: main. */
  readonly branch?: string;
  /** The folder that its specs lie in. Default, and `.`: all of it. */
  readonly path?: string;
}

export interface RepositoryOptions extends RepositoryPlace {
  /** Where mirrors lie, each in a folder of its own. */
  readonly folder: string;
  /** Allows repositories of this machine, and servers at addresses of this machine and its network. */
  readonly allowFile?: boolean;
  /** Of it git sees what `git-environment` lists, and SETPOINT_SECRET_GIT_TOKEN, SETPOINT_GIT_SSH_COMMAND, SETPOINT_GIT_CA_FILE. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The only host, with its port, that the token is sent to. Default: the address's own. */
  readonly tokenHost?: string;
  readonly guards?: Guards;
  /** Milliseconds since the epoch; by it what failed is left alone for a while. Default: the machine's clock. */
  readonly now?: () => number;
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
