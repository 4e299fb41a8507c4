import { z } from 'zod';
import { boundsFor } from '../../../core/access/grant.ts';
import type { RowPage, RowQuery } from '../../../ports/rows.ts';
import { type InventoryDesk, seenEstate } from '../inventory-desk.ts';
import { type InventoryAsked, inventoryFields, rowQueryOf } from '../inventory-query.ts';
import { nextField, paged } from '../paging.ts';
import type { Circumstance, Reply, Route } from '../route.ts';
import { type ExportFormat, type ExportQuery, exported, exportedText, mostExported } from '../row-export.ts';
import { exampleOf, examples } from '../shapes/examples.ts';
import { inventoryLook, inventoryLookShape } from '../shapes/inventory-look.ts';
import { rowAnswer, rowShape } from '../shapes/row.ts';
import { route } from '../typed-route.ts';
import { inventoryRowRoute } from './inventory-row.ts';

const query = z.strictObject({
  ...inventoryFields,
  format: z
    .enum(['json', 'csv', 'ndjson'])
    .optional()
    .meta({
      description: `csv and ndjson: all pages at once, at most ${mostExported} lines, or as many as \`limit\` says; as \`Accept\` says it too`,
    }),
});

const pageShape = z
  .object({ items: z.array(rowShape), next: nextField, observed: inventoryLookShape })
  .meta({ id: 'Inventory', description: 'A page of the inventory' })
  .register(examples, { example: { items: [exampleOf(rowShape)], observed: exampleOf(inventoryLookShape) } });

const cutShape = z
  .object({ truncated: z.literal(true), why: z.string() })
  .meta({ id: 'Truncated', description: 'The last line, where there is more' });

export const inventoryRoutes = (desk: InventoryDesk): readonly Route[] => [
  route({
    method: 'GET',
    path: '/v1/inventory',
    says: {
      id: 'listInventory',
      tag: 'Inventory',
      summary: 'What exists, what is wanted, what differs, since when and why',
      description: 'Everything that stands on the clouds and everything that the specs ask for, each in one line.',
      answers: {
        200: {
          description: 'A page, or all of it as a table',
          schema: pageShape,
          also: {
            'text/csv': { schema: z.string(), example: exportedText('csv', [exampleOf(rowShape)]) },
            'application/x-ndjson': {
              schema: z.union([rowShape, cutShape]),
              example: exportedText('ndjson', [exampleOf(rowShape)]),
            },
          },
        },
      },
    },
    needs: 'read',
    asks: { query, several: ['label'] },
    handle: async ({ query: asked, by }) => {
      const estate = await seenEstate(asked.estate, by, desk);
      const { format: _, ...question } = asked;
      const seen = boundsFor(by.caller.grants, 'read');
      const rowQuery = rowQueryOf({ ...question, ...(estate === undefined ? {} : { estate }) }, seen, by.now);
      const format = formatOf(asked.format, by.header('accept'));
      if (format === 'json') return page(rowQuery, question, { by, desk });
      return table(format, { ...rowQuery, limit: asked.limit }, { by, desk });
    },
  }),
  inventoryRowRoute(desk),
];

function formatOf(asked: 'json' | ExportFormat | undefined, accept = ''): 'json' | ExportFormat {
  if (asked !== undefined) return asked;
  if (accept.includes('application/json')) return 'json';
  if (accept.includes('text/csv')) return 'csv';
  return accept.includes('application/x-ndjson') ? 'ndjson' : 'json';
}

interface Around {
  readonly by: Circumstance;
  readonly desk: InventoryDesk;
  readonly withAttributes?: boolean;
}

async function page(rowQuery: RowQuery, asked: InventoryAsked, { by, desk }: Around): Promise<Reply> {
  const [found, looks] = await Promise.all([paged(desk.rows.page(rowQuery)), desk.rows.looks(asked.estate)]);
  const observed = inventoryLook(found.rows, { looks, query: rowQuery, now: by.now });
  return {
    status: 200,
    body: {
      items: await answers(found, rowQuery, { by, desk, withAttributes: asked.attributes === 'true' }),
      next: found.next,
      observed,
    },
  };
}

async function table(format: ExportFormat, rowQuery: ExportQuery, { by, desk }: Around): Promise<Reply> {
  // why: a cursor that is none, or a time before what is kept, must be refused before the first line is sent
  if (rowQuery.after !== undefined || rowQuery.asOf !== undefined)
    await paged(desk.rows.page({ ...rowQuery, limit: 1 }));
  const source = {
    page: (query: RowQuery) => desk.rows.page(query),
    answer: (found: RowPage) => answers(found, rowQuery, { by, desk }),
  };
  const type = format === 'csv' ? 'text/csv; charset=utf-8; header=present' : 'application/x-ndjson';
  const headers = {
    'content-type': type,
    'content-disposition': `attachment; filename="inventory.${format}"`,
    vary: 'accept',
  };
  return { status: 200, chunks: exported(format, rowQuery, source), headers };
}

/** Of what was then nobody knows when the next pass came. */
async function answers(
  { rows }: RowPage,
  { asOf, seen }: Pick<RowQuery, 'asOf' | 'seen'>,
  { by, desk, withAttributes = false }: Around,
) {
  const estates = asOf === undefined ? [...new Set(rows.map(({ estate }) => estate))] : [];
  const next = new Map(await Promise.all(estates.map(async (one) => [one, await desk.nextAttempts(one)] as const)));
  return rows.map((row) =>
    rowAnswer(row, { now: by.now, seen, nextAt: next.get(row.estate)?.get(row.place.scope), withAttributes }),
  );
}
