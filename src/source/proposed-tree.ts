import type { SpecTree } from '../ports/sources.ts';
import { mounted } from './git/mounted.ts';
import { parseGitRevision } from './git/revision.ts';
import { keptSource } from './kept-source.ts';
import type { TreeSource } from './tree-source.ts';

/** The teams whose repositories are in force beside the estate's own; none where all of it lies in one place. */
export const teamsInForce = ({ revision }: Pick<SpecTree, 'revision'>): readonly string[] => [
  ...(parseGitRevision(revision)?.teams.keys() ?? []),
];

/**
 * What would be in force with a proposal for one repository: the others stay as they are in force. `team`: whose repository;
 * absent: the estate's own. What the estate's own holds under the name of a team's tree is told, as when it is followed.
 */
export function proposedTree(proposal: TreeSource, inForce: SpecTree, team?: string): TreeSource {
  const kept = keptSource(inForce);
  const teams = new Map(teamsInForce(inForce).map((name) => [name, below(kept, `@${name}`)]));
  if (team === undefined) return mounted(proposal, teams);
  return mounted(without(kept, [...teams.keys()]), teams.set(team, proposal));
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
