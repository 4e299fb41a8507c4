import { treeOf } from '../core/documents/overlay.ts';
import { error, type Problem } from '../core/documents/problem.ts';
import type { SpecFile } from './spec-file.ts';
import { type EntryRule, problemAt, type TreeRules, treeRules } from './tree-rules.ts';
import type { TreeEntry, TreeSource } from './tree-source.ts';

export interface SpecFiles {
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
  const told = problems.at(-1)?.code === 'tree-too-large';
  if (!told) problems.push(...over.map((message) => problemAt('', 'tree-too-large', message)));
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
