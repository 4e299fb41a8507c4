import { z } from 'zod';
import { boundsFor } from '../../../core/access/grant.ts';
import { rowRefs } from '../../../core/inventory/row.ts';
import type { KeptRow, RowAsked, Rows } from '../../../ports/rows.ts';
import { asOfField, asOfPart } from '../as-of.ts';
import { estateField } from '../asked-estate.ts';
import { type InventoryDesk, seenEstate } from '../inventory-desk.ts';
import { badInput, notFound } from '../problems.ts';
import { Refusal } from '../refusal.ts';
import type { Route } from '../route.ts';
import { rowToldAnswer, rowToldShape } from '../shapes/row-told.ts';
import { route } from '../typed-route.ts';

const mostVersions = 200;
const expected = `a number from 0 to ${mostVersions}`;

const query = z.strictObject({
  estate: estateField.meta({ description: 'Where several estates that you see have it' }),
  asOf: asOfField,
  history: z
    .string()
    .regex(/^\d{1,3}$/, expected)
    .transform(Number)
    .pipe(z.int().max(mostVersions, expected))
    .default(20)
    .meta({ description: 'So many versions at most' }),
});

export const inventoryRowRoute = (desk: InventoryDesk): Route =>
  route({
    method: 'GET',
    path: '/v1/inventory/{+address}',
    says: {
      id: 'readInventory',
      tag: 'Inventory',
      summary:
        'All about one resource: desired with each origin, observed, what differs, history, relations, what is next',
      description: "By its address, with its slashes or with them as %2F, or by the cloud's id.",
      answers: { 200: { description: 'All that is known of it', schema: rowToldShape } },
    },
    needs: 'read',
    asks: { params: z.strictObject({ address: z.string().min(1).max(2000) }), query },
    handle: async ({ params: { address }, query: asked, by }) => {
      const estate = await seenEstate(asked.estate, by, desk);
      const question: RowAsked = {
        seen: boundsFor(by.caller.grants, 'read'),
        of: address,
        ...(estate === undefined ? {} : { estate }),
        ...asOfPart(asked.asOf, by.now),
      };
      const found = await desk.rows.find(question);
      const row = meant(found, address);
      const [told, next] = await Promise.all([
        all(row, { question, versions: asked.history, desk }),
        asked.asOf === undefined ? desk.nextAttempts(row.estate) : undefined,
      ]);
      const beside = found.filter((one) => one !== row && one.estate === row.estate);
      const body = rowToldAnswer(
        { ...told, row, told: asked.history, relations: { ...told.relations, beside } },
        { now: by.now, seen: question.seen, nextAt: next?.get(row.place.scope) },
      );
      return { status: 200, body };
    },
  });

/** The line of that very name; else the first of those that bear it. */
function meant(found: readonly KeptRow[], of: string): KeptRow {
  const row = found.find(({ key }) => key === of) ?? found[0];
  if (row === undefined) throw new Refusal(notFound);
  if (found.some(({ estate }) => estate !== row.estate))
    throw new Refusal(badInput([{ in: 'query', at: 'estate', expected: 'the name of an estate, as several have it' }]));
  return row;
}

interface Around {
  readonly question: RowAsked;
  readonly versions: number;
  readonly desk: InventoryDesk;
}

async function all(row: KeptRow, { question, versions, desk }: Around) {
  const { rows } = desk;
  const here = { ...question, estate: row.estate };
  const line = { ...here, scope: row.place.scope, key: row.key };
  const isPast = question.asOf !== undefined;
  const [history, refersTo, referredToBy, origins] = await Promise.all([
    versions === 0 ? [] : rows.history({ ...line, limit: versions + 1 }),
    named(row, here, rows),
    naming(row, here, rows),
    isPast || row.sides.desired === undefined ? [] : desk.origins(row),
  ]);
  return { history, origins, relations: { refersTo, referredToBy } };
}

/** So many are looked up. */
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
    ...(asOf === undefined ? {} : { asOf }),
  });
  return page.rows;
}
