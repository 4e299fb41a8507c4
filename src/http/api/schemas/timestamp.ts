import { z } from 'zod';

/** Times are kept in ms since the epoch, and told as texts. */
export const timestamp = z
  .number()
  .transform((at) => new Date(at).toISOString())
  .pipe(z.iso.datetime())
  .meta({ description: 'UTC', examples: ['2027-01-31T08:00:00.000Z'] });
