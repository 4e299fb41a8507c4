import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import type { SpecTree } from '../../ports/sources.ts';
import { loadTree } from '../load.ts';
import { parseSpecsInThread } from '../parse-thread.ts';
import { gitEnvironment } from './git-environment.ts';
import { guards } from './guards.ts';
import { commitAt, freshState, mirrorAt } from './mirror.ts';
import { type CommitReading, readCommit } from './read-commit.ts';
import { gitRevision } from './refs.ts';
import type { Repository } from './repository.ts';
import type { RepositoryContext } from './repository-context.ts';
import { gitErrorMessage, RepositoryError, type RepositoryErrorCode } from './repository-error.ts';
import { gitLimits, runGit } from './run-git.ts';

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
  const loading = { today, parse: parseSpecsInThread, overlay };
  const tree = await repository.read(
    commit,
    ({ tree: source, rules }) => loadTree(source, { ...loading, rules }),
    signal,
  );
  return { ...tree, revision: gitRevision({ root: commit, teams: new Map(), overlay }) };
}

interface OwnCommitLoading extends CommitLoading {
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * The specs that a commit of the user's own repository has in this folder of it. `ref`: whatever git takes for a commit there.
 * Objects are read where they lie, and nothing is written or fetched. Rejects with what is wrong, for people.
 */
export async function loadOwnCommit(
  dir: string,
  ref: string,
  { env, ...loading }: OwnCommitLoading,
): Promise<SpecTree> {
  const { context, commit } = await ownCommit(dir, ref, env);
  const read: Repository['read'] = (id, work, signal) => readCommit(context, id, work, signal);
  return loadCommit({ read }, commit, loading);
}

/** Reads a commit of it for as long as `work` runs. */
export async function readOwnCommit<T>(
  dir: string,
  ref: string,
  env: OwnCommitLoading['env'],
  work: (reading: CommitReading) => Promise<T>,
): Promise<T> {
  const { context, commit } = await ownCommit(dir, ref, env);
  return readCommit(context, commit, work);
}

async function ownCommit(dir: string, ref: string, env: OwnCommitLoading['env']) {
  const context = await insideOwn(dir, env);
  const commit = await commitAt(context, ref);
  if (commit !== undefined) return { context, commit };
  const next = 'Name a branch, a tag or a commit of it; to complete a shallow clone: git fetch --unshallow';
  throw failure(dir, 'unknown', `the repository of ${dir} has no commit ${ref}. ${next}`);
}

/** The repository that a folder lies in, and the folder's path in it. */
async function insideOwn(dir: string, env: OwnCommitLoading['env']): Promise<RepositoryContext> {
  const isFolder = await stat(dir).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) throw failure(dir, 'unknown', `there is no folder ${dir}, so its repository is not known`);
  const house = gitEnvironment(resolve(dir), { isFile: true }, env);
  const end = await runGit({
    args: ['rev-parse', '--absolute-git-dir', '--show-prefix'],
    env: withOwnConfiguration(house, env),
    cwd: dir,
    bounds: gitLimits.local(),
  });
  const [folder = '', prefix = ''] = end.stdout.toString('utf8').split('\n');
  if (end.code !== 0 || folder === '')
    throw failure(dir, 'unknown', `${dir} lies in no git repository that can be read: ${gitErrorMessage(end, house)}`);
  return {
    url: { url: folder, name: `the repository of ${basename(resolve(dir))}`, scheme: 'file', host: '' },
    branch: 'HEAD',
    path: prefix.replace(/\/$/, ''),
    mirror: mirrorAt(folder, house),
    guards,
    state: freshState(),
  };
}

/** The user's own configuration decides whose checkouts may be read at all: `safe.directory`. */
function withOwnConfiguration(house: Readonly<Record<string, string>>, env: OwnCommitLoading['env']) {
  const kept = Object.entries(house).filter(([name]) => !CONFIGURATION.includes(name));
  const own = CONFIGURATION.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]));
  return Object.fromEntries([...kept, ...own]);
}

const CONFIGURATION = ['HOME', 'XDG_CONFIG_HOME', 'GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM', 'GIT_CONFIG_NOSYSTEM'];

const failure = (repository: string, trouble: RepositoryErrorCode, message: string): RepositoryError =>
  new RepositoryError(message, { trouble, repository });
