import type { InventoryFilter } from '../api-client.ts';

/** The keys of the address are those of the API: a link of the console is nearly a question to the API. */
export const filterKeys = [
  'estate',
  'q',
  'status',
  'kind',
  'cloud',
  'target',
  'owner',
  'claim',
  'exposed',
  'network',
  'origin',
  'violates',
  'label',
  'sort',
  'group',
] as const;

export type FilterKey = (typeof filterKeys)[number];
export type Filter = Partial<Record<FilterKey, string>>;

/** As the API takes it. A label is `key` or `key=value`; the address holds one. */
export function apiFilter({ label, group: _, ...filter }: Filter): InventoryFilter {
  // why: the API refuses a sort that it has not, with the places of the error
  return { ...filter, ...(label === undefined ? {} : { label: [label] }) } as InventoryFilter;
}

/** The values of a key that lists several: `Failed,Missing`. */
export const listed = (value: string | undefined): readonly string[] =>
  value === undefined || value === '' ? [] : value.split(',');

/** The next sort of a column: rising, falling, then as the API does by itself. */
export function nextSort(column: string, sort: string | undefined): string | undefined {
  if (sort === column) return `-${column}`;
  return sort === `-${column}` ? undefined : column;
}

export const groupings = ['network', 'owner', 'origin'] as const;

export type Grouping = (typeof groupings)[number];

/** Undefined: the rows are not grouped. */
export const groupingOf = (group: string | undefined): Grouping | undefined => groupings.find((one) => one === group);

/** A value of a count, as people read it: `core` of its network's address. */
export function valueText(by: string, value: string): string {
  if (value !== '') return by === 'network' ? (value.split('/').at(-1) ?? value) : value;
  return by === 'network' ? 'no known network' : `no ${by}`;
}

/** As before; the values that were not there before come last, in their own order. */
export function steadyOrder<T extends { readonly value: string }>(
  items: readonly T[],
  before: readonly string[],
): readonly T[] {
  const places = new Map(before.map((value, at) => [value, at]));
  const placeOf = ({ value }: T): number => places.get(value) ?? before.length;
  return items.toSorted((a, b) => placeOf(a) - placeOf(b));
}
