import type { EstateDoc } from '../../core/documents/document.ts';
import { error, sortProblems } from '../../core/documents/problem.ts';
import type { SpecTree } from '../../ports/sources.ts';
import { loadTree } from '../load.ts';
import { parseSpecsInThread } from '../parse-thread.ts';
import type { TreeSource } from '../tree.ts';
import { type CommitLoading, loadCommit } from './load-commit.ts';
import type { CommitReading } from './read-commit.ts';
import { gitRevision } from './refs.ts';
import type { Head, TeamSource } from './repository.ts';
import { withTeamTrees } from './team-trees.ts';

interface EstateLoading extends CommitLoading {
  /** The estate's own repository, whose Estate document names those of the teams. */
  readonly root: Head;
  /** Reads a team: `teamRepositories(…).newest`, or the commit of an earlier revision. */
  readonly team: (source: TeamSource, signal?: AbortSignal) => Promise<Head>;
}

export interface LoadedEstate {
  readonly tree: SpecTree;
  /** The commit that was read of each team, by the team's name. */
  readonly teams: ReadonlyMap<string, Head>;
}

/** Repositories asked at once. */
const AT_ONCE = 4;

/**
 * The specs of an estate with those of its teams, which lie under `@<team>/`. The estate's own are read twice where it has
 * teams, as they name them. Rejects where a repository cannot be read: without one team's tree all of its resources would
 * look unwanted. A team's tree that holds no specs is an error for the same reason.
 */
export async function loadEstate({ root, team, today, overlay, signal }: EstateLoading): Promise<LoadedEstate> {
  const loading: CommitLoading = {
    today,
    overlay,
    signal,
  };
  const alone = await loadCommit(root.repository, root.commit, loading);
  const sources = sourcesOf(alone.estate?.value);
  if (sources.length === 0) return { tree: alone, teams: new Map() };
  const teams = new Map<string, Head>();
  for (let at = 0; at < sources.length; at += AT_ONCE) {
    const some = sources.slice(at, at + AT_ONCE);
    const heads = await Promise.all(some.map((source) => team(source, signal)));
    for (const [index, { name }] of some.entries()) if (heads[index]) teams.set(name, heads[index]);
  }
  return { tree: await loadAll(root, teams, loading), teams };
}

const sourcesOf = (estate: EstateDoc | undefined): readonly TeamSource[] => estate?.spec.sources ?? [];

async function loadAll(root: Head, teams: ReadonlyMap<string, Head>, loading: CommitLoading): Promise<SpecTree> {
  const { today, overlay, signal } = loading;
  const load = ({ tree, rules }: CommitReading, trees: ReadonlyMap<string, TreeSource>) =>
    loadTree(withTeamTrees(tree, trees), {
      today,
      rules,
      parse: parseSpecsInThread,
      overlay,
    });
  const tree = await root.repository.read(
    root.commit,
    (reading) => withTrees([...teams], signal, new Map(), (trees) => load(reading, trees)),
    signal,
  );
  const commits = new Map([...teams].map(([name, { commit }]) => [name, commit]));
  const problems = sortProblems([...tree.problems, ...empty(tree, [...teams.keys()])]);
  return { ...tree, problems, revision: gitRevision({ root: root.commit, teams: commits, overlay }) };
}

/** One process a repository, for as long as `work` runs. */
function withTrees<T>(
  [first, ...others]: readonly (readonly [name: string, head: Head])[],
  signal: AbortSignal | undefined,
  trees: ReadonlyMap<string, TreeSource>,
  work: (trees: ReadonlyMap<string, TreeSource>) => Promise<T>,
): Promise<T> {
  if (first === undefined) return work(trees);
  const [name, { repository, commit }] = first;
  return repository.read(
    commit,
    ({ tree }) => withTrees(others, signal, new Map([...trees, [name, tree]]), work),
    signal,
  );
}

function empty({ files, problems }: Pick<SpecTree, 'files' | 'problems'>, teams: readonly string[]) {
  const holds = (name: string, path: string): boolean => path === `@${name}` || path.startsWith(`@${name}/`);
  const without = teams.filter(
    (name) => !files.some(({ path }) => holds(name, path)) && !problems.some(({ at }) => holds(name, at.file)),
  );
  return without.map((name) =>
    error('empty-tree', { file: `@${name}`, line: 1, column: 1 }, `the repository of source ${name} holds no specs`, {
      expected: 'at least one *.yaml, *.yml or *.json; a source that ends is taken out of spec.sources',
    }),
  );
}
