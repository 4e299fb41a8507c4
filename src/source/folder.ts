import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { error, type Problem } from '../core/spec/problem.ts';
import { limits } from './limits.ts';
import { readFileInside, reasonOf } from './read-file.ts';
import type { SpecFile } from './spec-file.ts';

export interface Folder {
  readonly files: readonly SpecFile[];
  readonly problems: readonly Problem[];
}

/**
 * All *.yaml, *.yml and *.json under a folder, in an order that depends on their names only. Hidden entries and
 * `node_modules` are passed over, and so is the JSON Schema beside the specs (`schema.json`, `schema.*.json`). Nothing
 * outside is read: symlinks are refused. A folder that holds no specs is an error, as it must never mean that nothing
 * is wanted.
 */
export async function readFolder(dir: string): Promise<Folder> {
  const walk: Walk = { dir, paths: [], problems: [] };
  await collect(walk, '', 0);
  walk.problems.push(...twins(walk.paths));
  const files: SpecFile[] = [];
  let bytes = 0;
  for (const path of walk.paths.slice(0, limits.files)) {
    const file = await readSpec(walk, path);
    if (!file) continue;
    bytes += file.text.length;
    if (bytes > limits.treeBytes) {
      walk.problems.push(
        problemAt(path, 'tree-too-large', `all files together have more than ${limits.treeBytes} bytes`),
      );
      break;
    }
    files.push(file);
  }
  if (walk.paths.length > limits.files) {
    walk.problems.push(problemAt('', 'tree-too-large', `there are more than ${limits.files} spec files`));
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
  readonly dir: string;
  readonly paths: string[];
  readonly problems: Problem[];
}

async function collect(walk: Walk, folder: string, depth: number): Promise<void> {
  if (depth > limits.folderDepth) {
    walk.problems.push(problemAt(folder, 'tree-too-deep', `folders nested more than ${limits.folderDepth} deep`));
    return;
  }
  for (const entry of await entriesOf(walk, folder)) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isSymbolicLink())
      walk.problems.push(problemAt(path, 'symlink', 'symlinks are not followed: put the file here'));
    else if (entry.isDirectory()) await collect(walk, path, depth + 1);
    else if (isSpec(path)) walk.paths.push(path);
    if (walk.paths.length > limits.files) return;
  }
}

const isSpec = (path: string): boolean => /\.(?:ya?ml|json)$/i.test(path) && !/^schema(?:\..*)?\.json$/.test(path);

const isPassedOver = (name: string): boolean => name.startsWith('.') || name === 'node_modules';

async function entriesOf(walk: Walk, folder: string): Promise<readonly Dirent[]> {
  try {
    const entries = await readdir(join(walk.dir, folder), { withFileTypes: true });
    const seen = entries.filter((entry) => !isPassedOver(entry.name));
    return seen.toSorted((a, b) => Number(a.name > b.name) - Number(a.name < b.name));
  } catch (cause) {
    walk.problems.push(problemAt(folder, 'unreadable', `this folder cannot be read: ${reasonOf(cause)}`));
    return [];
  }
}

async function readSpec(walk: Walk, path: string): Promise<SpecFile | undefined> {
  const { bytes, refused } = await readFileInside(walk.dir, path, limits.fileBytes);
  if (refused !== undefined) {
    walk.problems.push(problemAt(path, 'unreadable', `this file is not read: ${refused}`));
    return undefined;
  }
  try {
    return { path, text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    walk.problems.push(problemAt(path, 'bad-encoding', 'this file is not UTF-8 text'));
    return undefined;
  }
}

/** Names that some file systems take for one: a tree must mean the same wherever it is checked out. */
function twins(paths: readonly string[]): readonly Problem[] {
  const groups = Map.groupBy(paths, (path) => path.normalize('NFC').toLowerCase());
  return [...groups.values()].flatMap(([first, ...others]) =>
    others.map((path) => problemAt(path, 'twin-file', `this name differs from ${first} in case or accents only`)),
  );
}

const problemAt = (file: string, code: string, message: string): Problem =>
  error(code, { file, line: 1, column: 1 }, message);
