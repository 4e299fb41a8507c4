import { z } from 'zod';
import { roles } from '../../../core/access/grant.ts';
import type { Token } from '../../../ports/tokens.ts';
import { examples, story } from './examples.ts';
import { timestamp } from './timestamp.ts';

const names = (of: string) =>
  z
    .array(z.string())
    .optional()
    .meta({ description: `Of these ${of} only; absent: of all` });

/** A role, and where it holds. */
export const grantSchema = z
  .object({ role: z.enum(roles), estates: names('estates'), targets: names('targets'), owners: names('owners') })
  .meta({ id: 'Grant' });

const tokenBody = {
  id: z.string(),
  name: z.string().meta({ description: 'What it is for, in a word' }),
  for: z.string().optional().meta({ description: 'The person that it speaks for; absent: a machine' }),
  grants: z.array(grantSchema),
  state: z.enum(['live', 'expired', 'revoked']),
  made: z.object({ at: timestamp, by: z.string() }),
  expiresAt: timestamp,
  revoked: z.object({ at: timestamp, by: z.string() }).optional(),
  usedAt: timestamp.optional().meta({ description: 'When it was used last, to within an hour' }),
};

export const tokenSchema = z
  .object(tokenBody)
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
export const tokenAnswer = ({ maker, at, revoked, ...token }: Token, now: number): z.input<typeof tokenSchema> => ({
  ...token,
  grants: token.grants.map((grant) => structuredClone(grant)) as z.input<typeof tokenSchema>['grants'], // why: the schema's lists are not readonly
  state: stateOf({ revoked, expiresAt: token.expiresAt }, now),
  made: { at, by: maker.person },
  ...(revoked === undefined ? {} : { revoked: { at: revoked.at, by: revoked.person } }),
});

const stateOf = ({ revoked, expiresAt }: { revoked: Token['revoked']; expiresAt: number }, now: number) => {
  if (revoked !== undefined) return 'revoked';
  return expiresAt > now ? 'live' : 'expired';
};
