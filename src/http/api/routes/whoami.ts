import { z } from 'zod';
import { unauthorized } from '../problems.ts';
import { Refusal } from '../refusal.ts';
import type { Route } from '../route.ts';
import { examples, story } from '../shapes/examples.ts';
import { grantShape } from '../shapes/grant.ts';
import { moment } from '../shapes/moment.ts';
import { route } from '../typed-route.ts';

const shape = z
  .object({
    person: z.string().meta({ description: 'As the ledger says it' }),
    identities: z.array(z.string()).meta({ description: 'All names that are theirs by proof' }),
    grants: z.array(grantShape),
    expiresAt: moment.optional().meta({ description: 'When the credential ends' }),
  })
  .meta({ id: 'Self' })
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
    says: {
      id: 'readSelf',
      tag: 'Access',
      summary: 'Who you are, and what you may do',
      description: 'Whoever can prove who they are may ask, also where nothing is granted to them.',
      answers: { 200: { description: 'You', schema: shape } },
    },
    asks: {},
    handle: async ({ by: { caller } }) => {
      if (caller.id === '') throw new Refusal(unauthorized);
      const { person, identities, grants, expiresAt } = caller;
      return { status: 200, body: { person, identities, grants, expiresAt } };
    },
  }),
];
