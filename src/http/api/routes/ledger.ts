import { z } from 'zod';
import { boundsFor, mayDo } from '../../../core/access/grant.ts';
import type { Figures } from '../../../ports/figures.ts';
import type { EntryFilter, EntryPages } from '../../../ports/ledger.ts';
import type { Audit } from '../../../ports/store.ts';
import { notFound, ProblemError } from '../../problem.ts';
import { estateField, limitField, nextField, resolveEstate, whenField } from '../fields.ts';
import { type Caller, type Route, route } from '../route.ts';
import { exampleOf, examples, story } from '../schemas/examples.ts';
import {
  exportedEntrySchema,
  ledgerEntrySchema,
  ledgerVerdictSchema,
  signatureReachSchema,
} from '../schemas/ledger-entry.ts';
import { visibleEntries } from '../visible-records.ts';

export interface LedgerDependencies {
  readonly entryPages: EntryPages;
  readonly figures: Pick<Figures, 'seen'>;
  readonly audit: Pick<Audit, 'verify' | 'export' | 'reach'>;
  estates(): Promise<readonly string[]>;
}

const text = z.string().min(1).max(500).optional();

const query = z.strictObject({
  estate: estateField,
  address: text,
  type: z.enum(['intent', 'settlement', 'note']).optional(),
  verb: z.enum(['create', 'update', 'delete', 'adopt', 'forget', 'tombstone']).optional(),
  actor: text.meta({ description: 'The person who approved or decided it' }),
  reconcileId: text.meta({ description: 'Only entries of this reconcile' }),
  since: whenField('Only entries of that time or later'),
  until: whenField('Only entries before that time'),
  order: z.enum(['newest', 'oldest']).default('newest').meta({ description: 'The order of the entries' }),
  total: z.enum(['true', 'false']).optional().meta({
    description: 'Count all entries of the estate, or of `address`; only for callers that see all of the estate',
  }),
  limit: limitField,
  after: z
    .string()
    .regex(/^\d{1,15}$/, 'the number of an entry')
    .optional()
    .meta({ description: '`next` of the page before, or the number of any entry' }),
});

const pageSchema = z
  .object({
    estate: z.string(),
    items: z.array(ledgerEntrySchema),
    next: nextField,
    total: z.int().optional(),
  })
  .meta({ id: 'LedgerPage', description: 'A page; it can be short or empty and still have a `next`' })
  .register(examples, { example: { estate: story.estate, items: [exampleOf(ledgerEntrySchema)], next: '30' } });

export function ledgerRoutes(dependencies: LedgerDependencies): readonly Route[] {
  const { audit } = dependencies;
  const verdicts = together((estate: string) => audit.verify(estate));
  return [
    route({
      method: 'GET',
      path: '/v1/ledger',
      operation: {
        id: 'listLedger',
        tag: 'Ledger',
        summary: 'List the ledger: changes with their approvals and outcomes, and decisions of people',
        description:
          'If your grant is limited to targets or owners, you get only their entries, by the inventory. You get no decision about the whole estate.',
        responses: { 200: { description: 'A page of entries', schema: pageSchema } },
      },
      permission: 'read',
      request: { query },
      handle: async ({ query: asked, context: { caller, now } }) => {
        const estate = await resolveEstate(
          { asked: asked.estate, in: 'query', permission: 'read' },
          caller,
          dependencies.estates,
        );
        return { status: 200, body: await page({ ...asked, estate }, { caller, now }, dependencies) };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/ledger/export',
      operation: {
        id: 'exportLedger',
        tag: 'Ledger',
        summary: 'Export every entry, one a line, to verify the ledger without the database',
        description:
          'The same as `setpoint ledger export`; verify it with `setpoint ledger verify --export`. Only for callers that see all of the estate.',
        responses: {
          200: {
            description: 'Lines of JSON',
            type: 'application/x-ndjson',
            schema: exportedEntrySchema,
            example: `${JSON.stringify(exampleOf(exportedEntrySchema))}\n`,
          },
        },
      },
      permission: 'read',
      request: { query: z.strictObject({ estate: estateField }) },
      handle: async ({ query: asked, context: { caller } }) => {
        const estate = await wholeEstate(asked.estate, caller, dependencies);
        return { status: 200, chunks: lines(audit.export(estate)) };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/ledger/verify',
      operation: {
        id: 'verifyLedger',
        tag: 'Ledger',
        summary: 'Verify every hash and every signed checkpoint of the ledger',
        description:
          'The same as `setpoint ledger verify`. It reads the whole ledger. Only for callers that see all of the estate.',
        responses: {
          200: { description: 'The verdict, with the first bad entry if there is one', schema: ledgerVerdictSchema },
        },
      },
      permission: 'read',
      request: { query: z.strictObject({ estate: estateField }) },
      handle: async ({ query: asked, context: { caller } }) => ({
        status: 200,
        body: await verdicts(await wholeEstate(asked.estate, caller, dependencies)),
      }),
    }),
    route({
      method: 'GET',
      path: '/v1/ledger/signatures',
      operation: {
        id: 'readSignatures',
        tag: 'Ledger',
        summary: 'Read how far signatures reach, without verifying them',
        description:
          'By the records of the database; `/v1/ledger/verify` verifies them. No process records the checkpoints that a witness holds: ask it with `setpoint ledger verify --witness`. Only for callers that see all of the estate.',
        responses: { 200: { description: 'The reach of the signatures', schema: signatureReachSchema } },
      },
      permission: 'read',
      request: { query: z.strictObject({ estate: estateField }) },
      handle: async ({ query: asked, context: { caller } }) => {
        const estate = await wholeEstate(asked.estate, caller, dependencies);
        return { status: 200, body: { estate, ...(await audit.reach(estate)) } };
      },
    }),
  ];
}

/** To those who see a part of it only, the whole is not there. */
async function wholeEstate(
  asked: string | undefined,
  caller: Caller,
  { estates }: LedgerDependencies,
): Promise<string> {
  const estate = await resolveEstate({ asked, in: 'query', permission: 'read' }, caller, estates);
  if (!mayDo(caller.grants, 'read', { estate })) throw new ProblemError(notFound);
  return estate;
}

/** Callers share one running verification: it reads the whole ledger. */
function together<T>(ask: (estate: string) => Promise<T>): (estate: string) => Promise<T> {
  const running = new Map<string, Promise<T>>();
  return (estate) => {
    const asked = running.get(estate) ?? ask(estate).finally(() => running.delete(estate));
    running.set(estate, asked);
    return asked;
  };
}

async function* lines(all: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of all) yield `${line}\n`;
}

type Asked = z.output<typeof query> & { readonly estate: string };

async function page(
  asked: Asked,
  { caller, now }: { readonly caller: Caller; readonly now: number },
  { entryPages, figures }: LedgerDependencies,
) {
  const { estate, order, limit, after, address } = asked;
  const seesAll = mayDo(caller.grants, 'read', { estate });
  const question = {
    ...{ estate, filter: filterOf(asked, now), newestFirst: order === 'newest', limit },
    after: after === undefined ? undefined : Number(after),
  };
  const found = seesAll
    ? await entryPages.page(question)
    : await visibleEntries(question, boundsFor(caller.grants, 'read'), { entryPages, figures });
  const total = asked.total === 'true' && seesAll ? await entryPages.count(estate, address) : undefined;
  return { estate, items: found.entries, next: found.next?.toString(), total };
}

const filterOf = ({ address, type, verb, actor, reconcileId, since, until }: Asked, now: number): EntryFilter => ({
  address,
  types: type === undefined ? undefined : [type],
  verb,
  person: actor,
  reconcileId,
  since: since?.(now),
  until: until?.(now),
});
