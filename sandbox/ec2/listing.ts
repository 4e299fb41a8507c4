import type { Seen, Table } from '../table.ts';
import type { Context } from './action.ts';
import { refused } from './errors.ts';
import { type IdType, wellFormed } from './ids.ts';
import { integer, list, record, text } from './query.ts';
import type { Tagged } from './records.ts';
import { el, set } from './xml.ts';

/** A record's values by the filter's name. A record passes when any of them equals any of the filter's values. */
export type FilterTable<T> = Readonly<Record<string, (record: T) => readonly (string | undefined)[]>>;

interface Filter {
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

const pageFields = { MaxResults: integer, NextToken: text } as const;

export const listFields = { ...filterField, ...pageFields } as const;

interface ListInput {
  readonly Filter?: readonly Filter[] | undefined;
  readonly MaxResults?: number | undefined;
  readonly NextToken?: string | undefined;
}

export interface Listing<T> {
  readonly set: string;
  readonly table: Table<T & Tagged>;
  readonly filters: FilterTable<T>;
  /** False: the record is there, and not listed. Absent: each is listed. */
  readonly shows?: (record: T) => boolean;
  readonly render: (record: T) => string;
  readonly rules: ListRules;
}

/** Bounds of MaxResults: https://github.com/boto/botocore, data/ec2/2016-11-15/service-2.json */
export interface ListRules {
  readonly ids: IdType;
  readonly max: number;
  /** Set: ids and MaxResults exclude each other; the name that the error gives the id list. */
  readonly idsExcludePages?: string;
}

/** One page of a Describe action: `nextToken`, then the set. */
export function describe<T extends Tagged>(
  context: Context,
  input: ListInput,
  ids: readonly string[] | undefined,
  listing: Listing<T>,
): string {
  const { records, nextToken } = page(context, input, ids, listing);
  return set(listing.set, records.map(listing.render)) + el('nextToken', nextToken);
}

interface Page<T> {
  readonly records: readonly T[];
  readonly nextToken: string | undefined;
}

export function page<T extends Tagged>(
  context: Context,
  input: ListInput,
  ids: readonly string[] | undefined,
  listing: Omit<Listing<T>, 'set' | 'render'>,
): Page<T> {
  const { rules, table, filters, shows } = listing;
  if (input.MaxResults !== undefined) checkMaxResults(input.MaxResults, rules, ids);
  const test = passes(input.Filter ?? [], filters);
  const after = input.NextToken === undefined ? 0 : readToken(input.NextToken);
  const rows = ids?.length ? named(table, ids, rules.ids) : table.seen();
  const limit =
    input.MaxResults === undefined
      ? Number.POSITIVE_INFINITY
      : Math.min(input.MaxResults, context.answerFaults.items ?? Number.POSITIVE_INFINITY);
  const records: T[] = [];
  let last = 0;
  for (const { seq, record } of rows) {
    if (seq <= after || !test(record) || shows?.(record) === false) continue;
    if (records.length >= limit) return { records, nextToken: writeToken(last) };
    last = seq;
    if (!isOmitted(context)) records.push(record);
  }
  return { records, nextToken: undefined };
}

function isOmitted({ answerFaults, region }: Context): boolean {
  return answerFaults.share !== undefined && region.random() < answerFaults.share;
}

function checkMaxResults(max: number, rules: ListRules, ids: readonly string[] | undefined): void {
  if (ids?.length && rules.idsExcludePages) {
    throw refused(
      'InvalidParameterCombination',
      `The parameter ${rules.idsExcludePages} cannot be used with the parameter maxResults`,
    );
  }
  if (max < 5 || max > rules.max) {
    throw refused(
      'InvalidParameterValue',
      `Value ( ${max} ) for parameter maxResults is invalid. Expecting a value between 5 and ${rules.max}.`,
    );
  }
}

function named<T extends Tagged>(table: Table<T>, ids: readonly string[], type: IdType): readonly Seen<T>[] {
  for (const id of ids) wellFormed(type, id);
  const found = ids.map((id) => table.see(id));
  const absent = ids.filter((_, i) => !found[i]);
  if (absent.length > 0) throw type.notFound(absent);
  return [...new Map(found.flatMap((record) => (record ? [[record.id, record] as const] : []))).values()].map(
    (record) => ({ seq: 1, record }),
  );
}

function writeToken(seq: number): string {
  return Buffer.from(`page/${seq}`).toString('base64url');
}

function readToken(token: string): number {
  const seq = /^page\/(\d+)$/.exec(Buffer.from(token, 'base64url').toString('latin1'))?.[1];
  if (seq === undefined) throw refused('InvalidNextToken', `The token '${token}' is invalid`);
  return Number(seq);
}
