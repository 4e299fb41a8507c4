import type { SpecTree } from '../../ports/sources.ts';
import { storedSource } from '../stored-tree.ts';
import type { TreeSource } from '../tree.ts';
import { parseGitRevision } from './refs.ts';

/** The estate's own tree with each team's under `@<team>/`. Files there in the estate's own tree are not read, but reported. */
export function withTeamTrees(root: TreeSource, teams: ReadonlyMap<string, TreeSource>): TreeSource {
  const routed = (path: string): readonly [TreeSource, string] => {
    const [first = '', ...rest] = path.split('/');
    const team = first.startsWith('@') ? teams.get(first.slice(1)) : undefined;
    return team ? [team, rest.join('/')] : [root, path];
  };
  return {
    entries: async (folder) => {
      const [tree, inside] = routed(folder);
      const listing = await tree.entries(inside);
      if (folder !== '' || listing.refused !== undefined) return listing;
      const folders = [...teams.keys()].map((name) => ({ name: `@${name}`, kind: 'folder' as const }));
      return { entries: [...listing.entries, ...folders] };
    },
    file: (path, limit) => {
      const [tree, inside] = routed(path);
      return tree.file(inside, limit);
    },
  };
}

/** The teams whose repositories are active beside the estate's own; none where all of it lies in one place. */
export const activeTeams = ({ revision }: Pick<SpecTree, 'revision'>): readonly string[] => [
  ...(parseGitRevision(revision)?.teams.keys() ?? []),
];

/**
 * The specs that would be active with a proposal for one repository: the others stay as they are. `team`: the proposal's
 * repository; absent: the estate's own. Files of the estate's own under the name of a team's tree are reported, as when it is
 * followed.
 */
export function proposedTree(proposal: TreeSource, active: SpecTree, team?: string): TreeSource {
  const kept = storedSource(active);
  const teams = new Map(activeTeams(active).map((name) => [name, below(kept, `@${name}`)]));
  if (team === undefined) return withTeamTrees(proposal, teams);
  return withTeamTrees(without(kept, [...teams.keys()]), teams.set(team, proposal));
}

const below = (source: TreeSource, folder: string): TreeSource => ({
  entries: (path) => source.entries(path === '' ? folder : `${folder}/${path}`),
  file: (path, limit) => source.file(`${folder}/${path}`, limit),
});

const without = (source: TreeSource, teams: readonly string[]): TreeSource => ({
  entries: async (folder) => {
    const listing = await source.entries(folder);
    if (folder !== '' || listing.refused !== undefined) return listing;
    return { entries: listing.entries.filter(({ name }) => !teams.some((team) => name === `@${team}`)) };
  },
  file: source.file,
});
