import type { FileReading, Listing, TreeEntry, TreeRules, TreeSource } from '../tree.ts';
import { MissingObject, type ObjectReader, objectReader, UnreadableObject } from './objects.ts';
import { fullName } from './refs.ts';
import type { RepositoryContext } from './repository-context.ts';
import { RepositoryError, unknownCommit } from './repository-error.ts';
import { gitLimits } from './run-git.ts';

/** No message of a person is longer. */
const MOST_COMMIT_BYTES = 1024 * 1024;

export async function readCommit<T>(
  context: RepositoryContext,
  commit: string,
  work: (reading: CommitReading) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const { mirror, url, state } = context;
  const objects = objectReader(mirror, gitLimits.read(signal), context.guards.objects);
  try {
    return await work(await readingOf(context, objects, commit));
  } catch (error) {
    signal?.throwIfAborted();
    if (!(error instanceof UnreadableObject)) throw error;
    state.suspect = true;
    const next = 'It is fetched anew at the next look; if that does not help, `git fsck` there tells more';
    throw new RepositoryError(`our copy of ${url.name} cannot be read: ${error.message}. ${next}`, {
      trouble: 'unreadable',
      repository: url.name,
      cause: error,
    });
  } finally {
    await objects.end();
  }
}

async function readingOf(
  { url, path, guards }: RepositoryContext,
  objects: ObjectReader,
  id: string,
): Promise<CommitReading> {
  const { bytes } = await objects.read(fullName(id), 'commit', MOST_COMMIT_BYTES).catch((error: unknown) => {
    throw error instanceof MissingObject ? unknownCommit(url.name, id) : error;
  });
  const commit = bytes && parseCommit(id, bytes);
  if (commit === undefined) throw new UnreadableObject(`${id} is no commit as git writes them`);
  return { commit, tree: commitTree(objects, { tree: commit.tree, path }, guards.trees), rules: guards.trees };
}

export interface CommitReading {
  readonly commit: Commit;
  /** The folder of its specs. */
  readonly tree: TreeSource;
  /** The rules for its tree. */
  readonly rules: TreeRules;
}

/** A commit as its author describes it; none of it is proven. Texts are made safe to print. */
interface Commit {
  readonly id: string;
  readonly tree: string;
  readonly parents: readonly string[];
  readonly author: Person;
  readonly committer: Person;
  /** The message's first line, of at most 200 characters. */
  readonly subject: string;
}

interface Person {
  readonly name: string;
  readonly email: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Of the bytes of a commit object; undefined where they are none. https://git-scm.com/docs/git-hash-object */
export function parseCommit(id: string, bytes: Buffer): Commit | undefined {
  const text = bytes.toString('utf8');
  const end = text.indexOf('\n\n');
  const head = end < 0 ? text : text.slice(0, end);
  const lines = head.split('\n');
  const tree = /^tree ([0-9a-f]{40})$/.exec(lines[0] ?? '')?.[1];
  const author = personOf(lines, 'author');
  const committer = personOf(lines, 'committer');
  if (tree === undefined || author === undefined || committer === undefined) return undefined;
  const parents = lines.flatMap((line) => /^parent ([0-9a-f]{40})$/.exec(line)?.[1] ?? []);
  const message = end < 0 ? '' : text.slice(end + 2);
  return { id, tree, parents, author, committer, subject: printable(message.trimStart().split('\n', 1)[0] ?? '') };
}

function personOf(lines: readonly string[], role: string): Person | undefined {
  const line = lines.find((one) => one.startsWith(`${role} `));
  const [, name, email, seconds] = /^\w+ (.*?) ?<([^<>]*)> (\d{1,12})(?: [+-]\d+)?$/.exec(line ?? '') ?? [];
  if (name === undefined || email === undefined) return undefined;
  return { name: printable(name), email: printable(email), at: Number(seconds) * 1000 };
}

/** Nothing that moves a cursor, colours a terminal or turns the order of text round. */
const printable = (text: string): string =>
  text
    .replaceAll(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu, '\ufffd')
    .trim()
    .slice(0, 200);

/** One folder of git's: about 100,000 files. */
const MOST_TREE_BYTES = 4 * 1024 * 1024;

interface TreePlace {
  /** The name of the commit's tree. */
  readonly tree: string;
  /** The folder in it that the specs lie in; '' for all of it. */
  readonly path: string;
}

/** The specs of a commit. Only folders on the way to what is asked for are read, and no link is ever followed. */
function commitTree(objects: ObjectReader, place: TreePlace, rules: TreeRules): TreeSource {
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
