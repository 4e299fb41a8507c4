import { z } from 'zod';
import { moment } from './moment.ts';

/** Who changed something on a cloud last, by the cloud's own audit log. */
export const touchedShape = z
  .object({
    who: z.string(),
    action: z.string(),
    from: z.string().optional(),
    agent: z.string().optional(),
    event: z.string(),
    at: moment,
  })
  .meta({ id: 'Touched', description: "Who changed it last, by the cloud's own audit log: a hint" });
