import type { Filter } from './filter.ts';

/** A named filter, sort and grouping. It holds no secret: its address says the same. */
export interface View {
  readonly name: string;
  readonly search: Filter;
  /** The inventory begins with it, unless its address has a filter. */
  readonly isDefault: boolean;
}

/** The views of each estate are kept apart; without an estate in the address they are those of all. */
const keyOf = (estate: string | undefined): string => `setpoint.views.${estate ?? '*'}`;

/** Whatever the browser kept: other programs of this origin may write there too. */
export function viewsIn(text: string | null): readonly View[] {
  try {
    const found: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(found) ? found.filter(isView) : [];
  } catch {
    return [];
  }
}

function isView(one: unknown): one is View {
  if (typeof one !== 'object' || one === null) return false;
  const { name, search, isDefault } = one as Record<string, unknown>; // why: each is checked below
  const isSearch = typeof search === 'object' && search !== null && !Array.isArray(search);
  return (
    typeof name === 'string' &&
    name !== '' &&
    typeof isDefault === 'boolean' &&
    isSearch &&
    Object.values(search).every((value) => typeof value === 'string')
  );
}

export function readViews(estate: string | undefined): readonly View[] {
  try {
    return viewsIn(localStorage.getItem(keyOf(estate)));
  } catch {
    // why: a browser may forbid it, and the inventory works all the same
    return [];
  }
}

/** False: the browser keeps nothing. */
export function writeViews(estate: string | undefined, views: readonly View[]): boolean {
  try {
    if (views.length === 0) localStorage.removeItem(keyOf(estate));
    else localStorage.setItem(keyOf(estate), JSON.stringify(views));
    return true;
  } catch {
    return false;
  }
}

/** A view of the same name is replaced, and stays in its place. */
export function withView(views: readonly View[], { name, search }: Pick<View, 'name' | 'search'>): readonly View[] {
  const known = views.some((one) => one.name === name);
  if (known) return views.map((one) => (one.name === name ? { ...one, search } : one));
  return [...views, { name, search, isDefault: false }];
}

/** A name that another view has is not taken. */
export const renamed = (views: readonly View[], from: string, to: string): readonly View[] =>
  views.some(({ name }) => name === to) ? views : views.map((one) => (one.name === from ? { ...one, name: to } : one));

/** One view at most is the default; asked again, none is. */
export const withDefault = (views: readonly View[], name: string): readonly View[] =>
  views.map((one) => ({ ...one, isDefault: one.name === name && !one.isDefault }));

/** The parts of a filter that a view keeps: all but the estate, which has its own views. */
export function searchOf({ estate: _, ...filter }: Filter): Filter {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined && value !== ''));
}

export const isSame = (one: Filter, other: Filter): boolean => {
  const text = (filter: Filter): string => JSON.stringify(Object.entries(searchOf(filter)).toSorted());
  return text(one) === text(other);
};
