import type { Row } from '../core/inventory/row.ts';

/** A line as the store has it. Times are ms since the epoch. */
export interface KeptRow extends Row {
  readonly estate: string;
  /** When its status became what it is. */
  readonly since: number;
  /** The look that it was last found in, and whether the newest look could tell of its kind. */
  readonly observed: { readonly at: number; readonly complete: boolean };
}

/** `until`: when it became another, or went; absent: it is so still. `number`: only ever rising. */
export interface RowVersion extends KeptRow {
  readonly number: number;
  readonly from: number;
  readonly until?: number;
}
