import { z } from 'zod';
import { boundsFor, type Permission, reaches } from '../../core/access/grant.ts';
import { ForeignCursor } from '../../ports/inventory-rows.ts';
import { badInput, forbidden, notFound, ProblemError } from '../problem.ts';
import type { Caller } from './route.ts';

/** Of queries and bodies. */
export const estateField = z
  .string()
  .min(1)
  .max(200)
  .optional()
  .meta({ description: 'Optional if you see exactly one estate' });

interface EstateRequest {
  readonly asked: string | undefined;
  readonly in: 'query' | 'body';
  /** The permission that the caller needs somewhere in the estate; the handler checks where exactly. */
  readonly permission: Permission;
}

/** The estate that is meant. One that the caller does not see is as one that there is not. */
export async function resolveEstate(
  { asked, in: where, permission: needed }: EstateRequest,
  { grants }: Pick<Caller, 'grants'>,
  list: () => Promise<readonly string[]>,
): Promise<string> {
  const holds = (permission: Permission, estate: string): boolean =>
    boundsFor(grants, permission).some((bounds) => reaches(bounds, estate));
  const seen = (await list()).filter((estate) => holds('read', estate));
  if (asked === undefined && seen.length > 1)
    throw new ProblemError(
      badInput([{ in: where, at: 'estate', expected: 'the name of an estate, as you see more than one' }]),
    );
  const estate = asked === undefined ? seen[0] : seen.find((name) => name === asked);
  if (estate === undefined) throw new ProblemError(notFound);
  if (!holds(needed, estate)) throw new ProblemError(forbidden(needed));
  return estate;
}

const name = z.string().min(1).max(200);

/** Of queries: names with commas between. */
export const targetsField = z
  .string()
  .max(4000)
  .transform((text) => text.split(','))
  .pipe(z.array(name).max(50))
  .optional()
  .meta({ description: 'Only the scopes of these targets, separated by commas' });

/** Of bodies. */
export const targetsBodyField = z
  .array(name)
  .min(1)
  .max(50)
  .optional()
  .meta({ description: 'Only the scopes of these targets' });

/** The reason for a change, as the command line takes it. */
export const reasonField = z
  .string()
  .trim()
  .min(1)
  .max(500)
  .regex(/^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]*$/u, 'one line, without signs that turn text round')
  .meta({ description: 'The reason; the ledger records it' });

/** A time that was asked for, once it is known what time it is. Both are ms since the epoch. */
type TimeOf = (now: number) => number;

const expected = 'a time as 2027-01-31T08:00:00Z, or how long ago: 30m, 12h, 7d';

const unitMs = new Map([
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
  ['w', 604_800_000],
]);

const ago = z
  .string()
  .regex(/^\d{1,4}[smhdw]$/, expected)
  .transform((text): TimeOf => {
    const ms = Number(text.slice(0, -1)) * (unitMs.get(text.slice(-1)) ?? 0);
    return (now) => now - ms;
  });

const at = z.iso.datetime({ offset: true, error: expected }).transform((text): TimeOf => {
  const time = Date.parse(text);
  return () => time;
});

/** Of queries. `what`: for the document. */
export const whenField = (what: string) =>
  z
    .union([at, ago], { error: expected })
    .optional()
    .meta({ description: `${what}: ISO 8601, or an age (\`30m\`, \`12h\`, \`7d\`)`, examples: ['7d'] });

export const asOfField = whenField('The inventory at that time');

/** The caller's clock may be ahead of ours by so much, ms. */
const leeway = 60_000;

/** As a part of a query. Refuses a future time: the answer would show the present and look like the future. */
export function asOfFilter(asked: TimeOf | undefined, now: number): { readonly asOf?: number } {
  if (asked === undefined) return {};
  const asOf = asked(now);
  if (asOf > now + leeway)
    throw new ProblemError(badInput([{ in: 'query', at: 'asOf', expected: 'a time that has been' }]));
  return { asOf };
}

const maxLimit = 1000;
/** On a page, where nothing is said. */
export const defaultLimit = 100;

const limitNumber = z
  .string()
  .regex(/^\d{1,4}$/, `a number from 1 to ${maxLimit}`)
  .transform(Number)
  .pipe(z.int().min(1, `a number from 1 to ${maxLimit}`).max(maxLimit, `a number from 1 to ${maxLimit}`));

/** Of queries. */
export const limitField = limitNumber
  .default(defaultLimit)
  .meta({ description: `The maximum number of items, from 1 to ${maxLimit}` });

/** Of queries that are answered with a page or with all of it: whether it was said matters. */
export const optionalLimitField = limitNumber.optional().meta({
  description: `The maximum number of items, from 1 to ${maxLimit}. Absent: ${defaultLimit} on a page, and all in an export`,
});

export const afterField = z.string().min(1).max(4000).optional().meta({ description: '`next` of the page before' });

export const nextField = z
  .string()
  .optional()
  .meta({ description: 'Send it as `after` for the next page; absent: this is the last page' });

/** Turns a cursor that the store refuses into a problem of the request. */
export const orForeignCursorProblem = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    throw error instanceof ForeignCursor ? new ProblemError(badInput([foreignCursor])) : error;
  });

const foreignCursor = { in: 'query', at: 'after', expected: '`next` of a page of the same question' } as const;
