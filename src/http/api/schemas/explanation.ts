import { z } from 'zod';
import { claims } from '../../../core/inventory/ownership.ts';
import type { Explained } from '../../../ports/queries.ts';
import { actionSchema, findingSchema } from './action.ts';
import { exampleOf, examples, story } from './examples.ts';
import { observationSchema, oldestObservation } from './observation.ts';
import { heldSourceSchema } from './plan.ts';
import { desiredSchema, lastModifiedBySchema, modeSchema, observedSchema } from './resource.ts';

export const originSchema = z
  .object({
    document: z.string(),
    field: z.string(),
    value: z.unknown(),
    layer: z.string().meta({ description: '`base`, `overlay <name>`, or `default` where nobody wrote it' }),
    file: z.string().optional(),
    line: z.int().optional(),
    column: z.int().optional(),
  })
  .meta({ id: 'Origin', description: 'Which line of which layer decided a field' })
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
    why: z.string(),
    by: lastModifiedBySchema.optional(),
  })
  .meta({ id: 'Ownership', description: 'An object on a cloud, whose it is, and why we say so' });

export const explanationSchema = z
  .object({
    estate: z.string(),
    address: z.string(),
    wanted: z.array(desiredSchema),
    origins: z.array(originSchema),
    mode: z.object({ mode: modeSchema, why: z.string(), stillBoundBy: modeSchema.optional() }).optional(),
    there: z.array(ownership),
    actions: z.array(actionSchema),
    findings: z.array(findingSchema),
    sources: z.array(heldSourceSchema).optional(),
    observed: observationSchema,
  })
  .meta({ id: 'Explanation', description: 'All that is known about one resource' })
  .register(examples, {
    example: {
      estate: story.estate,
      address: story.address,
      wanted: [exampleOf(desiredSchema)],
      origins: [exampleOf(originSchema)],
      mode: { mode: 'plan', why: 'Estate acme says so at estate.yaml:8' },
      there: [
        {
          scope: story.scope,
          observed: exampleOf(observedSchema),
          claim: 'ours',
          address: story.address,
          why: 'wanted',
          by: exampleOf(lastModifiedBySchema),
        },
      ],
      actions: [exampleOf(actionSchema)],
      findings: [],
      observed: exampleOf(observationSchema),
    },
  });

export const explanationAnswer = ({ bound, explanation, looks }: Explained, now: number) => ({
  estate: bound.estate,
  ...explanation,
  ...(bound.sources === undefined ? {} : { sources: bound.sources }),
  observed: oldestObservation(looks, now),
});
