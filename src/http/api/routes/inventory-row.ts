import { z } from 'zod';
import { boundsFor } from '../../../core/access/grant.ts';
import { rowRefs } from '../../../core/inventory/row.ts';
import type { KeptRow, RowAsked, Rows } from '../../../ports/inventory-rows.ts';
import { badInput, notFound, ProblemError } from '../../problem.ts';
import { asOfField, asOfFilter, estateField } from '../fields.ts';
import { type InventoryDependencies, visibleEstate } from '../inventory-query.ts';
import { type Route, route } from '../route.ts';
import { rowDetailsAnswer, rowDetailsSchema } from '../schemas/inventory.ts';

const mostVersions = 200;
const expected = `a number from 0 to ${mostVersions}`;

const query = z.strictObject({
  estate: estateField.meta({ description: 'Required if several estates that you see have it' }),
  asOf: asOfField,
  history: z
    .string()
    .regex(/^\d{1,3}$/, expected)
    .transform(Number)
    .pipe(z.int().max(mostVersions, expected))
    .default(20)
    .meta({ description: 'The maximum number of versions' }),
});

export const inventoryRowRoute = (dependencies: InventoryDependencies): Route =>
  route({
    method: 'GET',
    path: '/v1/inventory/{+address}',
    operation: {
      id: 'readInventory',
      tag: 'Inventory',
      summary: 'Read one resource: desired, observed, diff, history, relations and next action',
      description: "Name it by its address, with slashes or %2F, or by the cloud's id.",
      responses: { 200: { description: 'The resource', schema: rowDetailsSchema } },
    },
    permission: 'read',
    request: { params: z.strictObject({ address: z.string().min(1).max(2000) }), query },
    handle: async ({ params: { address }, query: asked, context }) => {
      const estate = await visibleEstate(asked.estate, context, dependencies);
      const question: RowAsked = {
        seen: boundsFor(context.caller.grants, 'read'),
        of: address,
        estate,
        ...asOfFilter(asked.asOf, context.now),
      };
      const found = await dependencies.rows.find(question);
      const row = meant(found, address);
      const [details, next] = await Promise.all([
        detailsOf(row, { question, versions: asked.history, dependencies }),
        asked.asOf === undefined ? dependencies.nextAttempts(row.estate) : undefined,
      ]);
      const beside = found.filter((one) => one !== row && one.estate === row.estate);
      const body = rowDetailsAnswer(
        { ...details, row, shown: asked.history, relations: { ...details.relations, beside } },
        { now: context.now, seen: question.seen, nextAt: next?.get(row.place.scope) },
      );
      return { status: 200, body };
    },
  });

/** The line of that very name; else the first of those that bear it. */
function meant(found: readonly KeptRow[], of: string): KeptRow {
  const row = found.find(({ key }) => key === of) ?? found[0];
  if (row === undefined) throw new ProblemError(notFound);
  if (found.some(({ estate }) => estate !== row.estate))
    throw new ProblemError(
      badInput([{ in: 'query', at: 'estate', expected: 'the name of an estate, as several have it' }]),
    );
  return row;
}

interface DetailsContext {
  readonly question: RowAsked;
  readonly versions: number;
  readonly dependencies: InventoryDependencies;
}

async function detailsOf(row: KeptRow, { question, versions, dependencies }: DetailsContext) {
  const { rows } = dependencies;
  const here = { ...question, estate: row.estate };
  const line = { ...here, scope: row.place.scope, key: row.key };
  const isPast = question.asOf !== undefined;
  const { estate } = row;
  const { address } = row.called;
  const [history, refersTo, referredToBy, origins, notes] = await Promise.all([
    versions === 0 ? [] : rows.history({ ...line, limit: versions + 1 }),
    named(row, here, rows),
    naming(row, here, rows),
    isPast || row.sides.desired === undefined ? [] : dependencies.origins(row),
    isPast || address === undefined ? undefined : dependencies.notes({ estate, seen: question.seen }, [address]),
  ]);
  return { history, origins, notes, relations: { refersTo, referredToBy } };
}

/** The most names that are resolved. */
const mostNamed = 30;

async function named(row: KeptRow, here: RowAsked, rows: Pick<Rows, 'find'>): Promise<readonly KeptRow[]> {
  const refs = rowRefs(row).slice(0, mostNamed);
  if (refs.length === 0) return [];
  const found = await rows.find({ ...here, of: refs });
  return refs.flatMap((of) => found.find(({ key, called }) => [key, called.address, called.id].includes(of)) ?? []);
}

async function naming(row: KeptRow, here: RowAsked, rows: Pick<Rows, 'page'>): Promise<readonly KeptRow[]> {
  const names = [row.called.address, row.called.id].filter((name) => name !== undefined);
  const { seen, asOf } = here;
  const page = await rows.page({
    seen,
    filter: { estates: [row.estate], refersTo: names },
    sort: { by: 'address', descending: false },
    limit: 100,
    asOf,
  });
  return page.rows;
}
