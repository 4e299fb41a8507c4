import { z } from 'zod';

/** `document`: of a target's rollout it is the scope. */
export const stoppedRolloutShape = z.object({ document: z.string(), generation: z.int(), why: z.string() });
