/** A place in a spec file. Lines and columns count from 1; columns count UTF-16 units, as editors do. */
export interface Position {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** The way from a document's root to one of its values: `['spec', 'subnets', 0, 'cidr']`. */
export type Path = readonly PropertyKey[];

/** A document as read, before any schema: plain values and where each one stands. YAML and JSON both become this. */
export type Tree = ScalarTree | ListTree | MapTree;

export interface ScalarTree {
  readonly kind: 'scalar';
  readonly value: string | number | boolean | null;
  readonly at: Position;
}

interface ListTree {
  readonly kind: 'list';
  readonly items: readonly Tree[];
  readonly at: Position;
}

/** Keys are unique: whoever builds a tree has refused the second of two equal keys. */
export interface MapTree {
  readonly kind: 'map';
  readonly entries: ReadonlyMap<string, { readonly keyAt: Position; readonly value: Tree }>;
  readonly at: Position;
}

/** The bare value. Keys become own properties, so not even `__proto__` can reach a prototype. */
export function plainValue(tree: Tree): unknown {
  switch (tree.kind) {
    case 'scalar':
      return tree.value;
    case 'list':
      return tree.items.map(plainValue);
    case 'map':
      return Object.fromEntries([...tree.entries].map(([key, entry]) => [key, plainValue(entry.value)]));
  }
}

/** The value at the path; undefined where there is none. */
export function treeAt(tree: Tree, path: Path): Tree | undefined {
  let here: Tree | undefined = tree;
  for (const step of path) {
    if (here === undefined) return undefined;
    here = child(here, step);
  }
  return here;
}

function child(tree: Tree, step: PropertyKey): Tree | undefined {
  if (tree.kind === 'map') return tree.entries.get(String(step))?.value;
  return tree.kind === 'list' ? tree.items[Number(step)] : undefined;
}

/** A checked document and where each of its values stands. */
export interface Located<T> {
  readonly value: T;
  /** The document as it was read. */
  readonly tree: Tree;
  /**
   * The position of the value at `path`. A missing field has the position of its parent, so every path of the document has an
   * answer; without a path it is the document's first line.
   */
  readonly at: (path?: Path) => Position;
  /** True where a person wrote this field: a value may also be there as a default. */
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
