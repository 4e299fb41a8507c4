import { compileRule } from '../compile/rule.ts';
import type { Site } from '../compile/site.ts';
import type { FirewallRuleDoc } from '../documents/document.ts';
import type { DocumentEdit } from '../documents/document-edit.ts';
import { type Located, type Path, type Tree, treeAt } from '../documents/tree.ts';
import { coversPorts, parsePorts } from '../port-set.ts';
import type { Address } from '../resource.ts';
import type { FieldEdits } from './value-edits.ts';

/**
 * The document without the atoms that are gone on the clouds. A port or peer goes if all atoms that it makes are gone; the document
 * goes with its last atom. `sites`: of all targets of the document, observed or not.
 *
 *   gone                                       | edit
 *   -------------------------------------------+------------------------------------------
 *   every atom, on every target                | the document is removed
 *   exactly those of some ports and peers      | these entries are removed
 *   others                                     | none: no list of ports and peers states the rest
 */
export function withoutMissing(
  document: Located<FirewallRuleDoc>,
  missing: ReadonlySet<Address>,
  sites: readonly Site[],
): FieldEdits {
  const atomsOf = (value: FirewallRuleDoc): ReadonlySet<Address> =>
    new Set(sites.flatMap((site) => compileRule({ ...document, value }, site).map(({ address }) => address)));
  const all = atomsOf(document.value);
  if ([...all].every((address) => missing.has(address))) return withoutDocument(document);
  const removed: Entry[] = [];
  let atoms = all;
  for (const entry of entriesOf(document)) {
    const next = atomsOf(valueWithout(document, [...removed, entry]));
    const lost = [...atoms].filter((address) => !next.has(address));
    const isExact = lost.length > 0 && next.size + lost.length === atoms.size;
    if (!isExact || !lost.every((address) => missing.has(address))) continue;
    removed.push(entry);
    atoms = next;
  }
  const kept = [...atoms].filter((address) => missing.has(address));
  if (kept.length === 0) {
    const paths = removed.flatMap(({ path, indexes }) => indexes.map((index) => [...path, index]));
    return { edits: paths.map((path): DocumentEdit => ({ op: 'remove', at: document.at(path), path })) };
  }
  return {
    refused: `no list of ports and peers states the rest: ${kept.slice(0, 3).join(', ')} would still be stated`,
    next: 'Divide the rule into several documents by hand, or name the document instead of one of its rules.',
    at: document.at(['spec']),
  };
}

function withoutDocument(document: Located<FirewallRuleDoc>): FieldEdits {
  const at = document.at();
  if (document.value.spec.protect)
    return {
      refused: 'the rule is gone, and its document has `protect: true`',
      next: 'Remove `protect` or the document by hand, if the rule is to stay away.',
      at: document.at(['spec', 'protect']),
    };
  const other = placesIn(document.tree).find(({ file }) => file !== at.file);
  if (other === undefined) return { edits: [{ op: 'remove-document', at }] };
  return {
    refused: `the rule is gone, and two files state it: ${at.file} and ${other.file}`,
    next: 'Remove the document from both by hand.',
    at,
  };
}

const placesIn = (tree: Tree): readonly Tree['at'][] => {
  if (tree.kind === 'scalar') return [tree.at];
  const inner = tree.kind === 'list' ? tree.items : [...tree.entries.values()].map(({ value }) => value);
  return [tree.at, ...inner.flatMap(placesIn)];
};

/** An entry of a list that a person wrote, or the ports that make one range together: `443-444` and `445`. */
interface Entry {
  /** Of the list. */
  readonly path: Path;
  readonly indexes: readonly number[];
}

/** Whole protocols first: with its last port a protocol would mean every port. */
function entriesOf({ tree }: Located<FirewallRuleDoc>): readonly Entry[] {
  const lists = ['protocols', 'ports', 'peers', 'appliesTo'].flatMap((field) => listsIn(tree, ['spec', field]));
  return lists.flatMap((path) =>
    path.at(-1) === 'ports'
      ? rangesAt(tree, path)
      : itemsAt(tree, path).map((_, index) => ({ path, indexes: [index] })),
  );
}

/** The lists at a path and below, the outer one first. */
function listsIn(tree: Tree, path: Path): readonly Path[] {
  const here = treeAt(tree, path);
  if (here === undefined || here.kind === 'scalar') return [];
  const keys = here.kind === 'list' ? here.items.keys().toArray() : [...here.entries.keys()];
  return [...(here.kind === 'list' ? [path] : []), ...keys.flatMap((key) => listsIn(tree, [...path, key]))];
}

function rangesAt(tree: Tree, path: Path): readonly Entry[] {
  const items = itemsAt(tree, path);
  return (parsePorts(items) ?? []).map((range) => ({
    path,
    indexes: [...items.keys()].filter((index) => coversPorts([range], parsePorts(items.slice(index, index + 1)) ?? [])),
  }));
}

/** For comparing atoms only: without all ports, or all peers, it makes none. */
function valueWithout({ value, tree }: Located<FirewallRuleDoc>, removed: readonly Entry[]): FirewallRuleDoc {
  const isLeft = (path: Path, index: number): boolean =>
    !removed.some((entry) => entry.indexes.includes(index) && entry.path.join() === path.join());
  const left = (here: unknown, path: Path): unknown => {
    if (Array.isArray(here) && path.at(-1) === 'ports')
      return parsePorts(itemsAt(tree, path).filter((_, index) => isLeft(path, index)));
    if (Array.isArray(here))
      return here.flatMap((one, index) => (isLeft(path, index) ? [left(one, [...path, index])] : []));
    if (typeof here !== 'object' || here === null) return here;
    return Object.fromEntries(Object.entries(here).map(([key, one]) => [key, left(one, [...path, key])]));
  };
  // why: the same fields, with fewer entries in their lists
  return { ...value, spec: left(value.spec, ['spec']) as FirewallRuleDoc['spec'] };
}

/** Entries that are no scalars are ''. */
function itemsAt(tree: Tree, path: Path): readonly string[] {
  const list = treeAt(tree, path);
  const items = list?.kind === 'list' ? list.items : [];
  return items.map((item) => (item.kind === 'scalar' ? String(item.value) : ''));
}
