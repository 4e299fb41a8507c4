import type { Row } from '../core/inventory/row.ts';
import type { KeptRow, RowVersion } from '../ports/kept-row.ts';

/** What is read of a version. `look_at` and the like: of the newest look at its scope. */
export interface ReadVersion extends ReadSpan, ReadLook {
  readonly number: number;
  readonly estate: string;
  readonly since: number;
  readonly body: unknown;
  /** Of its own; where it is in step the newest look has it. */
  readonly generation: number;
}

interface ReadSpan {
  readonly began: number;
  readonly ended: number | null;
  readonly seen: number | null;
  readonly listed: boolean;
}

interface ReadLook {
  readonly look_at: number;
  readonly look_gaps: readonly string[];
  readonly look_generation: number;
}

export const keptRow = (version: ReadVersion, asOf?: number): KeptRow => ({
  ...rowIn(version),
  estate: version.estate,
  since: version.since,
  observed: observedOf(version, asOf),
});

/** As told at a time: what came later is not said. */
export const rowVersion = (version: ReadVersion, asOf = Number.POSITIVE_INFINITY): RowVersion => ({
  ...keptRow(version, Number.isFinite(asOf) ? asOf : undefined),
  number: version.number,
  from: version.began,
  ...(version.ended === null || version.ended > asOf ? {} : { until: version.ended }),
});

function rowIn({ body, ended, listed, generation, look_generation: newest }: ReadVersion): Row {
  const row = body as Row; // why: only `keepRows` writes the column
  const isUpToDate = ended === null && listed && row.state.status === 'InSync';
  return { ...row, state: { ...row.state, generation: isUpToDate ? newest : generation } };
}

/**
 * Between the look that it was last found in and the next one it counts as it was; unless the looks in between could not tell,
 * or the newest one cannot.
 */
function observedOf(version: ReadVersion, asOf?: number): KeptRow['observed'] {
  const { seen, ended, listed, look_at: newest, look_gaps: gaps } = version;
  const last = seen ?? newest;
  if (asOf !== undefined && asOf <= last) return { at: asOf, complete: true };
  const sure = ended !== null || !gaps.includes(rowIn(version).place.kind);
  return { at: last, complete: listed && sure };
}
