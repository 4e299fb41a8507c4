import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readErrorReason, readFileInside, type TreeSource } from './tree.ts';

/** A folder as a tree. Nothing outside it is read. */
export const folderTree = (dir: string): TreeSource => ({
  entries: async (folder) => {
    try {
      const found = await readdir(join(dir, folder), { withFileTypes: true });
      return { entries: found.map((entry) => ({ name: entry.name, kind: kindOf(entry) })) };
    } catch (cause) {
      return { refused: readErrorReason(cause) };
    }
  },
  file: (path, limit) => readFileInside(dir, path, limit),
});

function kindOf(entry: { isSymbolicLink(): boolean; isDirectory(): boolean; isFile(): boolean }) {
  if (entry.isSymbolicLink()) return 'symlink';
  if (entry.isDirectory()) return 'folder';
  return entry.isFile() ? 'file' : 'other';
}
