import type { Path, Position } from './position.ts';

/** A document as read, before any schema: plain values and where each one stands. YAML and JSON both become this. */
export type Tree = ScalarTree | ListTree | MapTree;

export interface ScalarTree {
  readonly kind: 'scalar';
  readonly value: string | number | boolean | null;
  readonly at: Position;
}

export interface ListTree {
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

/** What stands at the path; undefined where nothing does. */
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
