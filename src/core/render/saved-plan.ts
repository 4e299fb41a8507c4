import { z } from 'zod';
import type { Action } from '../action.ts';

export const savedPlanFormat = 'setpoint-plan/1';

/** As much of a saved plan as is needed to apply it. */
export type SavedPlan = z.infer<typeof schema>;

/** A saved plan from a value, or the problem with it, in a sentence for people. */
export type SavedPlanReading =
  | { readonly ok: true; readonly saved: SavedPlan }
  | { readonly ok: false; readonly why: string };

/** Ignores the parts of a plan that are for people only. */
export function readSavedPlan(value: unknown): SavedPlanReading {
  const { success, data, error } = schema.safeParse(value);
  return success ? { ok: true, saved: data } : { ok: false, why: firstOf(error) };
}

const verbs = {
  create: 'create',
  update: 'update',
  replace: 'replace',
  delete: 'delete',
  adopt: 'adopt',
  forget: 'forget',
} as const satisfies { readonly [V in Action['verb']]: V };

const said = (what: string) => z.string({ error: what });

const action = z.object(
  { address: said('an address'), verb: z.enum(verbs, { error: 'a verb' }), digest: said('a digest') },
  { error: 'an action' },
);

const schema = z.object(
  {
    format: z.literal(savedPlanFormat, { error: `"${savedPlanFormat}"` }),
    targets: z.array(said('the name of a target'), { error: 'a list of targets' }).readonly(),
    overlay: said('the name of an overlay').optional(),
    grace: z.literal(true, { error: 'true' }).optional(),
    plan: z.object(
      {
        estate: said('the name of an estate'),
        digest: said('a digest'),
        actions: z.array(action.readonly(), { error: 'a list of actions' }).readonly(),
      },
      { error: 'a plan' },
    ),
  },
  { error: 'one JSON object' },
);

/** The first expected value, and its path. Nothing of the found value: it may be any file. */
function firstOf({ issues: [first] }: z.ZodError): string {
  if (first === undefined) return 'It is damaged.';
  const where = first.path.length === 0 ? 'In the file' : `At ${first.path.join('.')}`;
  return `${where}, expected ${first.message}.`;
}
