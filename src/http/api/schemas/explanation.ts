import { z } from 'zod';
import { claims } from '../../../core/inventory/ownership.ts';
import { effectJson } from '../../../core/render/effect.ts';
import { explanationJson } from '../../../core/render/explanation-json.ts';
import { sourceJson } from '../../../core/render/plan-json.ts';
import type { Explained } from '../../../ports/queries.ts';
import { actionSchema, findingSchema, remediationSchema } from './action.ts';
import { exampleOf, examples, story } from './examples.ts';
import { observationSchema, oldestObservation } from './observation.ts';
import { auditLogsSchema, effectSchema, heldSourceSchema } from './plan.ts';
import { criticalitySchema, desiredSchema, lastModifiedBySchema, modeSchema, observedSchema } from './resource.ts';
import { timestamp } from './timestamp.ts';

export const originSchema = z
  .object({
    document: z.string(),
    field: z.string(),
    value: z.unknown(),
    layer: z.string().meta({
      description: '`base`, `overlay <name>`, `patch #<number>`, or `default` if no document sets it',
    }),
    file: z.string().optional(),
    line: z.int().optional(),
    column: z.int().optional(),
    patch: z
      .object({ id: z.int(), actor: z.string(), reason: z.string(), until: timestamp })
      .optional()
      .meta({ description: 'The patch that sets it. Then there is no file' }),
  })
  .meta({ id: 'Origin', description: 'The line and layer that set a field' })
  .register(examples, {
    example: {
      document: `${story.scope}/instance/web`,
      field: 'labels.tier',
      value: 'web',
      layer: 'base',
      file: 'instances.yaml',
      line: 6,
      column: 57,
    },
  });

const ownership = z
  .object({
    scope: z.string(),
    observed: observedSchema,
    claim: z.enum(claims),
    address: z.string().optional(),
    reason: z.string(),
    lastModifiedBy: lastModifiedBySchema.optional(),
  })
  .meta({ id: 'Ownership', description: 'An object on a cloud, with its claim and the reason' });

const cadenceSchema = z
  .object({
    criticality: criticalitySchema,
    reason: z.string(),
    everyMs: z.int().meta({
      description: 'The observation interval of its scope; where no target states one, by the default of workers',
    }),
    everyReason: z.string(),
    everyDecidedBy: z.string().optional().meta({
      description: 'The document and line that decide about the scope; only callers that see the whole estate get it',
    }),
  })
  .meta({ id: 'Cadence', description: 'The criticality and the observation interval of a resource, with the reasons' })
  .register(examples, {
    example: {
      criticality: 'critical',
      reason: 'Instance web at instances.yaml:9 says so',
      everyMs: 60_000,
      everyReason: 'a fifth of the --interval of the workers, 5m by default',
      everyDecidedBy: 'Instance web at instances.yaml:9',
    },
  });

export const explanationSchema = z
  .object({
    estate: z.string(),
    address: z.string(),
    desired: z.array(desiredSchema),
    origins: z.array(originSchema),
    mode: z.object({ mode: modeSchema, reason: z.string(), stillBoundBy: modeSchema.optional() }).optional(),
    remediation: z
      .array(remediationSchema)
      .meta({ description: 'Categories whose drift Setpoint does not heal by itself' }),
    cadence: cadenceSchema.optional(),
    objects: z.array(ownership),
    actions: z.array(actionSchema),
    effect: effectSchema.optional().meta({
      description: 'Of these actions alone; absent if there are none. Only for callers that see all of the estate',
    }),
    findings: z.array(findingSchema),
    sources: z.array(heldSourceSchema).optional(),
    auditLogs: auditLogsSchema.optional(),
    observed: observationSchema,
  })
  .meta({ id: 'Explanation', description: 'One resource: its specs, its objects and its next actions' })
  .register(examples, {
    example: {
      estate: story.estate,
      address: story.address,
      desired: [exampleOf(desiredSchema)],
      origins: [exampleOf(originSchema)],
      mode: { mode: 'plan', reason: 'Estate acme says so at estate.yaml:8' },
      remediation: [],
      cadence: exampleOf(cadenceSchema),
      objects: [
        {
          scope: story.scope,
          observed: exampleOf(observedSchema),
          claim: 'ours',
          address: story.address,
          reason: 'wanted',
          lastModifiedBy: exampleOf(lastModifiedBySchema),
        },
      ],
      actions: [exampleOf(actionSchema)],
      findings: [],
      observed: exampleOf(observationSchema),
    },
  });

export const explanationAnswer = ({ bound, explanation, effect, looks }: Explained, now: number) => ({
  estate: bound.estate,
  ...explanationJson(explanation),
  effect: effect && effectJson(effect),
  sources: bound.sources?.map(sourceJson),
  auditLogs: bound.auditLogs,
  observed: oldestObservation(looks, now),
});
