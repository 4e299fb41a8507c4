import { isOverlayName, layerOf } from '../core/spec/overlay-path.ts';
import { error, type Problem } from '../core/spec/problem.ts';
import { suggest } from '../core/spec/suggest.ts';
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
  const { entries = [] } = await source.entries('overlays');
  const there = entries.flatMap(({ name, kind }) => (kind === 'folder' && isOverlayName(name) ? [name] : []));
  const at = { file: 'overlays', line: 1, column: 1 };
  return [
    error('missing-overlay', at, `there is no overlay ${JSON.stringify(overlay)} with specs in it`, {
      expected: there.length > 0 ? there.toSorted().join(', ') : `specs in overlays/${isNamed ? overlay : '<name>'}/`,
      didYouMean: suggest(overlay, there),
    }),
  ];
}
