import { isRead } from '../core/documents/overlay.ts';
import type { TreeSource } from './tree-source.ts';

/** As much of a tree as is read with this overlay, or with none: the base, and no other overlay. */
export const overlaid = (source: TreeSource, overlay: string | undefined): TreeSource => ({
  entries: async (folder) => {
    const { entries, refused } = await source.entries(folder);
    if (refused !== undefined) return { refused };
    const before = folder === '' ? '' : `${folder}/`;
    return { entries: entries.filter(({ name }) => isRead(before + name, overlay)) };
  },
  file: source.file,
});
