import { z } from 'zod';
import { statuses } from '../../../core/inventory/row.ts';
import { mapJson, mapNodeKinds } from '../../../core/render/map.ts';
import { reachJson } from '../../../core/render/reach.ts';
import type { Mapped, ReachAnswered } from '../../../ports/queries.ts';
import { exampleOf, examples, story } from './examples.ts';
import { observationSchema, oldestObservation } from './observation.ts';

const count = z.int();

const answerSchema = z.enum(['yes', 'no', 'unknown']);

const servicesSchema = z.array(
  z.object({
    protocol: z.string().meta({ description: '`all`: every protocol that is not named' }),
    ports: z.string().meta({ description: '`all`, `22,80-90`; empty: none of this protocol' }),
  }),
);

const ruleSchema = z
  .object({
    address: z
      .string()
      .meta({ description: 'Its address or id; empty for default rules, and for rules outside of your grants' }),
    name: z.string(),
    action: z.enum(['allow', 'deny']),
    document: z.object({ file: z.string(), line: z.int() }).optional(),
  })
  .meta({ id: 'TrafficRule', description: 'A rule that decides on traffic' })
  .register(examples, {
    example: {
      address: `${story.scope}/firewall-rule/core.web.ingress.tcp.443.0.0.0.0/0`,
      name: 'core.web.ingress.tcp.443.0.0.0.0/0',
      action: 'allow',
      document: { file: 'network.yaml', line: 12 },
    },
  });

const waySchema = z.object({
  answer: answerSchema,
  from: z.array(z.string()).meta({ description: 'At most 100' }),
  to: z.array(z.string()).meta({ description: 'At most 100' }),
  moreFrom: count.meta({ description: 'The number of names that `from` leaves out' }),
  moreTo: count.meta({ description: 'The number of names that `to` leaves out' }),
  open: servicesSchema.meta({ description: 'The requested traffic that passes for certain' }),
  maybe: servicesSchema.meta({ description: 'The rest that may pass' }),
  steps: z
    .array(
      z.object({
        by: z.enum(['egress', 'ingress', 'route']),
        answer: answerSchema,
        reason: z.string(),
        rules: z.array(ruleSchema).meta({ description: 'At most 20; empty where a default or a route decides' }),
        moreRules: count,
      }),
    )
    .meta({ description: 'Each of them must let the traffic through' }),
});

export const reachSchema = z
  .object({
    estate: z.string(),
    answer: answerSchema.meta({ description: '`yes`: at least some of it passes for certain' }),
    scopes: z.array(
      z.object({
        scope: z.string(),
        answer: answerSchema,
        assumptions: z.array(z.string()),
        notes: z.array(z.string()),
        ways: z
          .array(waySchema)
          .meta({ description: 'Open ones first; at most 500 in all scopes together, or 10 in each if that is more' }),
        moreWays: count.meta({ description: 'The number of ways that are left out' }),
      }),
    ),
    observed: observationSchema,
  })
  .meta({ id: 'Reach', description: 'The answer whether traffic passes from one end to the other' })
  .register(examples, {
    example: {
      estate: story.estate,
      answer: 'yes',
      scopes: [
        {
          scope: story.scope,
          answer: 'yes',
          assumptions: [],
          notes: [],
          ways: [
            {
              answer: 'yes',
              from: ['internet'],
              to: ['web-0'],
              moreFrom: 0,
              moreTo: 0,
              open: [{ protocol: 'tcp', ports: '443' }],
              maybe: [],
              steps: [
                {
                  by: 'route',
                  answer: 'yes',
                  reason: 'a public address, and a route to the internet gateway',
                  rules: [],
                  moreRules: 0,
                },
                {
                  by: 'ingress',
                  answer: 'yes',
                  reason: 'ingress of web-0 from 0.0.0.0/0 is allowed by core.web.ingress.tcp.443.0.0.0.0/0',
                  rules: [exampleOf(ruleSchema)],
                  moreRules: 0,
                },
              ],
            },
          ],
          moreWays: 0,
        },
      ],
      observed: exampleOf(observationSchema),
    },
  });

export const reachAnswer = ({ estate, scopes, looks }: ReachAnswered, now: number) => ({
  estate,
  ...reachJson(scopes),
  observed: oldestObservation(looks, now),
});

const nodeSchema = z
  .object({
    id: z.string().meta({ description: 'Unique on this map' }),
    kind: z.enum(mapNodeKinds).meta({
      description:
        '`group`: instances of one subnet that no rule tells apart; `rest`: all that has no node of its own there',
    }),
    name: z.string(),
    parent: z.string().optional().meta({ description: 'The id of the node around it' }),
    scope: z.string().optional(),
    address: z
      .string()
      .optional()
      .meta({ description: 'Its address or id; absent: several, or outside of your grants' }),
    cidrs: z.array(z.string()),
    groups: z.array(z.string()).meta({ description: 'The groups of its instances' }),
    instances: count.meta({ description: 'The number of instances in it' }),
    status: z
      .enum(statuses)
      .optional()
      .meta({ description: 'Of a failed, drifted or violating one; absent: of others, and of several' }),
    violations: count,
    exposed: answerSchema.optional().meta({ description: 'The answer whether the internet reaches it' }),
    exposedReason: z.string().optional(),
    counts: z
      .object({
        exposed: count,
        maybeExposed: count,
        violating: count,
        drifted: count.meta({ description: 'Drifted or missing, paused and blocked drift too' }),
        failed: count,
      })
      .meta({ description: 'Resources in it with each sort of trouble' }),
    collapsed: z.boolean().meta({ description: 'It contains things without a node of their own' }),
    unknown: z.array(z.string()).meta({ description: 'Reasons for which it may have more edges' }),
  })
  .meta({ id: 'MapNode' })
  .register(examples, {
    example: {
      id: story.address,
      kind: 'instance',
      name: 'web-0',
      parent: `${story.scope}/subnet/core.app`,
      scope: story.scope,
      address: story.address,
      cidrs: [],
      groups: ['core.web'],
      instances: 1,
      status: 'Drifted',
      violations: 0,
      exposed: 'yes',
      exposedReason: '443/tcp from internet by core.web.ingress.tcp.443.0.0.0.0/0',
      counts: { exposed: 1, maybeExposed: 0, violating: 0, drifted: 1, failed: 0 },
      collapsed: false,
      unknown: [],
    },
  });

const edgeSchema = z
  .object({
    from: z.string().meta({ description: 'The id of a node' }),
    to: z.string().meta({ description: 'The id of a node; the same as `from`: among its own instances' }),
    answer: answerSchema.exclude(['no']),
    fromInternet: z.boolean(),
    open: servicesSchema.meta({ description: 'Traffic that passes for certain' }),
    maybe: servicesSchema.meta({ description: 'Traffic that may pass' }),
    partial: z.boolean().meta({ description: 'Not all of it passes between each of their instances' }),
    rules: z
      .array(ruleSchema.extend({ violates: z.boolean().meta({ description: 'It breaks a rule of a policy' }) }))
      .meta({ description: 'The rules that allow it, at most 20; none where a default does' }),
    moreRules: count,
    reasons: z.array(z.string()).meta({ description: 'Reasons for which some of it is unknown, at most 5' }),
  })
  .meta({ id: 'MapEdge' })
  .register(examples, {
    example: {
      from: 'internet',
      to: story.address,
      answer: 'yes',
      fromInternet: true,
      open: [{ protocol: 'tcp', ports: '443' }],
      maybe: [],
      partial: false,
      rules: [{ ...exampleOf(ruleSchema), violates: false }],
      moreRules: 0,
      reasons: [],
    },
  });

export const mapSchema = z
  .object({
    estate: z.string(),
    nodes: z.array(nodeSchema).meta({ description: 'Outer nodes before inner ones, the worst first' }),
    edges: z
      .array(edgeSchema)
      .meta({ description: 'The worst first: from the internet, then those with a violating rule' }),
    hidden: z
      .array(z.object({ what: z.enum(['instances', 'edges', 'blocks', 'statuses']), count, reason: z.string() }))
      .meta({ description: 'Things without a node or an edge of their own' }),
    unknown: z
      .array(z.object({ scope: z.string(), reason: z.string() }))
      .meta({ description: 'Reasons for which the map may lack an edge, at most 100' }),
    unknownCount: count.meta({ description: 'The number of all these reasons' }),
    outsideGrants: z
      .boolean()
      .meta({ description: 'Your grants do not cover all of the estate: some ends may be outside of them' }),
    observed: observationSchema,
  })
  .meta({ id: 'TrafficMap', description: 'Networks, subnets, groups and instances, and the traffic between them' })
  .register(examples, {
    example: {
      estate: story.estate,
      nodes: [exampleOf(nodeSchema)],
      edges: [exampleOf(edgeSchema)],
      hidden: [],
      unknown: [],
      unknownCount: 0,
      outsideGrants: false,
      observed: exampleOf(observationSchema),
    },
  });

export const mapAnswer = ({ estate, map, isPartial, looks }: Mapped, now: number) => ({
  estate,
  ...mapJson(map),
  outsideGrants: isPartial,
  observed: oldestObservation(looks, now),
});
