import { z } from 'zod';
import type { Bounds } from '../../core/access/grant.ts';
import { statuses } from '../../core/inventory/row.ts';
import { kindNames } from '../../core/kinds/kinds.ts';
import { clouds } from '../../core/resource.ts';
import type { RowQuery, RowSort } from '../../ports/rows.ts';
import { asOfField, asOfPart } from './as-of.ts';
import { estateField } from './asked-estate.ts';
import { afterField, saidLimitField, usualItems } from './paging.ts';
import { rowClaims } from './shapes/row-fields.ts';

const mostNames = 50;

/** Several with commas between. */
const listOf = <T extends z.ZodType<string, string>>(one: T, description: string) =>
  z
    .string()
    .max(2000)
    .transform((text) => text.split(','))
    .pipe(z.array(one).max(mostNames))
    .optional()
    .meta({ description: `${description}; several with commas between` });

const name = z.string().max(300);
const sorts = ['address', '-address', 'name', '-name', 'status', '-status', 'since', '-since'] as const;

/** What may be asked of the inventory. `label` comes as a list. */
export const inventoryFields = {
  estate: estateField.meta({ description: 'Only this one; left out: all that you see' }),
  cloud: listOf(z.enum(clouds), 'Only on these clouds'),
  account: listOf(name, 'Only in these accounts, projects or subscriptions'),
  region: listOf(name, 'Only in these regions, zones or locations; empty: global'),
  kind: listOf(z.enum(kindNames), 'Only of these kinds'),
  status: listOf(z.enum(statuses), 'Only what stands so'),
  owner: listOf(name, 'Only whose documents name these; empty: of nobody'),
  target: listOf(name, 'Only of these targets'),
  claim: listOf(z.enum(rowClaims), 'Only what is so owned'),
  label: z
    .array(z.string().min(1).max(400))
    .max(20)
    .optional()
    .meta({
      description: '`key` or `key=value`; may come several times, and all must be there',
      examples: [['tier=web']],
    }),
  q: z.string().min(1).max(200).optional().meta({ description: 'Part of an address, a name, an id or a label' }),
  attributes: z.enum(['true', 'false']).optional().meta({ description: 'true: with what each object is like' }),
  sort: z.enum(sorts).default('address').meta({ description: 'With - the other way round' }),
  asOf: asOfField,
  limit: saidLimitField,
  after: afterField,
} as const;

export type InventoryAsked = z.output<z.ZodObject<typeof inventoryFields>>;

export function rowQueryOf(asked: InventoryAsked, seen: readonly Bounds[], now: number): RowQuery {
  const { limit = usualItems, after, asOf } = asked;
  return {
    seen,
    filter: filterOf(asked),
    sort: sortOf(asked.sort),
    limit,
    ...(after === undefined ? {} : { after }),
    ...asOfPart(asOf, now),
  };
}

const filterOf = (asked: InventoryAsked): RowQuery['filter'] => ({
  ...(asked.estate === undefined ? {} : { estates: [asked.estate] }),
  ...(asked.cloud === undefined ? {} : { clouds: asked.cloud }),
  ...(asked.account === undefined ? {} : { accounts: asked.account }),
  ...(asked.region === undefined ? {} : { regions: asked.region }),
  ...(asked.kind === undefined ? {} : { kinds: asked.kind }),
  ...(asked.status === undefined ? {} : { statuses: asked.status }),
  ...(asked.owner === undefined ? {} : { owners: asked.owner }),
  ...(asked.target === undefined ? {} : { targets: asked.target }),
  ...(asked.claim === undefined ? {} : { claims: asked.claim }),
  ...(asked.label === undefined ? {} : { labels: labelsOf(asked.label) }),
  ...(asked.q === undefined ? {} : { text: asked.q }),
});

const labelsOf = (texts: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    texts.map((text) => {
      const cut = text.indexOf('=');
      return cut < 0 ? [text, ''] : [text.slice(0, cut), text.slice(cut + 1)];
    }),
  );

function sortOf(sort: InventoryAsked['sort']): RowSort {
  const descending = sort.startsWith('-');
  const [by] = (['address', 'name', 'status', 'since'] as const).filter((one) => sort.endsWith(one));
  return { by: by ?? 'address', descending };
}
