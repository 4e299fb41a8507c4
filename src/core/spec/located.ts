import type { Path, Position } from './position.ts';
import { type Tree, treeAt } from './tree.ts';

/** A checked document and where each of its values stands. */
export interface Located<T> {
  readonly value: T;
  /** The document as it was read. */
  readonly tree: Tree;
  /**
   * Where the value at `path` stands. A field that was left out is placed at what would hold it, so every path of the
   * document has an answer; without a path it is the document's first line.
   */
  readonly at: (path?: Path) => Position;
  /** Whether a person wrote this field: a value may also be there as a default. */
  readonly wrote: (path: Path) => boolean;
}

export function locate<T>(value: T, tree: Tree): Located<T> {
  return {
    value,
    tree,
    at: (path = []) => nearest(tree, path).at,
    wrote: (path) => treeAt(tree, path) !== undefined,
  };
}

/** The deepest thing written along the path. */
function nearest(tree: Tree, path: Path): Tree {
  for (let length = path.length; length > 0; length -= 1) {
    const found = treeAt(tree, path.slice(0, length));
    if (found) return found;
  }
  return tree;
}
