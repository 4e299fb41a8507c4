import { constants } from 'node:fs';
import { lstat, open, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { treeOf } from '../core/documents/overlay.ts';
import { error, type Problem } from '../core/documents/problem.ts';
import { limits } from './limits.ts';
import { forbiddenCharacter, printableText } from './text.ts';

/** The bytes of a file inside a tree, or why it is not read. */
export type FileReading =
  | { readonly bytes: Buffer; readonly refused?: never }
  | { readonly bytes?: never; readonly refused: string };

/**
 * Reads `path` (relative, with `/`) under `root`. Refuses whatever is not a plain file or is reached through a symlink,
 * and reads at most `limit` bytes. The file is opened once and judged by what was opened, so it cannot be swapped.
 */
export async function readFileInside(root: string, path: string, limit: number): Promise<FileReading> {
  const full = join(root, path);
  try {
    const real = await realpath(full);
    if (real !== join(await realpath(root), path)) return { refused: 'it is reached through a symlink' };
    if (!(await lstat(full)).isFile()) return { refused: 'it is not a plain file' };
    const file = await open(full, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const { size } = await file.stat();
      if (size > limit) return { refused: `it has ${size} bytes; at most ${limit} are allowed` };
      return { bytes: await file.readFile() };
    } finally {
      await file.close();
    }
  } catch (cause) {
    return { refused: readErrorReason(cause) };
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is nothing by this name',
  ENOTDIR: 'there is nothing by this name',
  EISDIR: 'it is a folder',
  EACCES: 'it may not be read',
  ELOOP: 'it is reached through a symlink',
};

/** In words; unknown codes by their code. */
export function readErrorReason(cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
  return REASONS[code] ?? `it cannot be read (${code})`;
}

/** The source of a spec tree: a folder, a commit, or several under one root. Paths count from its root, with `/`. */
export interface TreeSource {
  /** The entries of a folder of the tree; its root is ''. In any order. */
  entries(folder: string): Promise<Listing>;
  /** A plain file of at most `limit` bytes, reached through folders of the tree only. */
  file(path: string, limit: number): Promise<FileReading>;
}

/** `refused`: why this folder is not read, in words. */
export type Listing =
  | { readonly entries: readonly TreeEntry[]; readonly refused?: never }
  | { readonly entries?: never; readonly refused: string };

/** `gitlink`: a commit of another repository, which git calls a submodule. `other`: a FIFO, a mode nobody knows. */
export interface TreeEntry {
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'symlink' | 'gitlink' | 'other';
}

/** One file of a spec tree. `path` is its path in the tree, with `/`. */
export interface SpecFile {
  readonly path: string;
  readonly text: string;
}

/** The rules for a spec tree. Rows of a table, so that a test can leave one out and show its purpose. */
export interface TreeRules {
  readonly entries: readonly EntryRule[];
  /** Problems of spec files, and of folders, whose names some file systems take for one. */
  readonly twins: (paths: readonly string[]) => readonly Problem[];
  readonly most: TreeLimits;
}

export interface EntryRule {
  readonly name: string;
  /** Of everything, of what is not passed over, or of folders and spec files only. */
  readonly of: 'all' | 'seen' | 'read';
  /** `before`: the entry before it in the order of names. */
  readonly breaks: (entry: TreeEntry, before?: TreeEntry) => boolean;
  /** The problem's code, and what it says. */
  readonly code: string;
  readonly message: string;
}

type Limited = 'files' | 'fileBytes' | 'treeBytes' | 'folderDepth' | 'entries' | 'userDataBytes';
type TreeLimits = Readonly<Record<Limited, number>>;

export const treeRules: TreeRules = {
  entries: [
    {
      name: 'again',
      of: 'seen',
      breaks: ({ name }, before) => name === before?.name,
      code: 'twin-file',
      message: 'this name stands twice in its folder',
    },
    {
      name: 'symlink',
      of: 'seen',
      breaks: ({ kind }) => kind === 'symlink',
      code: 'symlink',
      message: 'symlinks are not followed: put the file here',
    },
    {
      // why: another program would read it as an option where it stands alone
      name: 'option',
      of: 'read',
      breaks: ({ name }) => name.startsWith('-'),
      code: 'bad-name',
      message: 'a name that begins with a dash reads as an option: rename it',
    },
    {
      name: 'character',
      of: 'read',
      breaks: ({ name }) => forbiddenCharacter(name) >= 0 || /[\p{Cf}\t\r\n\\\ufffd]/u.test(name),
      code: 'bad-name',
      message: 'a name with characters that do not show, or that part folders elsewhere: rename it',
    },
    {
      // why: NAME_MAX of Linux, macOS and Windows
      name: 'length',
      of: 'read',
      breaks: ({ name }) => Buffer.byteLength(name) > 255,
      code: 'bad-name',
      message: 'a name of more than 255 bytes fits no file system: rename it',
    },
  ],
  twins,
  most: limits,
};

/** A tree must mean the same wherever it is checked out. */
function twins(paths: readonly string[]): readonly Problem[] {
  const groups = Map.groupBy(paths, foldedPath);
  return [...groups.values()].flatMap(([first, ...others]) =>
    others.map((path) =>
      problemAt(path, 'twin-file', `this name differs from ${printableText(first ?? '')} in case or accents only`),
    ),
  );
}

/** Upper case first, as `ß` and `ſ` have no other; both forms of an accent are one. */
export const foldedPath = (path: string): string => path.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC');

const problemAt = (file: string, code: string, message: string): Problem =>
  error(code, { file: printableText(file), line: 1, column: 1 }, message);

interface SpecFiles {
  readonly files: readonly SpecFile[];
  readonly problems: readonly Problem[];
}

/**
 * All *.yaml, *.yml and *.json of a tree, in an order that depends on their names only. Hidden entries and
 * `node_modules` are passed over, and so is the JSON Schema beside the specs (`schema.json`, `schema.*.json`). Nothing
 * outside is read: symlinks are refused. A tree that holds no specs is an error, as it must never mean that nothing
 * is wanted.
 */
export async function readTree(source: TreeSource, rules: TreeRules = treeRules): Promise<SpecFiles> {
  const walk: Walk = { source, rules, paths: [], folders: [], problems: [], seen: 0 };
  await collect(walk, '', 0);
  walk.problems.push(...rules.twins(walk.folders), ...rules.twins(walk.paths));
  const files: SpecFile[] = [];
  let bytes = 0;
  for (const path of walk.paths.slice(0, rules.most.files)) {
    const file = await readSpec(walk, path);
    if (!file) continue;
    bytes += file.text.length;
    if (bytes > rules.most.treeBytes) {
      const message = `all files together have more than ${rules.most.treeBytes} bytes`;
      walk.problems.push(problemAt(path, 'tree-too-large', message));
      break;
    }
    files.push(file);
  }
  if (files.length === 0 && walk.problems.length === 0) {
    const expected = 'at least one *.yaml, *.yml or *.json';
    walk.problems.push(
      error('empty-tree', { file: '', line: 1, column: 1 }, 'this folder holds no specs', { expected }),
    );
  }
  return { files, problems: walk.problems };
}

interface Walk {
  readonly source: TreeSource;
  readonly rules: TreeRules;
  readonly paths: string[];
  readonly folders: string[];
  readonly problems: Problem[];
  seen: number;
}

async function collect(walk: Walk, folder: string, depth: number): Promise<void> {
  const { most } = walk.rules;
  if (depth > most.folderDepth) {
    walk.problems.push(problemAt(folder, 'tree-too-deep', `folders nested more than ${most.folderDepth} deep`));
    return;
  }
  const entries = await entriesOf(walk, folder);
  for (const [index, entry] of entries.entries()) {
    if (isOver(walk)) return;
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    const broken = walk.rules.entries.find(
      (rule) => concerns(rule, entry, path) && rule.breaks(entry, entries[index - 1]),
    );
    if (broken) walk.problems.push(problemAt(path, broken.code, broken.message));
    else if (isPassedOver(entry.name)) continue;
    else if (entry.kind === 'folder') {
      walk.folders.push(path);
      await collect(walk, path, depth + 1);
    } else if (isSpec(path)) walk.paths.push(path);
  }
  isOver(walk);
}

/** Told once, where the walk ends. */
function isOver({ rules: { most }, paths, seen, problems }: Walk): boolean {
  const over = [
    ...(paths.length > most.files ? [`there are more than ${most.files} spec files`] : []),
    ...(seen > most.entries ? [`there are more than ${most.entries} files and folders`] : []),
  ];
  const isReported = problems.at(-1)?.code === 'tree-too-large';
  if (!isReported) problems.push(...over.map((message) => problemAt('', 'tree-too-large', message)));
  return over.length > 0;
}

const isSpec = (path: string): boolean =>
  /\.(?:ya?ml|json)$/i.test(path) && !/^schema(?:\..*)?\.json$/.test(path.slice(treeOf(path).length));

const isPassedOver = (name: string): boolean => name.startsWith('.') || name === 'node_modules';

function concerns({ of }: EntryRule, { name, kind }: TreeEntry, path: string): boolean {
  if (of === 'all') return true;
  if (isPassedOver(name)) return false;
  return of === 'seen' || kind === 'folder' || isSpec(path);
}

async function entriesOf(walk: Walk, folder: string): Promise<readonly TreeEntry[]> {
  const { entries, refused } = await walk.source.entries(folder);
  if (refused !== undefined) {
    walk.problems.push(problemAt(folder, 'unreadable', `this folder cannot be read: ${refused}`));
    return [];
  }
  walk.seen += entries.length;
  return entries.toSorted((a, b) => Number(a.name > b.name) - Number(a.name < b.name));
}

async function readSpec({ source, rules, problems }: Walk, path: string): Promise<SpecFile | undefined> {
  const { bytes, refused } = await source.file(path, rules.most.fileBytes);
  if (refused !== undefined) {
    problems.push(problemAt(path, 'unreadable', `this file is not read: ${refused}`));
    return undefined;
  }
  try {
    return { path, text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    problems.push(problemAt(path, 'bad-encoding', 'this file is not UTF-8 text'));
    return undefined;
  }
}
