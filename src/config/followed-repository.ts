import { resolve } from 'node:path';
import type { FollowedRepository } from '../cli/house.ts';
import type { Source } from '../fleet/worker-context.ts';
import type { SpecTree } from '../ports/spec-tree.ts';
import { judgeHistory } from '../source/git/judge-history.ts';
import { type LoadedEstate, loadEstate } from '../source/git/load-estate.ts';
import { openRepository, type Repository } from '../source/git/repository.ts';
import { type Head, type TeamRepositories, teamRepositories } from '../source/git/team-repositories.ts';
import { authorsBetween } from './authors-between.ts';

export interface RepositoryGrounds {
  /** The store's folder: mirrors lie there. */
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  /** 2027-01-31 */
  readonly today: () => string;
  readonly overlay?: string;
}

/** A branch of a git repository as a source of specs, with those of the teams that it names. Throws where its address is none to use. */
export function followedRepository(
  { url, branch, path, everyMs, allowLocal }: FollowedRepository,
  { folder, env, today, overlay }: RepositoryGrounds,
): Source {
  const options = { url, branch, path, folder: resolve(folder, 'repositories'), allowFile: allowLocal, env };
  const root = openRepository(options);
  const newest = newestOf(root, teamRepositories(options));
  let last: Loaded | undefined;
  const repository = (team?: string): Repository | undefined =>
    team === undefined ? root : last?.teams.get(team)?.repository;
  return {
    name: root.name,
    everyMs,
    read: async (signal) => {
      last = await newest(last, { day: today(), overlay, signal });
      return last.tree;
    },
    history: {
      judge: (revision, after) => judgeHistory(revision, after, { repository, today: today() }),
      authors: (revision, before) => authorsBetween(revision, before, repository),
    },
  };
}

interface Loaded extends LoadedEstate {
  /** Of the root. */
  readonly commit: string;
  readonly day: string;
}

interface Asked {
  readonly day: string;
  readonly overlay: string | undefined;
  readonly signal: AbortSignal;
}

/** What the branches hold now; parsed anew only where one of them, or the day, is another. */
const newestOf =
  (root: Repository, teams: TeamRepositories) =>
  async (last: Loaded | undefined, { day, overlay, signal }: Asked): Promise<Loaded> => {
    const commit = await root.fetch(signal);
    const fetched = last?.commit === commit ? await headsOf(last.tree, teams, signal) : new Map<string, Head>();
    const isSame = last?.commit === commit && last.day === day && haveSame(last.teams, fetched);
    if (isSame) return last;
    const loaded = await loadEstate({
      root: { repository: root, commit },
      team: async (source, ending) => fetched.get(source.name) ?? teams.newest(source, ending),
      today: day,
      signal,
      ...(overlay === undefined ? {} : { overlay }),
    });
    return { ...loaded, commit, day };
  };

async function headsOf(
  { estate }: SpecTree,
  teams: TeamRepositories,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Head>> {
  const sources = estate?.value.spec.sources ?? [];
  return new Map(
    await Promise.all(sources.map(async (source) => [source.name, await teams.newest(source, signal)] as const)),
  );
}

const haveSame = (before: ReadonlyMap<string, Head>, now: ReadonlyMap<string, Head>): boolean =>
  before.size === now.size && [...now].every(([name, { commit }]) => before.get(name)?.commit === commit);
