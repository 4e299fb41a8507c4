import { z } from 'zod';
import { happeningTypes } from '../../../ports/events.ts';
import { examples, story } from './examples.ts';

/** The `data` of one event of /v1/events; its `event` repeats the type, and its `id` is the place to come back to. */
export const happeningShape = z
  .object({
    at: z.iso.datetime().meta({ description: 'When it became true.' }),
    estate: z.string(),
    type: z.enum(happeningTypes).meta({
      description:
        "resource: a line of the inventory changed; pass: one began or ended; generation: one was accepted; word: a person's, as noted in the ledger.",
    }),
    targets: z.array(z.string()).optional().meta({ description: 'The targets that it is of; absent: all of them.' }),
    owner: z.string().optional().meta({ description: 'Whose it is; empty: nobody’s; absent: everybody’s.' }),
    about: z.record(z.string(), z.unknown()).meta({
      description:
        'What happened to what; small. Of a resource, `gone` says that it is none of what you may see any more: it vanished, or is of another owner or other targets now.',
    }),
  })
  .meta({ id: 'Happening' })
  .register(examples, {
    example: {
      at: story.appliedAt,
      estate: story.estate,
      type: 'generation',
      about: { number: 7, revision: story.revision },
    },
  });
