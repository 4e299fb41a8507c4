import type { FileReading } from './read-file.ts';

/** What a spec tree is read from: a folder, a commit, or several under one root. Paths count from its root, with `/`. */
export interface TreeSource {
  /** What lies in a folder of the tree; its root is ''. In any order. */
  entries(folder: string): Promise<Listing>;
  /** A plain file of at most `limit` bytes, reached through folders of the tree only. */
  file(path: string, limit: number): Promise<FileReading>;
}

/** `refused`: why this folder is not read, in words. */
export type Listing =
  | { readonly entries: readonly TreeEntry[]; readonly refused?: never }
  | { readonly entries?: never; readonly refused: string };

/** `gitlink`: a commit of another repository, which git calls a submodule. `other`: a FIFO, a mode nobody knows. */
export interface TreeEntry {
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'symlink' | 'gitlink' | 'other';
}
