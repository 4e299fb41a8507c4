import type { FieldChange } from '../../src/core/diff.ts';
import type { Mark } from '../../src/core/observed.ts';
import { type Extra, markTags, staleTags } from './marks.ts';
import { editTags, type Tags } from './tags.ts';

/** The tags to write: new labels and, when something is adopted or renamed, its new mark. */
export interface TagEdit {
  readonly changes: readonly FieldChange[];
  readonly mark?: Mark;
  readonly extra?: Readonly<Partial<Record<Extra, string>>>;
}

export const saysNothing = ({ changes, mark }: TagEdit): boolean =>
  mark === undefined && labelChanges(changes).length === 0;

/** The whole map as it shall be: Azure's PATCH replaces it. */
export function tagsAfter(tags: Tags | undefined, { changes, mark, extra }: TagEdit): Record<string, string> {
  const edits = labelChanges(changes);
  const set = edits.flatMap(([key, to]) => (to === undefined ? [] : [[key, String(to)]]));
  const drop = edits.flatMap(([key, to]) => (to === undefined ? [key] : []));
  const marks = mark === undefined ? {} : markTags(mark, extra);
  return editTags(tags, { ...Object.fromEntries(set), ...marks }, [...drop, ...(mark ? staleTags(mark) : [])]);
}

const prefix = 'labels.';
const labelChanges = (changes: readonly FieldChange[]): readonly (readonly [string, unknown])[] =>
  changes.filter(({ field }) => field.startsWith(prefix)).map(({ field, to }) => [field.slice(prefix.length), to]);
