import { z } from 'zod';
import { kindNames } from '../../../core/kinds/kinds.ts';
import { desiredShape, documentShape } from './desired.ts';
import { exampleOf, examples, story } from './examples.ts';
import { observedShape } from './observed.ts';
import { touchedShape } from './touched.ts';

export const kindShape = z.enum(kindNames);
export const causeShape = z.enum(['drift', 'rollout', 'unknown']);

/** `from` absent: it is new; `to` absent: it is removed. Values are of what attributes may hold. */
export const changeShape = z
  .object({ field: z.string(), from: z.unknown().optional(), to: z.unknown().optional() })
  .meta({ id: 'Change', description: 'One differing field' })
  .register(examples, { example: { field: 'labels.tier', from: 'test', to: 'web' } });

const about = {
  kind: kindShape,
  address: z.string(),
  documents: z.array(documentShape),
  cause: causeShape,
  by: touchedShape.optional(),
};

const incarnated = {
  incarnation: z
    .int()
    .optional()
    .meta({ description: 'How often something stood at the address before; absent: never' }),
};

const between = { desired: desiredShape, observed: observedShape, changes: z.array(changeShape) };

const surgeShape = z.object({ successor: z.string(), asWanted: z.boolean(), since: z.number() }).partial().meta({
  description: 'The new machine is ready before the old one ends; `successor` stands already, since `since`.',
});

const actionWith = <E extends z.ZodRawShape>(extra: E) =>
  z.discriminatedUnion('verb', [
    z.object({
      verb: z.literal('create'),
      ...about,
      ...extra,
      ...incarnated,
      desired: desiredShape,
      because: z.literal('absent'),
    }),
    z.object({ verb: z.literal('update'), ...about, ...extra, ...between, effect: z.enum(['in-place', 'stops']) }),
    z.object({
      verb: z.literal('replace'),
      ...about,
      ...extra,
      ...incarnated,
      ...between,
      surge: surgeShape.optional(),
    }),
    z.object({
      verb: z.literal('delete'),
      ...about,
      ...extra,
      observed: observedShape,
      because: z.enum(['removed', 'changed', 'scaled-down', 'rogue', 'pruned', 'twin', 'again', 'withdrawn']),
      owners: z.array(z.string()).optional(),
    }),
    z.object({ verb: z.literal('adopt'), ...about, ...extra, ...between }),
    z.object({ verb: z.literal('forget'), ...about, ...extra, id: z.string(), because: z.literal('gone') }),
  ]);

export const actionShape = actionWith({})
  .meta({ id: 'Action', description: 'One change to one resource' })
  .register(examples, {
    example: {
      verb: 'update',
      kind: 'instance',
      address: story.address,
      documents: [exampleOf(documentShape)],
      cause: 'drift',
      by: exampleOf(touchedShape),
      desired: exampleOf(desiredShape),
      observed: exampleOf(observedShape),
      changes: [exampleOf(changeShape)],
      effect: 'in-place',
    },
  });

/** Of a plan. */
export const plannedActionShape = actionWith({
  digest: z.string().meta({ description: 'Of what it would do: it moves when that does' }),
  scope: z.string(),
})
  .meta({ id: 'PlannedAction', description: 'One change to one resource, in a plan' })
  .register(examples, { example: { ...exampleOf(actionShape), digest: story.actionDigest, scope: story.scope } });

export const verbShape = z.enum(['create', 'update', 'replace', 'delete', 'adopt', 'forget']);
