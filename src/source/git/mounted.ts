import type { TreeSource } from '../tree-source.ts';

/** The estate's own tree with each team's under `@<team>/`. What stands there in the estate's own is not reached, but told. */
export function mounted(root: TreeSource, teams: ReadonlyMap<string, TreeSource>): TreeSource {
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
