import { z } from 'zod';
import { boundsFor } from '../../../core/access/grant.ts';
import type { Answers } from '../../../ports/queries.ts';
import { orDeclinedProblem } from '../../problem.ts';
import { estateField, resolveEstate } from '../fields.ts';
import { type Route, route } from '../route.ts';
import { explanationAnswer, explanationSchema } from '../schemas/explanation.ts';

export interface ExplanationsDependencies extends Pick<Answers, 'explain'> {
  estates(): Promise<readonly string[]>;
}

export const explanationsRoutes = ({ explain, estates }: ExplanationsDependencies): readonly Route[] => [
  route({
    method: 'GET',
    path: '/v1/explanations/{+resource}',
    operation: {
      id: 'explain',
      tag: 'Inventory',
      summary: 'Explain one resource: its lines in the specs, its objects, their claims and the next actions',
      description:
        "Name it by an address, a unique end of one (`web-0`, `instance/web-0`), a document, or the cloud's id. The same as `setpoint explain`.",
      responses: { 200: { description: 'The explanation', schema: explanationSchema } },
    },
    permission: 'read',
    request: {
      params: z.strictObject({ resource: z.string().min(1).max(1000) }),
      query: z.strictObject({ estate: estateField }),
    },
    handle: async ({ params: { resource: of }, query, context: { caller, now } }) => {
      const estate = await resolveEstate({ asked: query.estate, in: 'query', permission: 'read' }, caller, estates);
      const found = await orDeclinedProblem(explain({ estate, seen: boundsFor(caller.grants, 'read'), of }));
      return { status: 200, body: explanationAnswer(found, now) };
    },
  }),
];
