import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import type { SpecTree } from '../../ports/sources.ts';
import { bounds } from './bounds.ts';
import { commitAt } from './commit-at.ts';
import { complaintOf } from './git-complaint.ts';
import { gitEnvironment } from './git-environment.ts';
import { guards } from './guards.ts';
import type { Inside } from './inside.ts';
import { type CommitLoading, loadCommit } from './load-commit.ts';
import { mirrorAt } from './mirror.ts';
import { freshState } from './mirror-state.ts';
import { type CommitReading, readCommit } from './read-commit.ts';
import type { Repository } from './repository.ts';
import { RepositoryError, type RepositoryTrouble } from './repository-error.ts';
import { runGit } from './run-git.ts';

export interface OwnCommitLoading extends CommitLoading {
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
  const { inside, commit } = await ownCommit(dir, ref, env);
  const read: Repository['read'] = (id, work, signal) => readCommit(inside, id, work, signal);
  return loadCommit({ read }, commit, loading);
}

/** Reads a commit of it for as long as `work` runs. */
export async function readOwnCommit<T>(
  dir: string,
  ref: string,
  env: OwnCommitLoading['env'],
  work: (reading: CommitReading) => Promise<T>,
): Promise<T> {
  const { inside, commit } = await ownCommit(dir, ref, env);
  return readCommit(inside, commit, work);
}

async function ownCommit(dir: string, ref: string, env: OwnCommitLoading['env']) {
  const inside = await insideOwn(dir, env);
  const commit = await commitAt(inside, ref);
  if (commit !== undefined) return { inside, commit };
  const next =
    'Name a branch, a tag or a commit of it; what a shallow clone left out comes with: git fetch --unshallow';
  throw failure(dir, 'unknown', `the repository of ${dir} has no commit ${ref}. ${next}`);
}

/** The repository that a folder lies in, and the folder's path in it. */
async function insideOwn(dir: string, env: OwnCommitLoading['env']): Promise<Inside> {
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
    bounds: bounds.local(),
  });
  const [folder = '', prefix = ''] = end.stdout.toString('utf8').split('\n');
  if (end.code !== 0 || folder === '')
    throw failure(dir, 'unknown', `${dir} lies in no git repository that can be read: ${complaintOf(end, house)}`);
  return {
    url: { url: folder, name: `the repository of ${basename(resolve(dir))}`, scheme: 'file', host: '' },
    branch: 'HEAD',
    path: prefix.replace(/\/$/, ''),
    mirror: mirrorAt(folder, house),
    guards,
    state: freshState(),
  };
}

/** Whose checkout may be read at all is for the user's own configuration to say: `safe.directory`. */
function withOwnConfiguration(house: Readonly<Record<string, string>>, env: OwnCommitLoading['env']) {
  const kept = Object.entries(house).filter(([name]) => !CONFIGURATION.includes(name));
  const own = CONFIGURATION.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]));
  return Object.fromEntries([...kept, ...own]);
}

const CONFIGURATION = ['HOME', 'XDG_CONFIG_HOME', 'GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM', 'GIT_CONFIG_NOSYSTEM'];

const failure = (repository: string, trouble: RepositoryTrouble, message: string): RepositoryError =>
  new RepositoryError(message, { trouble, repository });
