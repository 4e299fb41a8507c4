import type { FileReading } from '../read-file.ts';
import type { TreeRules } from '../tree-rules.ts';
import type { Listing, TreeEntry, TreeSource } from '../tree-source.ts';
import type { ObjectReader } from './object-reader.ts';

/** One folder of git's: about 100,000 files. */
const MOST_TREE_BYTES = 4 * 1024 * 1024;

export interface TreePlace {
  /** The name of the commit's tree. */
  readonly tree: string;
  /** The folder in it that the specs lie in; '' for all of it. */
  readonly path: string;
}

/** The specs of a commit. Only folders on the way to what is asked for are read, and no link is ever followed. */
export function commitTree(objects: ObjectReader, place: TreePlace, rules: TreeRules): TreeSource {
  const read = new Map<string, Promise<GitListing>>();
  const listingOf = (id: string): Promise<GitListing> => {
    const known = read.get(id) ?? listTree(objects, id);
    read.set(id, known);
    return known;
  };
  const walk = async (steps: readonly string[]): Promise<Found> => {
    let at: Found = { id: place.tree };
    for (const step of steps) {
      if (at.id === undefined) return at;
      const listing = await listingOf(at.id);
      at = listing.refused === undefined ? stepInto(listing.entries, step, rules) : { refused: listing.refused };
    }
    return at;
  };
  const base = stepsOf(place.path);
  return {
    entries: async (folder): Promise<Listing> => {
      const found = await walk([...base, ...stepsOf(folder)]);
      if (found.refused !== undefined) return found;
      return listingOf(found.id);
    },
    file: async (path, limit): Promise<FileReading> => {
      const steps = [...base, ...stepsOf(path)];
      const folder = await walk(steps.slice(0, -1));
      if (folder.refused !== undefined) return folder;
      const listing = await listingOf(folder.id);
      if (listing.refused !== undefined) return listing;
      return readFile(objects, listing.entries, { name: steps.at(-1) ?? '', limit, rules });
    },
  };
}

/** A folder by its id, or why it is not gone into. */
type Found = { readonly id: string; readonly refused?: never } | { readonly id?: never; readonly refused: string };

type GitListing =
  | { readonly entries: readonly GitEntry[]; readonly refused?: never }
  | { readonly entries?: never; readonly refused: string };

interface GitEntry extends TreeEntry {
  readonly id: string;
}

const stepsOf = (path: string): readonly string[] => (path === '' ? [] : path.split('/'));

function stepInto(entries: readonly GitEntry[], name: string, rules: TreeRules): Found {
  const { entry, refused } = only(entries, name, rules);
  if (refused !== undefined) return { refused };
  return entry.kind === 'folder' ? { id: entry.id } : { refused: 'there is nothing by this name' };
}

type Only =
  | { readonly entry: GitEntry; readonly refused?: never }
  | { readonly entry?: never; readonly refused: string };

/** The entry of that name, where a tree may hold it. */
function only(entries: readonly GitEntry[], name: string, rules: TreeRules): Only {
  const entry = entries.find((one) => one.name === name);
  if (entry === undefined) return { refused: 'there is nothing by this name' };
  if (entry.kind === 'symlink') return { refused: 'it is reached through a symlink' };
  const broken = rules.entries.find((rule) => rule.breaks(entry));
  return broken ? { refused: broken.message } : { entry };
}

interface Wanted {
  readonly name: string;
  readonly limit: number;
  readonly rules: TreeRules;
}

async function readFile(
  objects: ObjectReader,
  entries: readonly GitEntry[],
  { name, limit, rules }: Wanted,
): Promise<FileReading> {
  const { entry, refused } = only(entries, name, rules);
  if (refused !== undefined) return { refused };
  if (entry.kind === 'folder') return { refused: 'it is a folder' };
  if (entry.kind !== 'file') return { refused: 'it is not a plain file' };
  const { head, bytes } = await objects.read(entry.id, 'blob', limit);
  if (bytes !== undefined) return { bytes };
  if (head.type !== 'blob') return { refused: 'it is not a plain file' };
  return { refused: `it has ${head.bytes} bytes; at most ${limit} are allowed` };
}

async function listTree(objects: ObjectReader, id: string): Promise<GitListing> {
  const { head, bytes } = await objects.read(id, 'tree', MOST_TREE_BYTES);
  if (bytes !== undefined) return parseTree(bytes);
  return { refused: head.type === 'tree' ? 'it holds too many files' : 'it is not a folder' };
}

/** https://git-scm.com/book/en/v2/Git-Internals-Git-Objects: `<mode> <name>\0<20 bytes>`, again and again. */
function parseTree(bytes: Buffer): GitListing {
  const entries: GitEntry[] = [];
  let at = 0;
  while (at < bytes.length) {
    const space = bytes.indexOf(0x20, at);
    const end = bytes.indexOf(0, space);
    if (space < 0 || end < 0 || end + 21 > bytes.length) return { refused: 'git holds no folder there' };
    const kind = KINDS[bytes.toString('latin1', at, space)] ?? 'other';
    const name = bytes.toString('utf8', space + 1, end);
    entries.push({ name, kind, id: bytes.toString('hex', end + 1, end + 21) });
    at = end + 21;
  }
  return { entries };
}

/** Any other mode is no plain file's or folder's: git itself writes no other. */
const KINDS: Readonly<Record<string, TreeEntry['kind']>> = {
  '100644': 'file',
  '100755': 'file',
  '40000': 'folder',
  '120000': 'symlink',
  '160000': 'gitlink',
};
