import type { Path, Position } from './tree.ts';

export type EditScalar = string | number | boolean;

/** A value to write: a scalar, a list or a map. */
export type EditValue = EditScalar | readonly EditValue[] | { readonly [field: string]: EditValue };

/**
 * A change to the text of one document. `at`: any place in this document. `path`: from the root of the document as its file has it.
 *
 * - `set`: the field has this value, whether it was written or not. Missing maps on the way are written too. A list or map replaces
 *   only another one, and a scalar only a scalar.
 * - `append`: one more entry of a list that is written there.
 * - `remove`: the field or entry goes, and so do maps and lists that it leaves empty, below `metadata` and `spec`.
 */
export type DocumentEdit =
  | { readonly op: 'set'; readonly at: Position; readonly path: Path; readonly value: EditValue }
  | { readonly op: 'append'; readonly at: Position; readonly path: Path; readonly value: EditValue }
  | { readonly op: 'remove'; readonly at: Position; readonly path: Path }
  | { readonly op: 'remove-document'; readonly at: Position };
