import { z } from 'zod';
import { boundsFor } from '../../../core/access/grant.ts';
import { rowDimensions } from '../../../ports/inventory-rows.ts';
import { asOfFilter, limitField } from '../fields.ts';
import { filterOf, type InventoryDependencies, inventoryFilters, visibleEstate } from '../inventory-query.ts';
import { type Route, route } from '../route.ts';
import { examples } from '../schemas/examples.ts';

const query = z.strictObject({
  ...inventoryFilters,
  by: z
    .enum(rowDimensions)
    .meta({ description: 'The property to count by. Its own filter counts too: leave it out to see all values' }),
  limit: limitField,
});

const countsSchema = z
  .object({
    by: z.enum(rowDimensions),
    total: z.int().meta({ description: 'All resources of the filter' }),
    items: z
      .array(
        z.object({
          value: z
            .string()
            .meta({ description: 'The value, as its filter takes it; empty: the resources without one' }),
          count: z.int(),
        }),
      )
      .meta({ description: 'The largest count first. A resource of several targets counts for each' }),
    more: z.int().meta({ description: 'The number of values above `limit`, which are left out' }),
  })
  .meta({ id: 'InventoryCounts', description: 'The exact numbers of resources by one property' })
  .register(examples, {
    example: {
      by: 'status',
      total: 4210,
      items: [
        { value: 'InSync', count: 4198 },
        { value: 'Drifted', count: 12 },
      ],
      more: 0,
    },
  });

/** No part of `/v1/inventory/…`: every word there can be the id of a resource. */
export const inventoryCountsRoute = ({ rows, estates }: InventoryDependencies): Route =>
  route({
    method: 'GET',
    path: '/v1/inventory-counts',
    operation: {
      id: 'countInventory',
      tag: 'Inventory',
      summary: 'Count the resources of a filter by one property',
      description: 'It takes the filters of the inventory, and counts only resources that you see.',
      responses: { 200: { description: 'The counts', schema: countsSchema } },
    },
    permission: 'read',
    request: { query, several: ['label'] },
    handle: async ({ query: { by, limit, ...asked }, context }) => {
      const estate = await visibleEstate(asked.estate, context, { estates });
      const { total, values, more } = await rows.countBy({
        seen: boundsFor(context.caller.grants, 'read'),
        filter: filterOf({ ...asked, estate }),
        by,
        limit,
        ...asOfFilter(asked.asOf, context.now),
      });
      return { status: 200, body: { by, total, items: values, more } };
    },
  });
