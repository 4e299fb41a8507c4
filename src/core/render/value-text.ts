import type { FieldChange } from '../diff.ts';

/** A value as a document spells it, in one line: `{ destination: 10.0.0.0/8, nextHop: igw-1 }`. Undefined: `not set`. */
export function documentText(value: unknown): string {
  if (value === undefined) return 'not set';
  if (Array.isArray(value)) return `[${value.map(documentText).join(', ')}]`;
  if (typeof value === 'string') return isPlain(value) ? value : JSON.stringify(value);
  if (typeof value !== 'object' || value === null) return String(value);
  const fields = Object.entries(value).filter(([, its]) => its !== undefined);
  return fields.length === 0 ? '{}' : `{ ${fields.map(([key, its]) => `${key}: ${documentText(its)}`).join(', ')} }`;
}

/** Without quotes, YAML reads it as this text and nothing else, in a list and in a map: https://yaml.org/spec/1.2.2/#733-plain-style */
const isPlain = (text: string): boolean =>
  /^[A-Za-z0-9/_](?:[\w./:@+#~=-]| (?=[\w./]))*$/.test(text) &&
  !/:(?: |$)/.test(text) &&
  !/^(?:true|false|null|yes|no|on|off)$/i.test(text) &&
  Number.isNaN(Number(text));

/** An entry that only one of two lists has: `+` the desired one, `-` the observed one. */
export interface EntryChange {
  readonly sign: '+' | '-';
  readonly text: string;
}

/** Lists of so many scalars are as short whole. */
const mostWhole = 3;

/** The entries by which two lists differ; undefined where the whole values say it as well. */
export function entryChanges({ from = [], to = [] }: FieldChange): readonly EntryChange[] | undefined {
  if (!Array.isArray(from) || !Array.isArray(to)) return undefined;
  const isShort = from.length <= mostWhole && to.length <= mostWhole;
  if (isShort && ![...from, ...to].some((entry) => typeof entry === 'object')) return undefined;
  const [observed, desired] = [from.map(documentText), to.map(documentText)];
  const gone = observed.filter((text) => !desired.includes(text)).map((text): EntryChange => ({ sign: '-', text }));
  const added = desired.filter((text) => !observed.includes(text)).map((text): EntryChange => ({ sign: '+', text }));
  const changes = [...gone, ...added];
  return changes.length === 0 ? undefined : changes;
}

/** `disk.size is 40, wanted 20`, `settings.routes has unwanted { … } and lacks { … }`; several joined by `; `. */
export const wantedText = (changes: readonly FieldChange[]): string => changes.map(wanted).join('; ');

function wanted(change: FieldChange): string {
  const { field, from, to } = change;
  const entries = entryChanges(change);
  if (entries === undefined) return `${field} is ${quoted(from)}, wanted ${quoted(to)}`;
  const textOf = (sign: EntryChange['sign']): string =>
    entries.flatMap((entry) => (entry.sign === sign ? [entry.text] : [])).join(', ');
  const [unwanted, missing] = [textOf('-'), textOf('+')];
  const parts = [
    ...(unwanted === '' ? [] : [`has unwanted ${unwanted}`]),
    ...(missing === '' ? [] : [`lacks ${missing}`]),
  ];
  return `${field} ${parts.join(' and ')}`;
}

/** A value as JSON, with the quotes of a text. */
export const quoted = (value: unknown): string => (value === undefined ? 'not set' : JSON.stringify(value));
