import { z } from 'zod';
import { roles } from '../../../core/access/grant.ts';
import type { Token } from '../../../ports/tokens.ts';
import { examples, story } from './examples.ts';
import { timestamp } from './timestamp.ts';

const names = (of: string) =>
  z
    .array(z.string())
    .optional()
    .meta({ description: `Only these ${of}; absent: all` });

/** A role, and where it holds. */
export const grantSchema = z
  .object({
    role: z.enum(roles),
    estates: names('estates'),
    targets: names('targets'),
    owners: names('owners'),
    approvalRoles: z
      .array(z.string())
      .optional()
      .meta({ description: 'Its roles in approvals, as policies ask for them; absent: none' }),
  })
  .meta({ id: 'Grant' });

const tokenBody = {
  id: z.string(),
  name: z.string().meta({ description: 'Its purpose, in a word' }),
  for: z.string().optional().meta({ description: 'The person that it acts for; absent: a machine' }),
  grants: z.array(grantSchema),
  state: z.enum(['live', 'expired', 'revoked']),
  createdAt: timestamp,
  createdBy: z.string(),
  expiresAt: timestamp,
  revokedAt: timestamp.optional(),
  revokedBy: z.string().optional(),
  lastUsedAt: timestamp.optional().meta({ description: 'Within an hour' }),
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
      createdAt: story.askedAt,
      createdBy: story.person,
      expiresAt: '2027-05-01T08:00:40.000Z',
    },
  });

/** A token as the API shows it at a time. */
export const tokenAnswer = (token: Token, now: number): z.input<typeof tokenSchema> => ({
  id: token.id,
  name: token.name,
  for: token.for,
  grants: token.grants.map((grant) => structuredClone(grant)) as z.input<typeof tokenSchema>['grants'], // why: the schema's lists are not readonly
  state: tokenState(token, now),
  createdAt: token.at,
  createdBy: token.maker.person,
  expiresAt: token.expiresAt,
  revokedAt: token.revoked?.at,
  revokedBy: token.revoked?.person,
  lastUsedAt: token.usedAt,
});

const tokenState = ({ revoked, expiresAt }: Pick<Token, 'revoked' | 'expiresAt'>, now: number) => {
  if (revoked !== undefined) return 'revoked';
  return expiresAt > now ? 'live' : 'expired';
};
