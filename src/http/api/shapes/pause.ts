import { z } from 'zod';
import { examples, story } from './examples.ts';
import { moment } from './moment.ts';

export const heldWhat = z.enum(['healing', 'rollout', 'all']);

/** Strict in its parts too, as people send it: an estate with the name of a target would hold the whole estate still. */
export const subjectShape = z
  .discriminatedUnion('by', [
    z.strictObject({ by: z.literal('estate') }),
    z.strictObject({ by: z.enum(['address', 'owner', 'target']), name: z.string().min(1).max(1000) }),
  ])
  .meta({ id: 'PauseSubject' });

export const pauseShape = z
  .object({
    id: z.int(),
    what: heldWhat,
    of: subjectShape,
    reason: z.string(),
    person: z.string(),
    at: moment,
    until: moment,
  })
  .meta({ id: 'Pause', description: 'Held still until then' })
  .register(examples, {
    example: {
      id: 1,
      what: 'healing',
      of: { by: 'target', name: story.target },
      reason: 'a game day',
      person: story.person,
      at: story.askedAt,
      until: '2027-02-01T08:00:40.000Z',
    },
  });
