import { formatCidr, parseCidr } from '../cidr.ts';
import type { DocumentEdit, EditValue } from '../documents/document-edit.ts';
import { type Located, type Path, type Position, plainValue, treeAt } from '../documents/tree.ts';

/** The edits by which a document states what a cloud has, or why no edit does. `at`: the place that a person would edit. */
export type FieldEdits =
  | { readonly edits: readonly DocumentEdit[]; readonly refused?: never }
  | { readonly edits?: never; readonly refused: string; readonly next: string; readonly at: Position };

export interface Refusal {
  readonly refused: string;
  readonly next: string;
}

export function refuse(document: Located<unknown>, path: Path, { refused, next }: Refusal): FieldEdits {
  return { refused, next, at: document.at(path) };
}

export const valueEdits = (document: Located<unknown>, path: Path, value: EditValue | undefined): FieldEdits => ({
  edits: valueEdit(document, path, value),
});

/** A field that nobody states is removed, or was never there. A new one goes where what is around it stands. */
export function valueEdit(
  document: Located<unknown>,
  path: Path,
  value: EditValue | undefined,
): readonly DocumentEdit[] {
  const at = document.at(path);
  if (value !== undefined) return [{ op: 'set', at, path, value }];
  return document.wrote(path) ? [{ op: 'remove', at, path }] : [];
}

/**
 * A list entry by entry, so that comments and order of the kept ones stay:
 *
 *   the list is              | edits
 *   -------------------------+------------------------------------------------------------------
 *   not written, or becomes  | the whole list
 *   empty                    |
 *   written                  | a map of the same first field gets its other values in place; other
 *                            | entries go, and new ones come at the end
 */
export function listEdits(document: Located<unknown>, path: Path, wanted: readonly EditValue[]): FieldEdits {
  const written = treeAt(document.tree, path);
  if (written?.kind !== 'list' || wanted.length === 0) return valueEdits(document, path, wanted);
  const entries = written.items.map((item, index) => ({ index, value: plainValue(item) }));
  const { left, others: added } = paired(entries, wanted, isAlike);
  const { left: gone, pairs, others } = paired(left, added, hasSameName);
  const at = document.at(path);
  return {
    edits: [
      ...pairs.flatMap(([{ index, value: before }, after]) => mapEdits(document, [...path, index], before, after)),
      ...others.map((value): DocumentEdit => ({ op: 'append', at, path, value })),
      ...gone.map(({ index }): DocumentEdit => ({ op: 'remove', at, path: [...path, index] })),
    ],
  };
}

interface Entry {
  readonly index: number;
  readonly value: unknown;
}

interface Paired {
  readonly pairs: readonly (readonly [Entry, EditValue])[];
  /** Entries without a counterpart. */
  readonly left: readonly Entry[];
  /** Wanted values without one. */
  readonly others: readonly EditValue[];
}

function paired(
  entries: readonly Entry[],
  wanted: readonly EditValue[],
  matches: (a: unknown, b: EditValue) => boolean,
): Paired {
  const left = [...entries];
  const pairs: (readonly [Entry, EditValue])[] = [];
  const others = wanted.filter((value) => {
    const found = left.findIndex((entry) => matches(entry.value, value));
    pairs.push(...left.splice(found, found < 0 ? 0 : 1).map((entry) => [entry, value] as const));
    return found < 0;
  });
  return { pairs, left, others };
}

/** Values of fields that differ in a map of the same fields. */
function mapEdits(document: Located<unknown>, path: Path, before: unknown, after: EditValue): readonly DocumentEdit[] {
  return fieldsOf(after).flatMap(([field, value]): readonly DocumentEdit[] =>
    isAlike(valueIn(before, field), value) ? [] : [{ op: 'set', at: document.at(path), path: [...path, field], value }],
  );
}

const fieldsOf = (value: unknown): readonly (readonly [string, EditValue])[] =>
  // why: maps of edits hold values of edits
  isMap(value) ? (Object.entries(value) as [string, EditValue][]) : [];

const isMap = (value: unknown): value is object => typeof value === 'object' && value !== null && !Array.isArray(value);

const valueIn = (map: unknown, field: string): unknown => (isMap(map) ? Reflect.get(map, field) : undefined);

/** Maps of the same fields and scalars whose first value is the same: routes to one destination. */
function hasSameName(a: unknown, b: EditValue): boolean {
  const [first, ...others] = fieldsOf(b);
  if (first === undefined || !isMap(a) || Object.keys(a).length !== others.length + 1) return false;
  return (
    isAlike(valueIn(a, first[0]), first[1]) &&
    others.every(([field, value]) => isScalar(value) && isScalar(valueIn(a, field)))
  );
}

const isScalar = (value: unknown): boolean => value !== undefined && typeof value !== 'object';

/** Equal, or two ways to write the same block or name. */
function isAlike(a: unknown, b: unknown): boolean {
  if (typeof a === 'string' && typeof b === 'string') return looseText(a) === looseText(b);
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((one, at) => isAlike(one, b[at]));
  if (!isMap(a) || !isMap(b)) return a === b;
  const entries = Object.entries(a);
  return entries.length === Object.keys(b).length && entries.every(([field, one]) => isAlike(one, valueIn(b, field)));
}

/** Address blocks in their one form, and names without case: Azure tells none apart. The proof finds two names that differ in case only. */
export function looseText(text: string): string {
  const block = parseCidr(text);
  return block === undefined ? text.toLowerCase() : formatCidr(block);
}

/** Undefined where it is nothing that a document can hold. Fields without a value are left out. */
export function editValueOf(value: unknown): EditValue | undefined {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  if (Array.isArray(value)) {
    const items = value.map(editValueOf);
    return items.every((item) => item !== undefined) ? items : undefined;
  }
  if (!isMap(value)) return undefined;
  return Object.fromEntries(
    Object.entries(value).flatMap(([field, one]) => {
      const inner = editValueOf(one);
      return inner === undefined ? [] : [[field, inner] as const];
    }),
  );
}
