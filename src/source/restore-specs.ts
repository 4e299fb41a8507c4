import type { Document } from '../core/documents/document.ts';
import { isBesideSpecs, layerOf, treeOf } from '../core/documents/overlay.ts';
import type { Located } from '../core/documents/tree.ts';
import { compareText } from '../core/text.ts';
import type { ChangedFile, SpecTree } from '../ports/sources.ts';
import { userDataPathsOf } from './user-data.ts';

type Tree = Pick<SpecTree, 'files' | 'userData' | 'documents'>;

/** `then`: without patches. `named`: only these documents, as `instance web` and `firewall-rule core.https`. */
export function restoredSpecs(then: Tree, now: Tree, named: ReadonlySet<string> | undefined) {
  const isMeant = named && ((document: Document): boolean => named.has(addressName(document)));
  return { files: restoredFiles(then, now, isMeant), documents: restoredDocuments(then, now, isMeant) };
}

/** As in addresses. */
const addressName = (document: Document): string =>
  keyOf(document).replace(/^\w+/, (kind) => (kind === 'FirewallRule' ? 'firewall-rule' : kind.toLowerCase()));

/** Documents that are to be as they were. Absent: all files, whole. */
type Restorable = (document: Document) => boolean;

/**
 * The changes of files that bring the specs of `now` back to those of `then`. Files of teams lie in repositories of their own, and stay.
 * With `isMeant` only these documents change, each as a whole:
 *
 *   a document | then | now | its text
 *   -----------+------+-----+----------------------------------------
 *              | yes  | yes | becomes that of then, where it stands now
 *              | yes  | no  | comes back, at the end of its former file
 *              | no   | yes | goes
 *
 * Their scripts become those of then too. Throws a `RangeError` where a text cannot be cut into its documents, or belongs to others too.
 */
function restoredFiles(then: Tree, now: Tree, isMeant?: Restorable): readonly ChangedFile[] {
  const before = textsOf(now);
  const after = isMeant === undefined ? textsOf(then) : withDocuments(then, now, isMeant);
  const paths = [...new Set([...before.keys(), ...after.keys()])].filter(isOwn);
  return paths.toSorted(compareText).flatMap((path): readonly ChangedFile[] => {
    const [was, is] = [before.get(path), after.get(path)];
    if (was === is) return [];
    return [{ path, ...(was === undefined ? {} : { before: was }), ...(is === undefined ? {} : { after: is }) }];
  });
}

/** Of specs and scripts, by path. */
function textsOf({ files, userData }: Pick<Tree, 'files' | 'userData'>): ReadonlyMap<string, string> {
  return new Map([
    // why: a patch or an end is no file of theirs, and is decided anew
    ...files.flatMap(({ path, text }) => (isBesideSpecs(path) ? [] : [[path, text] as const])),
    ...[...userData].map(([path, { bytes }]) => [path, scriptText(path, bytes)] as const),
  ]);
}

function scriptText(path: string, bytes: Buffer): string {
  const text = bytes.toString('utf8');
  if (Buffer.from(text).equals(bytes)) return text;
  throw new RangeError(`${path} is no text, and cannot be restored`);
}

function withDocuments(then: Tree, now: Tree, isMeant: Restorable): ReadonlyMap<string, string> {
  refuseOverlays(then, now);
  const before = textsOf(now);
  const texts = new Map(before);
  const [former, present] = [chunksOf(then, isMeant), chunksOf(now, isMeant)];
  for (const [key, { path, text }] of present)
    texts.set(
      path,
      (texts.get(path) ?? '').replace(text, () => former.get(key)?.text ?? ''),
    );
  for (const [key, { path, text }] of former) if (!present.has(key)) texts.set(path, appended(texts.get(path), text));
  return new Map([
    ...[...texts].flatMap(([path, text]) => (text === before.get(path) ? [[path, text] as const] : tidied(path, text))),
    ...scriptsOf(then, now, isMeant),
  ]);
}

/** An overlay's document is a part of one: it cannot be cut out by the name of the whole. */
function refuseOverlays(then: Tree, now: Tree): void {
  const [former, present] = [then, now].map(({ files }) => new Map(files.map(({ path, text }) => [path, text])));
  const changed = [...new Set([...(former?.keys() ?? []), ...(present?.keys() ?? [])])].find(
    (path) => isOwn(path) && layerOf(path).startsWith('overlay ') && former?.get(path) !== present?.get(path),
  );
  if (changed === undefined) return;
  throw new RangeError(`${changed} changed, and a part of an overlay cannot be restored. Restore the whole estate`);
}

/** The scripts of meant documents as they were. One that a document besides names is not changed under it. */
function scriptsOf(then: Tree, now: Tree, isMeant: Restorable): readonly (readonly [path: string, text: string])[] {
  const paths = new Set(then.documents.flatMap((one) => (isMeant(one.value) ? userDataPathsOf(one) : [])));
  const others = now.documents.filter(({ value }) => !isMeant(value));
  return [...paths].flatMap((path) => {
    const [was, is] = [then.userData.get(path), now.userData.get(path)];
    if (!isOwn(path) || was === undefined || was.sha256 === is?.sha256) return [];
    const other = is && others.find((one) => userDataPathsOf(one).includes(path));
    if (other === undefined) return [[path, scriptText(path, was.bytes)]];
    throw new RangeError(`${path} is the script of ${keyOf(other.value)} too. Restore the whole estate`);
  });
}

/** Not of a team's repository. */
const isOwn = (path: string): boolean => treeOf(path) === '';

const appended = (known: string | undefined, text: string): string =>
  known === undefined || known.trim() === '' ? text : `${known.replace(/\n*$/, '\n')}---\n${text}`;

/** Without documents that went; a file without any goes. */
function tidied(path: string, text: string): readonly (readonly [string, string])[] {
  const left = text.split(separator).filter((chunk) => chunk.trim() !== '');
  return left.length === 0 ? [] : [[path, left.map((chunk) => chunk.replace(/\n*$/, '\n')).join('---\n')]];
}

interface Chunk {
  readonly path: string;
  readonly text: string;
}

const separator = /^---[^\n]*\n/m;

/** The text of each meant document, from its separator to the next one. */
function chunksOf({ files, documents }: Tree, isMeant: Restorable): ReadonlyMap<string, Chunk> {
  const chunks = new Map<string, Chunk>();
  const byFile = Map.groupBy(documents, (document) => document.at([]).file);
  for (const { path, text } of files) {
    const own = byFile.get(path) ?? [];
    if (!isOwn(path) || !own.some(({ value }) => isMeant(value))) continue;
    const parts = text.split(separator).filter((part) => /^\s*[^#\s]/m.test(part));
    if (parts.length !== own.length)
      throw new RangeError(`${path} cannot be cut into its ${own.length} documents. Restore the whole estate`);
    const inOrder = own.toSorted((a, b) => a.at([]).line - b.at([]).line);
    for (const [i, { value }] of inOrder.entries())
      if (isMeant(value)) chunks.set(keyOf(value), { path, text: parts[i] ?? '' });
  }
  return chunks;
}

function keyOf({ kind, metadata, spec }: Document): string {
  const network = kind === 'FirewallRule' || kind === 'Group' ? spec.network : undefined;
  return `${kind} ${network === undefined ? '' : `${network}.`}${metadata.name}`;
}

/** The documents that come back, change and go, as `Instance web`; not those of teams. With another script a document changes too. */
function restoredDocuments(then: Tree, now: Tree, isMeant: Restorable = () => true) {
  const [former, present] = [contentsOf(then, isMeant), contentsOf(now, isMeant)];
  return {
    back: [...former.keys()].filter((key) => !present.has(key)).toSorted(compareText),
    changed: [...former].flatMap(([key, text]) => (present.has(key) && present.get(key) !== text ? [key] : [])),
    gone: [...present.keys()].filter((key) => !former.has(key)).toSorted(compareText),
  };
}

const contentsOf = ({ documents, userData }: Tree, isMeant: Restorable): ReadonlyMap<string, string> =>
  new Map(
    documents.flatMap((one: Located<Document>) => {
      const scripts = userDataPathsOf(one).map((path) => userData.get(path)?.sha256);
      const isTold = isOwn(one.at([]).file) && isMeant(one.value);
      return isTold ? [[keyOf(one.value), JSON.stringify([one.value, scripts])] as const] : [];
    }),
  );
