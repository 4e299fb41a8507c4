import { z } from 'zod';
import { boundsFor } from '../../../core/access/grant.ts';
import type { Answers } from '../../../ports/queries.ts';
import { orDeclinedProblem } from '../../problem.ts';
import { sha256 } from '../../sha256.ts';
import { estateField, resolveEstate, targetsField } from '../fields.ts';
import { type Route, route } from '../route.ts';
import { planAnswer, planSchema } from '../schemas/plan.ts';

export interface DriftDependencies extends Pick<Answers, 'drift'> {
  /** All estates that there are. */
  estates(): Promise<readonly string[]>;
}

export const driftRoutes = ({ drift, estates }: DriftDependencies): readonly Route[] => [
  route({
    method: 'GET',
    path: '/v1/drift',
    operation: {
      id: 'readDrift',
      tag: 'Plans',
      summary: 'What changed on the clouds behind our back',
      description: 'By the newest look at each scope: no cloud is asked. As `setpoint drift`.',
      responses: {
        200: { description: 'What drifted, held still or not, and what keeps us from knowing', schema: planSchema },
      },
    },
    permission: 'read',
    request: { query: z.strictObject({ estate: estateField, target: targetsField }) },
    handle: async ({ query, context: { caller, now } }) => {
      const estate = await resolveEstate({ asked: query.estate, in: 'query', permission: 'read' }, caller, estates);
      const seen = boundsFor(caller.grants, 'read');
      const planned = await orDeclinedProblem(
        drift({ estate, seen, ...(query.target === undefined ? {} : { targets: query.target }) }),
      );
      return { status: 200, body: planAnswer(planned, { now, hash: sha256 }) };
    },
  }),
];
