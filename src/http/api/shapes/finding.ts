import { z } from 'zod';
import { kindShape, verbShape } from './action.ts';
import { touchedShape } from './touched.ts';

const told = {
  why: z.string().meta({ description: 'A sentence; what to do next where there is something to do' }),
  scope: z.string(),
  by: touchedShape.optional(),
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
export const findingShape = z
  .discriminatedUnion('type', [
    z.object({
      type: z.enum(['unmanaged', 'orphan', 'copied-mark', 'unrecorded-mark']),
      ...told,
      id: z.string(),
      kind: kindShape,
      name: z.string(),
      of: z.string().optional().meta({ description: 'The resource of ours that it is a setting or a part of' }),
    }),
    z.object({
      type: z.enum(['blocked', 'non-convergent']),
      ...told,
      address: z.string(),
      kind: kindShape,
      code: blockCode,
    }),
    z.object({
      type: z.literal('withheld'),
      ...told,
      address: z.string(),
      kind: kindShape,
      action: verbShape,
      code: withholdCode,
    }),
    z.object({ type: z.literal('incomplete'), ...told, kind: kindShape, code: z.string() }),
    z.object({ type: z.enum(['wrong-account', 'foreign-store']), ...told }),
  ])
  .meta({ id: 'Finding', description: 'Something true that is not acted on, and why' });
