import { isOverlayName, layerOf } from '../core/documents/overlay.ts';
import { error, type Problem, suggest } from '../core/documents/problem.ts';
import type { SpecFile } from './spec-file.ts';
import type { TreeSource } from './tree-source.ts';

/** That an overlay was asked for of which the tree holds nothing: planned without it, another environment would come of it. */
export async function missingOverlay(
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

/** A base seldom has an Estate where its overlays have one each: whoever names none of them is told of them. */
export async function withOverlaysNamed(source: TreeSource, problems: readonly Problem[]): Promise<readonly Problem[]> {
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
