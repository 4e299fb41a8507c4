import { error, type Problem, suggest, warning } from './problem.ts';
import { kindOf, readDocument } from './read-document.ts';
import { type MapTree, type Position, type Tree, treeAt } from './tree.ts';

/** The documents read from a tree's files; `broken` ones are known by name only. */
interface Parsed {
  readonly trees: readonly Tree[];
  readonly broken: readonly Tree[];
}

/**
 * The base with the documents of an overlay over it, by kind and name (of a group also by network), each within its own tree: a team's overlay changes
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
 *
 * Patches lie over both. A document whose lifetime is over is left out, see `endedFileName`.
 */
export function overlay({ trees, broken }: Parsed): Overlaid {
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
  for (const tree of trees) if (!isBase(tree) && !isBesideSpecs(tree.at.file)) lay(tree, work);
  const whole = { ...work, base: indexOf(documents) };
  for (const tree of trees) if (patchIn(tree.at.file) !== undefined) layPatch(tree, whole);
  const ended = new Set(trees.filter(({ at: { file } }) => ENDED.test(file)).map(keyOf));
  const { lasting = [], over = [] } = Object.groupBy(documents, (tree) =>
    ended.has(keyOf(tree) ?? '-') ? 'over' : 'lasting',
  );
  return { trees: lasting, ended: over, broken: work.broken, problems: work.problems };
}

/** `ended`: documents that are left out. */
interface Overlaid extends Parsed {
  readonly ended: readonly Tree[];
  readonly problems: readonly Problem[];
}

interface Work {
  readonly documents: Tree[];
  readonly broken: Tree[];
  readonly problems: Problem[];
  /** The position of each document of the base among `documents`. */
  readonly base: ReadonlyMap<string, number>;
  /** Those of the base that are broken. */
  readonly unread: ReadonlySet<string | undefined>;
  /** Those that the overlay named so far. */
  readonly seen: Map<string, Position>;
}

const isBase = ({ at: { file } }: Tree): boolean => layerOf(file) === 'base' && !isStray(file);

/** A patch changes a document of base and overlay: it is kept only beside specs that have it. */
function layPatch(tree: Tree, work: Work): void {
  const at = work.base.get(keyOf(tree) ?? '-');
  const ground = work.documents[at ?? -1];
  if (at === undefined || ground?.kind !== 'map' || tree.kind !== 'map') return;
  const merged = overlayTree(ground, withoutNetwork(withoutName(tree)));
  work.documents[at] = merged.tree;
}

/** Of a group it only identifies the document. */
function withoutNetwork(tree: MapTree): MapTree {
  const spec = tree.entries.get('spec');
  if (spec?.value.kind !== 'map' || !spec.value.entries.has('network')) return tree;
  const rest = new Map(spec.value.entries);
  rest.delete('network');
  return { ...tree, entries: new Map(tree.entries).set('spec', { ...spec, value: { ...spec.value, entries: rest } }) };
}

/** The first of two documents with one name counts. Another check reports both. */
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

/** `@web/ Instance web`: the text that identifies a document. A group is named in its network: ` Group core.web`. */
function keyOf(tree: Tree): string | undefined {
  const kind = kindOf(tree);
  const name = treeAt(tree, ['metadata', 'name']);
  const isNamed = kind !== undefined && name?.kind === 'scalar' && typeof name.value === 'string';
  return isNamed ? `${treeOf(tree.at.file)} ${kind} ${networkIn(tree)}${name.value}` : undefined;
}

function networkIn(tree: Tree): string {
  const network = kindOf(tree) === 'Group' ? treeAt(tree, ['spec', 'network']) : undefined;
  return network?.kind === 'scalar' ? `${network.value}.` : '';
}

/** The name only identifies the document: it keeps its place in the base. */
function withoutName(tree: MapTree): MapTree {
  const entries = new Map(tree.entries);
  entries.delete('kind');
  const metadata = entries.get('metadata');
  if (metadata?.value.kind !== 'map') return { ...tree, entries };
  const rest = new Map(metadata.value.entries);
  rest.delete('name');
  return { ...tree, entries: entries.set('metadata', { ...metadata, value: { ...metadata.value, entries: rest } }) };
}

/** The layer of a spec tree in which something was written. */
export type Layer = 'base' | `overlay ${string}` | `patch #${number}` | 'ended';

/**
 * Files under `overlays/<name>/` are of that overlay; everything else is the base. A team's tree, which is under `@<team>/`,
 * has overlays of its own.
 */
export function layerOf(path: string): Layer {
  const patch = patchIn(path);
  if (patch !== undefined) return `patch #${patch}`;
  if (ENDED.test(path)) return 'ended';
  const name = OVERLAY.exec(path)?.[1];
  return name === undefined ? 'base' : `overlay ${name}`;
}

/** The patch that a file of a stored tree holds. It has no ending, so no spec file has its name; undefined of those. */
export function patchIn(path: string): number | undefined {
  const id = PATCH.exec(path)?.[1];
  return id === undefined ? undefined : Number(id);
}

/** The file of a patch within the tree of its document. */
export const patchFileName = (id: number): string => `patch #${id}`;

/** The file that leaves a document out of a stored tree, as its lifetime is over: it names the document, within the tree of it. */
export const endedFileName = (number: number): string => `ended #${number}`;

/** True of a file of a stored tree that is none of the specs: of a patch, or of a document whose lifetime is over. */
export const isBesideSpecs = (path: string): boolean => patchIn(path) !== undefined || ENDED.test(path);

/** The tree of a path: `@web/` where team web's repository holds it, '' for the estate's own. */
export const treeOf = (path: string): string => /^@[^/]+\//.exec(path)?.[0] ?? '';

/**
 * True where a file or folder is read with this overlay: not those of another one. A spec in `overlays/` itself is read, so
 * that a problem reports it.
 */
export function isRead(path: string, overlay: string | undefined): boolean {
  const [under, name] = UNDER.exec(path) ?? [];
  if (under === undefined) return true;
  if (overlay === undefined) return false;
  return name === undefined || name === overlay || isStray(path);
}

/** Lies in `overlays/`, and so in no overlay. */
const isStray = (path: string): boolean => /^(?:@[^/]+\/)?overlays\/[^/]+\.(?:ya?ml|json)$/i.test(path);

/** As names of documents are: an overlay's stands in revisions, behind `@`. */
export const isOverlayName = (name: string): boolean => /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/.test(name);

const PATCH = /^(?:@[^/]+\/)?patch #(\d+)$/;
const ENDED = /^(?:@[^/]+\/)?ended #\d+$/;
const OVERLAY = /^(?:@[^/]+\/)?overlays\/([^/]+)\//;
const UNDER = /^(?:@[^/]+\/)?overlays(?:\/([^/]+))?(?=\/|$)/;

/** A document of the base with an overlay's over it, and the parts of the overlay that do nothing. */
interface MergedTree {
  readonly tree: MapTree;
  readonly problems: readonly Problem[];
}

/**
 * Maps merge key by key; scalars and lists are replaced; `null` removes the key. Each value stands where it was written,
 * the document itself where the base has it.
 */
function overlayTree(base: MapTree, over: MapTree): MergedTree {
  const problems: Problem[] = [];
  return { tree: merge(base, over, problems), problems };
}

function merge(base: MapTree, over: MapTree, problems: Problem[]): MapTree {
  const entries = new Map(base.entries);
  for (const [key, { keyAt, value }] of over.entries) {
    const before = entries.get(key);
    if (isNull(value)) {
      if (!entries.delete(key)) problems.push(removesNothing(key, keyAt, base));
    } else if (value.kind === 'map') {
      const ground = before?.value.kind === 'map' ? before.value : { ...value, entries: new Map() };
      entries.set(key, { keyAt: before?.keyAt ?? keyAt, value: merge(ground, value, problems) });
    } else entries.set(key, { keyAt, value });
  }
  return { ...base, entries };
}

const isNull = (tree: Tree): boolean => tree.kind === 'scalar' && tree.value === null;

/** The key itself is not repeated: people write secrets even as keys. */
const removesNothing = (key: string, at: Position, base: MapTree): Problem =>
  warning('overlay-removes-nothing', at, 'nothing is removed here: the base has no such key', {
    expected: 'a key of the base; or remove the line',
    didYouMean: suggest(key, base.entries.keys()),
  });

const stray = ({ at }: Tree): Problem =>
  error('overlay-stray', at, 'this file is beside the overlays and in none of them', {
    expected: 'a folder for each overlay: overlays/<name>/',
  });

const unnamed = (tree: Tree): Problem =>
  error(
    'overlay-unnamed',
    treeAt(tree, ['metadata'])?.at ?? tree.at,
    'this names no document to change: `metadata.name` is missing',
    { expected: `the name of the ${kindOf(tree)} of the base, or of a new one` },
  );

const twice = (tree: Tree, { file, line }: Position): Problem =>
  error('overlay-twice', placeOfName(tree), `a second document of this overlay for ${called(tree)}`, {
    expected: `one; the first is at ${file}:${line}: join the two`,
  });

/** `names`: of the base's documents of this kind. */
const alone = (tree: Tree, names: readonly string[]): Problem =>
  error(
    'overlay-alone',
    placeOfName(tree),
    `the base has no ${called(tree)}, and as a new document this is incomplete`,
    {
      expected:
        names.length === 0
          ? 'a complete document'
          : `a complete document, or one of ${names.slice(0, MOST).join(', ')}`,
      didYouMean: suggest(nameOf(tree), names),
    },
  );

const MOST = 10;

const called = (tree: Tree): string => `${kindOf(tree)} \`${nameOf(tree).slice(0, LONGEST)}\``;
const LONGEST = 80;

const placeOfName = (tree: Tree): Position => treeAt(tree, ['metadata', 'name'])?.at ?? tree.at;

function nameOf(tree: Tree): string {
  const name = treeAt(tree, ['metadata', 'name']);
  return name?.kind === 'scalar' ? `${networkIn(tree)}${name.value}` : '';
}
