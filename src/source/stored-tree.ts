import { createHash } from 'node:crypto';
import type { Specs } from '../core/documents/check-specs.ts';
import { isBesideSpecs } from '../core/documents/overlay.ts';
import { sortProblems } from '../core/documents/problem.ts';
import { estateOf } from '../core/documents/spec-set.ts';
import type { SpecSnapshot } from '../ports/fleet-state.ts';
import type { SpecTree } from '../ports/sources.ts';
import { parseSpecs } from './parse-specs.ts';
import { parseSpecsInThread } from './parse-thread.ts';
import type { TreeEntry, TreeSource } from './tree.ts';
import type { UserData } from './user-data.ts';

/** A tree that was read before, to be read from again: it holds what was read of it then. */
export function storedSource({ files, userData }: Pick<SpecTree, 'files' | 'userData'>): TreeSource {
  const held = new Map([
    // why: a patch or an end is none of the specs that somebody follows or proposes
    ...files.filter(({ path }) => !isBesideSpecs(path)).map(({ path, text }) => [path, Buffer.from(text)] as const),
    ...[...userData].map(([path, { bytes }]) => [path, bytes] as const),
  ]);
  const root = rootOf(held.keys());
  return {
    entries: async (folder) => ({ entries: entriesOf(folderAt(root, folder)) }),
    file: async (path, limit) => {
      const bytes = held.get(path);
      if (bytes === undefined) return { refused: 'there is nothing by this name' };
      if (bytes.length > limit) return { refused: `it has ${bytes.length} bytes; at most ${limit} are allowed` };
      return { bytes };
    },
  };
}

/** The entries of a folder, by name. */
type Folder = Map<string, Folder | 'file'>;

/** No folder is kept by its whole path: of a deep tree these would be as many characters as its depth squared. */
function rootOf(paths: Iterable<string>): Folder {
  const root: Folder = new Map();
  for (const path of paths) {
    const folders = path.split('/');
    const name = folders.pop() ?? '';
    folders.reduce(folderIn, root).set(name, 'file');
  }
  return root;
}

function folderIn(folder: Folder, name: string): Folder {
  const known = folder.get(name);
  if (known !== undefined && known !== 'file') return known;
  const made: Folder = new Map();
  folder.set(name, made);
  return made;
}

/** The root is ''. */
function folderAt(root: Folder, path: string): Folder | undefined {
  let folder: Folder | undefined = root;
  for (const name of path === '' ? [] : path.split('/')) {
    const inside: Folder | 'file' | undefined = folder.get(name);
    if (inside === undefined || inside === 'file') return undefined;
    folder = inside;
  }
  return folder;
}

const entriesOf = (folder: Folder = new Map()): readonly TreeEntry[] =>
  [...folder].map(([name, inside]) => ({ name, kind: inside === 'file' ? 'file' : 'folder' }));

/** A tree that the store kept (`snapshotOf`), as it was read, of this `revision`. `today` (2027-01-31) decides which `ignore` still holds. */
export const parseStored = (kept: SpecSnapshot, revision: string, today: string): SpecTree =>
  treeOf(kept, revision, parseSpecs(kept.specs, today));

/** The same; a large one in a thread of its own. */
export const parseStoredInThread = async (kept: SpecSnapshot, revision: string, today: string): Promise<SpecTree> =>
  treeOf(kept, revision, await parseSpecsInThread(kept.specs, today));

function treeOf(
  { specs, userData, overlay }: SpecSnapshot,
  revision: string,
  { documents, ended = [], problems }: Specs,
): SpecTree {
  return {
    estate: estateOf(documents),
    documents,
    ...(ended.length === 0 ? {} : { ended }),
    problems: sortProblems([...problems]),
    revision,
    files: specs,
    userData: new Map(userData.map((file) => [file.path, scriptOf(file)])),
    overlay,
  };
}

function scriptOf({ path, base64 }: SpecSnapshot['userData'][number]): UserData {
  const bytes = Buffer.from(base64, 'base64');
  return { path, bytes, sha256: createHash('sha256').update(bytes).digest('hex') };
}
