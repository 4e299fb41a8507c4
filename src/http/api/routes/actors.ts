import { z } from 'zod';
import { boundsFor, mayDo } from '../../../core/access/grant.ts';
import type { Figures } from '../../../ports/figures.ts';
import type { EntryPages } from '../../../ports/ledger.ts';
import type { Answers } from '../../../ports/queries.ts';
import type { Authors } from '../../../ports/sources.ts';
import { orDeclinedProblem } from '../../problem.ts';
import { estateField, resolveEstate } from '../fields.ts';
import { type Route, route } from '../route.ts';
import { actorsAnswer, actorsSchema } from '../schemas/actors.ts';
import { visibleEntries } from '../visible-records.ts';

export interface ActorsDependencies extends Pick<Answers, 'who'> {
  readonly entryPages: EntryPages;
  readonly figures: Pick<Figures, 'seen'>;
  readonly authors: Pick<Authors, 'of'>;
  estates(): Promise<readonly string[]>;
}

export const actorsRoutes = ({ who, estates, entryPages, figures, authors }: ActorsDependencies): readonly Route[] => [
  route({
    method: 'GET',
    path: '/v1/actors/{+subject}',
    operation: {
      id: 'listActors',
      tag: 'Inventory',
      summary: 'List who changed a resource or opened a port, when, and by which call',
      description:
        'Name a resource as for an explanation, or a port (`22`, `22/tcp`). The same as `setpoint who`, by the newest observations.',
      responses: { 200: { description: 'The resources with their changes, the newest first', schema: actorsSchema } },
    },
    permission: 'read',
    request: {
      params: z.strictObject({ subject: z.string().min(1).max(1000) }),
      query: z.strictObject({ estate: estateField }),
    },
    handle: async ({ params: { subject: of }, query, context: { caller, now } }) => {
      const estate = await resolveEstate({ asked: query.estate, in: 'query', permission: 'read' }, caller, estates);
      const seen = boundsFor(caller.grants, 'read');
      const records = mayDo(caller.grants, 'read', { estate })
        ? { entries: entryPages, authors }
        : {
            entries: {
              page: (query: Parameters<EntryPages['page']>[0]) => visibleEntries(query, seen, { entryPages, figures }),
            },
          };
      return { status: 200, body: actorsAnswer(await orDeclinedProblem(who({ estate, seen, of, ...records })), now) };
    },
  }),
];
