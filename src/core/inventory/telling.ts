import type { Knowledge } from '../knowledge.ts';
import type { Gap, Observation } from '../observed.ts';
import type { Address } from '../resource.ts';
import type { Row } from './row.ts';

/** What may be kept of a look: rows that it can tell of, and the kinds that it cannot. */
export interface Telling {
  readonly rows: readonly Row[];
  readonly gaps: readonly Gap[];
}

/**
 * A kind that was not listed completely tells nothing new of what was known before: those rows stay as they were, and what was
 * never there is told as blocked. So is a kind of which something hangs on what was not listed: whose it is cannot be told.
 */
export function telling(rows: readonly Row[], { observation, knowledge }: Seen): Telling {
  const gaps = blindKinds(observation);
  if (gaps.length === 0) return { rows, gaps };
  const blind = new Set(gaps.map(({ kind }) => kind));
  const known = new Set<Address>([
    ...[...knowledge.settled.values()].map(({ address }) => address),
    ...knowledge.applied.keys(),
  ]);
  const isNew = ({ called, sides }: Row): boolean =>
    sides.observed === undefined && called.address !== undefined && !known.has(called.address);
  return { rows: rows.filter((row) => !blind.has(row.place.kind) || isNew(row)), gaps };
}

interface Seen {
  readonly observation: Observation;
  readonly knowledge: Knowledge;
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
