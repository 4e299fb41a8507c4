import { z } from 'zod';

/** Why somebody does what others will ask about, as the command line takes it. */
export const reasonField = z
  .string()
  .trim()
  .min(1)
  .max(500)
  .regex(/^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]*$/u, 'one line, without signs that turn text round')
  .meta({ description: 'Others read it, and it is written into the ledger' });
