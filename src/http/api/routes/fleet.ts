import { z } from 'zod';
import { boundsFor } from '../../../core/access/grant.ts';
import type { FleetView } from '../../../ports/fleet-view.ts';
import { orDeclinedProblem } from '../../problem.ts';
import { estateField, limitField, nextField, resolveEstate } from '../fields.ts';
import { type Route, route } from '../route.ts';
import { exampleOf, examples } from '../schemas/examples.ts';
import { fleetAnswer, fleetSchema, scopeStateSchema, scopeWorkAnswer, scopeWorkSchema } from '../schemas/fleet.ts';

export interface FleetDependencies {
  readonly fleet: FleetView;
  estates(): Promise<readonly string[]>;
}

const scopesQuery = z.strictObject({
  estate: estateField,
  state: z
    .string()
    .max(200)
    .transform((text) => text.split(','))
    .pipe(z.array(scopeStateSchema))
    .optional()
    .meta({ description: 'Only scopes in these states, separated by commas' }),
  limit: limitField,
  after: z
    .string()
    .min(1)
    .max(500)
    .optional()
    .meta({ description: '`next` of the page before, or the name of any scope' }),
});

const scopesSchema = z
  .object({ items: z.array(scopeWorkSchema), next: nextField })
  .meta({ id: 'Scopes', description: 'Scopes of the active specs, sorted by name' })
  .register(examples, { example: { items: [exampleOf(scopeWorkSchema)] } });

export const fleetRoutes = ({ fleet, estates }: FleetDependencies): readonly Route[] => [
  route({
    method: 'GET',
    path: '/v1/fleet',
    operation: {
      id: 'readFleet',
      tag: 'Fleet',
      summary: 'Read the workers, queued reconciles, rate limits and sources of an estate',
      description:
        'From leases, reconciles, the queue, and the rate limits of the answering process. You get the scopes of which you see all of a target; a grant limited to owners sees none. Tasks, sources and the pin are for callers that see all of the estate.',
      responses: { 200: { description: 'The fleet, as far as you see it', schema: fleetSchema } },
    },
    permission: 'read',
    request: { query: z.strictObject({ estate: estateField }) },
    handle: async ({ query: asked, context: { caller, now } }) => {
      const estate = await resolveEstate({ asked: asked.estate, in: 'query', permission: 'read' }, caller, estates);
      const seen = boundsFor(caller.grants, 'read');
      return { status: 200, body: fleetAnswer(estate, await orDeclinedProblem(fleet.read({ estate, seen, now }))) };
    },
  }),
  route({
    method: 'GET',
    path: '/v1/scopes',
    operation: {
      id: 'listScopes',
      tag: 'Fleet',
      summary: 'List scopes with their leases and reconciles, and the things that each waits for',
      description: 'You get the scopes of which you see all of a target; a grant limited to owners sees none.',
      responses: { 200: { description: 'A page of scopes', schema: scopesSchema } },
    },
    permission: 'read',
    request: { query: scopesQuery },
    handle: async ({ query: { state, limit, after = '', ...asked }, context: { caller, now } }) => {
      const estate = await resolveEstate({ asked: asked.estate, in: 'query', permission: 'read' }, caller, estates);
      const seen = boundsFor(caller.grants, 'read');
      const all = await orDeclinedProblem(fleet.scopes({ estate, seen, now }));
      const found = all.filter((work) => work.scope > after && (state?.includes(work.state) ?? true));
      const items = found.slice(0, limit);
      const next = found.length > limit ? items.at(-1)?.scope : undefined;
      return { status: 200, body: { items: items.map((work) => scopeWorkAnswer(work, seen)), next } };
    },
  }),
];
