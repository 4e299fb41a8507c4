const shown = 7;

/**
 * A revision for people: `folder 1a2b3c4` of a folder's hash, `commit 1a2b3c4` of a repository, `commit 1a2b3c4 + web 5d6e7f8` with
 * a team's beside it, and ` (overlay prod)` where one lies over them.
 */
export function shortRevision(revision: string): string {
  const [whole = '', overlay] = revision.split('@', 2);
  const [kind, rest = ''] = whole.includes(':') ? whole.split(':', 2) : ['git', whole];
  const [own = '', ...teams] = rest.split('+');
  const others = teams.map((team) => {
    const [name = '', hash = ''] = team.split('=', 2);
    return ` + ${name} ${hash.slice(0, shown)}`;
  });
  const named = `${kind === 'git' ? 'commit' : kind} ${own.slice(0, shown)}`;
  return `${named}${others.join('')}${overlay === undefined ? '' : ` (overlay ${overlay})`}`;
}
