import { z } from 'zod';
import { examples } from './examples.ts';
import { moment } from './moment.ts';

/** Who changed something on a cloud last, by the cloud's own audit log. */
export const touchedShape = z
  .object({
    who: z.string(),
    action: z.string(),
    from: z.string().optional(),
    agent: z.string().optional(),
    event: z.string(),
    at: moment,
  })
  .meta({ id: 'Touched', description: "Who changed it last, by the cloud's own audit log: a hint" })
  .register(examples, {
    example: {
      who: 'arn:aws:iam::111122223333:user/bob',
      action: 'CreateTags',
      from: '198.51.100.7',
      agent: 'aws-cli/2.22.0',
      event: '2f1c7a54-6f2e-4d7b-9a55-0c8b8a1d2e3f',
      at: '2027-01-31T07:58:12.000Z',
    },
  });
