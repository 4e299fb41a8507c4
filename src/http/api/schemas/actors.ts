import { z } from 'zod';
import { claims } from '../../../core/inventory/ownership.ts';
import { healings } from '../../../core/plan/healing.ts';
import { whoJson } from '../../../core/render/who.ts';
import type { Who } from '../../../ports/queries.ts';
import { kindSchema } from './action.ts';
import { exampleOf, examples, story } from './examples.ts';
import { observationSchema, oldestObservation } from './observation.ts';
import { auditLogsSchema } from './plan.ts';
import { attributesByKind, lastModifiedBySchema } from './resource.ts';
import { timestamp } from './timestamp.ts';

const heard = lastModifiedBySchema.extend({
  source: z.literal('event'),
  container: z
    .string()
    .optional()
    .meta({ description: 'The event names only this group or network, in which the object lies' }),
});

const call = z.object({ action: z.string(), requestId: z.string().optional() });

const own = z.object({
  source: z.literal('ledger'),
  at: timestamp,
  actor: z.string().meta({ description: 'The person who approved it; `setpoint`: it ran unattended' }),
  verb: z.string(),
  outcome: z.enum(['ok', 'failed', 'open']).meta({ description: '`open`: no answer of the cloud yet' }),
  revision: z.string(),
  generation: z.int(),
  authors: z
    .object({ names: z.array(z.string()), more: z.boolean().meta({ description: 'Others have unknown names' }) })
    .optional()
    .meta({
      description:
        'Of the commits that the generation brought, as these claim. Absent: unknown, or you see only a part of the estate',
    }),
  seq: z.int().meta({ description: 'The number of the ledger entry' }),
  reconcileId: z.string(),
  calls: z.array(call),
  undid: lastModifiedBySchema.optional().meta({ description: 'The change outside Setpoint that it undid' }),
});

const changeSchema = z
  .discriminatedUnion('source', [heard, own])
  .meta({
    id: 'KnownChange',
    description: 'A change of a resource: an event of its cloud told of it, or the ledger has it',
  })
  .register(examples, { example: { source: 'event', ...exampleOf(lastModifiedBySchema) } });

const resourceSchema = z
  .object({
    scope: z.string(),
    kind: kindSchema,
    address: z.string().optional(),
    id: z.string().optional().meta({ description: 'Absent: nothing stands there' }),
    name: z.string().optional(),
    claim: z.enum(claims).optional(),
    reason: z.string().optional(),
    healing: z.enum(healings).optional().meta({ description: 'The fate of its drift; absent: it has not drifted' }),
    rule: attributesByKind['firewall-rule']
      .optional()
      .meta({ description: 'As it stands; of one that is gone, as it was' }),
    formerRule: attributesByKind['firewall-rule']
      .optional()
      .meta({ description: 'Of a rule that Setpoint changed since: as it was while it opened the port' }),
    changes: z.array(changeSchema),
  })
  .meta({ id: 'ChangedResource', description: 'A resource with its known changes, the newest first' });

export const actorsSchema = z
  .object({
    estate: z.string(),
    subject: z.string(),
    port: z.int().optional(),
    protocol: z.string().optional(),
    resources: z.array(resourceSchema),
    incompleteScopes: z
      .array(z.string())
      .meta({ description: 'Scopes whose rules were not listed completely: others may open the port' }),
    truncated: z
      .boolean()
      .optional()
      .meta({ description: 'Only the newest changes of rules were read: others may have opened the port lately' }),
    auditLogs: auditLogsSchema.optional(),
    observed: observationSchema,
  })
  .meta({ id: 'Actors', description: 'Who changed a resource or opened a port' })
  .register(examples, {
    example: {
      estate: story.estate,
      subject: story.address,
      resources: [
        {
          scope: story.scope,
          kind: 'instance',
          address: story.address,
          id: 'i-0a1b2c3d4e5f60718',
          name: 'web-0',
          claim: 'ours',
          reason: 'wanted',
          healing: 'undoes',
          changes: [exampleOf(changeSchema)],
        },
      ],
      incompleteScopes: [],
      auditLogs: ['aws'],
      observed: exampleOf(observationSchema),
    },
  });

export const actorsAnswer = ({ estate, report, looks }: Who, now: number) => ({
  estate,
  ...whoJson(report),
  observed: oldestObservation(looks, now),
});
