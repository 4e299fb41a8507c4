import { resolve } from 'node:path';
import type { FollowedRepository, SpecSources } from '../cli/context.ts';
import type { AuthorNames } from '../core/inventory/authors.ts';
import type { Source } from '../fleet/worker-context.ts';
import type { SpecTree } from '../ports/sources.ts';
import { authorsOf } from '../source/git/history.ts';
import { type LoadedEstate, loadEstate } from '../source/git/load-estate.ts';
import { parseGitRevision } from '../source/git/refs.ts';
import {
  type Head,
  openRepository,
  type Repository,
  type TeamRepositories,
  teamRepositories,
} from '../source/git/repository.ts';
import { validateHistory } from '../source/git/signatures/validate-history.ts';
import { loadSpecs } from '../source/load.ts';

interface Grounds {
  /** The store's folder: mirrors of repositories lie there. */
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  /** 2027-01-31 */
  readonly today: () => string;
}

/** A folder is looked at so often. */
const folderEveryMs = 1_000;

export function sourcesOf({ dirs, overlay, repository }: SpecSources, grounds: Grounds): readonly Source[] {
  const over = overlay === undefined ? {} : { overlay };
  const folders = dirs.map((dir) => ({
    name: dir,
    everyMs: folderEveryMs,
    read: () => loadSpecs(dir, grounds.today(), overlay),
  }));
  return repository === undefined ? folders : [...folders, followedRepository(repository, { ...grounds, ...over })];
}

interface RepositoryGrounds {
  /** The store's folder: mirrors lie there. */
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  /** 2027-01-31 */
  readonly today: () => string;
  readonly overlay?: string;
}

/** A branch of a git repository as a source of specs, with those of the teams that it names. Throws where its address is none to use. */
export function followedRepository(
  { url, branch, path, pollMs, allowLocal }: FollowedRepository,
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
    everyMs: pollMs,
    read: async (signal) => {
      last = await newest(last, { day: today(), overlay, signal });
      return last.tree;
    },
    history: {
      judge: (revision, after) => validateHistory(revision, after, { repository, today: today() }),
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

/** The current trees of the branches; parsed again only after a branch or the day changed. */
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
      overlay,
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

/** `team`: absent: of the estate's own. */
type RepositoryOf = (team?: string) => Pick<Repository, 'mirror'> | undefined;

/** The authors of the changes between two revisions, in all repositories; unknown for a repository that is not followed. */
export async function authorsBetween(
  head: string,
  before: string | undefined,
  repository: RepositoryOf,
): Promise<AuthorNames> {
  const to = parseGitRevision(head);
  if (to === undefined) return { names: [], more: true };
  const from = before === undefined ? undefined : parseGitRevision(before);
  const moves = [
    { team: undefined, from: from?.root, to: to.root },
    ...[...to.teams].map(([team, commit]) => ({ team, from: from?.teams.get(team), to: commit })),
  ].filter((move) => move.from !== move.to);
  const found = await Promise.all(
    moves.map(async (move) => {
      const mirror = repository(move.team)?.mirror;
      if (mirror === undefined) return { names: [], more: true };
      return authorsOf({ mirror, to: move.to, from: move.from });
    }),
  );
  return {
    names: [...new Set(found.flatMap(({ names }) => names))],
    more: found.some(({ more }) => more),
  };
}
