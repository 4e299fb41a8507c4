import { z } from 'zod';
import { boundsFor, reaches } from '../../../core/access/grant.ts';
import { happeningTypes } from '../../../ports/events.ts';
import { openingText, toldOf } from '../events/event-text.ts';
import type { Events } from '../events/open-events.ts';
import { notFound } from '../problems.ts';
import { Refusal } from '../refusal.ts';
import type { Route, Says } from '../route.ts';
import { exampleOf } from '../shapes/examples.ts';
import { happeningShape } from '../shapes/happening.ts';
import { route } from '../typed-route.ts';

const query = z.strictObject({
  after: z
    .string()
    .max(80)
    .regex(/^[0-9a-z]+-[0-9a-f]+$/, 'the id of an event')
    .optional()
    .meta({ description: 'The id of the last event that you had. Absent: what happens from now on.' }),
  estate: z.string().min(1).max(100).optional().meta({ description: 'Only of this estate.' }),
  type: z
    .string()
    .max(100)
    .transform((text) => text.split(','))
    .pipe(z.array(z.enum(happeningTypes)))
    .optional()
    .meta({ description: 'Only of these types, with commas between them.' }),
});

const place = '3f0c5a9d1b2e-00000000000003e90000000000000011';
const { at, estate, type, about } = exampleOf(happeningShape);

const says: Says = {
  id: 'followEvents',
  tag: 'Events',
  summary: 'What happens, as it happens',
  description:
    'Server-Sent Events: each has an id, a type (event) and one JSON object (data). Whoever comes back sends the last id in the header Last-Event-ID and is told of everything since, once and in order; events are kept for three days. The event reset says that something was missed: read the inventory again. A stream ends after an hour, and when the credential does; come back with the last id.',
  answers: {
    200: {
      description: 'Events, without end',
      type: 'text/event-stream',
      schema: happeningShape,
      example: openingText(undefined) + toldOf({ place, at: Date.parse(at), estate, type, about }).text,
    },
  },
};

export const eventRoutes = (events: Pick<Events, 'follow'>): readonly Route[] => [
  route({
    method: 'GET',
    path: '/v1/events',
    says,
    needs: 'read',
    asks: { query },
    handle: async ({ query: { after, estate, type }, by }) => {
      if (estate !== undefined && !boundsFor(by.caller.grants, 'read').some((bounds) => reaches(bounds, estate)))
        throw new Refusal(notFound);
      // why: a browser that comes back repeats the address that it began with, and says by the header how far it came
      const from = by.header('last-event-id') ?? after;
      const chunks = await events.follow(by, from, { types: type, estate });
      // why: proxies that gather what they are sent would keep it until it is much
      return { status: 200, chunks, headers: { 'x-accel-buffering': 'no' } };
    },
  }),
];
