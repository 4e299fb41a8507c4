import { type Row, type Status, steadyRow } from '../core/inventory/row.ts';
import { canonical } from '../core/ledger/canonical.ts';
import type { KeptLook } from '../ports/rows.ts';
import { sha256 } from './signing.ts';
import { storableText } from './statements.ts';

/** What is kept of a line between two looks. `listed` false: the newest look could not tell of it. */
export interface KnownRow {
  readonly kind: string;
  readonly digest: string;
  readonly status: string;
  readonly since: number;
  readonly listed: boolean;
}

/**
 * What one look changes in what is kept:
 *
 *   in the look | known before | kind has a gap | change
 *   yes         | no, or otherwise              | written
 *   yes         | the same, unlisted before     | listed again (nothing happened to it)
 *   yes, nothing standing | yes | yes            | unlisted: that it was not seen proves nothing
 *   no          | yes          | no             | vanished
 *   no          | yes          | yes            | unlisted: it stays as it was
 */
export interface RowChanges {
  readonly written: readonly WrittenRow[];
  readonly relisted: readonly string[];
  readonly vanished: readonly string[];
  readonly unlisted: readonly string[];
}

/** `since`: by when its status began. `was`: its status before; absent: it is new. `text`: its canonical JSON. */
export interface WrittenRow extends Written {
  readonly row: Row;
  readonly since: number;
  readonly was?: Status;
}

interface Written {
  readonly key: string;
  readonly digest: string;
  readonly text: string;
}

export function rowChanges(known: ReadonlyMap<string, KnownRow>, { at, rows, gaps }: KeptLook): RowChanges {
  const unsure = new Set<string>(gaps.map(({ kind }) => kind));
  const tells = (key: string, row: Row): boolean =>
    row.called.id !== undefined || !unsure.has(row.place.kind) || !known.has(key);
  const now = new Map(rows.map((row) => [storableText(row.key), row] as const).filter(([key, row]) => tells(key, row)));
  const written: WrittenRow[] = [];
  const relisted: string[] = [];
  for (const [key, row] of now) {
    const text = canonical(row);
    const steady = steadyRow(row);
    const digest = sha256(steady === row ? text : canonical(steady));
    const before = known.get(key);
    if (before?.digest !== digest) written.push({ key, row, digest, text, ...standing(row, at, before) });
    else if (!before.listed) relisted.push(key);
  }
  const missing = [...known].filter(([key]) => !now.has(key));
  return {
    written,
    relisted,
    vanished: missing.filter(([, { kind }]) => !unsure.has(kind)).map(([key]) => key),
    unlisted: missing.filter(([, { kind, listed }]) => unsure.has(kind) && listed).map(([key]) => key),
  };
}

function standing({ state }: Row, at: number, before: KnownRow | undefined): Pick<WrittenRow, 'since' | 'was'> {
  if (before === undefined) return { since: at };
  const was = before.status as Status; // why: only `keepRows` writes the column
  return { since: was === state.status ? before.since : at, was };
}
