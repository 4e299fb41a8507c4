import { type Listing, page } from './listing.ts';
import type { Asked, Context } from './method.ts';
import { linkTo } from './place.ts';
import type { Json, Resource, Scope } from './records.ts';
import { REGIONS, ZONES } from './zones.ts';

export const SCOPES: Readonly<Record<'global' | 'regions' | 'zones', readonly Scope[]>> = {
  global: ['global'],
  regions: REGIONS.map(({ name }): Scope => `regions/${name}`),
  zones: ZONES.map(({ name }): Scope => `zones/${name}`),
};

/** One page over many scopes. Every scope is a key, also one that has nothing on this page or cannot be reached. */
export function aggregatedList<T extends Resource>(
  context: Context,
  asked: Asked,
  scopes: readonly Scope[],
  listing: Listing<T>,
): Json {
  const { project, blur } = context;
  const unreachable = new Set<string>(blur.unreachable);
  const reached = { ...listing, records: reachedOf(listing.records, unreachable) };
  const { records, nextPageToken } = page(context, asked, reached);
  const byScope = Map.groupBy(records, ({ scope }) => scope);
  const path = `aggregated/${listing.collection}`;
  const away = scopes.filter((scope) => unreachable.has(scope));
  const items = scopes.map((scope): [string, Json] => {
    if (unreachable.has(scope))
      return [scope, warning('UNREACHABLE', `The scope '${scope}' could not be reached.`, scope)];
    const found = byScope.get(scope);
    return [scope, found ? { [listing.collection]: found.map(listing.render) } : nothing(scope)];
  });
  return {
    kind: listing.kind,
    id: `projects/${project.id}/${path}`,
    items: Object.fromEntries(items),
    ...(nextPageToken === undefined ? {} : { nextPageToken }),
    selfLink: linkTo(project, path),
    ...(away.length > 0 ? { unreachables: away.map((scope) => linkTo(project, scope)) } : {}),
  };
}

function* reachedOf<T extends Resource>(records: Iterable<T>, unreachable: ReadonlySet<string>): Generator<T> {
  for (const record of records) if (!unreachable.has(record.scope)) yield record;
}

function nothing(scope: string): Json {
  return warning('NO_RESULTS_ON_PAGE', `There are no results for scope '${scope}' on this page.`, scope);
}

function warning(code: string, message: string, scope: string): Json {
  return { warning: { code, message, data: [{ key: 'scope', value: scope }] } };
}
