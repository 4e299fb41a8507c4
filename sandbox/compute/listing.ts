import type { Table } from '../table.ts';
import { invalid } from './errors.ts';
import { passes } from './filter.ts';
import type { Asked, Context, Read } from './method.ts';
import { linkTo } from './place.ts';
import type { Project } from './project.ts';
import type { Json, Resource, Scope } from './records.ts';
import { REGIONS, ZONES } from './zones.ts';

export interface Listing<T extends Resource> {
  /** As in paths and in the answer of an aggregated list: `subnetworks`. */
  readonly collection: string;
  /** `compute#subnetworkList`, or for an aggregated list `compute#subnetworkAggregatedList`. */
  readonly kind: string;
  readonly records: Iterable<T>;
  readonly render: (record: T) => Json;
}

interface Page<T> {
  readonly records: readonly T[];
  readonly nextPageToken: string | undefined;
}

/** The records of a table that this read sees, in one scope or in all. */
export function* seenIn<T extends Resource>(table: Table<T>, scope?: Scope): Generator<T> {
  for (const { record } of table.seen()) if (scope === undefined || record.scope === scope) yield record;
}

/** One page of a list method. */
export function list<T extends Resource>(context: Context, asked: Asked, scope: Scope, listing: Listing<T>): Json {
  const { records, nextPageToken } = page(context, asked, listing);
  const path = `${scope}/${listing.collection}`;
  return {
    kind: listing.kind,
    id: `projects/${context.project.id}/${path}`,
    ...(records.length > 0 ? { items: records.map(listing.render) } : {}),
    ...(nextPageToken === undefined ? {} : { nextPageToken }),
    selfLink: linkTo(context.project, path),
  };
}

/** Page size: `maxResults` of the discovery document, 0 to 500, default 500. */
const LARGEST = 500;

export function page<T extends Resource>(context: Context, { query }: Asked, listing: Listing<T>): Page<T> {
  const order = orderOf(query['orderBy']);
  const after = query['pageToken'] === undefined ? '' : readToken(query['pageToken']);
  const size = Math.min(sizeOf(query['maxResults']), context.answerFaults.items ?? LARGEST);
  const rest: { readonly key: string; readonly record: T }[] = [];
  for (const record of listing.records) {
    const key = order(record);
    if (key > after) rest.push({ key, record });
  }
  rest.sort((a, b) => (a.key < b.key ? -1 : 1));
  const test = query['filter'] ? passes(query['filter']) : undefined;
  const wanted = test ? rest.filter(({ record }) => test(listing.render(record))) : rest;
  const taken = wanted.slice(0, size);
  const more = wanted.length > size ? taken.at(-1) : undefined;
  return {
    records: taken.filter(() => !isOmitted(context)).map(({ record }) => record),
    nextPageToken: more && writeToken(more.key),
  };
}

type Order = (record: Resource) => string;

/** "Currently, only sorting by name or creationTimestamp desc is supported", says the discovery document. */
function orderOf(orderBy = 'name'): Order {
  switch (orderBy.trim()) {
    case '':
    case 'name':
      return (record) => `${record.name}/${record.scope}`;
    case 'creationTimestamp desc':
      return (record) => `${String(1e14 - record.createdAt).padStart(15, '0')}/${record.name}/${record.scope}`;
    default:
      throw invalid('orderBy', orderBy, 'Only name and creationTimestamp desc are supported.');
  }
}

function sizeOf(maxResults = String(LARGEST)): number {
  const size = /^\d+$/.test(maxResults) ? Number(maxResults) : Number.NaN;
  if (!(size >= 0 && size <= LARGEST))
    throw invalid('maxResults', maxResults, `Value must be between 0 and ${LARGEST}, inclusive.`);
  return size === 0 ? LARGEST : size;
}

function isOmitted({ answerFaults, project }: Context): boolean {
  return answerFaults.share !== undefined && project.random() < answerFaults.share;
}

function writeToken(key: string): string {
  return Buffer.from(`after ${key}`).toString('base64url');
}

function readToken(token: string): string {
  const [, key] = /^after (.+)$/.exec(Buffer.from(token, 'base64url').toString()) ?? [];
  if (key === undefined) throw invalid('pageToken', token, 'The page token is malformed.');
  return key;
}

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
  const { project, answerFaults } = context;
  const unreachable = new Set<string>(answerFaults.unreachable);
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

/** The list method of what is in no region and no zone; `one` is what its kind calls one of them: `firewall`. */
export function globalList<T extends Resource>(
  one: string,
  tableOf: (project: Project) => Table<T>,
  render: (project: Project, record: T) => Json,
): Read['run'] {
  return (context, asked) =>
    list(context, asked, 'global', {
      collection: `${one}s`,
      kind: `compute#${one}List`,
      records: seenIn(tableOf(context.project)),
      render: (record) => render(context.project, record),
    });
}
