import { createHash } from 'node:crypto';
import type { Document, EstateDoc } from '../core/spec/document.ts';
import type { Located } from '../core/spec/located.ts';
import { type Problem, sortProblems } from '../core/spec/problem.ts';
import { ofKind } from '../core/spec/spec-set.ts';
import { folderTree } from './folder.ts';
import { parseSpecs } from './parse-specs.ts';
import { readTree } from './read-tree.ts';
import type { SpecFile } from './spec-file.ts';
import { type TreeRules, treeRules } from './tree-rules.ts';
import type { TreeSource } from './tree-source.ts';
import { readUserData, type UserData } from './user-data.ts';

/** A spec tree as read. With an error among its problems nothing may be planned from it. */
export interface LoadedSpecs {
  readonly estate: Located<EstateDoc> | undefined;
  readonly documents: readonly Located<Document>[];
  readonly problems: readonly Problem[];
  /** `folder:` and a SHA-256 of all that was read: the same files, the same revision. */
  readonly revision: string;
  readonly files: readonly SpecFile[];
  /** By path in the tree, see `userDataPath`. */
  readonly userData: ReadonlyMap<string, UserData>;
}

/** Reads a folder of specs. `today` (2027-01-31) decides which `ignore` still holds. Never throws for what it finds. */
export async function loadSpecs(dir: string, today: string): Promise<LoadedSpecs> {
  const tree = await loadTree(folderTree(dir), { today });
  return { ...tree, revision: `folder:${hashOf(tree.files, tree.userData)}` };
}

export interface TreeLoading {
  readonly today: string;
  readonly rules?: TreeRules;
}

/** What is read of a tree, wherever it lies; whoever reads it knows its revision. */
export async function loadTree(
  source: TreeSource,
  { today, rules = treeRules }: TreeLoading,
): Promise<Omit<LoadedSpecs, 'revision'>> {
  const tree = await readTree(source, rules);
  const { documents, problems } = parseSpecs(tree.files, today);
  const { userData, problems: unread } = await readUserData(source, documents);
  return {
    estate: ofKind(documents, 'Estate')[0],
    documents,
    problems: sortProblems([...tree.problems, ...problems, ...unread]),
    files: tree.files,
    userData,
  };
}

function hashOf(files: readonly SpecFile[], userData: ReadonlyMap<string, UserData>): string {
  const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');
  const lines = [
    ...files.map(({ path, text }) => `spec ${sha256(text)} ${path}`),
    ...[...userData.values()].map((data) => `data ${data.sha256} ${data.path}`),
  ];
  return sha256(lines.toSorted().join('\n'));
}
