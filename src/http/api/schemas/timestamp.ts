import { z } from 'zod';

/** Setpoint keeps times in ms since the epoch, and shows them as texts. */
export const timestamp = z
  .number()
  .transform((at) => new Date(at).toISOString())
  .pipe(z.iso.datetime())
  .meta({ description: 'UTC', examples: ['2027-01-31T08:00:00.000Z'] });
