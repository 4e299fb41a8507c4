import { z } from 'zod';
import { boundsFor, reaches } from '../../../core/access/grant.ts';
import { notFound, ProblemError } from '../../problem.ts';
import { eventText, openingText } from '../events/recent-events.ts';
import type { EventStreams } from '../events/streams.ts';
import { type Operation, type Route, route } from '../route.ts';
import { eventSchema, eventTypeSchema } from '../schemas/event.ts';
import { exampleOf } from '../schemas/examples.ts';

const query = z.strictObject({
  after: z
    .string()
    .max(80)
    .regex(/^[0-9a-z]+-[0-9a-f]+$/, 'the id of an event')
    .optional()
    .meta({ description: 'The id of the last event that you have. Absent: events from now on.' }),
  estate: z.string().min(1).max(100).optional().meta({ description: 'Only of this estate.' }),
  type: z
    .string()
    .max(100)
    .transform((text) => text.split(','))
    .pipe(z.array(eventTypeSchema))
    .optional()
    .meta({ description: 'Only these types, separated by commas: resource, reconcile, generation, audit.' }),
});

const place = '3f0c5a9d1b2e-00000000000003e90000000000000011';
const { at, estate, about } = exampleOf(eventSchema);

const operation: Operation = {
  id: 'followEvents',
  tag: 'Events',
  summary: 'Follow events',
  description:
    'Server-Sent Events: each has an id, a type (event) and one JSON object (data). A client that reconnects sends the last id in the header Last-Event-ID and gets every later event, once and in order; events are kept for three days. The event reset says that events were lost: read the inventory again. A stream ends after an hour, and when the credential ends; reconnect with the last id.',
  responses: {
    200: {
      description: 'Events, without end',
      type: 'text/event-stream',
      schema: eventSchema,
      example:
        openingText(undefined) + eventText({ place, at: Date.parse(at), estate, type: 'generation', about }).text,
    },
  },
};

export const eventRoutes = (events: Pick<EventStreams, 'follow'>): readonly Route[] => [
  route({
    method: 'GET',
    path: '/v1/events',
    operation,
    permission: 'read',
    request: { query },
    handle: async ({ query: { after, estate, type }, context }) => {
      if (estate !== undefined && !boundsFor(context.caller.grants, 'read').some((bounds) => reaches(bounds, estate)))
        throw new ProblemError(notFound);
      // why: a browser that comes back repeats the address that it began with, and says by the header how far it came
      const from = context.header('last-event-id') ?? after;
      const chunks = await events.follow(context, from, { types: type, estate });
      // why: proxies that gather what they are sent would keep it until it is much
      return { status: 200, chunks, headers: { 'x-accel-buffering': 'no' } };
    },
  }),
];
