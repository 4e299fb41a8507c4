import { createHash } from 'node:crypto';
import type { Specs } from '../core/documents/check-specs.ts';
import type { Document, EstateDoc } from '../core/documents/document.ts';
import { type Problem, sortProblems } from '../core/documents/problem.ts';
import { estateOf } from '../core/documents/spec-set.ts';
import type { Located } from '../core/documents/tree.ts';
import { folderTree } from './folder.ts';
import { missingOverlay, withOverlaysNamed } from './missing-overlay.ts';
import { overlaid } from './overlaid.ts';
import { parseSpecs } from './parse-specs.ts';
import { readTree } from './read-tree.ts';
import type { SpecFile } from './spec-file.ts';
import { type TreeRules, treeRules } from './tree-rules.ts';
import type { TreeSource } from './tree-source.ts';
import { readUserData, type UserData } from './user-data.ts';

/** A spec tree as read. With an error among its problems nothing may be planned from it. */
export interface LoadedSpecs extends LoadedFiles {
  readonly estate: Located<EstateDoc> | undefined;
  readonly documents: readonly Located<Document>[];
  readonly problems: readonly Problem[];
  /** `folder:` and a SHA-256 of all that was read: the same files, the same revision. With an overlay `@` and its name. */
  readonly revision: string;
}

interface LoadedFiles {
  readonly files: readonly SpecFile[];
  /** By path in the tree, see `userDataPath`. */
  readonly userData: ReadonlyMap<string, UserData>;
  readonly overlay?: string;
}

/**
 * Reads a folder of specs, with `overlays/<overlay>/` over the base where one is named. `today` (2027-01-31) decides which
 * `ignore` still holds. Never throws for what it finds.
 */
export async function loadSpecs(dir: string, today: string, overlay?: string): Promise<LoadedSpecs> {
  const tree = await loadTree(folderTree(dir), { today, ...(overlay === undefined ? {} : { overlay }) });
  return { ...tree, revision: folderRevision(tree) };
}

/** The same files, the same revision. */
export function folderRevision(tree: Omit<LoadedSpecs, 'revision'>): string {
  return `folder:${hashOf(tree)}${tree.overlay === undefined ? '' : `@${tree.overlay}`}`;
}

export interface TreeLoading {
  readonly today: string;
  readonly rules?: TreeRules;
  readonly overlay?: string;
  /** Reads its documents; default: at once, in this thread. */
  readonly parse?: (files: readonly SpecFile[], today: string) => Promise<Specs>;
}

/** What is read of a tree, wherever it lies; whoever reads it knows its revision. */
export async function loadTree(
  source: TreeSource,
  { today, rules = treeRules, overlay, parse = async (files) => parseSpecs(files, today) }: TreeLoading,
): Promise<Omit<LoadedSpecs, 'revision'>> {
  const tree = await readTree(overlaid(source, overlay), rules);
  const missing = overlay === undefined ? [] : await missingOverlay(source, overlay, tree.files);
  const { documents, problems: found } = await parse(tree.files, today);
  const problems = overlay === undefined ? await withOverlaysNamed(source, found) : found;
  const { userData, problems: unread } = await readUserData(source, documents);
  return {
    estate: estateOf(documents),
    documents,
    problems: sortProblems([...tree.problems, ...missing, ...problems, ...unread]),
    files: tree.files,
    userData,
    ...(overlay === undefined ? {} : { overlay }),
  };
}

function hashOf({ files, userData }: Omit<LoadedSpecs, 'revision'>): string {
  const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');
  const lines = [
    ...files.map(({ path, text }) => `spec ${sha256(text)} ${path}`),
    ...[...userData.values()].map((data) => `data ${data.sha256} ${data.path}`),
  ];
  return sha256(lines.toSorted().join('\n'));
}
