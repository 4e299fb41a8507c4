import { z } from 'zod';
import { boundsFor } from '../../../core/access/grant.ts';
import type { Answers } from '../../../ports/queries.ts';
import { orDeclinedProblem } from '../../problem.ts';
import { sha256 } from '../../sha256.ts';
import { estateField, resolveEstate, targetsField } from '../fields.ts';
import { type Route, route } from '../route.ts';
import { driftAnswer, planSchema } from '../schemas/plan.ts';

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
      summary: 'Read drift: the changes outside Setpoint',
      description:
        'The answer uses the newest observation of each scope, and calls no cloud. The same as `setpoint drift`, with the reason that withholds each change, and the effect of the drift on traffic.',
      responses: {
        200: { description: 'Drift, also withheld, and gaps in the observation', schema: planSchema },
      },
    },
    permission: 'read',
    request: { query: z.strictObject({ estate: estateField, target: targetsField }) },
    handle: async ({ query, context: { caller, now } }) => {
      const estate = await resolveEstate({ asked: query.estate, in: 'query', permission: 'read' }, caller, estates);
      const seen = boundsFor(caller.grants, 'read');
      const planned = await orDeclinedProblem(drift({ estate, seen, targets: query.target }));
      return { status: 200, body: driftAnswer(planned, { now, hash: sha256 }) };
    },
  }),
];
