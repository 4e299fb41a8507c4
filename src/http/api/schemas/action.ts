import { z } from 'zod';
import { kindNames } from '../../../core/kinds/kinds.ts';
import { exampleOf, examples, story } from './examples.ts';
import { desiredSchema, documentSchema, lastModifiedBySchema, observedSchema } from './resource.ts';

export const kindSchema = z.enum(kindNames);
export const causeSchema = z.enum(['drift', 'rollout', 'unknown']);

/** `from` absent: it is new; `to` absent: it is removed. Values are of what attributes may hold. */
export const changeSchema = z
  .object({ field: z.string(), from: z.unknown().optional(), to: z.unknown().optional() })
  .meta({ id: 'Change', description: 'One differing field' })
  .register(examples, { example: { field: 'labels.tier', from: 'test', to: 'web' } });

const about = {
  kind: kindSchema,
  address: z.string(),
  documents: z.array(documentSchema),
  cause: causeSchema,
  by: lastModifiedBySchema.optional(),
};

const incarnated = {
  incarnation: z
    .int()
    .optional()
    .meta({ description: 'How often something stood at the address before; absent: never' }),
};

const between = { desired: desiredSchema, observed: observedSchema, changes: z.array(changeSchema) };

const surgeSchema = z.object({ successor: z.string(), asWanted: z.boolean(), since: z.number() }).partial().meta({
  description: 'The new machine is ready before the old one ends; `successor` stands already, since `since`.',
});

const actionWith = <E extends z.ZodRawShape>(extra: E) =>
  z.discriminatedUnion('verb', [
    z.object({
      verb: z.literal('create'),
      ...about,
      ...extra,
      ...incarnated,
      desired: desiredSchema,
      because: z.literal('absent'),
    }),
    z.object({ verb: z.literal('update'), ...about, ...extra, ...between, effect: z.enum(['in-place', 'stops']) }),
    z.object({
      verb: z.literal('replace'),
      ...about,
      ...extra,
      ...incarnated,
      ...between,
      surge: surgeSchema.optional(),
    }),
    z.object({
      verb: z.literal('delete'),
      ...about,
      ...extra,
      observed: observedSchema,
      because: z.enum(['removed', 'changed', 'scaled-down', 'rogue', 'pruned', 'twin', 'again', 'withdrawn']),
      owners: z.array(z.string()).optional(),
    }),
    z.object({ verb: z.literal('adopt'), ...about, ...extra, ...between }),
    z.object({ verb: z.literal('forget'), ...about, ...extra, id: z.string(), because: z.literal('gone') }),
  ]);

export const actionSchema = actionWith({})
  .meta({ id: 'Action', description: 'One change to one resource' })
  .register(examples, {
    example: {
      verb: 'update',
      kind: 'instance',
      address: story.address,
      documents: [exampleOf(documentSchema)],
      cause: 'drift',
      by: exampleOf(lastModifiedBySchema),
      desired: exampleOf(desiredSchema),
      observed: exampleOf(observedSchema),
      changes: [exampleOf(changeSchema)],
      effect: 'in-place',
    },
  });

/** Of a plan. */
export const plannedActionSchema = actionWith({
  digest: z.string().meta({ description: 'Of what it would do: it moves when that does' }),
  scope: z.string(),
})
  .meta({ id: 'PlannedAction', description: 'One change to one resource, in a plan' })
  .register(examples, { example: { ...exampleOf(actionSchema), digest: story.actionDigest, scope: story.scope } });

export const verbSchema = z.enum(['create', 'update', 'replace', 'delete', 'adopt', 'forget']);

const told = {
  why: z.string().meta({ description: 'A sentence; what to do next where there is something to do' }),
  scope: z.string(),
  by: lastModifiedBySchema.optional(),
};

const blockCode = z.enum([
  'not-observed',
  'unknown-region',
  'pending',
  'claimed-twice',
  'name-taken',
  'owned-by',
  'immutable',
  'adopt-missing',
  'depends',
  'non-convergent',
  'foreign-store',
  'lost-commits',
]);

const withholdCode = z.enum([
  'protect',
  'limit',
  'mode',
  'retain',
  'depends',
  'adopted-in-store-only',
  'stale',
  'destructive-drift',
  'quota',
  'backoff',
  'paused',
  'wave',
  'rollout-stopped',
  'failed-births',
  'lost-commits',
]);

/** Something true that is not acted on, and why. */
export const findingSchema = z
  .discriminatedUnion('type', [
    z.object({
      type: z.enum(['unmanaged', 'orphan', 'copied-mark', 'unrecorded-mark']),
      ...told,
      id: z.string(),
      kind: kindSchema,
      name: z.string(),
      of: z.string().optional().meta({ description: 'The resource of ours that it is a setting or a part of' }),
    }),
    z.object({
      type: z.enum(['blocked', 'non-convergent']),
      ...told,
      address: z.string(),
      kind: kindSchema,
      code: blockCode,
    }),
    z.object({
      type: z.literal('withheld'),
      ...told,
      address: z.string(),
      kind: kindSchema,
      action: verbSchema,
      code: withholdCode,
    }),
    z.object({ type: z.literal('incomplete'), ...told, kind: kindSchema, code: z.string() }),
    z.object({ type: z.enum(['wrong-account', 'foreign-store']), ...told }),
  ])
  .meta({ id: 'Finding', description: 'Something true that is not acted on, and why' });
