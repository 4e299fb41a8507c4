import { z } from 'zod';
import { boundsFor } from '../../../core/access/grant.ts';
import type { Answers } from '../../../ports/queries.ts';
import { sha256 } from '../../sha256.ts';
import { askedEstate, estateField } from '../asked-estate.ts';
import { answered } from '../declined.ts';
import type { Route } from '../route.ts';
import { planAnswer, planShape } from '../shapes/plan.ts';
import { targetsField } from '../targets-field.ts';
import { route } from '../typed-route.ts';

export interface DriftDesk extends Pick<Answers, 'drift'> {
  /** All estates that there are. */
  estates(): Promise<readonly string[]>;
}

export const driftRoutes = ({ drift, estates }: DriftDesk): readonly Route[] => [
  route({
    method: 'GET',
    path: '/v1/drift',
    says: {
      id: 'readDrift',
      tag: 'Plans',
      summary: 'What changed on the clouds behind our back',
      description: 'By the newest look at each scope: no cloud is asked. As `setpoint drift`.',
      answers: {
        200: { description: 'What drifted, held still or not, and what keeps us from knowing', schema: planShape },
      },
    },
    needs: 'read',
    asks: { query: z.strictObject({ estate: estateField, target: targetsField }) },
    handle: async ({ query, by: { caller, now } }) => {
      const estate = await askedEstate({ asked: query.estate, in: 'query', needs: 'read' }, caller, estates);
      const seen = boundsFor(caller.grants, 'read');
      const planned = await answered(
        drift({ estate, seen, ...(query.target === undefined ? {} : { targets: query.target }) }),
      );
      return { status: 200, body: planAnswer(planned, { now, hash: sha256 }) };
    },
  }),
];
