import { z } from 'zod';
import { claims } from '../../../core/inventory/ownership.ts';
import type { Explained } from '../../../ports/queries.ts';
import { actionShape } from './action.ts';
import { desiredShape, modeShape } from './desired.ts';
import { exampleOf, examples, story } from './examples.ts';
import { findingShape } from './finding.ts';
import { lookShape, oldestLook } from './look.ts';
import { observedShape } from './observed.ts';
import { heldSourceShape } from './plan.ts';
import { touchedShape } from './touched.ts';

export const originShape = z
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
    observed: observedShape,
    claim: z.enum(claims),
    address: z.string().optional(),
    why: z.string(),
    by: touchedShape.optional(),
  })
  .meta({ id: 'Ownership', description: 'An object on a cloud, whose it is, and why we say so' });

export const explanationShape = z
  .object({
    estate: z.string(),
    address: z.string(),
    wanted: z.array(desiredShape),
    origins: z.array(originShape),
    mode: z.object({ mode: modeShape, why: z.string(), stillBoundBy: modeShape.optional() }).optional(),
    there: z.array(ownership),
    actions: z.array(actionShape),
    findings: z.array(findingShape),
    sources: z.array(heldSourceShape).optional(),
    observed: lookShape,
  })
  .meta({ id: 'Explanation', description: 'All that is known about one resource' })
  .register(examples, {
    example: {
      estate: story.estate,
      address: story.address,
      wanted: [exampleOf(desiredShape)],
      origins: [exampleOf(originShape)],
      mode: { mode: 'plan', why: 'Estate acme says so at estate.yaml:8' },
      there: [
        {
          scope: story.scope,
          observed: exampleOf(observedShape),
          claim: 'ours',
          address: story.address,
          why: 'wanted',
          by: exampleOf(touchedShape),
        },
      ],
      actions: [exampleOf(actionShape)],
      findings: [],
      observed: exampleOf(lookShape),
    },
  });

export const explanationAnswer = ({ bound, explanation, looks }: Explained, now: number) => ({
  estate: bound.estate,
  ...explanation,
  ...(bound.sources === undefined ? {} : { sources: bound.sources }),
  observed: oldestLook(looks, now),
});
