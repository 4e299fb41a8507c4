import { z } from 'zod';
import { boundsFor } from '../../../core/access/grant.ts';
import { servicesFrom } from '../../../core/effect/reach-ends.ts';
import type { TrafficAnswers } from '../../../ports/queries.ts';
import { orDeclinedProblem } from '../../problem.ts';
import { estateField, resolveEstate, targetsField } from '../fields.ts';
import { type Route, route } from '../route.ts';
import { mapAnswer, mapSchema, reachAnswer, reachSchema } from '../schemas/traffic.ts';

export interface TrafficDependencies {
  readonly traffic: TrafficAnswers;
  estates(): Promise<readonly string[]>;
}

const end = z.string().min(1).max(400);

const port = z
  .string()
  .max(200)
  .transform((text, context) => {
    const services = servicesFrom(text);
    if (services !== undefined) return services;
    context.addIssue({ code: 'custom', message: portForm });
    return z.NEVER;
  })
  .optional()
  .meta({ description: 'A port and its protocol: `5432`, `53/udp`, `8000-8100/tcp`, `icmp`; absent: all traffic' });

const portForm = 'a port such as 5432, 53/udp, 8000-8100/tcp, or icmp';

const mostNodes = 300;
const mostEdges = 600;
const nodes = `a number from 10 to ${mostNodes}`;

const limit = z
  .string()
  .regex(/^\d{1,3}$/, nodes)
  .transform(Number)
  .pipe(z.int().min(10, nodes).max(mostNodes, nodes))
  .default(mostNodes)
  .meta({ description: `The maximum number of nodes, from 10 to ${mostNodes}` });

export const trafficRoutes = ({ traffic, estates }: TrafficDependencies): readonly Route[] => [
  route({
    method: 'GET',
    path: '/v1/reach',
    operation: {
      id: 'readReach',
      tag: 'Traffic',
      summary: 'Check the traffic from one end to the other, and read the deciding rules',
      description:
        'An end is an instance (`web-0`), a group (`core.web`), a subnet (`core.app`), a network, a document, a block of addresses, or `internet`. The same as `setpoint reach`, by the newest observations.',
      responses: { 200: { description: 'The answer, with the deciding rules', schema: reachSchema } },
    },
    permission: 'read',
    request: {
      query: z.strictObject({
        estate: estateField,
        target: targetsField,
        from: end.meta({ description: 'The sender' }),
        to: end.meta({ description: 'The receiver' }),
        port,
      }),
    },
    handle: async ({
      query: { estate: asked, target: targets, from, to, port: services },
      context: { caller, now },
    }) => {
      const estate = await resolveEstate({ asked, in: 'query', permission: 'read' }, caller, estates);
      const seen = boundsFor(caller.grants, 'read');
      const found = await orDeclinedProblem(traffic.reach({ estate, seen, targets, from, to, services }));
      return { status: 200, body: reachAnswer(found, now) };
    },
  }),
  route({
    method: 'GET',
    path: '/v1/map',
    operation: {
      id: 'readMap',
      tag: 'Traffic',
      summary: 'Read a map of networks, subnets, groups and instances, and of the traffic between them',
      description:
        'By the newest observations. Beyond the limit, things are drawn as one with their group, subnet, network or scope, the worst last.',
      responses: { 200: { description: 'Nodes and edges, the worst first', schema: mapSchema } },
    },
    permission: 'read',
    request: {
      query: z.strictObject({
        estate: estateField,
        target: targetsField,
        network: end.optional().meta({ description: 'Only the instances of this network' }),
        group: end.optional().meta({ description: 'Only the instances of this group' }),
        focus: end.optional().meta({ description: 'Only the traffic from and to this end, named as for `/v1/reach`' }),
        rule: end.optional().meta({ description: 'Only the traffic that this rule allows, or any rule of this name' }),
        limit,
      }),
    },
    handle: async ({ query: { estate: asked, target: targets, limit: most, ...narrow }, context: { caller, now } }) => {
      const estate = await resolveEstate({ asked, in: 'query', permission: 'read' }, caller, estates);
      const seen = boundsFor(caller.grants, 'read');
      const limits = { nodes: most, edges: mostEdges };
      const found = await orDeclinedProblem(traffic.map({ estate, seen, targets, limits, ...narrow }));
      return { status: 200, body: mapAnswer(found, now) };
    },
  }),
];
