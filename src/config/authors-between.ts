import type { ToldAuthors } from '../ports/authors.ts';
import { authorsOf } from '../source/git/authors-of.ts';
import type { Repository } from '../source/git/repository.ts';
import { parseGitRevision } from '../source/git/revision.ts';

/** `team`: absent: of the estate's own. */
type RepositoryOf = (team?: string) => Pick<Repository, 'mirror'> | undefined;

/** Who made what one revision has and another has not, in all repositories of it; of one that is not followed nobody can say. */
export async function authorsBetween(
  head: string,
  before: string | undefined,
  repository: RepositoryOf,
): Promise<ToldAuthors> {
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
      return authorsOf({ mirror, to: move.to, ...(move.from === undefined ? {} : { from: move.from }) });
    }),
  );
  return {
    names: [...new Set(found.flatMap(({ names }) => names))],
    more: found.some(({ more }) => more),
  };
}
