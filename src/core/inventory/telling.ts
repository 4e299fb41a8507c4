import type { Gap, Observation } from '../observed.ts';
import type { Row } from './row.ts';

/** What may be kept of a look: rows that it can tell of, and the kinds that it cannot. */
export interface Telling {
  readonly rows: readonly Row[];
  readonly gaps: readonly Gap[];
}

/**
 * A kind of which something hangs on what was not listed is one that the look cannot tell of either: whose it is is not known.
 * What is wanted of such a kind and not seen is told all the same, for those who never heard of it.
 */
export function telling(rows: readonly Row[], observation: Observation): Telling {
  const gaps = blindKinds(observation);
  if (gaps.length === observation.gaps.length) return { rows, gaps };
  const hanging = new Set(gaps.slice(observation.gaps.length).map(({ kind }) => kind));
  return { rows: rows.filter(({ place, sides }) => !hanging.has(place.kind) || sides.observed === undefined), gaps };
}

function blindKinds({ gaps, resources }: Observation): readonly Gap[] {
  const [first] = gaps;
  if (first === undefined) return gaps;
  const blind = new Set(gaps.map(({ kind }) => kind));
  const ids = new Set(resources.map(({ id }) => id));
  const hanging = resources.filter(({ kind, signs: { container, parent } }) => {
    const on = container ?? parent;
    return !blind.has(kind) && on !== undefined && !ids.has(on);
  });
  const kinds = new Set(hanging.map(({ kind }) => kind));
  return [...gaps, ...[...kinds].map((kind) => ({ ...first, kind }))];
}
