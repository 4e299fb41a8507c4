import { z } from 'zod';

/** Of a person's word that holds calls. */
export const onTheWay = z
  .int()
  .meta({ description: 'Calls that were sent before, and have no answer yet. No other call that this holds is sent' });
