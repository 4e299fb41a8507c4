import { z } from 'zod';
import { ForeignCursor } from '../../ports/rows.ts';
import { badInput } from './problems.ts';
import { Refusal } from './refusal.ts';

const mostItems = 1000;
/** On a page, where nothing is said. */
export const usualItems = 100;

const limited = z
  .string()
  .regex(/^\d{1,4}$/, `a number from 1 to ${mostItems}`)
  .transform(Number)
  .pipe(z.int().min(1, `a number from 1 to ${mostItems}`).max(mostItems, `a number from 1 to ${mostItems}`));

/** Of queries. */
export const limitField = limited.default(usualItems).meta({ description: `At most so many; from 1 to ${mostItems}` });

/** Of queries that are answered with a page or with all of it: whether it was said matters. */
export const saidLimitField = limited.optional().meta({
  description: `At most so many; from 1 to ${mostItems}. Left out: ${usualItems} on a page, and all of an export`,
});

export const afterField = z
  .string()
  .min(1)
  .max(4000)
  .optional()
  .meta({ description: '`next` of the page before; opaque' });

export const nextField = z
  .string()
  .optional()
  .meta({ description: 'For the next page, as `after`; absent: this was the last' });

/** What a store refuses as no place of this question is told as a mistake of the request. */
export const paged = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    throw error instanceof ForeignCursor ? new Refusal(badInput([foreign])) : error;
  });

const foreign = { in: 'query', at: 'after', expected: '`next` of a page of the same question' } as const;
