import { z } from 'zod';
import { boundsFor } from '../../../core/access/grant.ts';
import type { RowPage, RowQuery } from '../../../ports/inventory-rows.ts';
import { nextField, orForeignCursorProblem } from '../fields.ts';
import { type ExportFormat, type ExportQuery, exportRows, exportText, maxExportedRows } from '../inventory-export.ts';
import {
  type InventoryDependencies,
  type InventoryQuery,
  inventoryFields,
  rowQueryOf,
  visibleEstate,
} from '../inventory-query.ts';
import { type Reply, type RequestContext, type Route, route } from '../route.ts';
import { exampleOf, examples } from '../schemas/examples.ts';
import { rowAnswer, rowSchema } from '../schemas/inventory.ts';
import { inventoryObservation, inventoryObservationSchema } from '../schemas/observation.ts';
import { inventoryCountsRoute } from './inventory-counts.ts';
import { inventoryRowRoute } from './inventory-row.ts';

const query = z.strictObject({
  ...inventoryFields,
  format: z
    .enum(['json', 'csv', 'ndjson'])
    .optional()
    .meta({
      description: `csv and ndjson: all pages at once, at most ${maxExportedRows} lines, or as many as \`limit\` says; as \`Accept\` says it too`,
    }),
});

const pageSchema = z
  .object({ items: z.array(rowSchema), next: nextField, observed: inventoryObservationSchema })
  .meta({ id: 'Inventory', description: 'A page of the inventory' })
  .register(examples, { example: { items: [exampleOf(rowSchema)], observed: exampleOf(inventoryObservationSchema) } });

const truncatedSchema = z
  .object({ truncated: z.literal(true), reason: z.string() })
  .meta({ id: 'Truncated', description: 'The last line, if more resources match' });

export const inventoryRoutes = (dependencies: InventoryDependencies): readonly Route[] => [
  route({
    method: 'GET',
    path: '/v1/inventory',
    operation: {
      id: 'listInventory',
      tag: 'Inventory',
      summary: 'List the inventory: every resource with its status, reason and start',
      description: 'One item for each resource on the clouds or in the specs.',
      responses: {
        200: {
          description: 'A page, or the whole inventory as a table',
          schema: pageSchema,
          also: {
            'text/csv': { schema: z.string(), example: exportText('csv', [exampleOf(rowSchema)]) },
            'application/x-ndjson': {
              schema: z.union([rowSchema, truncatedSchema]),
              example: exportText('ndjson', [exampleOf(rowSchema)]),
            },
          },
        },
      },
    },
    permission: 'read',
    request: { query, several: ['label'] },
    handle: async ({ query: asked, context }) => {
      const estate = await visibleEstate(asked.estate, context, dependencies);
      const { format: _, ...question } = asked;
      const seen = boundsFor(context.caller.grants, 'read');
      const rowQuery = rowQueryOf({ ...question, estate }, seen, context.now);
      const format = formatOf(asked.format, context.header('accept'));
      if (format === 'json') return page(rowQuery, question, { context, dependencies });
      return table(format, { ...rowQuery, limit: asked.limit }, { context, dependencies });
    },
  }),
  inventoryCountsRoute(dependencies),
  inventoryRowRoute(dependencies),
];

function formatOf(asked: 'json' | ExportFormat | undefined, accept = ''): 'json' | ExportFormat {
  if (asked !== undefined) return asked;
  if (accept.includes('application/json')) return 'json';
  if (accept.includes('text/csv')) return 'csv';
  return accept.includes('application/x-ndjson') ? 'ndjson' : 'json';
}

interface PageContext {
  readonly context: RequestContext;
  readonly dependencies: InventoryDependencies;
  readonly withAttributes?: boolean;
}

async function page(rowQuery: RowQuery, asked: InventoryQuery, { context, dependencies }: PageContext): Promise<Reply> {
  const [found, looks] = await Promise.all([
    orForeignCursorProblem(dependencies.rows.page(rowQuery)),
    dependencies.rows.looks(asked.estate),
  ]);
  const observed = inventoryObservation(found.rows, { looks, query: rowQuery, now: context.now });
  return {
    status: 200,
    body: {
      items: await answers(found, rowQuery, { context, dependencies, withAttributes: asked.attributes === 'true' }),
      next: found.next,
      observed,
    },
  };
}

async function table(
  format: ExportFormat,
  rowQuery: ExportQuery,
  { context, dependencies }: PageContext,
): Promise<Reply> {
  // why: a cursor that is none, or a time before what is kept, must be refused before the first line is sent
  if (rowQuery.after !== undefined || rowQuery.asOf !== undefined)
    await orForeignCursorProblem(dependencies.rows.page({ ...rowQuery, limit: 1 }));
  const source = {
    page: (query: RowQuery) => dependencies.rows.page(query),
    answer: (found: RowPage) => answers(found, rowQuery, { context, dependencies }),
  };
  const type = format === 'csv' ? 'text/csv; charset=utf-8; header=present' : 'application/x-ndjson';
  const headers = {
    'content-type': type,
    'content-disposition': `attachment; filename="inventory.${format}"`,
    vary: 'accept',
  };
  return { status: 200, chunks: exportRows(format, rowQuery, source), headers };
}

/** Of what was then nobody knows when the next reconcile came. */
async function answers(
  { rows }: RowPage,
  { asOf, seen }: Pick<RowQuery, 'asOf' | 'seen'>,
  { context, dependencies, withAttributes = false }: PageContext,
) {
  const estates = asOf === undefined ? [...new Set(rows.map(({ estate }) => estate))] : [];
  const next = new Map(
    await Promise.all(estates.map(async (one) => [one, await dependencies.nextAttempts(one)] as const)),
  );
  return rows.map((row) =>
    rowAnswer(row, { now: context.now, seen, nextAt: next.get(row.estate)?.get(row.place.scope), withAttributes }),
  );
}
