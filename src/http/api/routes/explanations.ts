import { z } from 'zod';
import { boundsFor } from '../../../core/access/grant.ts';
import type { Answers } from '../../../ports/queries.ts';
import { askedEstate, estateField } from '../asked-estate.ts';
import { answered } from '../declined.ts';
import type { Route } from '../route.ts';
import { explanationAnswer, explanationShape } from '../shapes/explanation.ts';
import { route } from '../typed-route.ts';

export interface ExplanationsDesk extends Pick<Answers, 'explain'> {
  estates(): Promise<readonly string[]>;
}

export const explanationsRoutes = ({ explain, estates }: ExplanationsDesk): readonly Route[] => [
  route({
    method: 'GET',
    path: '/v1/explanations/{+of}',
    says: {
      id: 'explain',
      tag: 'Inventory',
      summary: 'All about one resource: which line wants what, what is there, whose it is, what would happen',
      description:
        'An address, the end of one that is unique (`web-0`, `instance/web-0`), a document, or an id of the cloud. As `setpoint explain`.',
      answers: { 200: { description: 'All that is known', schema: explanationShape } },
    },
    needs: 'read',
    asks: {
      params: z.strictObject({ of: z.string().min(1).max(1000) }),
      query: z.strictObject({ estate: estateField }),
    },
    handle: async ({ params: { of }, query, by: { caller, now } }) => {
      const estate = await askedEstate({ asked: query.estate, in: 'query', needs: 'read' }, caller, estates);
      const found = await answered(explain({ estate, seen: boundsFor(caller.grants, 'read'), of }));
      return { status: 200, body: explanationAnswer(found, now) };
    },
  }),
];
