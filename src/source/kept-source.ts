import type { SpecTree } from '../ports/spec-tree.ts';
import type { TreeEntry, TreeSource } from './tree-source.ts';

/** A tree that was read before, to be read from again: it holds what was read of it then. */
export function keptSource({ files, userData }: Pick<SpecTree, 'files' | 'userData'>): TreeSource {
  const held = new Map([
    ...files.map(({ path, text }) => [path, Buffer.from(text)] as const),
    ...[...userData].map(([path, { bytes }]) => [path, bytes] as const),
  ]);
  const folders = foldersOf([...held.keys()]);
  return {
    entries: async (folder) => ({ entries: [...(folders.get(folder) ?? new Map()).values()] }),
    file: async (path, limit) => {
      const bytes = held.get(path);
      if (bytes === undefined) return { refused: 'there is nothing by this name' };
      if (bytes.length > limit) return { refused: `it has ${bytes.length} bytes; at most ${limit} are allowed` };
      return { bytes };
    },
  };
}

/** What lies in each folder, by name; the root is ''. */
function foldersOf(paths: readonly string[]): ReadonlyMap<string, ReadonlyMap<string, TreeEntry>> {
  const folders = new Map<string, Map<string, TreeEntry>>([['', new Map()]]);
  for (const path of paths) {
    const steps = path.split('/');
    for (const [depth, name] of steps.entries()) {
      const folder = steps.slice(0, depth).join('/');
      const entries = folders.get(folder) ?? new Map<string, TreeEntry>();
      folders.set(folder, entries.set(name, { name, kind: depth < steps.length - 1 ? 'folder' : 'file' }));
    }
  }
  return folders;
}
