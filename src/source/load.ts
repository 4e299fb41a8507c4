import { createHash } from 'node:crypto';
import type { Specs } from '../core/documents/check-specs.ts';
import type { Document, EstateDoc } from '../core/documents/document.ts';
import { isOverlayName, isRead, layerOf } from '../core/documents/overlay.ts';
import { error, type Problem, sortProblems, suggest } from '../core/documents/problem.ts';
import { estateOf } from '../core/documents/spec-set.ts';
import type { Located } from '../core/documents/tree.ts';
import { folderTree } from './folder.ts';
import { parseSpecs } from './parse-specs.ts';
import { readTree, type SpecFile, type TreeRules, type TreeSource, treeRules } from './tree.ts';
import { readUserData, type UserData } from './user-data.ts';

/** A spec tree as read. With an error among its problems nothing may be planned from it. */
interface LoadedSpecs extends LoadedFiles {
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
  const tree = await loadTree(folderTree(dir), { today, overlay });
  return { ...tree, revision: folderRevision(tree) };
}

/** The same files, the same revision. */
export function folderRevision(tree: Omit<LoadedSpecs, 'revision'>): string {
  return `folder:${hashOf(tree)}${tree.overlay === undefined ? '' : `@${tree.overlay}`}`;
}

interface TreeLoading {
  readonly today: string;
  readonly rules?: TreeRules;
  readonly overlay?: string;
  /** Reads its documents; default: at once, in this thread. */
  readonly parse?: (files: readonly SpecFile[], today: string) => Promise<Specs>;
}

/** Reads a tree from any source; the caller knows its revision. */
export async function loadTree(
  source: TreeSource,
  { today, rules = treeRules, overlay, parse = async (files) => parseSpecs(files, today) }: TreeLoading,
): Promise<Omit<LoadedSpecs, 'revision'>> {
  const tree = await readTree(overlaid(source, overlay), rules);
  const missing = overlay === undefined ? [] : await missingOverlay(source, overlay, tree.files);
  const { documents, problems: found } = await parse(tree.files, today);
  const problems = overlay === undefined ? await withOverlaysNamed(source, found) : found;
  const { userData, problems: unread } = await readUserData(source, documents);
  const wrong = await policyProblems(documents, tree.files);
  return {
    estate: estateOf(documents),
    documents,
    problems: sortProblems([...tree.problems, ...missing, ...problems, ...wrong, ...unread]),
    files: tree.files,
    userData,
    overlay,
  };
}

/** The language of expressions is loaded where there is a policy. */
async function policyProblems(
  documents: readonly Located<Document>[],
  files: readonly SpecFile[],
): Promise<readonly Problem[]> {
  if (!documents.some(({ value }) => value.kind === 'Policy')) return [];
  const { expressionProblems } = await import('./policy-expressions.ts');
  return expressionProblems(documents, files);
}

function hashOf({ files, userData }: Omit<LoadedSpecs, 'revision'>): string {
  const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');
  const lines = [
    ...files.map(({ path, text }) => `spec ${sha256(text)} ${path}`),
    ...[...userData.values()].map((data) => `data ${data.sha256} ${data.path}`),
  ];
  return sha256(lines.toSorted().join('\n'));
}

/** That an overlay was asked for of which the tree holds nothing: planned without it, another environment would come of it. */
async function missingOverlay(
  source: TreeSource,
  overlay: string,
  files: readonly SpecFile[],
): Promise<readonly Problem[]> {
  const isNamed = isOverlayName(overlay);
  if (isNamed && files.some(({ path }) => layerOf(path) === `overlay ${overlay}`)) return [];
  const there = await overlaysOf(source);
  const at = { file: 'overlays', line: 1, column: 1 };
  return [
    error('missing-overlay', at, `there is no overlay ${JSON.stringify(overlay)} with specs in it`, {
      expected: there.length > 0 ? there.join(', ') : `specs in overlays/${isNamed ? overlay : '<name>'}/`,
      didYouMean: suggest(overlay, there),
    }),
  ];
}

/** A base seldom has an Estate where its overlays have one each: without a chosen overlay the problem lists them. */
async function withOverlaysNamed(source: TreeSource, problems: readonly Problem[]): Promise<readonly Problem[]> {
  if (!problems.some(isNoEstate)) return problems;
  const there = await overlaysOf(source);
  if (there.length === 0) return problems;
  const expected = `exactly one, here or in an overlay that is named: --overlay ${there.join(', --overlay ')}`;
  return problems.map((problem) =>
    isNoEstate(problem) ? { ...problem, hint: { ...problem.hint, expected } } : problem,
  );
}

const isNoEstate = ({ code }: Problem): boolean => code === 'no-estate';

async function overlaysOf(source: TreeSource): Promise<readonly string[]> {
  const { entries = [] } = await source.entries('overlays');
  return entries.flatMap(({ name, kind }) => (kind === 'folder' && isOverlayName(name) ? [name] : [])).toSorted();
}

/** As much of a tree as is read with this overlay, or with none: the base, and no other overlay. */
const overlaid = (source: TreeSource, overlay: string | undefined): TreeSource => ({
  entries: async (folder) => {
    const { entries, refused } = await source.entries(folder);
    if (refused !== undefined) return { refused };
    const before = folder === '' ? '' : `${folder}/`;
    return { entries: entries.filter(({ name }) => isRead(before + name, overlay)) };
  },
  file: source.file,
});
