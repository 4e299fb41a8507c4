import { isStray, layerOf, treeOf } from './overlay-path.ts';
import { alone, stray, twice, unnamed } from './overlay-problem.ts';
import { overlayTree } from './overlay-tree.ts';
import type { Position } from './position.ts';
import type { Problem } from './problem.ts';
import { kindOf, readDocument } from './read-document.ts';
import { type MapTree, type Tree, treeAt } from './tree.ts';

/** What was read of the files of a tree; `broken` is known by name only. */
interface Parsed {
  readonly trees: readonly Tree[];
  readonly broken: readonly Tree[];
}

/**
 * The base with the documents of an overlay over it, by kind and name, each within its own tree: a team's overlay changes
 * nothing of another's. `trees` hold files of one overlay at most. Pure, O(n).
 *
 *   the overlay's document                 | becomes
 *   ---------------------------------------+-----------------------------------------------
 *   names one of the base                  | that one, with its fields over it
 *   names one that is broken in the base   | broken too: the base is told
 *   names none of the base                 | a document more; told so where it is not whole
 *   names one that was named there before  | an error that says where
 *   has a kind and no name                 | an error
 *   has no kind of ours                    | as it is: the schemas say what is wrong
 */
export function overlay({ trees, broken }: Parsed): Parsed & { readonly problems: readonly Problem[] } {
  const documents = trees.filter(isBase);
  const unread = new Set(broken.filter(isBase).map(keyOf));
  const work: Work = {
    documents,
    unread,
    broken: [...broken],
    problems: [],
    base: indexOf(documents),
    seen: new Map(),
  };
  for (const tree of trees) if (!isBase(tree)) lay(tree, work);
  return { trees: work.documents, broken: work.broken, problems: work.problems };
}

interface Work {
  readonly documents: Tree[];
  readonly broken: Tree[];
  readonly problems: Problem[];
  /** Where each document of the base is among `documents`. */
  readonly base: ReadonlyMap<string, number>;
  /** Those of the base that are broken. */
  readonly unread: ReadonlySet<string | undefined>;
  /** Those that the overlay named so far. */
  readonly seen: Map<string, Position>;
}

const isBase = ({ at: { file } }: Tree): boolean => layerOf(file) === 'base' && !isStray(file);

/** Of two with one name the first counts; that there are two is told elsewhere. */
function indexOf(documents: readonly Tree[]): ReadonlyMap<string, number> {
  const keyed = documents.map((tree, at) => [keyOf(tree) ?? '', at] as const);
  return new Map(keyed.toReversed());
}

function lay(tree: Tree, work: Work): void {
  const refused = refusalOf(tree, work.seen);
  if (refused !== undefined) {
    work.problems.push(refused);
    work.broken.push(tree);
    return;
  }
  const key = keyOf(tree);
  if (key !== undefined) work.seen.set(key, tree.at);
  const at = work.base.get(key ?? '-');
  const ground = work.documents[at ?? -1];
  if (at !== undefined && ground?.kind === 'map' && tree.kind === 'map') {
    const merged = overlayTree(ground, withoutName(tree));
    work.documents[at] = merged.tree;
    work.problems.push(...merged.problems);
  } else if (work.unread.has(key ?? '-')) work.broken.push(tree);
  else add(tree, work);
}

function refusalOf(tree: Tree, seen: ReadonlyMap<string, Position>): Problem | undefined {
  if (isStray(tree.at.file)) return stray(tree);
  if (kindOf(tree) === undefined) return undefined;
  const key = keyOf(tree);
  if (key === undefined) return unnamed(tree);
  const before = seen.get(key);
  return before === undefined ? undefined : twice(tree, before);
}

function add(tree: Tree, { documents, problems, base }: Work): void {
  if (kindOf(tree) !== undefined && readDocument(tree).problems !== undefined) {
    const kin = `${treeOf(tree.at.file)} ${kindOf(tree)} `;
    const names = [...base.keys()].flatMap((key) => (key.startsWith(kin) ? [key.slice(kin.length)] : []));
    problems.push(alone(tree, names));
  }
  documents.push(tree);
}

/** `@web/ Instance web`: what two documents have in common that are one. */
function keyOf(tree: Tree): string | undefined {
  const kind = kindOf(tree);
  const name = treeAt(tree, ['metadata', 'name']);
  const isNamed = kind !== undefined && name?.kind === 'scalar' && typeof name.value === 'string';
  return isNamed ? `${treeOf(tree.at.file)} ${kind} ${name.value}` : undefined;
}

/** What only says which document is meant is no change of it: it stands where the base wrote it. */
function withoutName(tree: MapTree): MapTree {
  const entries = new Map(tree.entries);
  entries.delete('kind');
  const metadata = entries.get('metadata');
  if (metadata?.value.kind !== 'map') return { ...tree, entries };
  const rest = new Map(metadata.value.entries);
  rest.delete('name');
  return { ...tree, entries: entries.set('metadata', { ...metadata, value: { ...metadata.value, entries: rest } }) };
}
