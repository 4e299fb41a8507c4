import { z } from 'zod';
import type { Token } from '../../../ports/tokens.ts';
import { examples, story } from './examples.ts';
import { grantShape } from './grant.ts';
import { moment } from './moment.ts';

const shape = {
  id: z.string(),
  name: z.string().meta({ description: 'What it is for, in a word' }),
  for: z.string().optional().meta({ description: 'The person that it speaks for; absent: a machine' }),
  grants: z.array(grantShape),
  state: z.enum(['live', 'expired', 'revoked']),
  made: z.object({ at: moment, by: z.string() }),
  expiresAt: moment,
  revoked: z.object({ at: moment, by: z.string() }).optional(),
  usedAt: moment.optional().meta({ description: 'When it was used last, to within an hour' }),
};

export const tokenShape = z
  .object(shape)
  .meta({ id: 'Token' })
  .register(examples, {
    example: {
      id: '09b38e391df41c73',
      name: 'ci',
      grants: [{ role: 'planner', estates: [story.estate] }],
      state: 'live',
      made: { at: story.askedAt, by: story.person },
      expiresAt: '2027-05-01T08:00:40.000Z',
    },
  });

/** A token as it is told, at a moment. */
export const tokenAnswer = ({ maker, at, revoked, ...token }: Token, now: number): z.input<typeof tokenShape> => ({
  ...token,
  grants: token.grants.map((grant) => structuredClone(grant)) as z.input<typeof tokenShape>['grants'], // why: the schema's lists are not readonly
  state: stateOf({ revoked, expiresAt: token.expiresAt }, now),
  made: { at, by: maker.person },
  ...(revoked === undefined ? {} : { revoked: { at: revoked.at, by: revoked.person } }),
});

const stateOf = ({ revoked, expiresAt }: { revoked: Token['revoked']; expiresAt: number }, now: number) => {
  if (revoked !== undefined) return 'revoked';
  return expiresAt > now ? 'live' : 'expired';
};
