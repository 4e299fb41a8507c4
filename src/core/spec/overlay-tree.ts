import type { Position } from './position.ts';
import { type Problem, warning } from './problem.ts';
import { suggest } from './suggest.ts';
import type { MapTree, Tree } from './tree.ts';

/** A document of the base with an overlay's over it, and what in the overlay does nothing. */
export interface MergedTree {
  readonly tree: MapTree;
  readonly problems: readonly Problem[];
}

/**
 * Maps merge key by key; scalars and lists are replaced; `null` removes the key. Each value stands where it was written,
 * the document itself where the base has it.
 */
export function overlayTree(base: MapTree, over: MapTree): MergedTree {
  const problems: Problem[] = [];
  return { tree: merge(base, over, problems), problems };
}

function merge(base: MapTree, over: MapTree, problems: Problem[]): MapTree {
  const entries = new Map(base.entries);
  for (const [key, { keyAt, value }] of over.entries) {
    const before = entries.get(key);
    if (isNull(value)) {
      if (!entries.delete(key)) problems.push(removesNothing(key, keyAt, base));
    } else if (value.kind === 'map') {
      const ground = before?.value.kind === 'map' ? before.value : { ...value, entries: new Map() };
      entries.set(key, { keyAt: before?.keyAt ?? keyAt, value: merge(ground, value, problems) });
    } else entries.set(key, { keyAt, value });
  }
  return { ...base, entries };
}

const isNull = (tree: Tree): boolean => tree.kind === 'scalar' && tree.value === null;

/** The key itself is not repeated: people write secrets even as keys. */
const removesNothing = (key: string, at: Position, base: MapTree): Problem =>
  warning('overlay-removes-nothing', at, 'nothing is removed here: the base has no such key', {
    expected: 'a key of the base; or take the line out',
    didYouMean: suggest(key, base.entries.keys()),
  });
