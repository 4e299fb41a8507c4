import { z } from 'zod';
import { ProblemError, unauthorized } from '../../problem.ts';
import { type Route, route } from '../route.ts';
import { examples, story } from '../schemas/examples.ts';
import { timestamp } from '../schemas/timestamp.ts';
import { grantSchema } from '../schemas/token.ts';

const whoamiSchema = z
  .object({
    person: z.string().meta({ description: 'As the ledger says it' }),
    identities: z.array(z.string()).meta({ description: 'All names that are theirs by proof' }),
    grants: z.array(grantSchema),
    expiresAt: timestamp.optional().meta({ description: 'When the credential ends' }),
  })
  .meta({ id: 'Identity' })
  .register(examples, {
    example: {
      person: story.person,
      identities: [story.person],
      grants: [{ role: 'approver', estates: [story.estate] }],
      expiresAt: '2027-01-31T09:00:00.000Z',
    },
  });

export const whoamiRoutes = (): readonly Route[] => [
  route({
    method: 'GET',
    path: '/v1/whoami',
    operation: {
      id: 'whoami',
      tag: 'Access',
      summary: 'Who you are, and what you may do',
      description: 'Whoever can prove who they are may ask, also where nothing is granted to them.',
      responses: { 200: { description: 'You', schema: whoamiSchema } },
    },
    request: {},
    handle: async ({ context: { caller } }) => {
      if (caller.id === '') throw new ProblemError(unauthorized);
      const { person, identities, grants, expiresAt } = caller;
      return { status: 200, body: { person, identities, grants, expiresAt } };
    },
  }),
];
