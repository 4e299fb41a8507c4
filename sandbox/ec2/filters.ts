import { refused } from './errors.ts';
import type { Tagged } from './records.ts';
import { list, record, text } from './wire/fields.ts';

/** What a record answers to a filter's name; a record passes when any of these equals any of the filter's values. */
export type FilterTable<T> = Readonly<Record<string, (record: T) => readonly (string | undefined)[]>>;

export interface Filter {
  readonly Name?: string | undefined;
  readonly Value?: readonly string[] | undefined;
}

export const filterField = { Filter: list(record({ Name: text, Value: list(text) })) } as const;

/** https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_Filter.html: "up to 200 values in a single request" */
const MAX_VALUES = 200;

/** A test for all filters together: values of one are alternatives, filters add up. Unknown names are refused. */
export function passes<T extends Tagged>(filters: readonly Filter[], table: FilterTable<T>): (record: T) => boolean {
  const values = filters.reduce((sum, filter) => sum + (filter.Value?.length ?? 0), 0);
  if (values > MAX_VALUES)
    throw refused(
      'FilterLimitExceeded',
      `The maximum number of filter values specified on a single call is ${MAX_VALUES}`,
    );
  const tests = filters.map((filter) => {
    const read = reader(filter.Name ?? '', table);
    const matches = matcher(filter.Value ?? []);
    return (record: T): boolean => read(record).some((value) => value !== undefined && matches(value));
  });
  return (record) => tests.every((test) => test(record));
}

function reader<T extends Tagged>(name: string, table: FilterTable<T>): (record: T) => readonly (string | undefined)[] {
  if (name.startsWith('tag:')) return (record) => [record.tags.get(name.slice(4))];
  if (name === 'tag-key') return (record) => [...record.tags.keys()];
  if (name === 'tag-value') return (record) => [...record.tags.values()];
  const read = Object.hasOwn(table, name) ? table[name] : undefined;
  if (!read) throw refused('InvalidParameterValue', `The filter '${name}' is invalid`);
  return read;
}

/** Case-sensitive; `*` is any text, `?` any character, a backslash takes their meaning away. */
function matcher(patterns: readonly string[]): (value: string) => boolean {
  const plain = new Set(patterns.filter((pattern) => !/[*?\\]/.test(pattern)));
  const wild = patterns.filter((pattern) => /[*?\\]/.test(pattern)).map(wildcard);
  return (value) => plain.has(value) || wild.some((pattern) => pattern.test(value));
}

function wildcard(pattern: string): RegExp {
  const source = pattern.replace(/\\[\s\S]|[\s\S]/g, (token) => {
    if (token === '*') return '[\\s\\S]*';
    if (token === '?') return '[\\s\\S]';
    const char = token.length > 1 ? token.slice(1) : token;
    return char.replace(/[.*+?^${}()|[\]\\/]/, '\\$&');
  });
  return new RegExp(`^${source}$`);
}
