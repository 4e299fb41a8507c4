import { bounds } from './bounds.ts';
import { commitAt } from './commit-at.ts';
import { fullName } from './full-name.ts';
import { gitFailure, type Inside } from './inside.ts';
import { type RepositoryError, unknownCommit } from './repository-error.ts';

/**
 * A merge brings all that came with it. A `from` that the mirror does not hold is no ancestor, as the mirror holds the whole
 * history of what it holds.
 */
export async function commitsSince(inside: Inside, from: string, to: string): Promise<readonly string[] | undefined> {
  const { mirror, url } = inside;
  const [before, after] = [fullName(from), fullName(to)];
  if ((await commitAt(inside, after)) === undefined) throw unknownCommit(url.name, after);
  if ((await commitAt(inside, before)) === undefined) return undefined;
  const ancestry = await mirror.git(['merge-base', '--is-ancestor', before, after], bounds.local());
  if (ancestry.code === 1) return undefined;
  if (ancestry.code !== 0) throw unreadable(inside, ancestry);
  const list = await mirror.git(['rev-list', '--reverse', '--topo-order', after, `^${before}`, '--'], bounds.local());
  if (list.code !== 0) throw unreadable(inside, list);
  return list.stdout
    .toString('latin1')
    .split('\n')
    .filter((line) => line !== '');
}

function unreadable(inside: Inside, end: Parameters<typeof gitFailure>[3]): RepositoryError {
  inside.state.suspect = true;
  return gitFailure(inside, 'unreadable', 'read the history', end);
}
