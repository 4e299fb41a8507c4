import { z } from 'zod';

const name = z.string().min(1).max(200);

/** Of queries: names with commas between. */
export const targetsField = z
  .string()
  .max(4000)
  .transform((text) => text.split(','))
  .pipe(z.array(name).max(50))
  .optional()
  .meta({ description: 'Only the scopes of these targets, with commas between' });

/** Of bodies. */
export const targetList = z
  .array(name)
  .min(1)
  .max(50)
  .optional()
  .meta({ description: 'Only the scopes of these targets' });
