import { z } from 'zod';
import { roles } from '../../../core/access/grant.ts';

const names = (of: string) =>
  z
    .array(z.string())
    .optional()
    .meta({ description: `Of these ${of} only; absent: of all` });

/** A role, and where it holds. */
export const grantShape = z
  .object({ role: z.enum(roles), estates: names('estates'), targets: names('targets'), owners: names('owners') })
  .meta({ id: 'Grant' });
