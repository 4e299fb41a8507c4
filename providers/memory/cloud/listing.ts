import type { Random } from './random.ts';
import type { Table } from './table.ts';

/** `ids`: only these; those that are not there are left out. `after`: the `next` of the page before. */
export interface Listing {
  readonly ids?: readonly string[];
  readonly after?: string;
}

/** `next`: there is more. `unreachable`: the cloud says that this listing is not the whole. */
export interface Page<R> {
  readonly items: readonly R[];
  readonly next?: string;
  readonly unreachable?: string;
}

/** One request's view of the cloud: its staleness, its page size, and the share of objects that it silently misses. */
export interface View {
  readonly staleMs: number;
  readonly random: Random;
  readonly pageSize: number;
  readonly misses: number;
  readonly unreachable?: string;
}

export function pageOf<R extends { readonly id: string }>(
  table: Table<R>,
  { ids, after }: Listing,
  view: View,
): Page<R> {
  const asked = ids && new Set(ids);
  const rest = table
    .seen(view)
    .filter(({ id }) => (after === undefined || id > after) && (!asked || asked.has(id)))
    .filter(() => view.misses === 0 || view.random() >= view.misses)
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const items = rest.slice(0, view.pageSize);
  const last = items.at(-1);
  return {
    items,
    ...(last && items.length < rest.length && { next: last.id }),
    ...(view.unreachable !== undefined && { unreachable: view.unreachable }),
  };
}
