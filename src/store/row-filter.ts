import { type RawBuilder, sql } from 'kysely';
import type { RowQuery } from '../ports/rows.ts';
import { storableJson, storableText } from './statements.ts';

type Condition = RawBuilder<boolean>;

/** All that a filter asks of a version. */
export function filterConditions({ text, labels = {}, ...filter }: RowQuery['filter']): readonly Condition[] {
  return [
    ...oneOf('estate', filter.estates),
    ...oneOf('scope', filter.scopes),
    ...oneOf('cloud', filter.clouds),
    ...withinCloud(filter.clouds),
    ...oneOf('account', filter.accounts),
    ...oneOf('region', filter.regions),
    ...oneOf('kind', filter.kinds),
    ...oneOf('status', filter.statuses),
    ...oneOf('claim', filter.claims),
    ...oneOf('owner', filter.owners),
    ...(filter.targets === undefined ? [] : [sql<boolean>`targets && ${filter.targets.map(storableText)}::text[]`]),
    ...(filter.refersTo === undefined ? [] : [sql<boolean>`refs && ${filter.refersTo.map(storableText)}::text[]`]),
    ...Object.entries(labels).map(([name, value]) => labelled(storableText(name), value)),
    ...(text === undefined || text === '' ? [] : [worded(text)]),
  ];
}

/** Now, or at a time. What is now has no end: the server looks at those alone. */
export const asOfConditions = (asOf: number | undefined): readonly Condition[] =>
  asOf === undefined
    ? [sql<boolean>`current`]
    : [sql<boolean>`began <= ${asOf}`, sql<boolean>`(ended IS NULL OR ended > ${asOf})`];

/** One value is asked for as such: then an index gives its rows in order. */
function oneOf(column: string, values: readonly string[] | undefined): readonly Condition[] {
  if (values === undefined) return [];
  const [only, ...others] = values.map(storableText);
  if (only === undefined) return [sql<boolean>`false`];
  return others.length === 0
    ? [sql<boolean>`${sql.ref(column)} = ${only}`]
    : [sql<boolean>`${sql.ref(column)} = ANY(${[only, ...others]}::text[])`];
}

/** The names of scopes begin with their cloud: in the order of places all of one cloud is one stretch. */
function withinCloud(clouds: readonly string[] = []): readonly Condition[] {
  const [only, ...others] = clouds.map(storableText);
  return only === undefined || others.length > 0
    ? []
    : [sql<boolean>`scope > ${`${only}/`}`, sql<boolean>`scope < ${`${only}${afterSlash}`}`];
}

const afterSlash = String.fromCharCode('/'.charCodeAt(0) + 1);

const labelled = (name: string, value: string): Condition =>
  value === ''
    ? sql<boolean>`labels ? ${name}`
    : sql<boolean>`labels @> ${storableJson(JSON.stringify({ [name]: value }))}::jsonb`;

/** Words stand one to a line: what runs over the end of one is part of none. */
function worded(text: string): Condition {
  if (text.includes('\n')) return sql<boolean>`false`;
  const pattern = storableText(text)
    .toLowerCase()
    .replace(/[\\%_]/g, '\\$&');
  return sql<boolean>`words LIKE ${`%${pattern}%`}`;
}
